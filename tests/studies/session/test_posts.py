"""What counts of what is posted: the first valid post of a page, once."""

from __future__ import annotations

import pytest
from django.test import Client

from studies.models import (
    Answer,
    ConsentRecord,
    Enrolment,
    FreeResponse,
    LateSubmission,
    PageView,
    RepresentationRating,
    Step,
    Study,
)
from studies.session import services, showing
from studies.session.endings import Incomplete
from tests.factories import NOW, published_study
from tests.walking import TEXT, Walker, read_form, read_text, valid_answers

LATE = "already answered that page"


@pytest.fixture(params=[False, True], ids=["without scripts", "htmx"])
def walker(request: pytest.FixtureRequest, study) -> Walker:
    walker = Walker(study.slug, htmx=request.param)
    walker.start()
    return walker


def test_the_same_post_twice_stores_one_row_and_is_answered_alike(walker: Walker) -> None:
    walker.walk(until="rate")
    sent = valid_answers(read_form(walker.page)) | {"rating": ["4"]}

    first, second = walker.post(sent), walker.post(sent)

    assert RepresentationRating.objects.get().value == 4
    assert first.context["page"]["nonce"] == second.context["page"]["nonce"]
    assert LATE not in read_text(second)
    assert not LateSubmission.objects.exists()


def test_a_differing_late_post_is_kept_aside_and_the_person_told(walker: Walker) -> None:
    walker.walk(until="rate")
    form = read_form(walker.page)
    walker.post({"step": form.step, "rating": "4"})

    late = walker.post({"step": form.step, "rating": "5"})

    assert RepresentationRating.objects.get().value == 4
    kept = LateSubmission.objects.get()
    assert (str(kept.step.nonce), kept.payload) == (form.step, {"rating": ["5"]})
    assert LATE in read_text(late)
    assert late.context["page"]["nonce"] != form.step, "the page shown is the current one"
    assert LATE not in read_text(walker.look()), "it is said once"


def test_the_same_late_post_is_kept_once(walker: Walker) -> None:
    walker.walk(until="rate")
    form = read_form(walker.page)
    for rating in ("4", "5", "5", "3", "5"):
        walker.post({"step": form.step, "rating": rating})

    assert LateSubmission.objects.count() == 2


def test_a_program_that_posts_late_again_and_again_does_not_fill_the_disk(
    study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "LATE_KEPT", 3)
    walker = Walker(study.slug, htmx=True)
    walker.start()
    step = read_form(walker.page).step
    walker.send()
    for n in range(6):
        walker.post({"step": step, "decision": "decline", "n": str(n)})

    assert LateSubmission.objects.count() == 3


def test_a_line_break_counts_alike_from_a_form_and_from_a_script(walker: Walker) -> None:
    walker.walk(until="write")
    sent = valid_answers(read_form(walker.page))
    walker.post(sent | {"text": [TEXT + "\r\nAnd more."]})

    again = walker.post(sent | {"text": [TEXT + "\nAnd more."]})

    assert LATE not in read_text(again)
    assert FreeResponse.objects.get().text == TEXT + "\nAnd more."


def test_going_back_and_sending_again_does_not_move_the_session(walker: Walker) -> None:
    walker.walk(until="form")
    form_page = walker.page
    walker.send()
    walker.send()
    position = Enrolment.objects.get().position

    walker.page = form_page
    walker.send(item__age="55")

    assert Enrolment.objects.get().position == position
    assert walker.kind == "rate_intro"
    assert Answer.objects.get(item_code="age").value_integer == 44


def test_a_page_already_passed_leads_to_the_current_one(walker: Walker) -> None:
    consent = read_form(walker.page).step
    walker.walk(until="rate")

    walker.post({"step": consent, "decision": "accept"})

    assert walker.kind == "rate"
    assert ConsentRecord.objects.count() == 1


@pytest.mark.parametrize("nonce", ["", "nothing", "1deb8715-2d0a-4f4d-9261-732f4b062fd3", "\0", "0" * 5000])
def test_an_unknown_nonce_stores_nothing_and_leads_to_the_current_page(walker: Walker, nonce: str) -> None:
    walker.walk(until="rate")

    walker.post({"step": nonce, "rating": "5"})

    assert walker.kind == "rate"
    assert not RepresentationRating.objects.exists()


def test_another_person_s_nonce_stores_nothing_for_either(study, walker: Walker) -> None:
    other = Walker(study.slug)
    other.start()
    for each in (walker, other):
        each.walk(until="rate")
    theirs = read_form(other.page).step

    walker.post({"step": theirs, "rating": "5"})

    assert walker.kind == "rate"
    assert not RepresentationRating.objects.exists()
    assert not LateSubmission.objects.exists()


def test_a_later_page_cannot_be_answered_early(walker: Walker) -> None:
    later = Step.objects.filter(kind="rate").last()

    walker.post({"step": str(later.nonce), "rating": "5"})

    assert walker.kind == "consent"
    assert not RepresentationRating.objects.exists()


def test_two_tabs_do_not_skip_a_page(study) -> None:
    first = Walker(study.slug)
    first.start()
    first.walk(until="rate")
    second = Walker(study.slug, client=first.client)
    second.look()

    first.send(rating="2")
    second.send(rating="2")

    assert first.page.context["page"]["nonce"] == second.page.context["page"]["nonce"]
    assert RepresentationRating.objects.get().value == 2
    second.send(rating="3")
    assert RepresentationRating.objects.count() == 2


def test_a_post_after_the_end_changes_nothing_and_shows_the_end(walker: Walker) -> None:
    walker.walk(until="rate")
    step = read_form(walker.page).step
    walker.walk()
    before = list(RepresentationRating.objects.values())

    walker.post({"step": step, "rating": "5"})

    assert walker.kind == "complete"
    assert list(RepresentationRating.objects.values()) == before


def test_the_last_post_twice_is_answered_by_the_end_twice(walker: Walker) -> None:
    last = Step.objects.order_by("position").last()
    while read_form(walker.page).step != str(last.nonce):
        walker.send()
    sent = valid_answers(read_form(walker.page))

    for _n in range(2):
        walker.post(sent)
        assert walker.kind == "complete"
        assert LATE not in read_text(walker.page)


def test_a_refused_post_stores_nothing_and_shows_what_was_typed(walker: Walker) -> None:
    walker.walk(until="write")

    response = walker.send(text="Too short.", stance="neutral", importance=None)

    assert response.status_code == 422
    context = response.context
    assert [error["field"] for error in context["page"]["errors"]] == ["text", "importance"]
    assert (context["values"]["text"], context["values"]["stance"]) == ("Too short.", "neutral")
    assert read_form(response).fields["text"] == ["Too short."]
    assert not FreeResponse.objects.exists()
    assert read_form(walker.look()).fields["text"] == ["Too short."], "it is kept as a draft as well"


def test_a_refused_post_can_be_corrected_on_the_same_page(walker: Walker) -> None:
    walker.walk(until="rate")
    step = read_form(walker.page).step
    walker.send(rating=None)
    assert walker.page.status_code == 422

    walker.send(rating="3")

    assert RepresentationRating.objects.get().value == 3
    assert str(Step.objects.get(nonce=step).nonce) == step
    assert not LateSubmission.objects.exists()


@pytest.mark.parametrize("rating", ["0", "6", "4.0", "", "five", "\u0664", "44"])
def test_only_a_whole_number_from_1_to_5_is_a_rating(walker: Walker, rating: str) -> None:
    walker.walk(until="rate")

    assert walker.send(rating=rating).status_code == 422
    assert [error["field"] for error in walker.page.context["page"]["errors"]] == ["rating-1"]
    assert not RepresentationRating.objects.exists()


def test_consent_needs_a_decision(walker: Walker) -> None:
    assert walker.send(decision=None).status_code == 422
    assert not ConsentRecord.objects.exists()


def test_a_post_without_a_csrf_token_stores_nothing(study) -> None:
    walker = Walker(study.slug)
    walker.start()
    client = Client(enforce_csrf_checks=True)
    client.cookies = walker.client.cookies

    response = client.post(walker.address, {"step": read_form(walker.page).step, "decision": "accept"})

    assert response.status_code == 422
    assert not ConsentRecord.objects.exists()


def test_a_closed_study_keeps_aside_what_comes_in_and_says_so(walker: Walker) -> None:
    walker.walk(until="rate")
    Study.objects.update(status="closed")

    walker.send(rating="5")

    assert walker.page.context["page"]["kind"] == "closed"
    assert "kept aside" in read_text(walker.page)
    assert LateSubmission.objects.get().payload["rating"] == ["5"]
    assert not RepresentationRating.objects.exists()
    assert Enrolment.objects.get().is_active


def test_who_is_under_way_in_a_paused_study_may_finish(walker: Walker) -> None:
    walker.walk(until="write")
    Study.objects.update(status="paused")

    walker.walk()

    assert walker.kind == "complete"


def test_no_code_is_shown_while_something_is_missing(walker: Walker) -> None:
    last = Step.objects.order_by("position").last()
    while read_form(walker.page).step != str(last.nonce):
        walker.send()
    RepresentationRating.objects.first().delete()
    sent = valid_answers(read_form(walker.page))

    response = walker.post(sent)

    assert response.status_code == Incomplete.http_status
    assert "write to the team" in read_text(response)
    assert Enrolment.objects.get().is_active
    assert Step.objects.get(pk=last.pk).submitted_at is None, "that post does not count"
    assert "What you sent is kept." in read_text(response)
    kept = LateSubmission.objects.get()
    assert kept.step == last
    assert kept.payload["rating"] == sent["rating"]


def test_what_was_written_is_on_the_page_again_if_the_session_cannot_end(db) -> None:
    walker = Walker(published_study(n_questions=1, blocks=("consent", "form", "write", "debrief")).slug)
    walker.start()
    walker.walk(until="write")
    Step.objects.filter(kind="form").update(submitted_at=None, payload_sha256="")
    sent = valid_answers(read_form(walker.page))

    response = walker.post(sent)

    assert response.status_code == Incomplete.http_status
    assert not FreeResponse.objects.exists()
    walker.look()
    assert read_form(walker.page).fields["text"] == sent["text"]


def test_displays_of_a_page_are_recorded_up_to_a_limit(study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(showing, "VIEWS_KEPT", 3)
    walker = Walker(study.slug, htmx=True)
    walker.start()
    for _n in range(5):
        assert walker.look().status_code == 200
    assert PageView.objects.filter(step__position=0).count() == 3

    walker.send()
    walker.look()

    assert PageView.objects.filter(step__position=0).count() == 3
    assert PageView.objects.filter(step__position=1).count() == 2, "each page is counted by itself"


def test_a_study_of_one_question_and_one_answer_is_complete_with_one_rating(db) -> None:
    study = published_study(n_questions=1, n_answers=1)
    walker = Walker(study.slug, htmx=True)
    walker.start()

    assert walker.walk() == ["consent", "form", "write", "rate_intro", "rate", "complete"]


def test_a_plan_in_memory_does_not_outlive_an_erasure(walker: Walker) -> None:
    walker.walk(until="write")
    done = Step.objects.get(kind="form")
    PageView.objects.all().delete()
    Step.objects.all().delete()
    Enrolment.objects.update(status="withdrawn", finished_at=NOW)

    walker.post({"step": str(done.nonce), "item-age": "50"})

    assert walker.kind == "withdrawn"
    assert not LateSubmission.objects.exists()


@pytest.mark.parametrize("htmx", [False, True])
def test_nothing_is_kept_of_what_comes_after_declining(study, htmx: bool) -> None:
    walker = Walker(study.slug, htmx=htmx)
    walker.start()
    form = read_form(walker.page)
    decline = {"step": form.step, "decision": "decline"}
    walker.post(decline)

    repeated = walker.post(decline)
    assert "not stored" not in read_text(repeated)

    changed = walker.post({"step": form.step, "decision": "accept", "remark": "something"})

    assert walker.kind == "no_consent"
    assert "What you sent just now was not stored." in read_text(changed)
    assert not LateSubmission.objects.exists()


@pytest.mark.parametrize("header", ["Sec-Purpose", "Purpose", "X-Moz"])
def test_a_page_that_is_fetched_ahead_counts_as_not_shown(study, header: str) -> None:
    walker = Walker(study.slug)
    walker.start()
    n_shown = PageView.objects.count()

    ahead = walker.client.get(walker.address, headers={header: "prefetch;prerender"})

    assert (ahead.status_code, ahead.content) == (425, b"")
    assert ahead["Cache-Control"] == "no-store"
    assert PageView.objects.count() == n_shown
    assert walker.look().status_code == 200
