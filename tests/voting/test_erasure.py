"""What withdrawal leaves of statements and votes, under either policy."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from clustering.inclusion import Inclusion
from clustering.loading import question_votes
from studies.data.withdrawal import withdraw_enrolment
from studies.models import Question, Tombstone
from tests.factories import StudyFactory
from tests.voting.booth import NOW, Booth, booth, question_with, write
from voting import services
from voting.models import Exposure, Statement, Vote, VoteBlock

pytestmark = pytest.mark.django_db


@dataclass
class Scene:
    question: Question
    leaver: Booth
    stayer: Booth
    own: Statement


def scene_of(policy: str) -> Scene:
    """Two people who each wrote a statement and voted on the other's and on two seeds."""
    question = question_with(2, study=StudyFactory(withdrawal_policy=policy))
    leaver, stayer = booth(question), booth(question)
    own = services.add_peer_statement(free_response=write(leaver), moderation="after", now=NOW)
    services.add_peer_statement(free_response=write(stayer), moderation="after", now=NOW)
    for person, words in ((leaver, ("agree",)), (stayer, ("disagree", "neutral"))):
        assert person.vote_on_all(words) == 3
    return Scene(question, leaver, stayer, own)


@pytest.fixture
def scene() -> Scene:
    return scene_of("delete_all")


def test_delete_all_leaves_nothing_of_the_person_and_their_statements(scene: Scene) -> None:
    withdraw_enrolment(enrolment=scene.leaver.enrolment, by=None, now=NOW)

    assert not Statement.objects.filter(pk=scene.own.pk).exists()
    for model in (Vote, Exposure, VoteBlock):
        assert not model.objects.filter(enrolment=scene.leaver.enrolment).exists()
    assert Vote.objects.filter(enrolment=scene.stayer.enrolment).count() == 2, "on the seeds"
    # 3 votes, exposures and 1 block of the person, their statement with 1 vote and 1 exposure of another.
    assert Tombstone.objects.get().erased["voting"] == 3 + 3 + 1 + 1 + 1 + 1


def test_delete_all_leaves_right_tallies(scene: Scene) -> None:
    services.erase_participation(enrolment=scene.leaver.enrolment, policy="delete_all", now=NOW)

    assert services.verify_tallies(study=scene.question.study).differences == ()
    assert list(Statement.objects.values_list("n_shown", flat=True)) == [1, 1, 0]
    assert set(Statement.objects.values_list("n_agree", flat=True)) == {0}


def test_delete_all_takes_nothing_from_the_work_of_others(scene: Scene) -> None:
    services.erase_participation(enrolment=scene.leaver.enrolment, policy="delete_all", now=NOW)

    assert scene.stayer.block.n_cast == 3
    scene.stayer.look()
    assert scene.stayer.page is not None
    assert len(scene.stayer.page.context["votes"]) == 2
    assert not scene.stayer.finish().errors


def test_after_an_erasure_others_are_shown_new_cards_at_ranks_of_their_own(scene: Scene) -> None:
    services.erase_participation(enrolment=scene.leaver.enrolment, policy="delete_all", now=NOW)
    newcomer = booth(scene.question)
    added = services.add_peer_statement(free_response=write(newcomer), moderation="after", now=NOW)

    scene.stayer.vote_on_all()

    ranks = list(Exposure.objects.filter(enrolment=scene.stayer.enrolment).values_list("rank", flat=True))
    assert added.code in scene.stayer.shown
    assert len(set(ranks)) == len(ranks) == 3


def test_a_vote_on_a_statement_erased_meanwhile_is_told_kindly() -> None:
    question = question_with(0)
    writer, reader = booth(question), booth(question, minimum=1)
    services.add_peer_statement(free_response=write(writer), moderation="after", now=NOW)
    nonce = reader.look().context["card"]["nonce"]
    services.erase_participation(enrolment=writer.enrolment, policy="delete_all", now=NOW)

    submitted = reader.vote("agree", nonce=nonce)

    assert "no longer there" in submitted.notice
    assert not Vote.objects.exists()
    assert reader.page is not None
    assert reader.page.context["may_finish"]


def test_keep_votes_blanks_the_text_and_detaches_the_author() -> None:
    scene = scene_of("keep_votes")
    n_votes = Vote.objects.count()

    withdraw_enrolment(enrolment=scene.leaver.enrolment, by=None, now=NOW)

    scene.own.refresh_from_db()
    assert (scene.own.text, scene.own.status, scene.own.author, scene.own.free_response) == (
        "",
        "withdrawn",
        None,
        None,
    )
    assert scene.own.removed_at is not None
    assert Vote.objects.count() == n_votes
    assert services.verify_tallies(study=scene.question.study).differences == ()
    assert Tombstone.objects.get().erased["voting"] == 1


def test_a_withdrawn_statement_is_shown_to_nobody_and_still_counts(scene: Scene) -> None:
    services.erase_participation(enrolment=scene.leaver.enrolment, policy="keep_votes", now=NOW)
    newcomer = booth(scene.question)
    newcomer.vote_on_all()

    scene.stayer.look()

    assert scene.own.code not in newcomer.shown
    assert scene.stayer.page is not None
    assert len(scene.stayer.page.context["votes"]) == 2
    counted = question_votes(scene.question, Inclusion(("live",), ("active",)))
    assert scene.own.code in {counted.statements[column] for column in counted.columns}


def test_erasing_twice_finds_nothing_more(scene: Scene) -> None:
    services.erase_participation(enrolment=scene.leaver.enrolment, policy="delete_all", now=NOW)

    assert services.erase_participation(enrolment=scene.leaver.enrolment, policy="delete_all", now=NOW) == 0
