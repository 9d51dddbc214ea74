"""Scores with the uncertainty of the viewpoints: people drawn anew, clustered anew, answers scored anew."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from clustering.computing.clusterers import loaded_question
from clustering.loading import answers_by_source, current_questions, question_ratings
from clustering.parameters import VIEWPOINT_BLOCK, Resampling
from clustering.stats.ratings import RatingMatrix
from clustering.stats.viewpoint_intervals import viewpoint_table
from clustering.stats.viewpoints import ViewpointBlock, ViewpointInput
from clustering.stats.viewpoints import viewpoint_block as compute_block
from core.canonical import content_sha256
from core.runs import CannotCompute, Computed, Part, RunningRun, compute_parts
from studies.models import Question, Study


def viewpoints(running: RunningRun) -> Computed:
    """Scores of a study over participants drawn anew, one part a question and block of replicates."""
    run = running.run
    study = Study.objects.get(public_id=run.subject_id)
    drawn = Resampling.from_dict(run.parameters)
    questions = current_questions(study.pk)
    if not questions:
        raise CannotCompute(_("The study has no question."))
    parts = [_part(run.parameters, run.seed, question, first) for question in questions for first in drawn.starts()]
    done = compute_parts(running, parts)
    # A question of which a block is missing would lean on fewer replicates than the others: it is left out and named.
    n_blocks = len(drawn.starts())
    blocks: list[ViewpointBlock] = []
    failed: list[dict[str, str]] = []
    for place, question in enumerate(questions):
        mine = done[place * n_blocks : (place + 1) * n_blocks]
        wrong = next((part.error for part in mine if part.result is None), None)
        if wrong is not None:
            failed.append({"question": question.code, "reason": wrong})
            continue
        blocks += [ViewpointBlock.from_dict(part.result["block"]) for part in mine if part.result is not None]
    if not blocks:
        raise CannotCompute(_("No question could be computed: %(reason)s") % {"reason": failed[0]["reason"]})
    level = drawn.parameters.level
    result = {
        "study": study.slug,
        "questions": [question.code for question in questions],
        "failed": failed,
        "viewpoints": viewpoint_table(blocks, level=level).to_dict(),
        "viewpoints_and_questions": viewpoint_table(blocks, nested=True, level=level).to_dict(),
    }
    digest = content_sha256(
        {"parameters": run.parameters, "seed": run.seed, "parts": [part.result_sha256 for part in done]}
    )
    return Computed(digest, result)


def _part(parameters: dict[str, Any], seed: int, question: Question, first: int) -> Part:
    return Part(
        kind=VIEWPOINT_BLOCK,
        subject_kind="block",
        subject_id=f"{question.pk}-{first}",
        parameters={**parameters, "question": str(question.public_id), "first": first},
        seed=seed,
        label=f"{question.code} {first}",
    )


def viewpoint_block(running: RunningRun) -> Computed:
    """A block of replicates of one question."""
    run = running.run
    drawn = Resampling.from_dict(run.parameters)
    question = Question.objects.select_related("study").get(public_id=run.parameters["question"])
    parameters = drawn.parameters
    loaded, clusterer = loaded_question(question, parameters)
    matrix = loaded.matrix()
    ratings = question_ratings(question, parameters.inclusion)
    rule: Any = parameters.rule
    duplicates: Any = drawn.duplicates
    block = compute_block(
        ViewpointInput(question.code, matrix, RatingMatrix.from_ratings(ratings, sources=answers_by_source(question))),
        clusterer.members,
        seed=run.seed,
        first=run.parameters["first"],
        count=drawn.count_from(run.parameters["first"]),
        duplicates=duplicates,
        rule=rule,
        threshold=parameters.threshold,
        progress=lambda done: running.progress(done, drawn.block, question.code),
    )
    digest = content_sha256(
        {
            "parameters": run.parameters,
            "seed": run.seed,
            "votes": matrix.sha256(),
            "order": list(clusterer.order),
            "ratings": [list(rating) for rating in ratings],
        }
    )
    return Computed(digest, {"question": question.code, "block": block.to_dict()})
