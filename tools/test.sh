#!/bin/sh
# The tests on SQLite, then all of them on PostgreSQL if it answers. Called by make test, after the gates.
#
# POLYPHONY_TEST_POSTGRES names the server (a role that may create databases);
# POLYPHONY_REQUIRE_ALL=1 makes whatever cannot run here a failure.
set -eu
cd "$(dirname "$0")/.."
python="$(pwd)/.venv/bin/python"
postgres=${POLYPHONY_TEST_POSTGRES:-postgres://postgres@127.0.0.1:5432/postgres}
workers=${POLYPHONY_TEST_WORKERS:-2}

answers() {
    "$python" -c 'import psycopg, sys; psycopg.connect(sys.argv[1], connect_timeout=3).close()' "$postgres" 2>/dev/null
}

echo "Tests on SQLite"
DATABASE_URL='' "$python" -m pytest -n "$workers" -m "not races and not e2e and not slow and not services" "$@"

if answers; then
    echo "Tests on PostgreSQL"
    DATABASE_URL="$postgres" "$python" -m pytest -n "$workers" --create-db "$@"
elif [ "${POLYPHONY_REQUIRE_ALL:-0}" != 0 ]; then
    echo "POLYPHONY_REQUIRE_ALL is set, but no PostgreSQL answers: set POLYPHONY_TEST_POSTGRES." >&2
    exit 1
else
    echo "Tests on PostgreSQL, in the browser, of races and of services: skipped, because no PostgreSQL answers." \
        "Set POLYPHONY_TEST_POSTGRES=postgres://name:password@host:5432/postgres to run them."
fi
