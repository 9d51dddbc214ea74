#!/bin/sh
# Compile requirements/*.txt from pyproject.toml: pinned, with hashes, for Python 3.11 and up, naming no index.
set -eu
cd "$(dirname "$0")/.."
compile() {
    out=$1
    shift
    .venv/bin/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" \
        --output-file "$out" --quiet "$@"
}
compile requirements/base.txt "$@"
compile requirements/test.txt --extra test --constraint requirements/base.txt "$@"
