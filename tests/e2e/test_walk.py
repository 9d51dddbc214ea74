"""From the link to the completion code, as people with a mouse or a finger, a keyboard, or no scripts go."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from playwright.sync_api import expect

from studies.models import Answer, ConsentRecord, Enrolment, FreeResponse, RepresentationRating, Study
from tests.e2e.conftest import OpenWindow
from tests.e2e.driving import PROLIFIC, TEXT, KeyboardPerson, Person
from tests.factories import BLOCKS_WITH_VOTES, CODES, published_study
from voting.models import Exposure, Statement, Vote

pytestmark = pytest.mark.e2e


def study_with(*, n_answers: int, minimum: int) -> Study:
    """Three questions a person, so many answers to rate and votes to cast on each."""
    return published_study(
        n_answers=n_answers, n_seeds=minimum + 2, blocks=BLOCKS_WITH_VOTES, vote={"minimum": minimum}
    )


@pytest.mark.parametrize(
    ("who", "has_script", "n_answers", "minimum"),
    [(Person, True, 8, 10), (KeyboardPerson, True, 3, 4), (Person, False, 3, 4)],
    ids=["by mouse, as long as in the paper", "by keyboard", "without scripts"],
)
def test_a_person_walks_from_the_link_to_the_code(
    who: type[Person], has_script: bool, n_answers: int, minimum: int, open_window: OpenWindow
) -> None:
    study = study_with(n_answers=n_answers, minimum=minimum)
    tab = open_window(java_script_enabled=has_script).context.new_page()
    person = who(tab, study.slug)
    person.arrive(**PROLIFIC)
    kinds = Counter(person.walk())

    assert kinds == {
        "landing": 1,
        "consent": 1,
        "form": 1,
        "write": 3,
        "rate_intro": 3,
        "rate": 3 * n_answers,
        "vote": 3 * (minimum + 1),
        "end": 1,
    }
    expect(tab.locator("#completion-code")).to_have_text(CODES["complete"])
    back = tab.get_by_role("link", name="Return to Prolific")
    expect(back).to_have_attribute("href", f"https://app.prolific.com/submissions/complete?cc={CODES['complete']}")
    assert_everything_is_stored_once(study, n_answers, minimum)


def assert_everything_is_stored_once(study: Study, n_answers: int, minimum: int) -> None:
    enrolment = Enrolment.objects.get(study=study)
    assert enrolment.status == Enrolment.Status.COMPLETE
    assert enrolment.external_identity.external_id == PROLIFIC["PROLIFIC_PID"]
    assert ConsentRecord.objects.get(enrolment=enrolment).accepted
    assert answers_of(enrolment) == {
        "age": 44,
        "sex": "male",
        "ethnicity": ["asian", "white"],
        "remarks": Answer.Missing.SKIPPED,
    }
    responses = FreeResponse.objects.filter(enrolment=enrolment)
    assert [(row.text, row.stance, row.importance) for row in responses] == [(TEXT, "neutral", 4)] * 3
    assert Statement.objects.filter(author=enrolment).count() == 3
    ratings = RepresentationRating.objects.filter(enrolment=enrolment)
    assert Counter(ratings.values_list("value", flat=True)) == {4: 3 * n_answers}
    votes = Vote.objects.filter(enrolment=enrolment)
    assert votes.count() == votes.current().count() == 3 * minimum
    assert set(votes.values_list("value", flat=True)) == {1, -1, 0}
    # Beyond the minimum one more card was offered; own statements were not.
    assert Exposure.objects.filter(enrolment=enrolment).count() == 3 * (minimum + 1)
    assert not Exposure.objects.filter(enrolment=enrolment, statement__author=enrolment).exists()


def answers_of(enrolment: Enrolment) -> dict[str, Any]:
    rows = Answer.objects.filter(enrolment=enrolment)
    return {
        row.item_code: row.missing or row.value_integer or row.value_choice or row.value_choices or row.value_text
        for row in rows
    }
