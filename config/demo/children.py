"""The processes that the demonstration starts, each the head of a group of its own, so that none is left behind."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from core.errors import DomainError

LOG_LINES = 15
"""How much of a dead child's log is shown."""
LOOK_EVERY_S = 0.2
PR_SET_PDEATHSIG = 1


class ChildDied(DomainError):
    """A process that has to run does not."""

    default_code = "child_died"


@dataclass(slots=True)
class Child:
    """A process of ours and where its output goes: no log means the terminal, and that it ends by itself."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path | None

    @property
    def is_running(self) -> bool:
        """Whether the head of the group lives."""
        return self.process.poll() is None

    def send(self, number: signal.Signals) -> None:
        """Signal the head of the group."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)

    def kill_group(self) -> None:
        """End the whole group at once, whoever is left of it."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)


class Family:
    """Starts children, notices when one dies, and ends them all."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self.environment = dict(environment)
        self.children: list[Child] = []

    def start(self, name: str, arguments: Sequence[str], *, handed: Sequence[int] = ()) -> Child:
        """Start a Python module or script that has to run until the end. `handed` are open files that it inherits."""
        log = self.folder / f"{name}.log"
        with log.open("wb") as output:
            options = {"stdout": output, "stderr": subprocess.STDOUT, "pass_fds": handed}
            child = Child(name, self._open(arguments, options), log)
        self.children.append(child)
        return child

    def start_errand(self, name: str, arguments: Sequence[str]) -> Child:
        """Start a Python module or script that ends by itself and speaks to the terminal."""
        child = Child(name, self._open(arguments, {}), None)
        self.children.append(child)
        return child

    def _open(self, arguments: Sequence[str], options: Mapping[str, Any]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - our own interpreter and arguments
            [sys.executable, *arguments],
            cwd=settings.BASE_DIR,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            # This process starts no thread, so that code may run between fork and exec.
            preexec_fn=_end_with_parent if sys.platform == "linux" else None,
            **options,
        )

    def check(self) -> None:
        """Insist that everybody lives.

        Raises
        ------
        ChildDied
            With the end of the dead one's log.
        """
        for child in self.children:
            if child.log is not None and not child.is_running:
                raise ChildDied(_died(child))

    def forget(self, child: Child) -> None:
        """Stop watching a child that has done its work."""
        child.kill_group()
        self.children.remove(child)

    def stop(self, *, patience_s: float) -> None:
        """Ask everybody to end, wait, and kill who is left, their own children included."""
        for child in self.children:
            child.send(signal.SIGTERM)
        ends = time.monotonic() + patience_s
        while any(child.is_running for child in self.children) and time.monotonic() < ends:
            time.sleep(LOOK_EVERY_S)
        self.kill()

    def kill(self) -> None:
        """End everybody at once."""
        for child in self.children:
            child.kill_group()
            child.process.wait()


def _end_with_parent() -> None:
    """Ask the kernel to end this process politely when the supervisor is killed and cannot do it."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _died(child: Child) -> str:
    status = child.process.returncode
    how = (
        _("was killed by signal %(n)d") % {"n": -status} if status < 0 else _("ended with status %(n)d") % {"n": status}
    )
    lines = [_("The process “%(name)s” %(how)s, so the demonstration stops.") % {"name": child.name, "how": how}]
    if child.log is not None:
        tail = child.log.read_text(encoding="utf-8", errors="replace").splitlines()[-LOG_LINES:]
        lines += [_("The end of %(path)s:") % {"path": child.log}, *(f"  {line}" for line in tail)]
    return "\n".join(lines)
