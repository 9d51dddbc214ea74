"""What a rater has before them: consent, what there is to learn of a practice item or a qualification, or items."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from django.db.models import F, QuerySet

from annotation.models import Assignment, ConsentText, ItemEvent, Packet, Qualification, Rater
from annotation.selectors.raters import needs_consent

Purpose = Assignment.Purpose
Status = Assignment.Status


class Kind(StrEnum):
    """The stages, in the order in which they are passed; feedback comes after each practice item."""

    CONSENT = "consent"
    DECLINED = "declined"
    FEEDBACK = "feedback"
    RESULT = "result"
    ITEMS = "items"


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a rater stands; with the practice item to give feedback on, or the qualification to tell the result of."""

    kind: Kind
    practised: Assignment | None = None
    attempt: Qualification | None = None


def consent_text(rater: Rater) -> ConsentText | None:
    """The consent text in force."""
    return rater.campaign.consent_texts.order_by("-number").first()


def stage_of(rater: Rater, packet: Packet) -> Stage:
    """Where the rater stands in `packet`. Reads only."""
    if needs_consent(rater):
        has_declined = rater.consents.filter(consent_text=consent_text(rater), accepted=False).exists()
        return Stage(Kind.DECLINED if has_declined else Kind.CONSENT)
    practised = _unread_feedback(rater, packet)
    if practised is not None:
        return Stage(Kind.FEEDBACK, practised=practised)
    attempt = _untold_result(rater, packet)
    if attempt is not None:
        return Stage(Kind.RESULT, attempt=attempt)
    return Stage(Kind.ITEMS)


def _unread_feedback(rater: Rater, packet: Packet) -> Assignment | None:
    """The practice item answered last, unless the rater went on from its feedback."""
    done = Assignment.objects.filter(
        rater=rater, item__packet=packet, purpose=Purpose.TRAINING, status=Status.DONE
    ).exclude(pk__in=_read())
    return done.select_related("item").order_by("-rank").first()


def _read() -> QuerySet[ItemEvent, dict[str, int]]:
    """Practice items whose feedback was read: looked at again after they were answered."""
    rows = ItemEvent.objects.filter(kind=ItemEvent.Kind.BACK, at__gte=F("assignment__done_at"))
    return rows.filter(assignment__purpose=Purpose.TRAINING).values("assignment")  # type: ignore[return-value]


def _untold_result(rater: Rater, packet: Packet) -> Qualification | None:
    """The last attempt at the gold items, if it is decided and the rater has been given nothing since."""
    last = Qualification.objects.filter(rater=rater, packet=packet).order_by("-attempt").first()
    if last is None or last.finished_at is None:
        return None
    given = Assignment.objects.filter(rater=rater, item__packet=packet, purpose=Purpose.WORK)
    return None if given.exists() else last


@dataclass(frozen=True, slots=True)
class Progress:
    """How many items a rater has judged of how many at most."""

    done: int
    of: int


def progress_of(rater: Rater, packet: Packet, *, at_most: int | None = None) -> Progress:
    """The rater's own progress at real work; nothing of what others have done is in it."""
    done = Assignment.objects.counted().filter(rater=rater, item__packet=packet).count()
    limits = [packet.items.work().count(), packet.items_per_rater, at_most]
    return Progress(done, max(done, min(limit for limit in limits if limit is not None)))


def place_in_round(assignment: Assignment) -> Progress:
    """How far a rater is in the round of practice or gold items that `assignment` is of."""
    rows = Assignment.objects.filter(
        rater=assignment.rater_id,
        item__packet=assignment.item.packet_id,
        purpose=assignment.purpose,
        round=assignment.round,
    )
    return Progress(rows.filter(status=Status.DONE).count(), rows.count())


def is_first_of_kind(assignment: Assignment) -> bool:
    """Whether the rater has answered no item of this kind yet, and will want to read its rubric."""
    return not Assignment.objects.filter(
        rater=assignment.rater_id, item__kind=assignment.item.kind_id, status=Status.DONE
    ).exists()
