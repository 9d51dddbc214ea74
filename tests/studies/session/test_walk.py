"""From the link to the end, in a browser without scripts and in one with htmx."""

from __future__ import annotations

import pytest
from django.utils import translation

from core.randomness import drawn_order
from studies.models import (
    Answer,
    ConsentRecord,
    Draft,
    Enrolment,
    FreeResponse,
    LateSubmission,
    PageView,
    RepresentationRating,
    Slot,
    Step,
    Study,
)
from studies.recruitment.services import start_preview
from studies.session.tokens import COOKIE
from tests.factories import BLOCKS_WITH_VOTES, CODES, NOW, published_study
from tests.walking import Browser, Walker, read_form, read_forms, read_text

ONE_QUESTION = ["write", "rate_intro", "rate", "rate"]
IDS = {
    "PROLIFIC_PID": "5f3e8c1a9b2d4e6f7a8b9c0d",
    "STUDY_ID": "63c0ffee63c0ffee63c0ffee",
    "SESSION_ID": "64a1b2c3d4e5f60718293a4b",
}


@pytest.fixture(params=[False, True], ids=["without scripts", "htmx"])
def walker(request: pytest.FixtureRequest, study) -> Walker:
    return Walker(study.slug, htmx=request.param)


def test_a_person_walks_from_the_link_to_the_code(walker: Walker) -> None:
    walker.start()

    kinds = walker.walk()

    assert kinds == ["consent", "form", *ONE_QUESTION * 3, "complete"]
    assert CODES["complete"] in read_text(walker.page)
    assert "Thank you for taking part." in read_text(walker.page)
    enrolment = Enrolment.objects.get()
    assert enrolment.status == Enrolment.Status.COMPLETE
    assert enrolment.consented_at is not None
    assert ConsentRecord.objects.get().accepted
    assert Answer.objects.count() == 4
    assert FreeResponse.objects.count() == 3
    assert RepresentationRating.objects.current().count() == 6
    assert set(Slot.objects.values_list("status", flat=True)) == {"complete"}
    assert not Step.objects.filter(submitted_at=None).exists()
    assert not LateSubmission.objects.exists()
    assert not Draft.objects.exists()


@pytest.mark.parametrize("htmx", [False, True], ids=["without scripts", "htmx"])
def test_a_person_walks_with_votes_on_what_others_wrote(db, htmx: bool) -> None:
    study = published_study(blocks=BLOCKS_WITH_VOTES, n_questions=2, n_seeds=3, vote={"minimum": 4})
    for _n in range(3):
        walker = Walker(study.slug, htmx=htmx)
        walker.start()
        walker.walk()

        assert walker.kind == "complete"


def test_every_field_has_a_label_and_every_page_a_way_on(walker: Walker) -> None:
    walker.start()
    while walker.kind != "complete":
        form = read_form(walker.page)
        assert form.buttons, walker.kind
        assert form.step
        walker.walk(until=walker.kind)
        walker.send()


def test_each_display_is_recorded_once_with_what_was_shown(walker: Walker) -> None:
    walker.start()
    walker.walk()

    views = PageView.objects.order_by("id")
    assert list(views.values_list("step__position", flat=True)) == list(range(14))
    for view in views.filter(step__kind="rate"):
        assert view.shown == {"answer": view.step.answer_id, "rank": view.step.number}


def test_the_layout_that_the_browser_reports_is_kept_with_the_page(study) -> None:
    walker = Walker(study.slug, htmx=True)
    walker.start()

    walker.send(layout="stacked 320")
    walker.send(layout="<script>")

    assert list(PageView.objects.order_by("id").values_list("layout", flat=True)) == ["", "stacked 320", ""]


def test_a_reload_shows_the_same_page_with_the_same_order(walker: Walker) -> None:
    walker.start()
    walker.walk(until="rate")
    first = walker.page.context

    again = walker.look().context

    assert again["page"]["nonce"] == first["page"]["nonce"]
    assert again["answer"] == first["answer"]
    assert PageView.objects.filter(step__kind="rate").count() == 2


def test_answers_come_one_at_a_time_in_the_order_drawn(walker: Walker, study: Study) -> None:
    walker.start()
    walker.walk(until="rate")
    shown = []
    while walker.kind == "rate":
        shown.append(walker.page.context["answer"]["text"])
        walker.send()

    enrolment = Enrolment.objects.get()
    question = enrolment.slots.get(number=1).question
    answers = sorted(question.answers.all(), key=lambda answer: answer.source.code)
    drawn = drawn_order(answers, seed=study.seed, code=enrolment.public_code, purpose=f"rate:{question.code}")
    assert shown == [answer.text for answer in drawn]
    ratings = RepresentationRating.objects.order_by("rank")
    assert [rating.answer for rating in ratings] == drawn


def test_a_page_names_no_model_and_no_id(walker: Walker) -> None:
    walker.start(**IDS)
    while walker.kind != "complete":
        html = walker.page.content.decode()
        assert not any(name in html for name in ("Model s1", "Model s2", *IDS.values()))
        walker.send()


def test_progress_counts_pages_and_names_the_question(walker: Walker) -> None:
    walker.start()
    labels = []
    while walker.kind != "complete":
        progress = walker.page.context["page"]["progress"]
        labels.append(progress["label"])
        assert (progress["done"], progress["total"]) == (len(labels) - 1, 14)
        walker.send()

    assert labels == [
        *["Before the questions"] * 2,
        *["Question 1 of 3"] * 4,
        *["Question 2 of 3"] * 4,
        *["Question 3 of 3"] * 4,
    ]


def test_with_htmx_the_answer_to_a_post_is_the_next_page_itself(study) -> None:
    walker = Walker(study.slug, htmx=True)
    walker.start()

    response = walker.send()

    assert response.status_code == 200
    assert b"<html" not in response.content
    assert response.context["page"]["kind"] == "form"
    assert response["Vary"] == "HX-Request, Cookie"
    assert response["Cache-Control"] == "no-store"


def test_without_htmx_a_post_is_answered_by_303(study) -> None:
    walker = Walker(study.slug)
    walker.start()

    response = walker.client.post(walker.address, {**read_form(walker.page).fields, "decision": "accept"})

    assert (response.status_code, response["Location"]) == (303, walker.address)


def test_a_restored_history_entry_gets_the_whole_page(study) -> None:
    walker = Walker(study.slug)
    walker.start()

    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    response = walker.client.get(walker.address, headers=headers)

    assert b"<html" in response.content


def test_only_prolific_s_people_get_its_return_link(study) -> None:
    recruit, visitor = Walker(study.slug), Walker(study.slug)
    recruit.start(**IDS)
    recruit.walk()
    visitor.start()
    visitor.walk()

    link = f"https://app.prolific.com/submissions/complete?cc={CODES['complete']}"
    assert link in recruit.page.content.decode()
    assert "prolific" not in visitor.page.content.decode().lower()


def test_two_studies_in_one_browser_do_not_meet(study) -> None:
    other = published_study()
    browser = Browser()
    first, second = Walker(study.slug, client=browser), Walker(other.slug, client=browser)
    first.start()
    second.start()
    second.walk()

    first.walk()

    assert (first.kind, second.kind) == ("complete", "complete")
    assert set(Enrolment.objects.values_list("study", flat=True)) == {study.pk, other.pk}


def test_another_study_s_cookie_opens_nothing(study) -> None:
    other = published_study()
    walker = Walker(study.slug)
    walker.start()
    stranger = Walker(other.slug)
    stranger.client.cookies[COOKIE] = walker.client.cookies[COOKIE].value

    assert stranger.look().status_code == 403
    assert stranger.post({"step": str(Step.objects.first().nonce)}).status_code == 403
    assert "could not find your session" in read_text(stranger.page)


def test_a_lost_cookie_is_explained_and_the_link_brings_the_person_back(walker: Walker) -> None:
    walker.start(**IDS)
    walker.walk(until="rate")
    del walker.client.cookies[COOKIE]

    assert walker.send().status_code == 403
    assert "could not find your session" in read_text(walker.page)
    assert not RepresentationRating.objects.exists()
    walker.start(**IDS)

    assert walker.kind == "rate"


def test_a_preview_walks_a_draft_to_its_end_and_says_what_it_is(db) -> None:
    study = published_study()
    Study.objects.update(status="draft")
    walker = Walker(study.slug)
    walker.client.cookies[COOKIE] = start_preview(version=study.current_version, now=NOW).token
    Enrolment.objects.update(expires_at=None)

    walker.look()
    assert "Preview. Nothing you enter here counts." in read_text(walker.page)
    walker.walk()

    assert walker.kind == "complete"
    assert Enrolment.objects.get().origin == "preview"


def test_pages_speak_the_study_s_language_and_direction(db) -> None:
    study = published_study(language="ar")
    walker = Walker(study.slug)

    walker.start()

    assert '<html lang="ar" dir="rtl">' in walker.page.content.decode()
    assert Enrolment.objects.get().language == "ar"
    assert translation.get_language() == "en"


def test_participants_get_no_staff_cookie(study) -> None:
    walker = Walker(study.slug)
    walker.start()
    walker.walk()

    assert set(walker.client.cookies) <= {COOKIE, "csrftoken"}


def test_a_study_without_form_and_ratings_is_walked_as_well(db) -> None:
    study = published_study(n_answers=0, form=())
    walker = Walker(study.slug)
    walker.start()

    assert walker.walk() == ["consent", "write", "write", "write", "complete"]


def test_blocks_run_in_the_order_of_the_definition(db) -> None:
    study = published_study(blocks=("consent", "rate", "write", "form"), questions_each=2)
    walker = Walker(study.slug)
    walker.start()

    assert walker.walk() == ["consent", *["rate_intro", "rate", "rate", "write"] * 2, "form", "complete"]


def test_a_changed_draft_does_not_change_a_session_under_way(study) -> None:
    walker = Walker(study.slug)
    walker.start()
    Study.objects.update(write_minimum=1, title="Another title", consent_text="Something else")

    walker.walk(until="write")

    assert "Another title" not in read_text(walker.page)
    assert walker.page.context["minimum"] == 75
    assert not read_forms(walker.client.get(walker.address))[0].fields["text"][0]
