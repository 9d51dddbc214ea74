"""What a person is told at the end, with the code of that end and the way back to the recruiter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from django.utils.translation import gettext, gettext_noop

from studies.models import Enrolment, Tombstone
from studies.session.blocks import Definition
from studies.session.endings import is_late

FULL = "full"
PROLIFIC = "prolific"
HAD_FINISHED = "had_finished"
"""Among the numbers of a tombstone: 1 if the session was complete before it was withdrawn."""
PROLIFIC_RETURN = "https://app.prolific.com/submissions/complete?cc="


@dataclass(frozen=True, slots=True)
class Outcome:
    """An end: of a session, or of the attempt to start one."""

    kind: str
    title: str
    message: str = ""
    code: str = ""
    return_url: str = ""
    debrief: str = ""
    late: bool = False


def may_withdraw(enrolment: Enrolment) -> bool:
    """Whether there is something to erase: not after declining, and not twice."""
    return enrolment.status not in {Enrolment.Status.WITHDRAWN, Enrolment.Status.NO_CONSENT}


def outcome_of(enrolment: Enrolment, definition: Definition) -> Outcome:
    """What the ended session `enrolment` came to."""
    title, message = _words(enrolment)
    is_complete = enrolment.status == Enrolment.Status.COMPLETE
    # Whoever had finished before withdrawing has done the work, and is told the code of that.
    code = code_for(definition, "complete" if _had_finished(enrolment) else enrolment.status)
    return Outcome(
        kind=str(enrolment.status),
        title=title,
        message=message,
        code=code,
        return_url=return_url(enrolment.recruiter, code),
        debrief=definition.get("debrief", "") if is_complete else "",
        late=is_late(enrolment),
    )


def full_outcome(recruiter: str, definition: Definition) -> Outcome:
    """What is told when all places are taken: nobody was enrolled."""
    code = code_for(definition, FULL)
    return Outcome(FULL, gettext("All places are taken"), code=code, return_url=return_url(recruiter, code))


def code_for(definition: Definition, kind: str) -> str:
    """The opaque code of an outcome; empty if the definition has none (a preview of a draft)."""
    codes: dict[str, Any] = definition.get("codes") or {}
    return codes.get(kind) or ""


def return_url(recruiter: str, code: str) -> str:
    """The link that tells the recruiter how it ended; only Prolific has one."""
    return PROLIFIC_RETURN + quote(code, safe="") if recruiter == PROLIFIC and code else ""


def _had_finished(enrolment: Enrolment) -> bool:
    if enrolment.status != Enrolment.Status.WITHDRAWN:
        return False
    found = Tombstone.objects.filter(enrolment_public_id=enrolment.public_id).values_list("erased", flat=True).first()
    return bool(found and found.get(HAD_FINISHED))


def _words(enrolment: Enrolment) -> tuple[str, str]:
    title, message = _WORDS[Enrolment.Status(enrolment.status)]
    return gettext(title), gettext(message) % {"receipt": enrolment.public_code}


_WORDS = {
    Enrolment.Status.COMPLETE: (
        gettext_noop("Thank you. You have finished"),
        gettext_noop("All your answers are saved."),
    ),
    Enrolment.Status.NO_CONSENT: (
        gettext_noop("You chose not to take part"),
        gettext_noop("Thank you for your time. Only your decision was stored, and nothing more is needed."),
    ),
    Enrolment.Status.SCREENED_OUT: (
        gettext_noop("This study is not for you this time"),
        gettext_noop(
            "Thank you for your answers. The study looks for people in another situation, so it ends here for you."
        ),
    ),
    Enrolment.Status.TIMED_OUT: (
        gettext_noop("The time for this session is over"),
        gettext_noop("What you sent in time is kept. If you think this is wrong, write to the team."),
    ),
    Enrolment.Status.WITHDRAWN: (
        gettext_noop("You have withdrawn"),
        gettext_noop(
            "Your answers have been erased. Thank you for the time you gave. The number of this receipt is %(receipt)s."
        ),
    ),
}
