"""Seeds through a study's life: drafted, previewed, published, amended, cloned."""

from __future__ import annotations

from typing import Any

import pytest

from studies import services as studies_services
from studies.definition import canonical, load_bytes
from studies.models import Study
from tests.factories import NOW, UserFactory
from tests.voting.booth import booth
from voting.models import Statement, VoteSettings

pytestmark = pytest.mark.django_db

DEFINITION = """
slug: parks
title: Parks
summary: We ask about parks.
contact: parks@example.org
ethics: {body: Board, protocol: "7"}
pay: {amount: "4.50", currency: USD, minutes: 20}
consent: I take part.
blocks: [consent, write, vote, debrief]
assignment: {questions_each: 1}
debrief: Thank you.
vote: {minimum: 4, policy: mixed, mix: 0.25, moderation: before}
questions:
  - {code: q1, text: "%(text)s"}
seeds:
  - {question: q1, code: a, text: "Parks are for all."}
  - {question: q1, code: %(second)s, text: "Close them at night."}
"""


def definition(text: str = "Should parks close?", second: str = "b") -> Any:
    return load_bytes((DEFINITION % {"text": text, "second": second}).encode(), "study.yaml")


@pytest.fixture
def draft() -> Study:
    return studies_services.apply_definition(definition=definition(), by=UserFactory(), now=NOW)[0]


@pytest.fixture
def published(draft: Study) -> Study:
    studies_services.publish_study(study=draft, by=UserFactory(), now=NOW)
    return draft


def amend(study: Study, **changed: str) -> None:
    studies_services.amend(
        study=study, definition=definition(**changed), reason="It was unclear.", by=UserFactory(), now=NOW
    )


def seeds() -> set[tuple[int, str, str]]:
    return set(Statement.objects.values_list("question__revision", "code", "status"))


def test_a_draft_holds_its_settings_and_seeds(draft: Study) -> None:
    assert seeds() == {(1, "a", "pending"), (1, "b", "pending")}
    settings = VoteSettings.objects.get(study=draft)
    assert (settings.minimum, settings.policy, settings.mix, settings.moderation) == (4, "mixed", 0.25, "before")


def test_loading_the_file_again_changes_nothing(draft: Study) -> None:
    before = (canonical(draft), set(Statement.objects.values_list("pk", flat=True)))

    studies_services.apply_definition(definition=definition(), by=UserFactory(), now=NOW)

    assert (canonical(draft), set(Statement.objects.values_list("pk", flat=True))) == before


def test_a_draft_that_was_previewed_can_still_be_changed(draft: Study) -> None:
    preview = booth(draft.questions.get(), origin="preview")
    assert preview.vote_on_all() == 2

    studies_services.apply_definition(definition=definition(second="c"), by=UserFactory(), now=NOW)

    assert seeds() == {(1, "a", "pending"), (1, "c", "pending")}


def test_publishing_lets_the_seeds_in_and_freezes_them_in_the_version(published: Study) -> None:
    assert seeds() == {(1, "a", "approved"), (1, "b", "approved")}
    assert published.current_version is not None
    assert [row["code"] for row in published.current_version.definition["seeds"]] == ["a", "b"]
    assert published.current_version.definition["vote"]["mix"] == 0.25


def test_an_amendment_lets_new_seeds_in_and_rejects_those_left_out(published: Study) -> None:
    amend(published, second="c")

    assert seeds() == {(1, "a", "approved"), (1, "b", "rejected"), (1, "c", "approved")}
    assert published.current_version is not None
    assert [row["code"] for row in published.current_version.definition["seeds"]] == ["a", "c"]


def test_another_wording_of_the_question_gets_seeds_of_its_own(published: Study) -> None:
    amend(published, text="Should parks close at night?")

    assert seeds() == {(1, "a", "approved"), (1, "b", "approved"), (2, "a", "approved"), (2, "b", "approved")}
    newcomer = booth(published.questions.get(is_current=True))
    assert newcomer.vote_on_all() == 2
    assert set(Statement.objects.filter(n_shown=1).values_list("question__revision", flat=True)) == {2}


def test_a_clone_drafts_the_same_seeds(published: Study) -> None:
    clone = studies_services.clone_study(study=published, slug="parks-2", by=UserFactory(), now=NOW)

    copied = Statement.objects.filter(question__study=clone)
    assert set(copied.values_list("code", "status", "origin")) == {("a", "pending", "seed"), ("b", "pending", "seed")}
    assert canonical(clone)["vote"] == canonical(published)["vote"]
