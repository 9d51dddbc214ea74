"""Runs of groups and scores: what they take in, find, store and repeat."""

from __future__ import annotations

from typing import Any

import pytest

from clustering import selectors, services
from clustering.inclusion import Inclusion, default_origins
from clustering.models import GroupCoverage, Grouping, GroupMember, QuestionCoverage, RunFigure, Score
from clustering.parameters import GROUPS, Parameters
from core import runs
from core.errors import Conflict, Invalid
from core.models import AuditEvent, Run
from studies.data.withdrawal import withdraw_enrolment
from studies.models import Enrolment, ModelAnswer, RepresentationRating, Study
from tests.clustering.conftest import N_EACH, N_GROUPS
from tests.factories import NOW, ModelAnswerFactory, StudyFactory
from voting.models import Statement, Vote

pytestmark = pytest.mark.django_db

LIVE = Parameters(inclusion=Inclusion(("live",)), replicates=200, stability_seeds=2, stability_replicates=2)


def scored(study: Study, *, parameters: Parameters = LIVE, seed: int = 1) -> Run:
    run = services.start_scores(study=study, parameters=parameters, seed=seed, by=None)
    done = runs.execute(run.pk)
    assert done is not None
    return done


def test_planted_groups_are_found_and_stored(planted: Study) -> None:
    run = scored(planted)

    assert run.status == Run.Status.FINISHED
    groupings = Grouping.objects.filter(run__parent=run)
    assert groupings.count() == planted.questions.count()
    for grouping in groupings:
        assert [group.size for group in grouping.groups.all()] == [N_EACH] * N_GROUPS
        codes = list(planted.enrolments.order_by("pk").values_list("public_code", flat=True))
        found = dict(GroupMember.objects.filter(grouping=grouping).values_list("enrolment__public_code", "group_id"))
        for planted_group in range(N_GROUPS):
            assert len({found[code] for code in codes[planted_group::N_GROUPS]}) == 1


def test_each_group_is_characterised_by_its_own_statements(planted: Study) -> None:
    run = scored(planted)
    question = planted.questions.first()
    assert question is not None
    result = selectors.question_result(run, question)
    assert result is not None
    order = list(Statement.objects.filter(question=question).order_by("pk").values_list("pk", flat=True))
    people = list(planted.enrolments.order_by("pk").values_list("pk", flat=True))

    for profile in result.groups:
        member = profile.group.members.first()
        assert member is not None
        planted_group = people.index(member.enrolment_id) % N_GROUPS
        agreed = [row for row in profile.statements if row.direction == 1]
        assert agreed
        assert {order.index(row.statement_id) % N_GROUPS for row in agreed} == {planted_group}


def test_coverage_counts_the_groups_whose_mean_rating_reaches_the_threshold(planted: Study) -> None:
    run = scored(planted)

    first, second = planted.sources.order_by("position", "pk")[:2]
    assert set(QuestionCoverage.objects.filter(run=run, source=first).values_list("coverage", flat=True)) == {2 / 3}
    assert set(QuestionCoverage.objects.filter(run=run, source=second).values_list("coverage", flat=True)) == {0.0}
    score = Score.objects.get(run=run, source=first, is_weighted=False)
    assert (score.value, score.n_questions) == (pytest.approx(2 / 3), planted.questions.count())
    best = Score.objects.get(run=run, source=None, is_weighted=True)
    assert best.value == pytest.approx(2 / 3)
    cell = GroupCoverage.objects.filter(run=run, answer__source=first).order_by("-mean_rating").first()
    assert cell is not None
    assert (cell.n_ratings, cell.mean_rating, cell.is_covered) == (N_EACH, 5.0, True)


def test_the_same_seed_gives_the_same_bytes_and_another_seed_another_input(planted: Study) -> None:
    first, second, other = scored(planted), scored(planted), scored(planted, seed=2)

    assert first.pk != second.pk
    assert (first.input_sha256, first.result_sha256) == (second.input_sha256, second.result_sha256)
    assert first.input_sha256 != other.input_sha256


def test_a_run_says_whom_it_took_in(planted: Study) -> None:
    idle = planted.enrolments.first()
    assert idle is not None
    Enrolment.objects.filter(pk=idle.pk).update(status=Enrolment.Status.TIMED_OUT)

    run = scored(planted)

    flow = (run.result or {})["flow"][0]["rows"]
    n = N_GROUPS * N_EACH
    assert [row["n"] for row in flow] == [n, n, n - 1, n - 1]
    assert not GroupMember.objects.filter(enrolment=idle).exists()


def test_a_minimum_of_votes_leaves_people_out(planted: Study) -> None:
    question = planted.questions.first()
    assert question is not None
    quiet = planted.enrolments.first()
    Vote.objects.filter(enrolment=quiet, statement__question=question).delete()
    run = scored(planted)
    assert (run.result or {})["flow"][0]["rows"][-1] == {"step": "votes", "takes": [1], "n": N_GROUPS * N_EACH - 1}


def test_previews_never_count(planted: Study) -> None:
    planted.enrolments.update(origin=Enrolment.Origin.PREVIEW)
    run = scored(planted)
    assert {row["n"] for line in (run.result or {})["flow"] for row in line["rows"]} == {0}
    with pytest.raises(Invalid, match="preview"):
        Inclusion(("preview",))


def test_without_votes_every_number_is_undefined_with_a_reason(study: Study) -> None:
    run = scored(study)

    assert run.status == Run.Status.FINISHED
    assert all(grouping.undefined and grouping.n_groups is None for grouping in Grouping.objects.all())
    assert all(score.value is None and score.undefined for score in Score.objects.filter(run=run))
    assert all(row.coverage is None and row.undefined for row in QuestionCoverage.objects.filter(run=run))
    assert not RunFigure.objects.filter(run=run).exists()


def test_an_answer_nobody_rated_has_no_coverage(planted: Study) -> None:
    second = planted.sources.order_by("position", "pk")[1]
    RepresentationRating.objects.filter(answer__source=second).delete()

    run = scored(planted)

    score = Score.objects.get(run=run, source=second, is_weighted=False)
    assert (score.value, score.n_questions) == (None, 0)
    assert score.undefined


def test_rejected_statements_do_not_count(planted: Study) -> None:
    question = planted.questions.first()
    assert question is not None
    rejected = Statement.objects.filter(question=question).first()
    assert rejected is not None
    Statement.objects.filter(pk=rejected.pk).update(status=Statement.Status.REJECTED)
    run = scored(planted)
    grouping = Grouping.objects.get(run__parent=run, question=question)
    assert grouping.n_statements == Statement.objects.filter(question=question).count() - 1


def test_who_voted_on_rejected_statements_alone_is_not_counted_as_a_voter(planted: Study) -> None:
    question = planted.questions.first()
    person = planted.enrolments.first()
    rejected = Statement.objects.filter(question=question).first()
    assert rejected is not None
    Vote.objects.filter(enrolment=person, statement__question=question).exclude(statement=rejected).delete()
    Vote.objects.get_or_create(enrolment=person, statement=rejected, defaults={"value": 1, "cast_at": NOW})
    Statement.objects.filter(pk=rejected.pk).update(status=Statement.Status.REJECTED)

    run = scored(planted)

    grouping = Grouping.objects.get(run__parent=run, question=question)
    assert (run.result or {})["flow"][0]["rows"][-1]["n"] == grouping.n_participants == N_GROUPS * N_EACH - 1


def test_votes_on_ones_own_statement_are_left_out_and_counted(planted: Study) -> None:
    question = planted.questions.first()
    vote = Vote.objects.filter(statement__question=question).first()
    assert vote is not None
    Statement.objects.filter(pk=vote.statement_id).update(author=vote.enrolment)

    run = scored(planted)
    part = run.parts.get(grouping__question=question)
    assert part.result is not None
    assert (part.result["groups"]["n_own_votes"], part.result["quality"]["peers"]["n_own"]) == (1, 1)
    n_votes = Vote.objects.filter(statement__question=question).count()
    assert part.result["n_votes"] == part.grouping.n_votes == n_votes - 1

    included = scored(planted, parameters=Parameters(Inclusion(("live",)), own_votes="include", replicates=200))
    other = included.parts.get(grouping__question=question)
    assert other.result is not None
    assert (other.result["groups"]["n_own_votes"], other.result["n_votes"]) == (0, n_votes)


def test_ratings_of_an_earlier_text_of_an_answer_do_not_count(planted: Study) -> None:
    before = scored(planted)
    answer = ModelAnswer.objects.filter(question__study=planted).first()
    assert answer is not None
    ModelAnswer.objects.filter(pk=answer.pk).update(is_current=False)
    amended = ModelAnswerFactory(question=answer.question, source=answer.source, revision=2, is_frozen=True)
    person = planted.enrolments.first()
    RepresentationRating.objects.create(enrolment=person, answer=amended, value=1, rated_at=NOW)

    run = scored(planted)

    assert run.status == Run.Status.FINISHED
    assert GroupCoverage.objects.filter(run=before, answer=answer, n_ratings=N_EACH).count() == N_GROUPS
    counts = GroupCoverage.objects.filter(run=run, answer=amended).values_list("n_ratings", flat=True)
    assert sorted(counts) == [0, 0, 1]


def test_a_superseded_vote_does_not_count(planted: Study) -> None:
    before = scored(planted)
    vote = Vote.objects.first()
    assert vote is not None
    Vote.objects.filter(pk=vote.pk).update(superseded_at=NOW)
    Vote.objects.create(enrolment=vote.enrolment, statement=vote.statement, value=vote.value, cast_at=NOW)
    assert scored(planted).result_sha256 == before.result_sha256


def test_parts_that_an_earlier_attempt_finished_are_kept(planted: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    run = services.start_scores(study=planted, parameters=LIVE, seed=1, by=None)
    original = runs._executors[GROUPS]
    calls: list[int] = []

    def dies_at_the_third(running: runs.RunningRun) -> runs.Computed:
        calls.append(running.run.pk)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return original(running)

    monkeypatch.setitem(runs._executors, GROUPS, dies_at_the_third)
    with pytest.raises(KeyboardInterrupt):
        runs.execute(run.pk)
    long_ago = NOW - runs.LEASE * 10
    # The part in which the worker died was heard of just now: who holds the parent need not wait for its lease.
    assert Run.objects.filter(status=Run.Status.RUNNING, parent=run).count() == 1
    Run.objects.filter(pk=run.pk).update(heartbeat_at=long_ago)

    done = runs.execute(run.pk)

    assert done is not None
    assert done.status == Run.Status.FINISHED
    assert done.attempt == 2
    assert len(set(calls)) == planted.questions.count()
    assert len(calls) == planted.questions.count() + 1
    undisturbed = scored(planted)
    assert undisturbed.result_sha256 == done.result_sha256


def test_a_failed_question_leaves_the_others(planted: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    original = runs._executors[GROUPS]
    first = planted.questions.first()
    assert first is not None

    def refuses_one(running: runs.RunningRun) -> runs.Computed:
        if running.run.subject_id == str(first.public_id):
            raise runs.CannotCompute("This one cannot be grouped.")
        return original(running)

    monkeypatch.setitem(runs._executors, GROUPS, refuses_one)
    run = scored(planted)

    assert run.status == Run.Status.FINISHED
    reasons = QuestionCoverage.objects.filter(run=run, question=first).values_list("undefined", flat=True)
    assert set(reasons) == {"This one cannot be grouped."}
    assert Score.objects.filter(run=run, value__isnull=False).exists()


def test_starting_twice_queues_once_and_is_recorded(planted: Study) -> None:
    first = services.start_scores(study=planted, parameters=LIVE, seed=1, by=None)
    assert services.start_scores(study=planted, parameters=LIVE, seed=1, by=None) == first
    assert AuditEvent.objects.filter(event="run.queued").count() == 2


def test_a_study_without_questions_has_nothing_to_compute(db: None) -> None:
    with pytest.raises(Conflict, match="no question"):
        services.start_scores(study=StudyFactory(), parameters=LIVE, seed=1, by=None)


def test_the_reported_run_is_the_marked_one_else_the_latest(planted: Study) -> None:
    first, second = scored(planted), scored(planted)
    assert selectors.reported_run(planted) == second
    services.report_run(run=first, by=None)
    assert selectors.reported_run(planted) == first
    services.report_run(run=second, by=None)
    assert Run.objects.filter(is_reported=True).get() == second
    with pytest.raises(Conflict):
        services.report_run(run=Run(status=Run.Status.FAILED), by=None)


def test_withdrawal_takes_the_person_out_of_the_rows_and_marks_the_run(planted: Study) -> None:
    run = scored(planted)
    person = planted.enrolments.first()
    assert person is not None
    assert not selectors.contains_withdrawn_data(run, planted)

    run_before = run.result_sha256
    withdraw_enrolment(enrolment=person, by=None, now=run.queued_at + runs.LEASE)

    assert not GroupMember.objects.filter(enrolment=person).exists()
    assert selectors.contains_withdrawn_data(run, planted)
    run.refresh_from_db()
    assert run.result_sha256 == run_before


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"space": "moon"}, "space"),
        ({"unit": "mile"}, "unit"),
        ({"minimum_size": 0}, "minimum_size"),
        ({"rule": "mood"}, "rule"),
        ({"threshold": 5.5}, "threshold"),
        ({"replicates": 3}, "replicates"),
        ({"level": 1.0}, "level"),
        ({"own_votes": "maybe"}, "own_votes"),
    ],
)
def test_settings_that_cannot_be_run_are_named(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as caught:
        Parameters(inclusion=Inclusion(("live",)), **changes)
    assert list(caught.value.fields) == [field]


def test_settings_survive_their_storage() -> None:
    parameters = Parameters(inclusion=Inclusion(("live", "imported"), minimum_votes=3), space="votes", minimum_size=6)
    back = Parameters.from_dict(parameters.to_dict())
    assert back.to_dict() == parameters.to_dict()


@pytest.mark.parametrize(
    ("origins", "expected"),
    [
        ([], ("live", "imported")),
        (["simulated"], ("simulated",)),
        (["simulated", "live"], ("live", "imported")),
        (["simulated", "simulated", "live"], ("simulated",)),
        (["preview"], ("live", "imported")),
    ],
)
def test_by_default_those_who_are_more_are_taken_in(
    planted: Study, origins: list[str], expected: tuple[str, ...]
) -> None:
    people = list(planted.enrolments.all())
    for index, person in enumerate(people):
        origin = origins[index % len(origins)] if origins else "preview"
        Enrolment.objects.filter(pk=person.pk).update(origin=origin)
    assert default_origins(planted) == expected
