"""Recruitment, time, pay and codes: the rules of recruiters, with the day on which they were read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from studies.definition.checks.problem import Problem, error, repeated, some, warning
from studies.definition.keys import OUTCOMES

Definition = Mapping[str, Any]

#: Words that would tell a participant, who sees the code, what it stands for.
_REVEALING = re.compile(
    "SCREEN|CONSENT|COMPLET|TIME|TIMED|WITHDR|FULL|QUOTA|FAIL|REJECT|DECLIN|DONE|FINISH|RETURN|OVER", re.IGNORECASE
)
_CODE = re.compile("[A-Za-z0-9_-]{4,64}")


def longest_on_prolific(minutes: int) -> int:
    """Prolific's shortest possible maximum time for an estimate of `minutes`: 2 + 2e + 2 sqrt(e), in whole minutes."""
    return math.ceil(2 + 2 * minutes + 2 * math.sqrt(minutes))


def is_revealing(code: str) -> bool:
    """Whether a participant can read from `code` what it stands for."""
    return _REVEALING.search(code) is not None


def check_recruitment(definition: Definition) -> Iterator[Problem]:
    """Somebody must be able to come, and have the time that they were promised."""
    recruitment, minutes = definition["recruitment"], definition["pay"]["minutes"]
    if not (recruitment["open"] or recruitment["prolific"]):
        yield error("recruitment", _("Nobody can come: allow the open link, Prolific, or both."))
    if recruitment["session_minutes"] is None and recruitment["places"] is not None:
        message = _(
            "Sessions never time out, so whoever leaves keeps a place for ever, and the study may fill up with them: "
            "give the minutes until a session times out."
        )
        yield warning("recruitment.session_minutes", message)
    if minutes is None:
        yield warning("pay.minutes", _("Participants are not told how long it takes: give the estimated minutes."))
        return
    limit = recruitment["session_minutes"]
    if limit is not None and recruitment["prolific"] and limit < longest_on_prolific(minutes):
        message = _(
            "A session times out after %(limit)d minutes, but Prolific allows at least %(least)d for an estimate of "
            "%(minutes)d: people would be shut out in their time."
        )
        numbers = {"limit": limit, "least": longest_on_prolific(minutes), "minutes": minutes}
        yield error("recruitment.session_minutes", message % numbers)
    if definition["assignment"]["slot_minutes"] < minutes:
        message = _(
            "A question is reserved for fewer minutes than a session is estimated to take; it may be given away."
        )
        yield warning("assignment.slot_minutes", message)


def check_pay(definition: Definition) -> Iterator[Problem]:
    """The pay rule is whole, and not below what the recruiter allows for an hour."""
    pay, prolific = definition["pay"], definition["recruitment"]["prolific"]
    if pay["amount"] is None:
        if prolific:
            yield warning(
                "pay", _("Prolific pays every participant, but the pay rule is empty: participants see none.")
            )
        return
    if not pay["currency"]:
        yield error("pay.currency", _("The pay has no currency."))
    floor = settings.PAY_FLOOR_PER_HOUR.get(pay["currency"])
    if not pay["minutes"] or floor is None or not prolific:
        return
    per_hour = Decimal(pay["amount"]) * 60 / pay["minutes"]
    if per_hour < Decimal(floor):
        message = _(
            "%(rate)s %(currency)s an hour is below Prolific's floor of %(floor)s (as of %(day)s). "
            "Prolific goes by the median time people really take."
        )
        day = settings.PAY_FLOOR_AS_OF
        values = {"rate": f"{per_hour:.2f}", "currency": pay["currency"], "floor": floor, "day": day}
        yield warning("pay.amount", message % values)


def check_codes(definition: Definition) -> Iterator[Problem]:
    """Each outcome has a code of its own that tells its bearer nothing. Missing ones are made at publication."""
    given = {outcome: code for outcome, code in definition["codes"].items() if code}
    unknown = [outcome for outcome in given if outcome not in OUTCOMES]
    if unknown:
        yield error("codes", _("These are no outcomes: %(names)s.") % {"names": some(unknown)})
    for code in repeated(given.values()):
        outcomes = some([outcome for outcome, own in given.items() if own == code])
        yield error("codes", _("These outcomes have the same code: %(outcomes)s.") % {"outcomes": outcomes})
    for outcome, code in given.items():
        if not _CODE.fullmatch(code):
            message = _("A code has 4 to 64 letters, digits, hyphens and underscores.")
            yield error(f"codes.{outcome}", message)
        if is_revealing(code):
            message = _("The code %(code)s tells participants what it stands for. Leave it out, and one is made.")
            yield error(f"codes.{outcome}", message % {"code": code})
