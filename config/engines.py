"""Where the data and the messages live: database, broker, secret key, from their addresses."""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

SQLITE = "django.db.backends.sqlite3"
POSTGRESQL = "django.db.backends.postgresql"
BROKERS = ("filesystem", "redis", "rediss", "amqp", "amqps")
# IMMEDIATE takes the write lock at BEGIN, where SQLite waits; a lock upgraded later fails at once.
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
}


def private_folder(path: Path) -> Path:
    """Return the folder, made for this account alone if it was missing."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def database(url: str, *, var_dir: Path, max_age_s: int, prepare_after: int = 0) -> dict[str, Any]:
    """Return Django's description of the database at `url`, or of SQLite under `var_dir`.

    A kept connection to PostgreSQL asks the same few statements over and over: after `prepare_after` times the server
    keeps the plan of one. Zero is never, for a pooler that hands one connection to many, transaction by transaction.
    """
    if not url:
        name = var_dir / "polyphony.sqlite3"
        return {"ENGINE": SQLITE, "NAME": name, "OPTIONS": SQLITE_OPTIONS, "CONN_MAX_AGE": max_age_s}
    try:
        found: dict[str, Any] = dict(dj_database_url.parse(url))
    except ValueError as error:
        raise ImproperlyConfigured(_database_sentence()) from error
    if found["ENGINE"] == SQLITE:
        options = {**SQLITE_OPTIONS, **found.get("OPTIONS", {})}
        # Opening a file costs as much as a page: each thread of the web server keeps its connection.
        return {**found, "OPTIONS": options, "CONN_MAX_AGE": max_age_s}
    if found["ENGINE"] != POSTGRESQL:
        raise ImproperlyConfigured(_database_sentence())
    options = found.get("OPTIONS", {})
    if prepare_after:
        # Only a statement whose values travel beside it can be kept.
        options = {**options, "server_side_binding": True, "prepare_threshold": prepare_after}
    return {**found, "OPTIONS": options, "CONN_MAX_AGE": max_age_s, "CONN_HEALTH_CHECKS": True}


def _database_sentence() -> str:
    # The address is not repeated: it holds a password.
    return "DATABASE_URL must read postgres://name:password@host:5432/database or sqlite:////path."


def broker(url: str, *, var_dir: Path) -> tuple[str, dict[str, Any]]:
    """Return the broker's address and transport options; by default folders under `var_dir`."""
    scheme = url.partition("://")[0] or "filesystem"
    if scheme not in BROKERS:
        raise ImproperlyConfigured(f"CELERY_BROKER_URL starts with {scheme}://: use {', '.join(BROKERS)}.")
    if scheme != "filesystem":
        return url, {}
    queue = private_folder(var_dir / "queue")
    folders = {name: str(private_folder(queue / name)) for name in ("messages", "control")}
    return "filesystem://localhost", {
        "data_folder_in": folders["messages"],
        "data_folder_out": folders["messages"],
        "control_folder": folders["control"],
    }


def secret_key(var_dir: Path) -> str:
    """Return the key kept under `var_dir`, made at the first start and readable by its owner alone."""
    path = private_folder(var_dir) / "secret-key"
    if not path.exists():
        _make_key(path)
    key = path.read_text(encoding="ascii").strip()
    if len(key) < 50:
        raise ImproperlyConfigured(
            f"{path} holds no usable key: delete the file and start again (all will be logged out)."
        )
    return key


def _make_key(path: Path) -> None:
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=".secret-key-")  # mode 0600
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(64))
    # Web and worker may start at the same moment: a link appears whole, and only for the first.
    with contextlib.suppress(FileExistsError):
        os.link(scratch, path)
    Path(scratch).unlink()
