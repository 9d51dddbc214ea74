"""Voting as a part of a session, over HTTP: with and without htmx, repeated, late, and changed."""

from __future__ import annotations

from typing import Any

import pytest

from studies.models import Enrolment, LateSubmission, Step, Study
from tests.factories import BLOCKS_WITH_VOTES, published_study
from tests.walking import Form, Walker, read_forms, read_text
from voting import services
from voting.models import Exposure, Statement, Vote, VoteBlock

pytestmark = pytest.mark.django_db

BLOCKS = tuple(kind for kind in BLOCKS_WITH_VOTES if kind not in {"form", "rate"})

CHANGES_OF_AGREE = [("value", "disagree"), ("value", "neutral")]


@pytest.fixture(params=[False, True], ids=["plain", "htmx"])
def htmx(request: pytest.FixtureRequest) -> bool:
    """Without scripts, and as htmx posts."""
    return bool(request.param)


@pytest.fixture
def study() -> Study:
    """Two questions of 5 seeds each, of which 3 are to be voted on."""
    return published_study(n_questions=2, n_seeds=5, blocks=BLOCKS, vote={"minimum": 3})


def at_the_votes(study: Study, *, htmx: bool = False) -> Walker:
    walker = Walker(study.slug, htmx=htmx)
    walker.start()
    walker.walk(until="vote")
    return walker


def card_of(walker: Walker) -> Form:
    """The form of the card on the screen."""
    return next(form for form in read_forms(walker.page) if ("value", "neutral") in form.buttons)


def vote(walker: Walker, value: str = "agree") -> dict[str, Any]:
    """Press a button of the card; what was sent."""
    sent = {**card_of(walker).fields, "value": [value]}
    walker.post(sent)
    return sent


def finish(walker: Walker) -> Any:
    fields = read_forms(walker.page)[0].fields
    return walker.post({"step": fields["step"], "action": ["finish"]})


def test_a_session_with_votes_leads_to_the_end(study: Study, htmx: bool) -> None:
    walker = Walker(study.slug, htmx=htmx)
    walker.start()

    kinds = walker.walk()

    assert Vote.objects.count() == kinds.count("vote") - 2, "one a page but the last of each question"
    assert Enrolment.objects.get().status == "complete"
    assert VoteBlock.objects.exclude(closed_at=None).filter(n_cast__gte=3).count() == 2
    assert set(Statement.objects.filter(origin="peer").values_list("status", flat=True)) == {"approved"}


def test_the_second_person_votes_on_what_the_first_wrote() -> None:
    study = published_study(n_questions=2, n_seeds=1, blocks=BLOCKS)
    for _ in range(2):
        walker = Walker(study.slug)
        walker.start()
        walker.walk()

    first, second = Enrolment.objects.order_by("pk")
    assert set(Vote.objects.filter(statement__author=first).values_list("enrolment", flat=True)) == {second.pk}
    assert Vote.objects.filter(statement__author=first).count() == 2
    assert not Vote.objects.filter(statement__author=second).exists()
    assert services.verify_tallies(study=study).differences == ()


def test_one_may_go_on_after_the_minimum_and_not_before(study: Study, htmx: bool) -> None:
    walker = at_the_votes(study, htmx=htmx)
    vote(walker, "agree")

    refused = finish(walker)
    assert refused.status_code == 422
    assert "Please vote on 2 more statements" in read_text(refused)

    vote(walker, "neutral")
    vote(walker, "disagree")
    assert "Votes so far: 3 . Needed: at least 3." in read_text(walker.page)
    finish(walker)

    assert walker.kind != "vote"
    assert list(Vote.objects.order_by("pk").values_list("value", flat=True)) == [1, 0, -1]


def test_a_reload_shows_the_same_card(study: Study) -> None:
    walker = at_the_votes(study)
    before = card_of(walker).fields["exposure"]

    walker.look()
    walker.look()

    assert card_of(walker).fields["exposure"] == before
    assert Exposure.objects.count() == 1


def test_a_double_click_votes_once(study: Study, htmx: bool) -> None:
    walker = at_the_votes(study, htmx=htmx)
    sent = vote(walker)
    after = card_of(walker).fields["exposure"]

    walker.post(sent)

    assert card_of(walker).fields["exposure"] == after
    assert Vote.objects.count() == 1


def test_a_vote_can_be_changed_on_the_page(study: Study, htmx: bool) -> None:
    walker = at_the_votes(study, htmx=htmx)
    vote(walker, "agree")
    own = next(form for form in read_forms(walker.page) if any(name == "change" for name, _value in form.buttons))
    change = next(value for _name, value in own.buttons if value.endswith(" disagree"))

    walker.post({**own.fields, "change": [change]})

    assert "You disagreed. Change to:" in read_text(walker.page)
    assert [(vote.value, vote.superseded_at is None) for vote in Vote.objects.order_by("pk")] == [
        (1, False),
        (-1, True),
    ]


def test_a_differing_vote_after_going_on_is_kept_aside_and_said(study: Study) -> None:
    walker = at_the_votes(study)
    sent = vote(walker, "agree")
    for _ in range(2):
        vote(walker)
    finish(walker)

    walker.post(sent)
    assert not LateSubmission.objects.exists(), "it repeats what is stored"

    walker.post({**sent, "value": ["disagree"]})
    assert LateSubmission.objects.count() == 1
    assert not Vote.objects.filter(value=-1).exists()
    assert Step.objects.filter(kind="vote").exclude(submitted_at=None).count() == 1


def test_where_moderation_comes_first_a_text_waits(study: Study) -> None:
    moderated = published_study(n_questions=1, n_seeds=2, blocks=BLOCKS, vote={"moderation": "before", "minimum": 2})
    for _ in range(2):
        walker = Walker(moderated.slug)
        walker.start()
        walker.walk()

    assert set(Statement.objects.filter(origin="peer").values_list("status", flat=True)) == {"pending"}
    assert not Vote.objects.filter(statement__origin="peer").exists()


def test_the_very_first_person_goes_on_without_anything_to_vote_on() -> None:
    study = published_study(n_questions=1, blocks=BLOCKS)
    walker = at_the_votes(study)

    page = read_text(walker.page)
    walker.walk()

    assert "You have voted on every statement there is just now" in page
    assert Enrolment.objects.get().status == "complete"
    assert (VoteBlock.objects.get().minimum, VoteBlock.objects.get().required) == (10, 0)
