"""Starts at the same moment, on PostgreSQL."""

from __future__ import annotations

from collections import Counter

import pytest
from django.test import Client

from studies.models import Enrolment, ExternalIdentity, Slot, Step
from tests.factories import CODES, published_study
from tests.racing import at_once
from tests.walking import read_form, read_text

pytestmark = [pytest.mark.races, pytest.mark.django_db(transaction=True)]

IDS = {
    "PROLIFIC_PID": "5f3e8c1a9b2d4e6f7a8b9c0d",
    "STUDY_ID": "63c0ffee63c0ffee63c0ffee",
    "SESSION_ID": "64a1b2c3d4e5f60718293a4b",
}


def ids(n: int) -> dict[str, str]:
    return IDS | {"PROLIFIC_PID": f"{n:024x}", "SESSION_ID": f"{n + 1000:024x}"}


def starter(slug: str):
    def start(fields: dict[str, str]):
        client = Client()
        return client.post(f"/s/{slug}/start/", fields, follow=True)

    return start


def test_one_session_id_starting_ten_times_at_once_gives_one_enrolment() -> None:
    study = published_study()

    responses = at_once(starter(study.slug), [IDS] * 10)

    assert Enrolment.objects.count() == 1
    assert ExternalIdentity.objects.count() == 1
    assert Slot.objects.count() == 3
    assert Step.objects.count() == 14
    assert {response.status_code for response in responses} == {200}
    assert len({read_form(response).step for response in responses}) == 1, "all ten see the same page"


def test_twenty_people_racing_for_five_places_5_admitted_15_told_kindly() -> None:
    study = published_study(places=5)

    responses = at_once(starter(study.slug), [ids(n) for n in range(20)])

    kinds = Counter("full" if response.status_code == 409 else "in" for response in responses)
    assert kinds == {"in": 5, "full": 15}
    assert Enrolment.objects.count() == 5
    assert ExternalIdentity.objects.count() == 5
    for response in responses:
        if response.status_code == 409:
            assert "All places are taken" in read_text(response)
            assert CODES["full"] in read_text(response)


def test_one_person_with_two_session_ids_at_once_gets_one_session() -> None:
    study = published_study()

    responses = at_once(starter(study.slug), [IDS | {"SESSION_ID": f"{n:024x}"} for n in range(8)])

    assert Enrolment.objects.count() == 1
    assert Counter(response.status_code for response in responses) == {200: 1, 409: 7}


def test_a_double_click_on_start_is_one_start() -> None:
    study = published_study()
    form = read_form(Client().get(f"/s/{study.slug}/"))

    responses = at_once(starter(study.slug), [form.fields] * 6)

    assert Enrolment.objects.count() == 1
    assert len({response.wsgi_request.COOKIES["polyphony"] for response in responses}) == 1


def test_people_who_start_at_once_are_spread_over_the_questions() -> None:
    study = published_study(n_questions=6, questions_each=2)

    at_once(starter(study.slug), [ids(n) for n in range(12)])

    counts = Counter(Slot.objects.values_list("question__code", flat=True))
    assert set(counts.values()) == {4}, "each start saw the reservations of those before it"


def test_starts_in_two_studies_do_not_mix() -> None:
    studies = [published_study(places=3) for _n in range(2)]

    at_once(lambda n: starter(studies[n % 2].slug)(ids(n)), range(12))

    for study in studies:
        assert study.enrolments.count() == 3
