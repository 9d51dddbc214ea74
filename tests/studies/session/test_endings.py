"""How sessions end, by a person, by time and by the sweeper; and that an end is the end."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from studies.models import ConsentRecord, Enrolment, FreeResponse, LateSubmission, RepresentationRating, Slot
from studies.recruitment.arrival import Arrival
from studies.recruitment.assignment import taken_places
from studies.recruitment.services import start_session
from studies.session import services, views
from studies.session.endings import GRACE, expire_sessions, finish, is_late
from studies.tasks import expire
from tests.factories import CODES, NOW, EnrolmentFactory, published_study
from tests.walking import Walker, read_form, read_text, valid_answers

SECOND = timedelta(seconds=1)


@pytest.fixture(params=[False, True], ids=["without scripts", "htmx"])
def walker(request: pytest.FixtureRequest, study) -> Walker:
    walker = Walker(study.slug, htmx=request.param)
    walker.start()
    return walker


class Clock:
    """The time of the views."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now: datetime = NOW
        monkeypatch.setattr(views.timezone, "now", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_declining_ends_politely_with_a_code_of_its_own(walker: Walker) -> None:
    walker.send(decision="decline")

    assert walker.kind == "no_consent"
    assert CODES["no_consent"] in read_text(walker.page)
    enrolment = Enrolment.objects.get()
    assert (enrolment.status, enrolment.consented_at) == ("no_consent", None)
    assert not ConsentRecord.objects.get().accepted
    assert set(Slot.objects.values_list("status", flat=True)) == {"released"}


def test_the_end_stays_the_end(walker: Walker) -> None:
    sent = valid_answers(read_form(walker.page))
    walker.send(decision="decline")

    walker.post(sent | {"decision": "accept"})

    assert walker.kind == "no_consent"
    assert Enrolment.objects.get().status == "no_consent"
    assert not ConsentRecord.objects.get().accepted
    assert not LateSubmission.objects.exists(), "only the decision is stored, as the page says"


@pytest.mark.parametrize("status", [status for status in Enrolment.Status.values if status != "active"])
def test_no_end_is_overwritten(db, status: str) -> None:
    enrolment = EnrolmentFactory(status=status)

    assert not finish(enrolment, Enrolment.Status.TIMED_OUT, now=NOW + SECOND)
    assert not expire_sessions(now=NOW + timedelta(days=400))

    enrolment.refresh_from_db()
    assert (enrolment.status, enrolment.finished_at) == (status, NOW)


@pytest.mark.parametrize("status", ["complete", "no_consent", "screened_out", "timed_out", "withdrawn"])
def test_every_end_has_a_page_with_its_code_and_the_contact(study, status: str) -> None:
    walker = Walker(study.slug)
    walker.start(PROLIFIC_PID="1" * 24, SESSION_ID="2" * 24)
    Enrolment.objects.update(status=status, finished_at=NOW)

    walker.look()

    assert walker.kind == status
    assert CODES[status] in read_text(walker.page)
    assert f"cc={CODES[status]}" in walker.page.content.decode()
    assert study.contact in read_text(walker.page)


def test_a_session_times_out_on_the_next_request(study, clock: Clock) -> None:
    walker = Walker(study.slug)
    walker.start()
    walker.walk(until="write")

    clock.now += timedelta(days=1) + GRACE
    walker.look()

    assert walker.kind == "timed_out"
    assert CODES["timed_out"] in read_text(walker.page)
    assert Enrolment.objects.get().status == "timed_out"


@pytest.mark.parametrize("htmx", [False, True], ids=["without scripts", "htmx"])
def test_a_post_after_the_time_is_kept_aside_and_the_person_told(study, clock: Clock, htmx: bool) -> None:
    walker = Walker(study.slug, htmx=htmx)
    walker.start()
    walker.walk(until="write")

    clock.now += timedelta(days=1) + GRACE
    walker.send()

    assert walker.kind == "timed_out"
    assert "came too late" in read_text(walker.page)
    assert not FreeResponse.objects.exists()
    assert LateSubmission.objects.get().payload["stance"] == ["liberal"]


@pytest.mark.parametrize("late", [-SECOND, GRACE - SECOND])
def test_the_last_post_within_the_grace_completes_the_session(study, clock: Clock, late: timedelta) -> None:
    walker = Walker(study.slug)
    walker.start()
    walker.walk(until="write")
    total = walker.page.context["page"]["progress"]["total"]
    while walker.page.context["page"]["progress"]["done"] < total - 1:
        walker.send()

    clock.now += timedelta(days=1) + late
    walker.send()

    assert walker.kind == "complete"
    assert walker.page.context["outcome"].late is (late > timedelta(0))
    assert is_late(Enrolment.objects.get()) is (late > timedelta(0))


def test_a_session_without_limit_never_times_out(db, clock: Clock) -> None:
    walker = Walker(published_study(session_minutes=None).slug)
    walker.start()

    clock.now += timedelta(days=1000)
    assert expire_sessions(now=clock.now) == 0
    walker.look()

    assert walker.kind == "consent"


def test_the_sweeper_times_out_what_is_over_and_frees_its_questions(study) -> None:
    for minutes in (0, 10):
        start_session(study=study, arrival=Arrival(), now=NOW + timedelta(minutes=minutes))
    first, second = Enrolment.objects.order_by("id")

    assert expire_sessions(now=first.expires_at + GRACE - SECOND) == 0
    assert expire_sessions(now=first.expires_at + GRACE) == 1

    assert list(Enrolment.objects.order_by("id").values_list("status", flat=True)) == ["timed_out", "active"]
    assert set(first.slots.values_list("status", flat=True)) == {"released"}
    assert set(second.slots.values_list("status", flat=True)) == {"reserved"}
    assert expire_sessions(now=first.expires_at + GRACE) == 0


def test_what_is_complete_stays_complete_when_a_session_times_out(study) -> None:
    walker = Walker(study.slug)
    walker.start()
    kinds = walker.walk(until="rate")
    while walker.page.context["page"]["question"]["number"] == 1:
        walker.send()
    enrolment = Enrolment.objects.get()

    assert kinds[-1] == "rate"
    expire_sessions(now=enrolment.expires_at + GRACE)

    slots = enrolment.slots.order_by("number").values_list("status", flat=True)
    assert list(slots) == ["complete", "released", "released"]
    assert RepresentationRating.objects.count() == 2


def test_the_task_does_what_the_service_does(study) -> None:
    start_session(study=study, arrival=Arrival(), now=NOW)

    expire()

    assert Enrolment.objects.get().status == "timed_out"


def test_the_beat_knows_the_task(settings) -> None:
    assert "studies.expire" in {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}


# --- Slots ----------------------------------------------------------------------------------------------------------


def test_a_slot_expires_and_the_question_is_free_again(db) -> None:
    study = published_study(n_questions=1, slot_minutes=60)
    question = study.questions.get()
    start_session(study=study, arrival=Arrival(), now=NOW)

    assert taken_places([question], now=NOW + timedelta(minutes=60) - SECOND) == {question.pk: 1}
    assert taken_places([question], now=NOW + timedelta(minutes=60)) == {question.pk: 0}


def test_who_comes_back_has_the_questions_reserved_again(db, clock: Clock) -> None:
    study = published_study(n_questions=1, slot_minutes=60)
    question = study.questions.get()
    walker = Walker(study.slug)
    walker.start()

    clock.now += timedelta(hours=5)
    assert taken_places([question], now=clock.now) == {question.pk: 0}
    walker.look()

    assert taken_places([question], now=clock.now + timedelta(minutes=59)) == {question.pk: 1}


def test_who_is_active_keeps_the_questions(db, clock: Clock) -> None:
    study = published_study(n_questions=1, n_answers=8, slot_minutes=60)
    question = study.questions.get()
    walker = Walker(study.slug, htmx=True)
    walker.start()

    while walker.kind != "complete":
        assert taken_places([question], now=clock.now) == {question.pk: 1}
        walker.send()
        clock.now += timedelta(minutes=14)


def test_a_question_is_complete_when_its_last_page_is_done(study) -> None:
    walker = Walker(study.slug)
    walker.start()
    walker.walk(until="rate")
    walker.send()
    assert set(Slot.objects.values_list("status", flat=True)) == {"reserved"}

    walker.send()

    slot = Slot.objects.get(status="complete")
    assert (slot.number, slot.completed_at is not None) == (1, True)


def test_activity_in_a_draft_is_no_end(study, clock: Clock) -> None:
    walker = Walker(study.slug)
    walker.start()
    walker.walk(until="write")
    key = Enrolment.objects.get().token_sha256

    clock.now += timedelta(days=1) + GRACE

    data = {"step": [read_form(walker.page).step], "text": ["late"]}
    assert not services.save_draft(key=key, slug=study.slug, data=data, now=clock.now)
