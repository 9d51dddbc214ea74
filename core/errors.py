"""Errors that a person can do something about.

Every rule of the domain that is broken raises a subclass of :class:`DomainError`. Views, the API and
management commands turn it into an answer in one place each, so services raise and nobody else catches.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

Message = str | Promise

MAXIMUM_PROBLEMS = 100
"""How many problems of one input are shown; the rest are counted."""

ENOUGH_PROBLEMS = 10_000
"""After how many an input is not read on: a file of a million wrong rows is wrong as a whole."""

# Whatever would break "one line per problem" or hide what was meant: control, format and separator characters.
_UNSHOWABLE = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ud800-\\udfff\\ufeff]")


class DomainError(Exception):
    """A rule of the domain was broken: `message` is for a person, `code` for a machine."""

    default_message: ClassVar[Message] = _("This is not possible at the moment.")
    default_code: ClassVar[str] = "conflict"
    http_status: int = 409
    exit_status: ClassVar[int] = 1

    def __init__(
        self, message: Message | None = None, *, code: str | None = None, http_status: int | None = None
    ) -> None:
        self.message: Message = self.default_message if message is None else message
        self.code = self.default_code if code is None else code
        if http_status is not None:
            self.http_status = http_status
        super().__init__(self.message)

    def __str__(self) -> str:
        return str(self.message)

    def lines(self) -> list[str]:
        """What a command prints, one line a problem."""
        return [str(self)]

    def to_dict(self) -> dict[str, Any]:
        """Return the error as JSON-ready data: `code`, `message` and `fields` (empty unless it has some)."""
        return {"code": self.code, "message": str(self), "fields": {}}


class NotAllowed(DomainError):
    """The thing is visible to the person, but not this act on it."""

    default_message = _("You are not allowed to do this.")
    default_code = "not_allowed"
    http_status = 403


class NotThere(DomainError):
    """The thing does not exist, or the person must not learn that it does."""

    default_message = _("There is nothing here.")
    default_code = "not_there"
    http_status = 404


class Conflict(DomainError):
    """The state of things forbids the act: something is closed, frozen, taken or already done."""


class Invalid(DomainError):
    """What was given breaks a rule; `fields` lists the messages by field name."""

    default_message = _("Please check what you entered.")
    default_code = "invalid"
    http_status = 422
    exit_status = 2

    def __init__(
        self,
        message: Message | None = None,
        *,
        code: str | None = None,
        fields: Mapping[str, Iterable[Message]] | None = None,
    ) -> None:
        super().__init__(message, code=code)
        self.fields = {name: [str(message) for message in messages] for name, messages in (fields or {}).items()}

    def lines(self) -> list[str]:
        """The message, then one line for each message of a field."""
        return [str(self), *(f"{name}: {message}" for name, messages in self.fields.items() for message in messages)]

    def to_dict(self) -> dict[str, Any]:
        """Return the error as JSON-ready data, with its messages by field."""
        return {**super().to_dict(), "fields": self.fields}


def shown(value: object, maximum: int = 60) -> str:
    """Return `value` as it may stand in a message: quoted, on one line, the invisible spelled out, cut if long."""
    text = value if isinstance(value, str) else str(value)
    cut = text if len(text) <= maximum else text[: maximum - 1] + "…"
    return f"“{one_line(cut)}”"


def one_line(text: str) -> str:
    r"""Return `text` with what breaks a line or cannot be seen written as an escape such as ``\n`` or ``\u200b``."""
    return _UNSHOWABLE.sub(lambda match: match.group().encode("unicode_escape").decode("ascii"), text)


def nearest(word: str, known: Iterable[object]) -> str:
    """Return the remedy for an unknown `word`: the nearest known one, or all of them."""
    names = [str(name) for name in known]
    by_case = [name for name in names if name.casefold() == word.strip().casefold()]
    close = by_case or difflib.get_close_matches(word, names, n=1)
    if close:
        return gettext("Did you mean %(name)s?") % {"name": shown(close[0])}
    return gettext("Known here: %(names)s.") % {"names": ", ".join(names)} if names else ""


@dataclass(frozen=True, slots=True)
class InputProblem:
    """One thing wrong in an input file: where, what, and what to do about it.

    `line` is the physical line on which the record or node begins (for Parquet the row), `column` the number of
    the cell in tables and of the character elsewhere, both counted from 1; `name` the column's or key's name.
    """

    file: str
    line: int | None
    column: int | None
    message: str
    remedy: str = ""
    name: str = ""

    def __str__(self) -> str:
        place = ":".join([self.file, *(str(number) for number in (self.line, self.column) if number is not None)])
        label = f" ({self.name})" if self.name else ""
        sentences = " ".join(_sentence(part) for part in (self.message, self.remedy) if part)
        return one_line(f"{place}{label}: {sentences}")

    def to_dict(self) -> dict[str, Any]:
        """Return the problem as JSON-ready data."""
        return {name: getattr(self, name) for name in ("file", "line", "column", "name", "message", "remedy")}


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…", "。")) else text + "."


class BadInput(DomainError):
    """An input that cannot be taken in; nothing of it was. Holds its problems, and `n_more` that are not shown."""

    default_code = "bad_input"
    http_status = 422
    exit_status = 2

    def __init__(self, problems: Sequence[InputProblem], *, n_more: int = 0) -> None:
        self.problems = tuple(problems[:MAXIMUM_PROBLEMS])
        self.n_more = n_more + max(0, len(problems) - MAXIMUM_PROBLEMS)
        super().__init__(self._summary())

    @property
    def n_problems(self) -> int:
        """How many problems there are, shown or not."""
        return len(self.problems) + self.n_more

    def lines(self) -> list[str]:
        """One line per problem, and a last one that counts those not shown."""
        rest = ngettext("… and %(n)d more problem.", "… and %(n)d more problems.", self.n_more) % {"n": self.n_more}
        if self.n_problems >= ENOUGH_PROBLEMS:
            rest = _("… and at least %(n)d more problems; the rest was not read.") % {"n": self.n_more}
        return [*map(str, self.problems), *([rest] if self.n_more else [])]

    def _summary(self) -> str:
        count = ngettext("The input has %(n)d problem.", "The input has %(n)d problems.", self.n_problems)
        return " ".join([count % {"n": self.n_problems}, *(str(problem) for problem in self.problems[:1])])

    def to_dict(self) -> dict[str, Any]:
        """Return the error as JSON-ready data, with its problems."""
        problems = [problem.to_dict() for problem in self.problems]
        return {**super().to_dict(), "problems": problems, "n_more": self.n_more}


class Problems:
    """Collects what is wrong in an input, so that a person learns everything at once; keeps the first 100."""

    def __init__(self) -> None:
        self._kept: list[InputProblem] = []
        self._n_more = 0
        self._given_up: BadInput | None = None

    def __len__(self) -> int:
        return len(self._kept) + self._n_more

    def __bool__(self) -> bool:
        return bool(self._kept)

    @property
    def is_full(self) -> bool:
        """Whether what is added from now on is only counted, so that nobody need look for a remedy."""
        return len(self._kept) >= MAXIMUM_PROBLEMS

    def add(self, problem: InputProblem) -> None:
        """Keep `problem`, or only count it when there are too many to show; give up when there are enough.

        Raises
        ------
        BadInput
            With what was collected, if there are `ENOUGH_PROBLEMS`.
        """
        if len(self) >= ENOUGH_PROBLEMS:
            self._given_up = self.error()
            raise self._given_up
        if not self.is_full:
            self._kept.append(problem)
        else:
            self._n_more += 1

    def take(self, error: BadInput) -> None:
        """Take over the problems of another input; having given up on this one goes on being raised."""
        if error is self._given_up:
            raise error
        for problem in error.problems:
            self.add(problem)
        self._n_more += error.n_more

    def error(self) -> BadInput:
        """Return what was collected as the error to raise."""
        return BadInput(self._kept, n_more=self._n_more)

    def raise_if_any(self) -> None:
        """Raise :class:`BadInput` with everything collected, if anything was."""
        if self:
            raise self.error()


def bad_file(
    file: str, message: str, remedy: str = "", *, line: int | None = None, column: int | None = None
) -> BadInput:
    """Return the error for an input with one problem, after which reading on makes no sense."""
    return BadInput([InputProblem(file, line, column, message, remedy)])


def cannot_read(file: str, error: OSError) -> BadInput:
    """Return the error for a file that the operating system does not give us."""
    message = gettext("The file cannot be read: %(reason)s.") % {"reason": error.strerror or error}
    return bad_file(file, message, gettext("Check its name and permissions."))
