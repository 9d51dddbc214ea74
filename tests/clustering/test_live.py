"""The live view: due after enough votes, continued from run to run, pruned, and never in a participant's way."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from clustering import live, selectors, storing
from clustering.models import Grouping, GroupMember, OpinionGroup
from clustering.parameters import LIVE
from core import runs
from core.models import Run
from studies.models import Question, Study
from tests.clustering.conftest import N_EACH, N_GROUPS
from voting.models import Statement, Vote
from voting.services.tallies import verify_tallies

pytestmark = pytest.mark.django_db


@pytest.fixture
def question(planted: Study) -> Question:
    """A question of an open study whose tallies agree with its votes."""
    verify_tallies(study=planted, repair=True)
    question = planted.questions.first()
    assert question is not None
    Statement.objects.exclude(question=question).update(n_agree=0, n_disagree=0, n_neutral=0)
    return question


def n_votes(question: Question) -> int:
    return Vote.objects.current().filter(statement__question=question).count()


def computed(question: Question) -> Run:
    """The next live run, as after the given number of votes."""
    run = live.queue_live(question=question, n_votes=n_votes(question))
    assert run is not None
    done = runs.execute(run.pk)
    assert done is not None
    assert done.status == Run.Status.FINISHED, done.error
    return done


def test_a_question_is_due_after_enough_new_votes(question: Question, settings: Any) -> None:
    settings.LIVE_VOTES = 20
    [first] = live.sweep_live()
    assert live.sweep_live() == []  # one is under way
    runs.execute(first)
    assert live.sweep_live() == []

    statement = Statement.objects.filter(question=question).first()
    assert statement is not None
    Statement.objects.filter(pk=statement.pk).update(n_agree=F("n_agree") + 19)
    assert live.sweep_live() == []
    Statement.objects.filter(pk=statement.pk).update(n_agree=F("n_agree") + 1)
    [second] = live.sweep_live()

    assert Run.objects.get(pk=second).continues_id == first
    assert {run.kind for run in Run.objects.all()} == {LIVE}


def test_nothing_is_due_if_the_setting_says_never_or_the_study_is_closed(question: Question, settings: Any) -> None:
    settings.LIVE_VOTES = 0
    assert live.sweep_live() == []
    settings.LIVE_VOTES = 1
    Study.objects.update(status=Study.Status.CLOSED)
    assert live.sweep_live() == []


def test_a_question_that_cannot_be_computed_waits_for_more_votes(question: Question, settings: Any) -> None:
    settings.LIVE_VOTES = 20
    [first] = live.sweep_live()
    running = runs.claim(first)
    assert running is not None
    runs.executing._fail(running, "No.")
    assert live.sweep_live() == []


def test_looking_takes_the_same_number_of_queries_for_any_number_of_votes(question: Question, settings: Any) -> None:
    settings.LIVE_VOTES = 10**9
    with CaptureQueriesContext(connection) as few:
        live.sweep_live()
    Statement.objects.filter(question=question).update(n_agree=10**6)
    with CaptureQueriesContext(connection) as many:
        live.sweep_live()
    assert len(few) == len(many)


def test_planted_groups_are_shown_live(question: Question) -> None:
    run = computed(question)

    shown = selectors.latest_live(question)
    assert shown == run
    assert (run.grouping.line, run.grouping.n_votes) == ("live", n_votes(question))
    assert [group.size for group in run.grouping.groups.all()] == [N_EACH] * N_GROUPS
    assert [group.letter for group in run.grouping.groups.all()] == ["A", "B", "C"]
    assert run.figures.filter(name="opinion_map").exists()
    assert GroupMember.objects.filter(grouping=run.grouping).count() == N_GROUPS * N_EACH


def test_the_past_of_a_live_run_is_part_of_its_input(question: Question) -> None:
    first, second, third = computed(question), computed(question), computed(question)

    assert first.result is not None
    assert second.result is not None
    assert third.result is not None
    assert (second.continues, third.continues) == (first, second)
    assert second.result["continues"] == first.result_sha256
    assert len({first.input_sha256, second.input_sha256, third.input_sha256}) == 3
    states = [run.result["groups"]["state"]["last_best_runs"] for run in (first, second, third)]
    assert states == [1, 2, 3]


def test_a_state_that_cannot_be_read_starts_anew(question: Question) -> None:
    first = computed(question)
    assert first.result is not None
    changed = {**first.result, "groups": {**first.result["groups"], "state": {"method_version": "0"}}}
    Run.objects.filter(pk=first.pk).update(result=changed)

    second = computed(question)

    assert second.result is not None
    assert second.result["continues"] == ""
    assert second.result["groups"]["state"]["last_best_runs"] == 1


def test_groups_keep_their_letters_while_people_move(question: Question) -> None:
    first = computed(question)
    before = dict(GroupMember.objects.filter(grouping=first.grouping).values_list("enrolment_id", "group__identity"))
    # The first group, A, loses people, so that it is the smallest and has another number.
    leaving = [person for person, identity in before.items() if identity == 0][:3]
    Vote.objects.filter(enrolment__in=leaving, statement__question=question).delete()

    second = computed(question)

    after = dict(GroupMember.objects.filter(grouping=second.grouping).values_list("enrolment_id", "group__identity"))
    assert after == {person: identity for person, identity in before.items() if person not in leaving}
    numbers = dict(OpinionGroup.objects.filter(grouping=second.grouping).values_list("identity", "number"))
    assert numbers[0] == 2


def test_only_the_latest_live_runs_are_kept(question: Question) -> None:
    made = [computed(question) for _ in range(4)]
    Run.objects.filter(pk=made[0].pk).update(is_reported=True)

    assert storing.prune_live(question, keep=2) == 1

    kept = Run.objects.of(LIVE, question.public_id)
    assert list(kept) == [made[3], made[2], made[0]]
    assert Grouping.objects.filter(run__in=kept).count() == Grouping.objects.count() == 3
    made[2].refresh_from_db()
    assert made[2].continues is None
    # A later group may still not get a number that a pruned one had.
    assert computed(question).grouping.identities["taken"] == [0, 1, 2]
