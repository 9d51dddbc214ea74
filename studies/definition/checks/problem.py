"""One thing to say about a draft before it is published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

ERROR = "error"
WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Problem:
    """An error forbids publication, a warning does not; `where` is the key of the definition it is about."""

    level: str
    message: str
    where: str

    @property
    def is_error(self) -> bool:
        """Whether it forbids publication."""
        return self.level == ERROR

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


def error(where: str, message: str) -> Problem:
    """What forbids publication."""
    return Problem(ERROR, message, where)


def warning(where: str, message: str) -> Problem:
    """What the team should think about."""
    return Problem(WARNING, message, where)


def repeated(values: Iterable[str]) -> list[str]:
    """The values that stand there more than once, in order."""
    return [value for value, n in Counter(values).items() if n > 1]


def some(names: list[str], maximum: int = 10) -> str:
    """The names for a message: all, or the first ones and how many more."""
    shown = ", ".join(names[:maximum])
    return shown if len(names) <= maximum else f"{shown}, … (+{len(names) - maximum})"
