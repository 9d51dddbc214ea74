"""OvertonScores of a study: the groups of each question as a part of its own, then coverage and scores."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from clustering import storing
from clustering.loading import answers_by_source, current_questions, question_ratings
from clustering.parameters import GROUPS, Parameters
from clustering.stats.coverage import question_coverage
from clustering.stats.distributions import rating_counts
from clustering.stats.overton import overton_scores
from clustering.stats.ratings import RatingMatrix
from core.canonical import content_sha256
from core.models import Run
from core.runs import CannotCompute, Computed, Part, RunningRun, compute_parts
from studies.models import Question, Study


def scores(running: RunningRun) -> Computed:
    """OvertonScores of a study: the groups of each question as a part of its own, then coverage and scores."""
    run = running.run
    study = Study.objects.get(public_id=run.subject_id)
    parameters = Parameters.from_dict(run.parameters)
    questions = current_questions(study.pk)
    if not questions:
        raise CannotCompute(_("The study has no question."))
    parts = compute_parts(running, [_part(question, parameters, run.seed) for question in questions])
    running.progress(len(questions), len(questions), _("OvertonScore"))
    covered = [_covered(question, part, parameters) for question, part in zip(questions, parts, strict=True)]
    table = overton_scores(
        [line.coverage for line in covered],
        seed=run.seed,
        replicates=parameters.replicates,
        level=parameters.level,
    )
    inputs = [
        {"question": line.question.code, "groups": line.part.result_sha256, "ratings": line.ratings_sha256}
        for line in covered
    ]
    result = {
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
        "overton": table.to_dict(),
    }
    digest = content_sha256({"parameters": run.parameters, "seed": run.seed, "questions": inputs})
    rows = storing.ScoreRows(study, covered, table)
    figures = rows.drawn()
    return Computed(digest, result, lambda finished: rows.store(finished, figures))


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


def _covered(question: Question, part: Run, parameters: Parameters) -> storing.CoveredQuestion:
    ratings = question_ratings(question, parameters.inclusion)
    answers = answers_by_source(question)
    groups_result = (part.result or {}).get("groups")
    members: dict[str, int] = {}
    if groups_result is not None:
        pairs = zip(groups_result["participants"], groups_result["labels"], strict=True)
        members = {code: label for code, label in pairs if label >= 0}
    rule: Any = parameters.rule
    rated = RatingMatrix.from_ratings(ratings, sources=answers)
    coverage = question_coverage(
        rated,
        members,
        question=question.code,
        threshold=parameters.threshold,
        rule=rule,
    )
    return storing.CoveredQuestion(
        question=question,
        part=part,
        answers=answers,
        ratings_sha256=content_sha256([list(rating) for rating in ratings]),
        coverage=coverage,
        counts=rating_counts(rated, members),
    )
