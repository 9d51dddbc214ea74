#!/bin/sh
# Every gate, one after the other; all are tried, and the failed ones are named at the end. Called by make lint.
set -u
cd "$(dirname "$0")/.."
bin="$(pwd)/.venv/bin"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Nothing of this machine may decide a gate.
export POLYPHONY_VAR_DIR="$scratch/var" DJANGO_SETTINGS_MODULE=config.settings
unset DATABASE_URL CELERY_BROKER_URL POLYPHONY_DEBUG POLYPHONY_PRODUCTION
failed=""

gate() {
    title=$1
    shift
    if "$@" >"$scratch/output" 2>&1; then
        echo "ok      $title"
    else
        cat "$scratch/output"
        echo "FAILED  $title"
        failed="$failed, $title"
    fi
}

templates() {
    find templates -name '*.html' -exec "$bin/djade" --check --target-version 5.2 {} +
}

types() {
    find config core studies voting clustering annotation prediction \
        \( -path 'config/*' -o -path 'core/*' -o -path '*/stats/*' -o -name 'services*.py' -o -name 'selectors*.py' \
        -o -path '*/services/*' -o -path '*/selectors/*' \) \
        -name '*.py' ! -path '*/migrations/*' -exec "$bin/mypy" {} +
}

schema() {
    "$bin/python" manage.py spectacular --validate --fail-on-warn --file "$scratch/openapi.yaml" &&
        diff -u docs/openapi.yaml "$scratch/openapi.yaml" || {
        echo "docs/openapi.yaml is not what the code says: run make schema."
        return 1
    }
}

deployment() {
    POLYPHONY_PRODUCTION=1 POLYPHONY_PUBLIC_URL=https://study.example.org \
        POLYPHONY_SECRET_KEY=$("$bin/python" -c 'import secrets; print(secrets.token_urlsafe(64))') \
        "$bin/python" manage.py check --deploy --fail-level WARNING
}

gate "ruff check" "$bin/ruff" check .
gate "ruff format" "$bin/ruff" format --check .
gate "templates' format (djade)" templates
gate "types (mypy)" types
gate "import directions (import-linter)" "$bin/lint-imports"
gate "migrations complete" "$bin/python" manage.py makemigrations --check --dry-run
gate "schema committed (docs/openapi.yaml)" schema
gate "deployment checks" deployment

if [ -n "$failed" ]; then
    echo "Gates failed: ${failed#, }." >&2
    exit 1
fi
