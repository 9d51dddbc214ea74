"""What the results pages, the commands and the API read of runs. Numbers are rounded by whoever prints them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from clustering.models import (
    GroupCoverage,
    Grouping,
    GroupName,
    GroupStatement,
    OpinionGroup,
    QuestionCoverage,
    RunFigure,
    Score,
)
from clustering.parameters import GROUPS, LIVE, OVERTON, VIEWPOINTS
from core.models import Run
from studies.models import Question, Source, Study


def reported_run(study: Study) -> Run | None:
    """The run that pages and exports speak of: the one marked reported, else the latest finished one."""
    runs = Run.objects.of(OVERTON, study.public_id).finished()
    return runs.order_by("-is_reported", "-id").first()


def unfinished_run(study: Study) -> Run | None:
    """The study's run that is queued or running."""
    return Run.objects.of(OVERTON, study.public_id).unfinished().first()


def failed_since(study: Study, run: Run | None) -> Run | None:
    """The newest failed run that came after `run`: shown until another one finishes."""
    failed = Run.objects.of(OVERTON, study.public_id).filter(status=Run.Status.FAILED)
    return failed.filter(pk__gt=run.pk if run else 0).first()


def contains_withdrawn_data(run: Run, study: Study) -> bool:
    """Whether somebody has withdrawn since the run was queued, so that it may rest on what they gave."""
    return study.tombstones.filter(withdrawn_at__gte=run.queued_at).exists()


def latest_runs(study: Study, *, limit: int = 50) -> Sequence[Run]:
    """The study's runs, newest first, without their results."""
    return list(Run.objects.of(OVERTON, study.public_id).select_related("created_by").defer("result")[:limit])


def latest_live(question: Question) -> Run | None:
    """The live view of a question: its latest finished live run."""
    return Run.objects.of(LIVE, question.public_id).finished().select_related("grouping").first()


def latest_viewpoints(study: Study) -> Run | None:
    """The latest finished scores over participants drawn anew."""
    return Run.objects.of(VIEWPOINTS, study.public_id).finished().first()


def viewpoints_beside(run: Run) -> Run | None:
    """The latest scores over participants drawn anew that were made with the settings of a run of scores."""
    for other in Run.objects.of(VIEWPOINTS, run.subject_id).finished():
        if {name: value for name, value in other.parameters.items() if name != "resampling"} == run.parameters:
            return other
    return None


def unfinished_viewpoints(study: Study) -> Run | None:
    """The study's run over participants drawn anew that is queued or running."""
    return Run.objects.of(VIEWPOINTS, study.public_id).unfinished().first()


@dataclass(frozen=True, slots=True)
class PartLine:
    """How far one part of a run is: `label` is the code of its question, or which draws of it."""

    label: str
    part: Run


def part_lines(run: Run) -> list[PartLine]:
    """The parts of a run in their order, without their results."""
    parts = list(run.parts.defer("result").order_by("id"))
    keys = {_question_key(part) for part in parts}
    codes = dict(Question.objects.filter(public_id__in=keys).values_list("public_id", "code"))
    return [PartLine(_part_label(part, codes), part) for part in parts]


def _question_key(part: Run) -> UUID:
    return UUID(part.subject_id if part.subject_kind == "question" else part.parameters["question"])


def _part_label(part: Run, codes: Mapping[UUID, str]) -> str:
    code = codes.get(_question_key(part), part.subject_id)
    return code if part.subject_kind == "question" else f"{code} {part.parameters['first']}"


def group_names(grouping: Grouping) -> dict[int, GroupName]:
    """The present name of each group of a grouping, by identity; groups without a name left out."""
    names = GroupName.objects.current().filter(question_id=grouping.question_id, line=grouping.line)
    return {name.identity: name for name in names}


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One line of the OvertonScore table; `source` is None for best across models."""

    source: Source | None
    unweighted: Score | None
    weighted: Score | None


def score_lines(run: Run) -> list[ScoreLine]:
    """Scores of a run, the highest unweighted first, undefined ones next, best across models last."""
    by_source: dict[int | None, dict[bool, Score]] = {}
    sources: dict[int | None, Source | None] = {}
    for score in Score.objects.filter(run=run).select_related("source"):
        by_source.setdefault(score.source_id, {})[score.is_weighted] = score
        sources[score.source_id] = score.source
    lines = [ScoreLine(sources[key], found.get(False), found.get(True)) for key, found in by_source.items()]
    return sorted(lines, key=_rank)


def _rank(line: ScoreLine) -> tuple[bool, bool, float, str]:
    value = line.unweighted.value if line.unweighted else None
    return (line.source is None, value is None, -(value or 0.0), line.source.code if line.source else "")


@dataclass(frozen=True, slots=True)
class GroupProfile:
    """A group with the statements that characterise it and how it rates the answers."""

    group: OpinionGroup
    label: str
    statements: list[GroupStatement] = field(default_factory=list)
    coverages: list[GroupCoverage] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """Everything a run found about one question."""

    question: Question
    grouping: Grouping | None
    part: Run | None
    groups: list[GroupProfile]
    coverages: list[QuestionCoverage]
    figure: dict[str, Any] | None


def question_results(run: Run) -> list[QuestionResult]:
    """One summary per question of a run, without groups and figures."""
    parts = {part.subject_id: part for part in run.parts.defer("result").select_related("grouping")}
    coverages: dict[int, list[QuestionCoverage]] = {}
    for row in QuestionCoverage.objects.filter(run=run).select_related("source").order_by("source__position", "id"):
        coverages.setdefault(row.question_id, []).append(row)
    questions = Question.objects.filter(public_id__in=list(parts)).order_by("position", "code")
    return [
        QuestionResult(
            question=question,
            part=(part := parts[str(question.public_id)]),
            grouping=getattr(part, "grouping", None),
            groups=[],
            coverages=coverages.get(question.pk, []),
            figure=None,
        )
        for question in questions
    ]


def question_in(run: Run, study: Study, code: str) -> Question | None:
    """The question `code` in the revision that `run` took in; None if it did not."""
    parts = run.parts.filter(kind=GROUPS).values_list("subject_id", flat=True)
    return Question.objects.filter(study=study, code=code, public_id__in=list(parts)).first()


def question_result(run: Run, question: Question) -> QuestionResult | None:
    """All that a run found about `question`; None if the run did not take it in."""
    part = run.parts.filter(kind=GROUPS, subject_id=str(question.public_id)).select_related("grouping").first()
    if part is None:
        return None
    grouping = getattr(part, "grouping", None)
    figure = RunFigure.objects.filter(run=part, name="opinion_map").values_list("specification", flat=True).first()
    coverages = QuestionCoverage.objects.filter(run=run, question=question).select_related("source", "answer")
    return QuestionResult(
        question=question,
        part=part,
        grouping=grouping,
        groups=_profiles(run, grouping) if grouping else [],
        coverages=list(coverages.order_by("source__position", "id")),
        figure=figure,
    )


def _profiles(run: Run, grouping: Grouping) -> list[GroupProfile]:
    groups = list(grouping.groups.order_by("number"))
    profiles = {group.pk: GroupProfile(group, group.letter) for group in groups}
    statements = GroupStatement.objects.filter(group__grouping=grouping, rank__isnull=False)
    for statement in statements.select_related("statement").order_by("group", "rank"):
        profiles[statement.group_id].statements.append(statement)
    coverages = GroupCoverage.objects.filter(run=run, group__grouping=grouping).select_related("answer__source")
    for coverage in coverages.order_by("answer__source__position", "id"):
        profiles[coverage.group_id].coverages.append(coverage)
    return list(profiles.values())


def figure_of(run: Run, name: str) -> dict[str, Any] | None:
    """The specification of a figure of the run, or None if the run has none of that name."""
    return RunFigure.objects.filter(run=run, name=name).values_list("specification", flat=True).first()
