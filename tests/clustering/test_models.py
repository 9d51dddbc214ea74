"""The database refuses results that contradict themselves or each other."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from clustering.models import RunFigure
from studies.models import Source
from tests.constraints import refuses
from tests.factories import (
    NOW,
    GroupCoverageFactory,
    GroupingFactory,
    GroupMemberFactory,
    GroupNameFactory,
    GroupStatementFactory,
    OpinionGroupFactory,
    QuestionCoverageFactory,
    RunFactory,
    ScoreFactory,
    SourceFactory,
)

pytestmark = pytest.mark.django_db
Factory = Callable[..., Any]


@pytest.mark.parametrize(
    ("name", "factory", "changes"),
    [
        ("clustering_grouping_defined_or_reason", GroupingFactory, {"n_groups": None, "undefined": ""}),
        ("clustering_grouping_defined_or_reason", GroupingFactory, {"n_groups": 2, "undefined": "no votes"}),
        ("clustering_grouping_line_valid", GroupingFactory, {"line": "dotted"}),
        ("clustering_groupname_not_empty", GroupNameFactory, {"name": ""}),
        ("clustering_groupname_line_valid", GroupNameFactory, {"line": "dotted"}),
        ("clustering_groupname_superseded_after", GroupNameFactory, {"superseded_at": NOW - timedelta(seconds=1)}),
        ("clustering_opiniongroup_size_positive", OpinionGroupFactory, {"size": 0}),
        ("clustering_groupstatement_direction_valid", GroupStatementFactory, {"direction": 0}),
        ("clustering_groupcoverage_rated_or_empty", GroupCoverageFactory, {"n_ratings": 0}),
        ("clustering_groupcoverage_rated_or_empty", GroupCoverageFactory, {"is_covered": None}),
        ("clustering_questioncoverage_defined_or_reason", QuestionCoverageFactory, {"coverage": None}),
        ("clustering_questioncoverage_defined_or_reason", QuestionCoverageFactory, {"coverage": 1.1}),
        ("clustering_score_defined_or_reason", ScoreFactory, {"value": None}),
        ("clustering_score_defined_or_reason", ScoreFactory, {"undefined": "no question"}),
    ],
)
def test_a_row_that_contradicts_itself_is_refused(name: str, factory: Factory, changes: dict[str, Any]) -> None:
    refuses(name, factory(), **changes)


def test_groups_are_numbered_once_and_have_each_member_and_statement_once() -> None:
    group = OpinionGroupFactory(number=0)
    refuses("clustering_opiniongroup_number_once", OpinionGroupFactory(grouping=group.grouping, number=1), number=0)
    other_identity = OpinionGroupFactory(grouping=group.grouping, number=2)
    refuses("clustering_opiniongroup_identity_once", other_identity, identity=group.identity)
    member, other = GroupMemberFactory(group=group), GroupMemberFactory(group=group)
    refuses("clustering_groupmember_once", other, enrolment=member.enrolment)
    statement, another = GroupStatementFactory(group=group), GroupStatementFactory(group=group)
    refuses("clustering_groupstatement_once", another, statement=statement.statement)


def test_a_viewpoint_has_one_name_at_a_time() -> None:
    name = GroupNameFactory()
    other = GroupNameFactory(question=name.question)
    refuses("clustering_groupname_one_current", other, identity=name.identity)


def test_an_answer_covers_a_group_once_in_a_run() -> None:
    coverage = GroupCoverageFactory()
    other = GroupCoverageFactory(group=coverage.group, run=coverage.run)
    refuses("clustering_groupcoverage_once", other, answer=coverage.answer)


def test_a_source_covers_a_question_once_in_a_run_and_so_does_the_best() -> None:
    coverage = QuestionCoverageFactory()
    source: Source = SourceFactory(study=coverage.question.study)
    other = QuestionCoverageFactory(run=coverage.run, question=coverage.question, source=source)
    refuses("clustering_questioncoverage_once", other, source=coverage.source)
    QuestionCoverageFactory(run=coverage.run, question=coverage.question, source=None)
    refuses("clustering_questioncoverage_best_once", other, source=None)


def test_a_source_has_one_score_of_each_variant_in_a_run_and_so_has_the_best() -> None:
    score = ScoreFactory()
    other = ScoreFactory(run=score.run)
    refuses("clustering_score_once", other, source=score.source)
    ScoreFactory(run=score.run, source=None)
    refuses("clustering_score_best_once", other, source=None)


def test_a_run_has_one_figure_of_a_name() -> None:
    run = RunFactory()
    RunFigure.objects.create(run=run, name="scores", specification={})
    other = RunFigure.objects.create(run=run, name="coverage", specification={})
    refuses("clustering_runfigure_once", other, name="scores")
