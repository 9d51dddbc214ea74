"""Where somebody comes from, read from the parameters of a link.

A link without recruiter's ids is the open link. A link with any of Prolific's parameters is Prolific's, and then the
ids must be usable: without them a person would take part and could not be paid, so nobody is enrolled.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from django.utils.translation import gettext as _

from studies.session.blocks import Definition

OPEN = "open"
PROLIFIC = "prolific"
PROLIFIC_PID, STUDY_ID, SESSION_ID = "PROLIFIC_PID", "STUDY_ID", "SESSION_ID"
PROLIFIC_PARAMETERS = (PROLIFIC_PID, STUDY_ID, SESSION_ID)
LONGEST_RAW = 256
"""Characters of an id as it stands in a link: what the database keeps of it."""
TOO_LONG = "too long"
"""What stands for an id that is longer. It is none, because of its blank."""
START_KEY = "start"
"""The field in which the start page hands a fresh random key to its form: what makes a double click one start."""

# A participant id of Prolific: what MongoDB calls an ObjectId.
_PID = re.compile(r"[0-9a-f]{24}", re.ASCII)
_OTHER_ID = re.compile(r"[0-9a-z_-]{1,128}", re.ASCII)
_START_KEY = re.compile(r"[0-9a-f]{32}", re.ASCII)
# What stands there when nobody, or a program without the value, filled the parameter in.
_NOTHING = frozenset({"", "undefined", "null", "none", "nan"})


class Parameters(Protocol):
    """The parameters of a link or the fields of a form, several values a name."""

    def __contains__(self, name: object, /) -> bool: ...

    def getlist(self, name: str) -> list[str]:
        """All values of `name`."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """Who arrives, as far as the link tells. With a `problem` nobody may be enrolled."""

    recruiter: str = OPEN
    external_id: str = ""
    external_id_raw: str = ""
    session_id: str = ""
    study_ref: str = ""
    start_key: str = ""
    problem: str = ""

    @property
    def is_identified(self) -> bool:
        """Whether the recruiter says who it is."""
        return bool(self.external_id)

    def hidden(self) -> list[tuple[str, str]]:
        """The fields by which the start page's form says the same again."""
        if not self.is_identified:
            return [(START_KEY, self.start_key)] if self.start_key else []
        values = (self.external_id_raw, self.study_ref, self.session_id)
        return [(name, value) for name, value in zip(PROLIFIC_PARAMETERS, values, strict=True) if value]


def parse_arrival(parameters: Parameters, definition: Definition) -> Arrival:
    """Read the arrival from a link's parameters or the start form's fields."""
    recruitment: Mapping[str, object] = definition["recruitment"]
    if any(name in parameters for name in PROLIFIC_PARAMETERS):
        if not recruitment["prolific"]:
            return Arrival(PROLIFIC, problem=_("This study does not take participants from Prolific."))
        return _prolific(parameters)
    if not recruitment["open"]:
        return Arrival(problem=_missing())
    key = _single(parameters, START_KEY) or ""
    return Arrival(start_key=key if _START_KEY.fullmatch(key) else "")


def normalised_id(raw: str) -> str:
    """An id as it is compared: compatibility forms folded, no blanks around it, lower case."""
    bare = raw.strip()
    # Folding takes the square of the length, at worst.
    return unicodedata.normalize("NFKC", bare).strip().lower() if len(bare) <= LONGEST_RAW else TOO_LONG


def _prolific(parameters: Parameters) -> Arrival:
    raw = [_single(parameters, name) for name in PROLIFIC_PARAMETERS]
    if None in raw:
        return _broken(_("Your link names an id twice."))
    pid, study_ref, session_id = (normalised_id(value or "") for value in raw)
    if problem := _problem_of(pid, study_ref, session_id):
        return _broken(problem)
    study_ref = "" if study_ref in _NOTHING else study_ref
    return Arrival(PROLIFIC, pid, (raw[0] or "")[:LONGEST_RAW], session_id, study_ref)


def _problem_of(pid: str, study_ref: str, session_id: str) -> str:
    if pid in _NOTHING or session_id in _NOTHING:
        return _missing()
    if any("{" in value or "}" in value or "%" in value for value in (pid, study_ref, session_id)):
        return _("Your link still holds placeholders where Prolific should have put your ids.")
    if "@" in pid:
        return _("Your link holds an e-mail address where your Prolific id should be.")
    if not _PID.fullmatch(pid):
        return _("The Prolific id in your link is not complete.")
    if not _OTHER_ID.fullmatch(session_id) or not (study_ref in _NOTHING or _OTHER_ID.fullmatch(study_ref)):
        return _("The ids in your link are not complete.")
    return ""


def _missing() -> str:
    return _advised(_("Your link lacks the ids that Prolific should have put there."))


def _broken(problem: str) -> Arrival:
    return Arrival(PROLIFIC, problem=_advised(problem))


def _advised(problem: str) -> str:
    advice = _("You have not been enrolled. Please go back to Prolific and open the study from there again.")
    return problem if problem.endswith(advice) else f"{problem} {advice}"


def _single(parameters: Parameters, name: str) -> str | None:
    """The one value of `name`, "" without any, None if there are several that differ."""
    values = set(parameters.getlist(name))
    return None if len(values) > 1 else next(iter(values), "")
