"""Posts at the same moment, on PostgreSQL."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test import Client

from studies.data.withdrawal import withdraw_enrolment
from studies.models import Draft, Enrolment, FreeResponse, LateSubmission, RepresentationRating, Step, Tombstone
from studies.session.endings import GRACE, expire_sessions
from studies.session.tokens import COOKIE
from tests.factories import NOW, published_study
from tests.racing import at_once
from tests.walking import Walker, read_form, read_text, valid_answers

pytestmark = [pytest.mark.races, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def walker() -> Walker:
    walker = Walker(published_study().slug)
    walker.start()
    return walker


def sender(walker: Walker, htmx: bool = True):
    """A function that posts from a tab of its own in the browser of `walker`."""
    token = walker.client.cookies[COOKIE].value
    headers = {"HX-Request": "true"} if htmx else {}

    def send(fields):
        client = Client()
        client.cookies[COOKIE] = token
        return client.post(walker.address, fields, headers=headers, follow=True)

    return send


@pytest.mark.parametrize("htmx", [False, True], ids=["without scripts", "htmx"])
def test_the_same_post_twice_at_once_stores_one_row_and_answers_alike(walker: Walker, htmx: bool) -> None:
    walker.walk(until="rate")
    sent = valid_answers(read_form(walker.page)) | {"rating": ["4"]}

    responses = at_once(sender(walker, htmx), [sent] * 6)

    assert RepresentationRating.objects.get().value == 4
    assert {response.status_code for response in responses} == {200}
    assert len({read_form(response).step for response in responses}) == 1
    assert not any("already answered" in read_text(response) for response in responses)
    assert not LateSubmission.objects.exists()


def test_differing_posts_at_once_one_counts_and_the_others_are_kept_aside_and_told(walker: Walker) -> None:
    walker.walk(until="rate")
    sent = valid_answers(read_form(walker.page))

    responses = at_once(sender(walker), [sent | {"rating": [str(rating)]} for rating in range(1, 6)])

    counted = RepresentationRating.objects.get()
    late = {kept.payload["rating"][0] for kept in LateSubmission.objects.all()}
    assert late == {"1", "2", "3", "4", "5"} - {str(counted.value)}
    assert sum("kept aside" in read_text(response) for response in responses) == 4
    assert len({read_form(response).step for response in responses}) == 1


def test_a_text_sent_twice_at_once_is_one_response(walker: Walker) -> None:
    walker.walk(until="write")
    sent = valid_answers(read_form(walker.page))

    at_once(sender(walker), [sent] * 4)

    assert FreeResponse.objects.count() == 1
    assert Enrolment.objects.get().position == 3


def test_the_last_post_twice_at_once_ends_once_and_shows_the_code_twice(walker: Walker) -> None:
    last = Step.objects.order_by("position").last()
    while read_form(walker.page).step != str(last.nonce):
        walker.send()
    sent = valid_answers(read_form(walker.page))

    responses = at_once(sender(walker), [sent] * 4)

    codes = {response.context["outcome"].code for response in responses}
    assert codes == {walker.look().context["outcome"].code}
    assert Enrolment.objects.get().status == "complete"


def test_a_draft_that_races_its_page_is_not_left_behind(walker: Walker) -> None:
    walker.walk(until="write")
    sent = valid_answers(read_form(walker.page))
    post, token = sender(walker), walker.client.cookies[COOKIE].value

    def act(kind: str):
        if kind == "post":
            return post(sent)
        client = Client()
        client.cookies[COOKIE] = token
        return client.post(f"/s/{walker.slug}/draft/", sent)

    at_once(act, ["draft", "post", "draft", "draft"])

    assert FreeResponse.objects.count() == 1
    assert not Draft.objects.exists()


def test_a_post_and_the_sweeper_at_once_leave_one_end(walker: Walker) -> None:
    last = Step.objects.order_by("position").last()
    while read_form(walker.page).step != str(last.nonce):
        walker.send()
    sent = valid_answers(read_form(walker.page))
    Enrolment.objects.update(expires_at=NOW)
    post = sender(walker)

    at_once(lambda kind: post(sent) if kind else expire_sessions(now=NOW + GRACE + timedelta(days=1)), [0, 1])

    enrolment = Enrolment.objects.get()
    assert enrolment.status == "timed_out"
    assert RepresentationRating.objects.count() == 5


def test_withdrawing_twice_at_once_leaves_one_tombstone(walker: Walker) -> None:
    walker.walk(until="rate")
    enrolment = Enrolment.objects.get()

    at_once(lambda _n: withdraw_enrolment(enrolment=enrolment, by=None, now=NOW), range(4))

    assert Tombstone.objects.count() == 1


def test_people_under_way_do_not_wait_for_a_start_that_holds_the_study(walker: Walker) -> None:
    walker.walk(until="rate")

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM studies_study FOR NO KEY UPDATE")
        sent = valid_answers(read_form(walker.page))
        (response,) = at_once(sender(walker), [sent])

    assert response.status_code == 200
    assert RepresentationRating.objects.count() == 1
