"""Which key of a definition is which column of the draft: one table for reading and for writing."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from studies.models import Enrolment, Study

SCHEMA_VERSION = 1

Path = tuple[str, ...]

#: The ways a session ends, each with a completion code of its own. `full` has no enrolment.
OUTCOMES: tuple[str, ...] = (
    Enrolment.Status.COMPLETE.value,
    Enrolment.Status.NO_CONSENT.value,
    Enrolment.Status.SCREENED_OUT.value,
    Enrolment.Status.TIMED_OUT.value,
    Enrolment.Status.WITHDRAWN.value,
    "full",
)

#: In the order in which a file is written.
COLUMNS: dict[Path, str] = {
    ("slug",): "slug",
    ("title",): "title",
    ("language",): "language",
    ("time_zone",): "time_zone",
    ("summary",): "summary",
    ("contact",): "contact",
    ("ethics", "body"): "ethics_body",
    ("ethics", "protocol"): "ethics_protocol",
    ("pay", "amount"): "pay_amount",
    ("pay", "currency"): "pay_currency",
    ("pay", "minutes"): "pay_minutes",
    ("consent",): "consent_text",
    ("withdrawal",): "withdrawal_policy",
    ("recruitment", "open"): "allows_open_link",
    ("recruitment", "prolific"): "allows_prolific",
    ("recruitment", "places"): "places",
    ("recruitment", "session_minutes"): "session_minutes",
    ("codes",): "codes",
    ("blocks",): "blocks",
    ("assignment", "questions_each"): "questions_each",
    ("assignment", "policy"): "assignment_policy",
    ("assignment", "slot_minutes"): "slot_minutes",
    ("write", "minimum"): "write_minimum",
    ("write", "maximum"): "write_maximum",
    ("write", "stance"): "stance_options",
    ("write", "importance", "low"): "importance_low",
    ("write", "importance", "high"): "importance_high",
    ("rate", "instructions"): "rate_instructions",
    ("rate", "low"): "rate_low",
    ("rate", "high"): "rate_high",
    ("debrief",): "debrief_text",
}

#: The lists of a definition that studies owns and that may stand in a table beside the file.
LISTS = ("form", "questions", "sources", "answers")


def default_of(path: Path) -> Any:
    """What a definition says at `path` if it is silent."""
    column: Any = Study._meta.get_field(COLUMNS[path])
    return to_definition(path, column.get_default())


def to_definition(path: Path, value: Any) -> Any:
    """A column's value in the form in which definitions have it."""
    if path == ("pay", "amount"):
        return None if value is None else f"{Decimal(value):.2f}"
    if path == ("codes",):
        return {outcome: str((value or {}).get(outcome, "")) for outcome in OUTCOMES}
    if path == ("write", "stance"):
        return [{"value": str(option["value"]), "label": str(option["label"])} for option in value]
    if path == ("blocks",):
        return [str(kind) for kind in value]
    return value


def to_column(path: Path, value: Any) -> Any:
    """A definition's value in the form in which the column has it."""
    if path == ("pay", "amount"):
        return None if value is None else Decimal(value)
    if path == ("codes",):
        return {outcome: code for outcome, code in value.items() if code}
    return value


def get_at(data: Mapping[str, Any], path: Path) -> tuple[bool, Any]:
    """Whether `data` says something at `path`, and what."""
    value: Any = data
    for key in path:
        if not isinstance(value, Mapping) or key not in value:
            return False, None
        value = value[key]
    return True, value


def set_at(data: dict[str, Any], path: Path, value: Any) -> None:
    """Let `data` say `value` at `path`."""
    *parents, last = path
    for key in parents:
        data = data.setdefault(key, {})
    data[last] = value
