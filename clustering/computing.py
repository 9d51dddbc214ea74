"""The executors of runs: rows to arrays, the pure statistics, and the typed rows of the result.

Imported by the worker alone, since it loads the numerical packages. Nothing here runs inside a transaction but the
`store` functions, which `core.runs` calls when it finishes a run.
"""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from clustering import storing
from clustering.inclusion import flow_of_n
from clustering.loading import (
    QuestionVotes,
    answers_by_source,
    current_questions,
    question_ratings,
    question_votes,
)
from clustering.parameters import GROUPS, Parameters
from clustering.stats.coverage import question_coverage
from clustering.stats.distributions import rating_counts
from clustering.stats.dynamic import cluster_opinions
from clustering.stats.groups import Grid, OpinionGroups
from clustering.stats.matrix import VoteMatrix
from clustering.stats.overton import overton_scores
from clustering.stats.profiles import OpinionProfiles, profile_groups
from clustering.stats.quality import group_quality
from clustering.stats.ratings import RatingMatrix
from core.canonical import content_sha256
from core.models import Run
from core.runs import CannotCompute, Computed, Part, RunningRun, compute_parts
from studies.models import Question, Study


def grid_of(parameters: Parameters) -> Grid:
    """The published grid, or the same with one minimum size."""
    return Grid() if parameters.minimum_size is None else Grid(minimum_size=(parameters.minimum_size,))


def found_groups(loaded: QuestionVotes, parameters: Parameters, seed: int) -> tuple[VoteMatrix, OpinionGroups]:
    """All votes that were loaded, and the opinion groups found in them, own votes aside if the settings say so."""
    matrix = loaded.matrix()
    # The settings are validated strings; the statistics name them as literals.
    options: dict[str, Any] = {name: getattr(parameters, name) for name in ("space", "unit", "own_votes")}
    return matrix, cluster_opinions(matrix, seed=seed, grid=grid_of(parameters), authors=loaded.authors, **options)


def groups(running: RunningRun) -> Computed:
    """Opinion groups of one question: clusters, their profiles and how good the grouping is."""
    run = running.run
    question = Question.objects.select_related("study").get(public_id=run.subject_id)
    parameters = Parameters.from_dict(run.parameters)
    running.progress(0, 1, question.code)
    loaded = question_votes(question, parameters.inclusion)
    flow = flow_of_n(question, parameters.inclusion, len(loaded.enrolments))
    matrix, found = found_groups(loaded, parameters, run.seed)
    running.progress(0, 1, question.code)
    rated = matrix.without(matrix.own_votes(loaded.authors)) if parameters.own_votes == "exclude" else matrix
    profiles = profile_groups(rated, found.labels)
    result = {
        "question": question.code,
        "revision": question.revision,
        "flow": flow,
        "n_votes": rated.n_votes,
        "groups": found.to_dict(),
        "profiles": _profile_dict(profiles),
        "quality": group_quality(found, matrix, authors=loaded.authors).to_dict(),
    }
    rows = storing.GroupingRows(question, loaded, rated, found, profiles)
    # Drawn here, not in the transaction that stores it: on SQLite nobody could write meanwhile.
    figure = rows.drawn()
    return Computed(
        _input_hash(parameters.grouping(), run.seed, matrix), result, lambda finished: rows.store(finished, figure)
    )


def _profile_dict(profiles: OpinionProfiles) -> dict[str, Any]:
    whole = profiles.to_dict()
    # Counts and shares follow from the votes; the selection does not.
    return {key: whole[key] for key in ("characteristic", "consensus_agree", "consensus_disagree", "method_version")}


def _input_hash(parameters: dict[str, Any], seed: int, matrix: VoteMatrix) -> str:
    return content_sha256({"parameters": parameters, "seed": seed, "votes": matrix.sha256()})


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
