"""What the demonstration keeps under the var folder: its lock, its links and the admin's password; and its port."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import socket
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from django.utils.translation import gettext as _

from config.engines import private_folder
from core.errors import Conflict

HOST = "127.0.0.1"
PORTS_TRIED = 100
BACKLOG = 256
AUDIT_SLUG = "public-life-audit"


@dataclass(frozen=True, slots=True)
class Links:
    """Where to look."""

    base_url: str
    slug: str

    @property
    def participant(self) -> str:
        """The open link of the study."""
        return f"{self.base_url}/s/{self.slug}/"

    @property
    def prolific(self) -> str:
        """A link such as Prolific makes, with ids that nobody has used."""
        ids = (
            f"PROLIFIC_PID={secrets.token_hex(12)}&STUDY_ID={secrets.token_hex(12)}&SESSION_ID={secrets.token_hex(12)}"
        )
        return f"{self.participant}?{ids}"

    @property
    def admin(self) -> str:
        """The admin."""
        return f"{self.base_url}/admin/"

    @property
    def audit(self) -> str:
        """The agreement report of the audit of the study's texts."""
        return f"{self.base_url}/audits/{AUDIT_SLUG}/report/"

    @property
    def results(self) -> str:
        """The results page of the study."""
        return f"{self.base_url}/results/{self.slug}/"


class Places:
    """Files of one var folder."""

    def __init__(self, var_dir: Path) -> None:
        self.var_dir = var_dir
        self.logs = private_folder(var_dir / "logs")
        self.password_file = var_dir / "admin-password"
        self._links_file = var_dir / "demo.json"
        self._lock_file = var_dir / "demo.lock"

    @contextlib.contextmanager
    def locked(self) -> Iterator[bool]:
        """Hold the var folder for one demonstration; False if another one holds it."""
        with self._lock_file.open("w", encoding="ascii") as file:
            try:
                # Ends with the process, however it ends.
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            yield True

    def keep_links(self, links: Links) -> None:
        """Note where this demonstration can be reached, for whoever starts a second one."""
        self._links_file.write_text(json.dumps(asdict(links)), encoding="utf-8")

    def kept_links(self) -> Links | None:
        """Where the running demonstration can be reached; None while it still starts."""
        try:
            return Links(**json.loads(self._links_file.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None

    def forget_links(self) -> None:
        """Nothing can be reached any more."""
        self._links_file.unlink(missing_ok=True)

    def keep_password(self, password: str) -> None:
        """Keep the admin's password where only this account can read it."""
        handle = os.open(self.password_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            os.fchmod(handle, 0o600)
            file.write(password + "\n")

    def kept_password(self) -> str:
        """The password that was kept; empty if there is none."""
        try:
            return self.password_file.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return ""


def listening_socket(first: int) -> socket.socket:
    """A socket that listens on the first free port from `first` on.

    It is handed to the web server open, so nobody can take the port in between.

    Raises
    ------
    Conflict
        If none of the ports tried is free.
    """
    for port in range(first, min(first + PORTS_TRIED, 65536)):
        found = socket.socket()
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((HOST, port))
        except OSError:
            found.close()
            continue
        found.listen(BACKLOG)
        return found
    raise Conflict(_("No port from %(first)d on is free.") % {"first": first})
