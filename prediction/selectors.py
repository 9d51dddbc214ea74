"""What pages, commands and the interface for programs read of predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, Q

from clustering.inclusion import Inclusion, default_origins
from core.models import Run
from core.randomness import drawn_order
from prediction.models import Candidate, Prediction, PredictionBatch
from prediction.parameters import PREDICTION, PREDICTION_REPORT
from prediction.points import Target, measured
from studies.models import FreeResponse, ModelAnswer, Study

KINDS = (PREDICTION, PREDICTION_REPORT)


@dataclass(frozen=True, slots=True)
class BatchLine:
    """A batch with how many current predictions it has, and of what outcome."""

    batch: PredictionBatch
    n: int
    n_ratings: int
    n_refused: int
    n_unreadable: int
    n_undefined: int


def batch_lines(study: Study) -> list[BatchLine]:
    """The batches of a study, oldest first, with counts."""
    now = Q(predictions__superseded_at=None)
    outcome = Prediction.Outcome
    counts = {
        "n": Count("predictions", filter=now),
        "n_ratings": Count("predictions", filter=now & Q(predictions__outcome=outcome.RATING)),
        "n_refused": Count("predictions", filter=now & Q(predictions__outcome=outcome.REFUSED)),
        "n_unreadable": Count("predictions", filter=now & Q(predictions__outcome=outcome.UNREADABLE)),
        "n_undefined": Count("predictions", filter=now & Q(predictions__outcome=outcome.UNDEFINED)),
    }
    batches = PredictionBatch.objects.filter(study=study).annotate(**counts).order_by("pk")
    return [BatchLine(batch, **{name: getattr(batch, name) for name in counts}) for batch in batches]


def runs_of(study: Study, *kinds: str, limit: int = 50) -> Sequence[Run]:
    """The study's runs of these kinds, newest first, without their results."""
    runs = Run.objects.filter(kind__in=kinds or KINDS, subject_kind="study", subject_id=str(study.public_id))
    return list(runs.select_related("created_by").defer("result").order_by("-id")[:limit])


def run_of(study: Study, run_id: Any) -> Run | None:
    """A run of predictions or a report of this study; None if it is none of them."""
    try:
        public_id = UUID(str(run_id))
    except ValueError:
        return None
    return Run.objects.filter(kind__in=KINDS, subject_id=str(study.public_id), public_id=public_id).first()


def unfinished_run(study: Study) -> Run | None:
    """The oldest run of predictions or report that is queued or running."""
    runs = Run.objects.filter(kind__in=KINDS, subject_kind="study", subject_id=str(study.public_id))
    return runs.unfinished().order_by("id").first()


def latest_report(study: Study) -> Run | None:
    """The report that pages and exports speak of: the one marked reported, else the latest finished one."""
    runs = Run.objects.of(PREDICTION_REPORT, study.public_id).finished()
    return runs.order_by("-is_reported", "-id").first()


def contains_withdrawn_data(run: Run, study: Study) -> bool:
    """Whether somebody has withdrawn since the run was queued, so that it may rest on what they gave."""
    return study.tombstones.filter(withdrawn_at__gte=run.queued_at).exists()


def candidates_of(study: Study) -> list[Candidate]:
    """The candidates of a study, each with `n_answers`."""
    return list(Candidate.objects.filter(study=study).annotate(n_answers=Count("answers")).order_by("code"))


@dataclass(frozen=True, slots=True)
class HandCard:
    """What somebody who predicts by hand is shown: everything but the rating itself."""

    target: Target
    answer: ModelAnswer
    question: str
    view: str
    stance: str
    examples: tuple[tuple[str, int], ...]
    number: int
    n_done: int
    n_points: int


def default_inclusion(study: Study) -> Inclusion:
    """Whose ratings are predicted unless it is told: as the runs of scores take people in."""
    return Inclusion(default_origins(study))


def hand_order(study: Study) -> list[Target]:
    """The measured points in one order for all who predict by hand, drawn by the study's seed."""
    targets = measured(study, default_inclusion(study)).targets
    return drawn_order(targets, seed=study.seed, code="", purpose="predictions by hand")


def hand_card(study: Study, user: Any, answer_id: Any = None, participant: str = "") -> HandCard | None:
    """The next point that `user` has not predicted, or the named one; None if there is none."""
    known = measured(study, default_inclusion(study))
    order = drawn_order(known.targets, seed=study.seed, code="", purpose="predictions by hand")
    batch = PredictionBatch.objects.filter(study=study, method="hand", predicted_by=user).first()
    done = set(
        Prediction.objects.current().filter(batch=batch).values_list("enrolment_id", "answer_id") if batch else ()
    )
    wanted = (
        (each for each in order if (each.enrolment_id, each.answer_id) not in done)
        if answer_id is None
        else (each for each in order if each.participant == participant and each.answer_id == answer_id)
    )
    target = next(wanted, None)
    if target is None:
        return None
    others = [
        (other.answer_id, value)
        for other in known.targets
        if other.enrolment_id == target.enrolment_id
        and other.question_id == target.question_id
        and other.answer_id != target.answer_id
        for value in (known.ratings[other.point],)
    ]
    texts = dict(ModelAnswer.objects.filter(question_id=target.question_id).values_list("pk", "text"))
    view = FreeResponse.objects.filter(enrolment_id=target.enrolment_id, question_id=target.question_id).first()
    assert target.answer_id is not None
    answer = ModelAnswer.objects.select_related("question").get(pk=target.answer_id)
    labels = {option["value"]: str(option["label"]) for option in study.stance_options}
    return HandCard(
        target=target,
        answer=answer,
        question=answer.question.text,
        view=view.text if view else "",
        stance=labels.get(view.stance, view.stance) if view else "",
        examples=tuple((texts[key], value) for key, value in others if key is not None),
        number=order.index(target) + 1,
        n_done=len(done),
        n_points=len(order),
    )
