"""The screens that raters see: template, title and context of each."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotation.models import Assignment, Packet, Qualification, Rater
from annotation.rating.fields import Field, said
from annotation.rating.markdown import rendered
from annotation.selectors import cards
from annotation.selectors.cards import Card
from annotation.selectors.stages import consent_text, is_first_of_kind, place_in_round, progress_of

FOLDER = "annotation/rating"
Purpose = Assignment.Purpose
Status = Assignment.Status


class Over(StrEnum):
    """Why there is no item to judge."""

    FINISHED = "finished"
    ENOUGH = "enough"
    WAIT = "wait"
    NOT_STARTED = "not_started"
    DECLINED = "declined"
    NOT_QUALIFIED = "not_qualified"
    PAUSED = "paused"
    LOCKED = "locked"
    REMOVED = "removed"


@dataclass(slots=True)
class Screen:
    """What to show. `assignment` is the item on it, `over` why there is none; `shown` is for a session's record."""

    kind: str
    title: str
    context: dict[str, Any] = field(default_factory=dict)
    progress: dict[str, Any] | None = None
    errors: Mapping[str, str] = field(default_factory=dict)
    notice: str = ""
    status: int = 200
    assignment: Assignment | None = None
    over: Over | None = None
    shown: dict[str, Any] = field(default_factory=dict)

    @property
    def template(self) -> str:
        """The template of the page, with a part called `main`."""
        return f"{FOLDER}/{self.kind}.html"


def consent(rater: Rater, *, error: str = "") -> Screen:
    """The consent text in force, to be accepted or declined."""
    text = consent_text(rater)
    if text is None:
        return over(Over.NOT_STARTED)
    errors = {"decision": error} if error else {}
    context = {"consent": rendered(text.text), "version": text.number}
    return Screen("consent", _("Before you begin"), context, errors=errors, status=422 if error else 200)


def over(why: Over, *, message: str = "", status: int = 200) -> Screen:
    """There is nothing to judge, and why."""
    title, text = _over_texts()[why]
    return Screen("over", title, {"why": str(why), "text": message or text}, status=status, over=why)


def _over_texts() -> dict[Over, tuple[str, str]]:
    return {
        Over.FINISHED: (_("Thank you"), _("You have judged everything that there is for you.")),
        Over.ENOUGH: (_("Thank you"), _("You have judged as many items as one person should.")),
        Over.WAIT: (
            _("Nothing to judge just now"),
            _("There may be something for you later. Please look in again in a while."),
        ),
        Over.NOT_STARTED: (_("This has not begun yet"), _("There is nothing to judge yet. Please come back later.")),
        Over.DECLINED: (
            _("You do not take part"),
            _("You chose not to take part. Nothing more is asked of you. You can close this page."),
        ),
        Over.NOT_QUALIFIED: (
            _("Thank you for trying"),
            _("The qualification was not passed, so there are no items for you this time."),
        ),
        Over.PAUSED: (_("Paused at the moment"), _("Judging is paused. Please come back later.")),
        Over.LOCKED: (_("Judging is finished"), _("Answers can no longer be given or changed. Thank you.")),
        Over.REMOVED: (_("Thank you"), _("You no longer take part in this. The answers you gave are kept.")),
    }


def feedback(assignment: Assignment) -> Screen:
    """After a practice item: the rater's answers beside the right ones, and why these are right."""
    shown = cards.card(assignment)
    names = {asked.code: asked.name for asked in shown.asked}
    answered = dict(said(shown, cards.own_answers(assignment)))
    found = cards.feedback(assignment)
    rows = [
        {
            "name": names[each.dimension],
            "given": answered.get(names[each.dimension], ""),
            "right": each.right,
            "was_right": each.was_right,
            "explanation": each.explanation,
        }
        for each in found
    ]
    title = _("Well done") if all(each.was_right for each in found) else _("Not quite")
    if not found:
        title = _("Practice item")
    context = {**_texts(shown), "rows": rows, "assignment": assignment.public_id}
    return Screen("feedback", title, context, progress=_progress(assignment, None), assignment=assignment)


def result(attempt: Qualification) -> Screen:
    """After the last gold item of an attempt: whether it was passed, and whether there is another attempt."""
    left = attempt.packet.attempts - attempt.attempt
    if not attempt.passed and left <= 0:
        return over(Over.NOT_QUALIFIED)
    title = _("You have qualified") if attempt.passed else _("Not passed yet")
    context = {"passed": attempt.passed, "right": attempt.n_right, "asked": attempt.n_asked, "left": left}
    return Screen("result", title, context)


def item(
    assignment: Assignment,
    shown: Card,
    fields: Sequence[Field],
    errors: Mapping[str, str],
    *,
    notice: str,
    status: int,
    stored: Sequence[tuple[str, str]],
    at_most: int | None,
    is_revision: bool,
) -> Screen:
    """An item with its rubric and its form."""
    packet = assignment.item.packet
    rubric = assignment.item.kind.rubric
    is_open = assignment.status == Status.OPEN and assignment.purpose == Purpose.WORK
    context = {
        **_texts(shown),
        "fields": fields,
        "rubric": rendered(shown.rubric),
        "rubric_version": rubric.number,
        "is_first": is_first_of_kind(assignment),
        "assignment": assignment.public_id,
        "version": assignment.version,
        "key": uuid.uuid4(),
        "stored": stored,
        "is_revision": is_revision,
        "has_suggestions": any(asked.proposed for asked in shown.asked),
        "lease_minutes": packet.lease_minutes if is_open else None,
        "skipping": _skipping(packet) if is_open and not is_revision else "",
        "purpose": str(assignment.purpose),
    }
    return Screen(
        "answer" if is_revision else "item",
        _title(assignment),
        context,
        progress=None if is_revision else _progress(assignment, at_most),
        errors=errors,
        notice=notice,
        status=status,
        assignment=assignment,
        shown={"item": shown.key, "rank": assignment.rank, "swapped": assignment.swapped},
    )


def _texts(shown: Card) -> dict[str, Any]:
    """The card, and its two sides by themselves."""
    return {"card": shown, "sides": [passage for passage in shown.passages if passage.role == "side"]}


def _skipping(packet: Packet) -> str:
    """The words on the button that skips an item; empty if items cannot be skipped."""
    return {
        Packet.SkipPolicy.LATER: _("Skip for now: it comes again at the end"),
        Packet.SkipPolicy.OTHERS: _("Skip: it goes to somebody else"),
    }.get(Packet.SkipPolicy(packet.skip_policy), "")


def _title(assignment: Assignment) -> str:
    if assignment.purpose == Purpose.TRAINING:
        return _("Practice")
    if assignment.purpose == Purpose.GOLD:
        return _("Qualification")
    return _("Please judge")


def _progress(assignment: Assignment, at_most: int | None) -> dict[str, Any]:
    packet = assignment.item.packet
    if assignment.purpose == Purpose.WORK:
        progress = progress_of(assignment.rater, packet, at_most=at_most)
        label = _("Judged: %(done)d of at most %(of)d")
    else:
        progress = place_in_round(assignment)
        practice = assignment.purpose == Purpose.TRAINING
        label = _("Practice: %(done)d of %(of)d") if practice else _("Qualification: %(done)d of %(of)d")
    numbers = {"done": progress.done, "of": progress.of}
    return {"label": label % numbers, "done": progress.done, "total": max(1, progress.of)}


def own_assignments(rater: Rater, packet: Packet | None) -> QuerySet[Assignment]:
    """What the rater has judged of real work, the last first."""
    done = Assignment.objects.filter(rater=rater, item__packet=packet, purpose=Purpose.WORK, status=Status.DONE)
    return done.select_related("item__kind__rubric").order_by("-rank")


def own_item(assignment: Assignment) -> dict[str, Any]:
    """A line of the list of a rater's own answers."""
    shown = cards.card(assignment)
    judged = [passage.text for passage in shown.passages if passage.role != "context"]
    return {
        "id": assignment.public_id,
        "rank": assignment.rank,
        "text": judged[0] if judged else "",
        "said": said(shown, cards.own_answers(assignment)),
        "at": assignment.done_at,
        "is_extra": assignment.is_extra,
    }


def history(assignment: Assignment) -> list[dict[str, Any]]:
    """The rater's own earlier answers to an item that were replaced, the oldest first."""
    shown = cards.card(assignment)
    names = {asked.code: asked for asked in shown.asked}
    rows = assignment.judgements.exclude(superseded_at=None).select_related("dimension", "shown_label")
    return [
        {"at": row.judged_at, "said": said(shown, {row.dimension.code: row})}
        for row in rows.order_by("judged_at", "pk")
        if row.dimension.code in names
    ]
