"""What voting says about a study on its page."""

from __future__ import annotations

import pytest

from tests.factories import NOW, MembershipFactory, UserFactory
from tests.voting.booth import booth, question_with, write
from voting import services
from voting.module import module

pytestmark = pytest.mark.django_db


def test_the_summary_counts_statements_and_votes() -> None:
    question = question_with(2)
    for moderation in ("after", "before"):
        services.add_peer_statement(free_response=write(booth(question)), moderation=moderation, now=NOW)
    booth(question).vote_on_all()

    assert module.summary is not None
    assert {str(label): value for label, value in module.summary(question.study)} == {
        "Statements of participants": 1,
        "Statements waiting for moderation": 1,
        "Votes": 3,
    }


@pytest.mark.parametrize(
    ("role", "n"), [("owner", 2), ("editor", 2), ("moderator", 1), ("analyst", 0), ("annotator", 0)]
)
def test_moderators_are_led_to_the_statements_and_editors_to_generated_seeds(role: str, n: int) -> None:
    study = question_with(1).study

    assert module.pages is not None
    pages = module.pages(study, MembershipFactory(study=study, role=role).user)

    assert len(pages) == n
    assert all(study.slug in address for _label, address in pages)
    assert not module.pages(study, UserFactory())
