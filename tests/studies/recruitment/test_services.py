"""Starting a session."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError

from core.canonical import text_sha256
from core.randomness import drawn_order
from studies.models import Enrolment, ExternalIdentity, Slot, Step
from studies.recruitment import services
from studies.recruitment.arrival import Arrival
from studies.recruitment.services import StartOutcome, start_preview, start_session
from tests.factories import NOW, EnrolmentFactory, published_study

PID = "5f3e8c1a9b2d4e6f7a8b9c0d"
SESSION = "64a1b2c3d4e5f60718293a4b"
KEY = "0123456789abcdef0123456789abcdef"


def recruit(pid: str = PID, session: str = SESSION) -> Arrival:
    return Arrival("prolific", pid, pid.upper(), session, "63c0ffee63c0ffee63c0ffee")


def start(study, arrival: Arrival | None = None, **more):
    return start_session(study=study, arrival=arrival or Arrival(), now=more.pop("now", NOW), **more)


def test_a_start_makes_everything_at_once(study) -> None:
    started = start(study, recruit())

    enrolment = Enrolment.objects.get()
    assert started.outcome is StartOutcome.STARTED
    assert started.enrolment == enrolment
    assert enrolment.version == study.current_version
    assert enrolment.expires_at == NOW + timedelta(days=1)
    assert enrolment.slots.count() == 3
    assert [step.position for step in enrolment.steps.all()] == list(range(2 + 3 * 4))
    assert enrolment.external_identity.external_id == PID


def test_the_row_holds_no_recruiter_s_id_and_only_the_hash_of_the_token(study) -> None:
    started = start(study, recruit())

    enrolment = Enrolment.objects.get()
    assert len(started.token) >= 32
    assert enrolment.token_sha256 == text_sha256(started.token)
    row = Enrolment.objects.values().get()
    assert not any(PID in str(value) or SESSION in str(value) for value in row.values())


def test_the_order_of_answers_can_be_drawn_again_from_the_seed(study) -> None:
    start(study)

    enrolment = Enrolment.objects.get()
    for slot in enrolment.slots.all():
        answers = sorted(slot.question.answers.all(), key=lambda answer: answer.source.code)
        steps = enrolment.steps.filter(question=slot.question, kind="rate").order_by("number")
        drawn = drawn_order(answers, seed=study.seed, code=enrolment.public_code, purpose=f"rate:{slot.question.code}")
        assert [step.answer for step in steps] == drawn
    order = list(dict.fromkeys(enrolment.steps.exclude(question=None).values_list("question", flat=True)))
    assert order == list(enrolment.slots.order_by("number").values_list("question", flat=True))


def test_orders_differ_between_people(study) -> None:
    for _n in range(8):
        start(study)

    orders = {tuple(each.steps.values_list("question_id", "answer_id")) for each in Enrolment.objects.all()}
    assert len(orders) > 4


def test_the_same_session_id_opens_the_session_again(study) -> None:
    first, second = start(study, recruit()), start(study, recruit())

    assert second.outcome is StartOutcome.RESUMED
    assert (second.enrolment, second.token) == (first.enrolment, first.token)
    assert Enrolment.objects.count() == 1


def test_a_known_participant_id_alone_never_opens_a_session(study) -> None:
    start(study, recruit())

    again = start(study, recruit(session="0" * 24))

    assert (again.outcome, again.token, again.enrolment) == (StartOutcome.ALREADY, "", None)
    assert Enrolment.objects.count() == 1


def test_a_known_participant_id_with_the_browser_s_own_token_does(study) -> None:
    first = start(study, recruit())

    again = start(study, recruit(session="0" * 24), key=text_sha256(first.token))

    assert again.outcome is StartOutcome.RESUMED


def test_a_session_id_under_another_participant_id_opens_nothing(study) -> None:
    start(study, recruit())

    again = start(study, recruit(pid="0" * 24))

    assert again.outcome is StartOutcome.ALREADY
    assert Enrolment.objects.count() == 1


def test_another_person_s_token_does_not_open_mine(study) -> None:
    start(study, recruit())
    other = start(study, recruit("1" * 24, "2" * 24))

    again = start(study, recruit(session="0" * 24), key=text_sha256(other.token))

    assert again.outcome is StartOutcome.ALREADY


def test_the_same_person_may_take_part_in_two_studies(study) -> None:
    other = published_study()

    assert start(study, recruit()).outcome is StartOutcome.STARTED
    assert start(other, recruit()).outcome is StartOutcome.STARTED


def test_a_double_click_on_the_open_link_is_one_start(study) -> None:
    first, second = (start(study, Arrival(start_key=KEY)) for _n in range(2))

    assert (second.outcome, second.token) == (StartOutcome.RESUMED, first.token)
    assert Enrolment.objects.count() == 1


def test_the_open_link_takes_everybody_who_starts_anew(study) -> None:
    start(study, Arrival(start_key=KEY))
    start(study, Arrival(start_key=KEY[::-1]))
    start(study)
    start(study)

    assert Enrolment.objects.count() == 4


def test_the_browser_s_own_token_resumes_on_the_open_link(study) -> None:
    first = start(study)

    again = start(study, Arrival(start_key=KEY), key=text_sha256(first.token))

    assert (again.outcome, again.enrolment) == (StartOutcome.RESUMED, first.enrolment)


def test_places_are_held_by_those_under_way_and_complete(db) -> None:
    study = published_study(places=3)
    EnrolmentFactory(study=study, status="complete")
    EnrolmentFactory(study=study, status="active", expires_at=NOW + timedelta(hours=1))
    EnrolmentFactory(study=study, status="active", expires_at=NOW, started_at=NOW - timedelta(days=1))
    for status in ("no_consent", "screened_out", "timed_out", "withdrawn"):
        EnrolmentFactory(study=study, status=status)
    for origin in ("preview", "imported"):
        EnrolmentFactory(study=study, origin=origin)

    assert start(study, recruit()).outcome is StartOutcome.STARTED
    assert start(study, recruit("1" * 24, "2" * 24)).outcome is StartOutcome.FULL
    assert ExternalIdentity.objects.count() == 1, "whoever finds the study full leaves no row"


def test_who_has_started_comes_back_into_a_full_or_paused_study(db) -> None:
    study = published_study(places=1)
    start(study, recruit())
    study.status = "paused"
    study.save()

    assert start(study, recruit()).outcome is StartOutcome.RESUMED
    assert start(study, recruit("1" * 24, "2" * 24)).outcome is StartOutcome.NOT_OPEN


@pytest.mark.parametrize("status", ["paused", "closed"])
def test_a_study_that_is_not_open_takes_nobody_in(study, status: str) -> None:
    study.status = status
    study.save()

    assert start(study).outcome is StartOutcome.NOT_OPEN
    assert not Enrolment.objects.exists()


def test_a_preview_walks_a_draft_and_counts_for_nothing(db) -> None:
    study = published_study(places=1)
    study.status = "paused"
    study.save()

    started = start_preview(version=study.current_version, now=NOW)

    assert started.enrolment.origin == "preview"
    assert started.enrolment.steps.exists()
    study.status = "open"
    study.save()
    assert start(study).outcome is StartOutcome.STARTED, "a preview takes no place"


def test_a_lost_race_is_answered_as_the_winner_was(study, monkeypatch: pytest.MonkeyPatch) -> None:
    first = start(study, recruit())
    known, calls = services._known, []

    def blind_once(*args):
        calls.append(args)
        return None if len(calls) == 1 else known(*args)

    monkeypatch.setattr(services, "_known", blind_once)

    again = start(study, recruit())

    assert (again.outcome, again.token) == (StartOutcome.RESUMED, first.token)
    assert Enrolment.objects.count() == 1


def test_a_start_that_fails_leaves_nothing(study, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_arguments):
        raise IntegrityError("planned")

    monkeypatch.setattr(services, "planned_steps", fail)

    with pytest.raises(IntegrityError):
        start(study, recruit())

    assert not Enrolment.objects.exists()
    assert not Slot.objects.exists()
    assert not Step.objects.exists()
    assert not ExternalIdentity.objects.exists()


def test_a_changed_secret_key_does_not_lock_people_out(study, settings) -> None:
    start(study, recruit())
    settings.SECRET_KEY = "another key that is long enough for nobody to guess it, really"

    again = start(study, recruit())

    assert again.outcome is StartOutcome.RESUMED
    assert Enrolment.objects.get().token_sha256 == text_sha256(again.token)
