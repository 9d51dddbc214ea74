#!/bin/sh
# Make .venv from the pinned requirements; leave it alone if it fits them. Called by make install.
set -eu
cd "$(dirname "$0")/.."

fits() {
    command -v "$1" >/dev/null 2>&1 &&
        "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        fits "$PYTHON" && echo "$PYTHON" && return
        echo "PYTHON=$PYTHON is no Python of at least 3.11." >&2
        return 1
    fi
    for candidate in ${KNOWN_PYTHONS:-python3}; do
        fits "$candidate" && echo "$candidate" && return
    done
    cat >&2 <<'EOF'
Polyphony needs Python 3.11 or later, and found none on your PATH.
  Debian, Ubuntu:  sudo apt install python3 python3-venv
  Fedora:          sudo dnf install python3
  macOS:           brew install python
If you have one elsewhere, name it:  make PYTHON=/path/to/python3 install
EOF
    return 1
}

python=$(find_python)
# The folder is part of the stamp: scripts of a virtual environment name the place they were made in.
stamp="$(cat requirements/test.txt | cksum) $("$python" -c 'import sys; print(sys.version)') $(pwd)"
if [ -x .venv/bin/python ] && [ "$(cat .venv/requirements-stamp 2>/dev/null)" = "$stamp" ]; then
    exit 0
fi

echo "Making .venv with $("$python" --version 2>&1); the first time takes a few minutes."
rm -rf .venv
"$python" -m venv .venv || {
    echo "Could not make a virtual environment: on Debian and Ubuntu, sudo apt install python3-venv." >&2
    exit 1
}
.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/test.txt
printf '%s' "$stamp" > .venv/requirements-stamp
echo "Installed."
