"""OvertonScores of a study: the groups of each question as a part of its own, then coverage and scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from clustering import storing
from clustering.loading import answers_by_source, current_questions, question_ratings, subgroup_values
from clustering.parameters import GROUPS, Parameters
from clustering.stats.distributions import rating_counts
from clustering.stats.ratings import RatingMatrix
from clustering.stats.report import OvertonReport, QuestionInput, ReportSettings, overton_report
from core.canonical import content_sha256
from core.models import Run
from core.runs import CannotCompute, Computed, Part, RunningRun, compute_parts
from studies.models import ModelAnswer, Question, Study


@dataclass(frozen=True, slots=True)
class _Line:
    """A question with the run of its groups, and what the report takes of it."""

    question: Question
    part: Run
    answers: dict[str, ModelAnswer]
    given: QuestionInput
    sha256: str


def scores(running: RunningRun) -> Computed:
    """Groups of every question, then everything of OvertonScore over those that have groups."""
    run = running.run
    study = Study.objects.get(public_id=run.subject_id)
    parameters = Parameters.from_dict(run.parameters)
    questions = current_questions(study.pk)
    if not questions:
        raise CannotCompute(_("The study has no question."))
    parts = compute_parts(running, [_part(question, parameters, run.seed) for question in questions])
    running.progress(len(questions), len(questions), _("OvertonScore"))
    attributes = subgroup_values(study.pk, parameters.inclusion, parameters.subgroups)
    lines = [_line(question, part, parameters, attributes) for question, part in zip(questions, parts, strict=True)]
    report = overton_report(
        [line.given for line in lines],
        seed=run.seed,
        settings=settings_of(parameters),
        external=parameters.external,
    )
    covered = _covered(lines, report)
    digest = content_sha256(
        {
            "parameters": run.parameters,
            "seed": run.seed,
            "questions": [
                {"question": line.question.code, "groups": line.part.result_sha256, "given": line.sha256}
                for line in lines
            ],
        }
    )
    rows = storing.ScoreRows(study, covered, report)
    figures = rows.drawn()
    result = _result(study, covered, report)
    return Computed(digest, result, lambda finished: rows.store(finished, figures))


def settings_of(parameters: Parameters) -> ReportSettings:
    """The settings of the report."""
    # The settings are validated strings; the statistics name them as literals.
    choices: dict[str, Any] = {"rule": parameters.rule, "interval": parameters.interval}
    return ReportSettings(
        **choices,
        threshold=parameters.threshold,
        replicates=parameters.replicates,
        level=parameters.level,
        thresholds=tuple(parameters.thresholds),
        minimum_sizes=tuple(parameters.minimum_sizes),
        minimum_people=parameters.minimum_people,
    )


def _part(question: Question, parameters: Parameters, seed: int) -> Part:
    """The groups of one question, which any worker may find."""
    return Part(
        kind=GROUPS,
        subject_kind="question",
        subject_id=question.public_id,
        parameters=parameters.grouping(),
        seed=seed,
        label=question.code,
    )


def _line(question: Question, part: Run, parameters: Parameters, attributes: dict[str, dict[str, str]]) -> _Line:
    ratings = question_ratings(question, parameters.inclusion)
    answers = answers_by_source(question)
    found = (part.result or {}).get("groups")
    members: dict[str, int] = {}
    if found is not None:
        pairs = zip(found["participants"], found["labels"], strict=True)
        members = {code: label for code, label in pairs if label >= 0}
    mine = {
        item: {person: value for person, value in values.items() if person in members}
        for item, values in attributes.items()
    }
    given = QuestionInput(
        code=question.code,
        domain=question.domain,
        ratings=RatingMatrix.from_ratings(ratings, sources=answers),
        members=members,
        attributes=mine,
    )
    sha256 = content_sha256({"ratings": [list(rating) for rating in ratings], "attributes": mine})
    return _Line(question, part, answers, given, sha256)


def _covered(lines: list[_Line], report: OvertonReport) -> list[storing.CoveredQuestion]:
    coverages = {coverage.question: coverage for coverage in report.coverages}
    return [
        storing.CoveredQuestion(
            question=line.question,
            part=line.part,
            answers=line.answers,
            coverage=coverages[line.question.code],
            counts=rating_counts(line.given.ratings, line.given.members),
        )
        for line in lines
    ]


def _result(study: Study, covered: list[storing.CoveredQuestion], report: OvertonReport) -> dict[str, Any]:
    whole = report.to_dict()
    # Beside each question; a second time would only make the result longer.
    del whole["coverages"]
    return {
        "study": study.slug,
        "flow": [
            {"question": line.question.code, "rows": (line.part.result or {}).get("flow", [])} for line in covered
        ],
        "questions": [
            {
                "question": line.question.code,
                "revision": line.question.revision,
                "groups_sha256": line.part.result_sha256,
                "failed": line.part.error,
                "coverage": line.coverage.to_dict(),
                "ratings": line.counts.to_dict(),
            }
            for line in covered
        ],
        "failed": [{"question": line.question.code, "reason": line.part.error} for line in covered if line.part.error],
        "overton": report.scores.to_dict(),
        "report": whole,
    }
