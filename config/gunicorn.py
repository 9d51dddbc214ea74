"""How gunicorn serves: threads in a few processes, and no access log."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from gunicorn.glogging import Logger

from config.logs import WithoutTraces

wsgi_app = "config.wsgi:application"
bind = os.environ.get("POLYPHONY_BIND", "127.0.0.1:8000")
workers = int(os.environ.get("WEB_CONCURRENCY") or 2)
worker_class = "gthread"
# A request waits for the database most of its time; more threads than this only share the interpreter.
threads = int(os.environ.get("POLYPHONY_THREADS") or 4)
# The application is imported once, before the processes part.
preload_app = True
timeout = 60
graceful_timeout = 30
keepalive = 5
# A worker's sign of life must not wait for a disk.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108
# By default a socket in the home folder, which two copies of one account would fight for.
control_socket_disable = True


class TracelessLogger(Logger):
    """gunicorn's log without people: no access lines, and no address or query in an error."""

    def setup(self, cfg: Any) -> None:
        """Clean every record of the error log."""
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.addFilter(WithoutTraces())

    def access(self, *_: Any) -> None:
        """Write nothing: a line would name an address and a participant's link."""


accesslog = None
errorlog = "-"
logger_class = TracelessLogger
