"""The walk: which page a person is on, and what happens to what they post.

The walk locks the enrolment and nothing else, so people do not wait for each other. A step has one nonce; the first
valid post of a step counts, an identical repeat is answered alike, and a differing late one is kept aside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, F, OuterRef, Subquery
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.errors import NotAllowed
from core.registry import block_runner
from studies.models import Enrolment, LateSubmission, PageView, Slot, Step, Study
from studies.session import endings
from studies.session.blocks import Next, Submitted
from studies.session.outcomes import may_withdraw
from studies.session.payloads import Payload
from studies.session.selectors import Plan, frozen
from studies.session.showing import Shown, forget_draft, keep_draft, present

LATE_KEPT = 50
"""How many differing late posts of one step are kept: enough for people, not for a program that repeats."""


class NoSession(NotAllowed):
    """The browser has no session of this study."""

    default_message = gettext_lazy(
        "We could not find your session in this browser. Please open the link with which you came again, "
        "or the personal link that was shown to you at the start."
    )
    default_code = "no_session"


@transaction.atomic
def show_page(*, key: str, slug: str, now: datetime, notice: str = "") -> Shown:
    """The page on which the session of the token's hash `key` is. Showing is recorded.

    Raises
    ------
    NoSession
        If the study `slug` has no such session.
    """
    walk = _find(key, slug, lock=True)
    walk.notice = notice
    with translation.override(walk.enrolment.language):
        if not _goes_on(walk, now):
            return walk
        _seen(walk, now, position=walk.enrolment.position)
        return present(walk, now)


@transaction.atomic
def show_again(*, key: str, slug: str, data: Mapping[str, Sequence[str]], now: datetime) -> Shown:
    """The current page with what `data` says was typed on it, for a post that cannot be trusted: it is not stored.

    Raises
    ------
    NoSession
        If the study `slug` has no session of this token's hash.
    """
    walk, payload = _find(key, slug, lock=True), Payload.of(data)
    with translation.override(walk.enrolment.language):
        if not _goes_on(walk, now):
            return walk
        walk.notice = _("This page was open for so long that we could not be sure it is yours. Please send it again.")
        step = walk.plan.named(payload.nonce)
        if step is not None and step.position == walk.enrolment.position:
            walk.values = payload.fields
        return present(walk, now, layout=payload.layout)


def take_post(
    *, key: str, slug: str, data: Mapping[str, Sequence[str]], now: datetime, makes_page: bool = True
) -> Shown:
    """Take in a post and return what to show next. The same post twice, even at once, is stored once.

    Raises
    ------
    NoSession
        If the study `slug` has no session of this token's hash.
    Incomplete
        If the session would end although something is missing; the post does not count then, and is kept.
    """
    try:
        return _take_in(key, slug, data, now, makes_page)
    except endings.Incomplete:
        # What the post wrote is rolled back; the person is told that it is kept.
        _keep_sent(key, slug, data, now)
        raise


@transaction.atomic
def _take_in(key: str, slug: str, data: Mapping[str, Sequence[str]], now: datetime, makes_page: bool) -> Shown:
    walk = _find(key, slug, lock=True)
    walk.makes_page = makes_page
    with translation.override(walk.enrolment.language):
        return _take(walk, Payload.of(data), now)


@transaction.atomic
def _keep_sent(key: str, slug: str, data: Mapping[str, Sequence[str]], now: datetime) -> None:
    """Keep a post that could not be taken in: as what is typed where the page shows that again, else aside."""
    walk, payload = _find(key, slug, lock=True), Payload.of(data)
    step = walk.plan.named(payload.nonce)
    if step is None or not may_withdraw(walk.enrolment):
        return
    is_current = walk.enrolment.is_active and step.position == walk.enrolment.position
    if not (is_current and keep_draft(step, payload, now)):
        _keep_aside(step, payload, now)


@transaction.atomic
def save_draft(*, key: str, slug: str, data: Mapping[str, Sequence[str]], now: datetime) -> bool:
    """Keep what is typed on the current page. False if there is nothing to keep it for.

    Raises
    ------
    NoSession
        If the study `slug` has no session of this token's hash.
    """
    walk, payload = _find(key, slug, lock=True), Payload.of(data)
    step = walk.plan.named(payload.nonce)
    is_current = step is not None and step.position == walk.enrolment.position
    return bool(step and is_current and _goes_on(walk, now) and keep_draft(step, payload, now))


def session_of(*, key: str, slug: str) -> Shown:
    """The session of the token's hash `key`, not locked and not shown.

    Raises
    ------
    NoSession
        If the study `slug` has no such session.
    """
    return _find(key, slug, lock=False)


def _find(key: str, slug: str, *, lock: bool) -> Shown:
    found = Enrolment.objects.filter(token_sha256=key, study__slug=slug).annotate(study_status=F("study__status"))
    if lock:
        # Only what writers of this row exclude each other by: rows that refer to it may be written meanwhile.
        found = found.select_for_update(no_key=True, of=("self",)).annotate(n_views=_views_of_the_page())
    try:
        enrolment = found.get()
    except Enrolment.DoesNotExist as error:
        raise NoSession from error
    if enrolment.version_id is None:
        raise NoSession
    version = frozen(enrolment.version_id)
    enrolment.study = version.study
    shown = Shown(enrolment, version, Plan(enrolment, version), is_study_closed=_is_closed(enrolment))
    shown.found_at, shown.n_views = enrolment.position, getattr(enrolment, "n_views", None) or 0
    return shown


def _views_of_the_page() -> Subquery:
    """How often the page on which an enrolment is was shown before; asked with the enrolment, not by a query more."""
    views = PageView.objects.filter(step__enrolment=OuterRef("pk"), step__position=OuterRef("position"))
    return Subquery(views.order_by().values("step").annotate(n=Count("pk")).values("n"))


def _is_closed(enrolment: Any) -> bool:
    """Whether the study has been closed; the preview of a closed study goes on."""
    return bool(enrolment.study_status == Study.Status.CLOSED and enrolment.origin != Enrolment.Origin.PREVIEW)


def _goes_on(walk: Shown, now: datetime) -> bool:
    """Whether there is a page to show: none after the end or in a closed study. Times the session out if it is due."""
    enrolment = walk.enrolment
    if endings.is_over(enrolment, now):
        endings.finish(enrolment, Enrolment.Status.TIMED_OUT, now=now)
    return enrolment.is_active and not walk.is_study_closed


def _seen(walk: Shown, now: datetime, *, position: int) -> None:
    """Move the session to `position`. Who is active keeps the questions: they are reserved anew every quarter of it."""
    enrolment = walk.enrolment
    reserved = timedelta(minutes=walk.version.definition["assignment"]["slot_minutes"])
    before, since = ((at - enrolment.started_at) // (reserved / 4) for at in (enrolment.last_seen_at, now))
    if before != since:
        Slot.objects.filter(enrolment=enrolment, status=Slot.Status.RESERVED).update(expires_at=now + reserved)
    enrolment.position, enrolment.last_seen_at = position, now
    Enrolment.objects.filter(pk=enrolment.pk).update(position=position, last_seen_at=now)


# --- Taking a post --------------------------------------------------------------------------------------------------


def _take(walk: Shown, payload: Payload, now: datetime) -> Shown:
    goes_on = _goes_on(walk, now)
    step, position = walk.plan.named(payload.nonce), walk.enrolment.position
    if step is not None and step.position == position and goes_on:
        return _submit(walk, step, payload, now)
    if step is not None and step.position <= position:
        walk.notice = _too_late(walk, step, payload, now)
    return present(walk, now, layout=payload.layout) if goes_on else walk


def _submit(walk: Shown, step: Step, payload: Payload, now: datetime) -> Shown:
    submitted = block_runner(step.block).submit(walk.context(step), payload.fields, now)
    if submitted.errors:
        keep_draft(step, payload, now)
        walk.errors, walk.values = submitted.errors, payload.fields
    elif submitted.late:
        walk.notice = _keep_aside(step, payload, now)
    else:
        walk.notice = submitted.notice
        if not _goes_to_next(walk, step, submitted, payload, now):
            return walk
    return present(walk, now, layout=payload.layout)


def _goes_to_next(walk: Shown, step: Step, submitted: Submitted, payload: Payload, now: datetime) -> bool:
    """Do what the runner says should happen after a valid post. False if that ended the session."""
    enrolment = walk.enrolment
    if submitted.next is Next.STAY:
        _seen(walk, now, position=step.position)
        return True
    _mark_submitted(walk, step, payload, now)
    if submitted.next is not Next.ADVANCE:
        endings.finish(enrolment, _ENDS[submitted.next], now=now)
        return False
    _seen(walk, now, position=step.position + 1)
    if walk.plan.at(enrolment.position) is not None:
        return True
    endings.complete(enrolment, walk.plan, now=now)
    return False


_ENDS = {Next.DECLINE: Enrolment.Status.NO_CONSENT, Next.SCREEN_OUT: Enrolment.Status.SCREENED_OUT}


def _mark_submitted(walk: Shown, step: Step, payload: Payload, now: datetime) -> None:
    step.submitted_at, step.payload_sha256 = now, payload.sha256
    Step.objects.filter(pk=step.pk).update(submitted_at=now, payload_sha256=payload.sha256)
    forget_draft(step)
    if step.question_id is not None and walk.plan.ends_its_question(step):
        Slot.objects.filter(enrolment=walk.enrolment, question_id=step.question_id).update(
            status=Slot.Status.COMPLETE, completed_at=now
        )


def _too_late(walk: Shown, step: Step, payload: Payload, now: datetime) -> str:
    """The notice for a post of a step that takes none any more; empty for an identical repeat."""
    try:
        step.refresh_from_db(fields=["submitted_at", "payload_sha256"])
    except Step.DoesNotExist:
        return ""  # erased since: the plan in memory does not know
    if step.payload_sha256 == payload.sha256:
        return ""
    is_repeat = getattr(block_runner(step.block), "is_repeat", None)
    if is_repeat is not None and is_repeat(walk.context(step), payload.fields):
        return ""
    if not may_withdraw(walk.enrolment):
        # Nothing is kept of who declined or has withdrawn: they could not have it erased any more.
        return _("This session has ended. What you sent just now was not stored.")
    return _keep_aside(step, payload, now)


def _keep_aside(step: Step, payload: Payload, now: datetime) -> str:
    if step.late_submissions.count() < LATE_KEPT:
        LateSubmission.objects.get_or_create(
            step=step, payload_sha256=payload.sha256, defaults={"payload": payload.storable(), "received_at": now}
        )
    if step.submitted_at is None:
        return _("What you sent just now came too late. It is kept aside and does not count.")
    return _(
        "You had already answered that page. Your first answer counts. What you sent just now is kept aside and does "
        "not count."
    )
