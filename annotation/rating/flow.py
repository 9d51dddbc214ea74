"""What a rater is shown and what becomes of their posts: the same on pages of their own and in a session of a study."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.utils.translation import gettext as _

from annotation.errors import NotOpen, NotQualified, PacketLocked, StaleForm
from annotation.models import Assignment, ItemEvent, Packet, Rater
from annotation.rating import fields, showing
from annotation.rating.showing import Screen
from annotation.selectors.cards import Card, card, draft_of, own_answers
from annotation.selectors.stages import Kind, Stage, stage_of
from annotation.services import claims, judgements
from annotation.services.raters import decide_consent
from core.errors import Conflict, Invalid
from studies.session.payloads import Payload

Values = Mapping[str, Sequence[str]]
EVENTS_KEPT = 500
"""How many events of one item are noted: more than a person makes, not all that a program may send."""
STALE = 409
WRONG = 422


@dataclass(slots=True)
class Taken:
    """What became of a post. With `screen` that is shown; without, whatever comes next."""

    notice: str = ""
    screen: Screen | None = None
    assignment: Assignment | None = None
    is_done: bool = False


@dataclass(frozen=True, slots=True)
class Again:
    """An item shown again after a post that was not taken: what was sent, what is wrong, and why."""

    values: Values = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    notice: str = ""
    status: int = 200
    is_stale: bool = False


def assignment_of(rater: Rater, packet: Packet, public_id: str) -> Assignment | None:
    """The rater's own assignment with this id; None if there is none, whoever else's it may be."""
    try:
        wanted = uuid.UUID(public_id)
    except ValueError:
        return None
    rows = Assignment.objects.filter(rater=rater, item__packet=packet, public_id=wanted)
    return rows.select_related("rater__campaign", "item__packet", "item__kind__rubric").first()


def screen_for(rater: Rater, packet: Packet | None, now: datetime, *, at_most: int | None = None) -> Screen:
    """What the rater has before them now. Claims an item if they have none, and notes that it is shown."""
    if packet is None or not packet.is_frozen:
        return showing.over(showing.Over.NOT_STARTED)
    stage = stage_of(rater, packet)
    if stage.kind is not Kind.ITEMS:
        return _before_items(rater, stage)
    return _next_item(rater, packet, now, at_most)


def _before_items(rater: Rater, stage: Stage) -> Screen:
    if stage.kind is Kind.CONSENT:
        return showing.consent(rater)
    if stage.practised is not None:
        return showing.feedback(stage.practised)
    if stage.attempt is not None:
        return showing.result(stage.attempt)
    return showing.over(showing.Over.DECLINED)


def _next_item(rater: Rater, packet: Packet, now: datetime, at_most: int | None) -> Screen:
    try:
        following = claims.next_assignment(rater=rater, packet=packet, now=now)
    except NotQualified:
        return showing.over(showing.Over.NOT_QUALIFIED)
    except PacketLocked:
        return showing.over(showing.Over.LOCKED)
    except NotOpen as error:
        return showing.over(showing.Over.PAUSED, message=str(error))
    if following.assignment is None:
        return showing.over(showing.Over(str(following.ended)))
    found = assignment_of(rater, packet, str(following.assignment.public_id))
    assert found is not None, "what was just given to the rater is theirs"
    note(found, ItemEvent.Kind.SHOWN, now)
    return item_screen(found, at_most=at_most)


def item_screen(
    assignment: Assignment, again: Again | None = None, *, at_most: int | None = None, is_revision: bool = False
) -> Screen:
    """The page of an item, with its draft or stored answers, or with what was sent and not taken."""
    shown = card(assignment)
    again = again or Again(values=_kept(assignment, shown))
    return showing.item(
        assignment,
        shown,
        fields.fields_of(shown, again.values, again.errors),
        again.errors,
        notice=again.notice,
        status=again.status,
        stored=fields.said(shown, own_answers(assignment)) if again.is_stale or is_revision else (),
        at_most=at_most,
        is_revision=is_revision,
    )


def _kept(assignment: Assignment, shown: Card) -> Values:
    """What is typed and not yet sent, else what is stored."""
    return draft_of(assignment) or fields.values_of(shown, own_answers(assignment))


def note(assignment: Assignment, kind: str, now: datetime) -> None:
    """Note what was seen of the rater at the item."""
    if assignment.events.count() < EVENTS_KEPT:
        claims.note_event(assignment=assignment, kind=kind, now=now)


# --- Posts ---------------------------------------------------------------------------------------------------------


def take(
    rater: Rater,
    packet: Packet,
    data: Values,
    now: datetime,
    *,
    at_most: int | None = None,
    is_revision: bool = False,
) -> Taken:
    """Take in a post of a page that `screen_for` or `item_screen` made; `data` maps a field to its values."""
    if "decision" in data:
        return _decide(rater, data, now)
    action = last(data, "action")
    assignment = assignment_of(rater, packet, last(data, "assignment"))
    if action == "go_on":
        return _go_on(rater, packet, assignment, now, at_most)
    if assignment is None:
        return Taken(notice=_("That item is not one of yours. This is the one you are at."))
    if action == "skip":
        return _skip(assignment, data, now, at_most)
    if action == "keep":
        return _keep(assignment, data, now)
    return _answer(assignment, data, now, at_most=at_most, is_revision=is_revision)


def _decide(rater: Rater, data: Values, now: datetime) -> Taken:
    decision = last(data, "decision")
    if decision not in ("accept", "decline"):
        return Taken(screen=showing.consent(rater, error=_("Please choose one of the two buttons.")))
    try:
        decide_consent(rater=rater, accepted=decision == "accept", now=now)
    except Conflict as error:
        return Taken(notice=str(error))
    return Taken()


def _go_on(rater: Rater, packet: Packet, assignment: Assignment | None, now: datetime, at_most: int | None) -> Taken:
    """Leave the feedback of a practice item, or the result of a qualification."""
    stage = stage_of(rater, packet)
    if stage.practised is not None:
        if stage.practised == assignment:
            claims.note_event(assignment=stage.practised, kind=ItemEvent.Kind.BACK, now=now)
        return Taken()
    if stage.kind is Kind.RESULT:
        return Taken(screen=_next_item(rater, packet, now, at_most))
    return Taken()


def _skip(assignment: Assignment, data: Values, now: datetime, at_most: int | None) -> Taken:
    try:
        claims.skip(assignment=assignment, reason=last(data, "reason"), now=now)
    except Invalid as error:
        errors = {f"skip-{name}": messages[0] for name, messages in error.fields.items()}
        again = Again(_kept(assignment, card(assignment)), errors, status=WRONG)
        return Taken(screen=item_screen(assignment, again, at_most=at_most))
    except Conflict as error:
        return Taken(notice=str(error))
    return Taken(notice=_("You skipped an item."))


def keep_draft(assignment: Assignment, data: Values, now: datetime) -> None:
    """Keep what is chosen and typed and not yet sent."""
    judgements.save_draft(assignment=assignment, payload=_payload(data), now=now)


def _payload(data: Values) -> dict[str, list[str]]:
    kept = Payload.of(data).storable()
    return {name: values for name, values in kept.items() if name not in fields.OF_THE_FORM}


def _keep(assignment: Assignment, data: Values, now: datetime) -> Taken:
    keep_draft(assignment, data, now)
    return Taken(notice=_("What you entered is kept. It does not count until you send it."), assignment=assignment)


def _answer(assignment: Assignment, data: Values, now: datetime, *, at_most: int | None, is_revision: bool) -> Taken:
    shown = card(assignment)
    said = fields.read(shown, data, accepts_suggestions=last(data, "action") == "accept")
    if said.errors:
        return _again(assignment, Again(data, said.errors, status=WRONG), at_most, is_revision)
    try:
        submitted = judgements.submit(
            assignment=assignment,
            given=said.given,
            client_key=client_key(data) or uuid.uuid4(),
            version=_version(data),
            now=now,
        )
    except Invalid as error:
        errors = {fields.name_of(code): messages[0] for code, messages in error.fields.items()}
        return _again(assignment, Again(data, errors, status=WRONG), at_most, is_revision)
    except StaleForm:
        return _again(assignment, Again(data, notice=_stale(), status=STALE, is_stale=True), at_most, is_revision)
    except PacketLocked as error:
        return Taken(screen=showing.over(showing.Over.LOCKED, message=str(error), status=STALE))
    except NotOpen as error:
        notice = _("%(why)s What you entered is still here.") % {"why": error}
        return _again(assignment, Again(data, notice=notice, status=STALE), at_most, is_revision)
    except Conflict as error:
        return Taken(notice=str(error), assignment=assignment, is_done=True)
    return Taken(notice=_after(submitted), assignment=assignment, is_done=True)


def _stale() -> str:
    return _(
        "You answered this item in another window since this page was opened. What is stored now and what you just "
        "sent are both below. Send it again if it should replace what is stored."
    )


def _again(assignment: Assignment, again: Again, at_most: int | None, is_revision: bool) -> Taken:
    return Taken(screen=item_screen(assignment, again, at_most=at_most, is_revision=is_revision), assignment=assignment)


def _after(submitted: judgements.Submitted) -> str:
    if submitted.is_extra and not submitted.is_repeat:
        return _(
            "Thank you. The item had been given to somebody else by then, because the time it was kept for you was "
            "over. Your answer is kept as an extra one."
        )
    return ""


def last(data: Values, name: str) -> str:
    """The last value of a field; empty without one."""
    values = data.get(name) or [""]
    return values[-1]


def client_key(data: Values) -> uuid.UUID | None:
    """The key of the form; None for one that no page of ours made."""
    try:
        return uuid.UUID(last(data, "key"))
    except ValueError:
        return None


def _version(data: Values) -> int:
    text = last(data, "version")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
