"""What is typed and not yet sent."""

from __future__ import annotations

import pytest
from django.test import Client

from studies.models import Draft, Enrolment, FreeResponse, PageView
from studies.session.payloads import LONGEST
from studies.session.tokens import COOKIE
from tests.walking import Walker, read_form, valid_answers


@pytest.fixture
def writer(study) -> Walker:
    walker = Walker(study.slug)
    walker.start()
    walker.walk(until="write")
    return walker


def save(walker: Walker, **typed: str):
    return walker.client.post(walker.page.context["page"]["draft_url"], {"step": read_form(walker.page).step, **typed})


def test_a_draft_comes_back_after_a_reload_in_any_browser(writer: Walker) -> None:
    response = save(writer, text="Half a thought", stance="neutral")

    assert response.status_code == 204
    form = read_form(writer.look())
    assert (form.fields["text"], form.fields["stance"]) == (["Half a thought"], ["neutral"])
    assert not FreeResponse.objects.exists()


def test_the_last_draft_replaces_the_one_before(writer: Walker) -> None:
    save(writer, text="Half a thought")
    save(writer, text="Half a thought, and")

    assert Draft.objects.get().payload == {"text": ["Half a thought, and"]}


def test_saving_a_draft_shows_no_page_and_moves_nothing(writer: Walker) -> None:
    views, position = PageView.objects.count(), Enrolment.objects.get().position

    save(writer, text="x")

    assert (PageView.objects.count(), Enrolment.objects.get().position) == (views, position)


def test_a_draft_goes_when_its_page_is_sent(writer: Walker) -> None:
    save(writer, text="Half a thought")
    writer.send(text="A whole thought. " * 6)

    assert not Draft.objects.exists()


def test_a_draft_that_arrives_after_its_page_was_sent_is_not_kept(writer: Walker) -> None:
    page = writer.page
    writer.send()
    writer.page = page

    assert save(writer, text="too late").status_code == 204
    assert not Draft.objects.exists()


def test_the_form_keeps_drafts_of_every_item(study) -> None:
    walker = Walker(study.slug)
    walker.start()
    walker.walk(until="form")
    sent = valid_answers(read_form(walker.page)) | {"item-age": ["4"], "item-ethnicity": ["asian", "white"]}

    walker.client.post(walker.page.context["page"]["draft_url"], sent)

    form = read_form(walker.look())
    assert form.fields["item-age"] == ["4"]
    assert form.fields["item-ethnicity"] == ["asian", "white"]


def test_a_page_without_typing_keeps_no_draft(study) -> None:
    walker = Walker(study.slug)
    walker.start()
    walker.walk(until="rate")

    assert save(walker, rating="4").status_code == 204
    assert not Draft.objects.exists()


def test_a_draft_is_cut_where_nobody_writes_by_hand(writer: Walker) -> None:
    save(writer, text="x" * (LONGEST + 5))

    assert len(Draft.objects.get().payload["text"][0]) == LONGEST


def test_a_draft_with_nul_is_kept_readable(writer: Walker) -> None:
    save(writer, text="a\0b")

    assert read_form(writer.look()).fields["text"] == ["a\ufffdb"]


@pytest.mark.parametrize("nonce", ["", "nothing", "\0"])
def test_a_draft_of_no_page_is_not_kept(writer: Walker, nonce: str) -> None:
    response = writer.client.post(f"/s/{writer.slug}/draft/", {"step": nonce, "text": "x"})

    assert response.status_code == 204
    assert not Draft.objects.exists()


def test_without_a_session_nothing_is_kept(writer: Walker) -> None:
    step = read_form(writer.page).step
    del writer.client.cookies[COOKIE]

    assert writer.client.post(f"/s/{writer.slug}/draft/", {"step": step, "text": "x"}).status_code == 403
    assert not Draft.objects.exists()


def test_a_draft_needs_the_csrf_token_and_a_post(writer: Walker) -> None:
    client = Client(enforce_csrf_checks=True)
    client.cookies = writer.client.cookies

    assert client.post(f"/s/{writer.slug}/draft/", {"step": read_form(writer.page).step}).status_code == 403
    assert client.get(f"/s/{writer.slug}/draft/").status_code == 405
