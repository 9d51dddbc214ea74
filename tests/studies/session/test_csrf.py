"""A form whose key is missing, forged or expired stores nothing and loses nothing."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from studies.models import FreeResponse, Study
from tests.walking import TEXT, Walker, read_form, read_text

pytestmark = pytest.mark.django_db


@pytest.fixture(params=[False, True], ids=["without scripts", "htmx"])
def walker(request: pytest.FixtureRequest, study: Study) -> Walker:
    walker = Walker(study.slug, htmx=request.param, client=Client(enforce_csrf_checks=True))
    walker.start()
    walker.walk(until="write")
    return walker


def written(walker: Walker) -> dict[str, Any]:
    form = read_form(walker.page)
    return {**form.fields, "text": [TEXT], "stance": ["neutral"], "importance": ["2"]}


def test_an_expired_key_gives_the_page_back_with_what_was_typed_and_a_fresh_key(walker: Walker) -> None:
    sent = written(walker)
    walker.client.cookies.pop("csrftoken")

    back = walker.post(sent)

    assert back.status_code == 422
    assert not FreeResponse.objects.exists()
    assert "send it again" in read_text(back)
    form = read_form(back)
    assert form.fields["text"] == [TEXT]
    assert (form.fields["stance"], form.fields["importance"]) == (["neutral"], ["2"])
    walker.post(form.fields)
    assert FreeResponse.objects.get().text == TEXT
    assert walker.kind != "write"


@pytest.mark.parametrize("key", [None, "", "x" * 64, "<script>"])
def test_a_missing_or_forged_key_stores_nothing(walker: Walker, key: str | None) -> None:
    sent = written(walker) | {"csrfmiddlewaretoken": [key]}
    if key is None:
        del sent["csrfmiddlewaretoken"]
    assert walker.post(sent).status_code == 422
    assert not FreeResponse.objects.exists()


def test_a_forged_post_for_a_passed_page_shows_the_current_one(walker: Walker) -> None:
    passed = written(walker)
    walker.post(passed)
    current = read_form(walker.look()).step
    walker.client.cookies.pop("csrftoken")

    back = walker.post(passed | {"text": ["Something else."]})

    assert read_form(back).step == current
    assert FreeResponse.objects.get().text == TEXT


def test_without_a_session_or_elsewhere_the_house_explains(walker: Walker) -> None:
    stranger = Client(enforce_csrf_checks=True)
    assert stranger.post(walker.address, {"text": TEXT}).status_code == 403
    assert walker.client.post(f"/s/{walker.slug}/draft/", {"text": TEXT}).status_code == 403
