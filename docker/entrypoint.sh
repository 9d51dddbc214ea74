#!/bin/sh
# One image, several roles: web | worker | beat | migrate | manage <command>.
set -eu
cd "$(dirname "$0")/.."

role=${1:-web}
[ $# -gt 0 ] && shift

case $role in
web)
    python manage.py collectstatic --noinput --verbosity 0
    exec gunicorn --config config/gunicorn.py "$@"
    ;;
worker)
    # One computation at a time a process: each may use all the memory and cores it is given.
    exec celery --app config.celery worker --pool prefork --concurrency "${POLYPHONY_WORKER_PROCESSES:-1}" \
        --without-gossip --without-mingle --loglevel "${POLYPHONY_LOG_LEVEL:-INFO}" "$@"
    ;;
beat)
    # Exactly one of these: it says when, the workers do.
    exec celery --app config.celery beat --pidfile= --loglevel "${POLYPHONY_LOG_LEVEL:-INFO}" "$@"
    ;;
migrate)
    exec python manage.py migrate --noinput "$@"
    ;;
manage)
    exec python manage.py "$@"
    ;;
*)
    echo "Unknown role $role: use web, worker, beat, migrate or manage." >&2
    exit 2
    ;;
esac
