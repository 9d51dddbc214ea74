"""Training with feedback, then gold items with a pass mark and a number of attempts, before real work."""

from __future__ import annotations

from datetime import datetime

from annotation.errors import NotQualified
from annotation.models import Assignment, GoldLabel, Item, Judgement, Packet, Qualification, Rater
from annotation.selectors.raters import needs_qualification
from core.randomness import drawn_order, generator_for

Purpose = Assignment.Purpose
Status = Assignment.Status


def next_for(rater: Rater, packet: Packet, now: datetime) -> Assignment | None:
    """The training or gold item that comes next; None if the rater may work. The rater is locked.

    Raises
    ------
    NotQualified
        If the attempts are used up.
    """
    if rater.kind != Rater.Kind.PERSON:
        return None
    if packet.needs_training:
        training = _next_of(rater, packet, Purpose.TRAINING, 1, now)
        if training is not None:
            return training
    return _next_gold(rater, packet, now) if needs_qualification(rater, packet) else None


def _next_gold(rater: Rater, packet: Packet, now: datetime) -> Assignment | None:
    tries = Qualification.objects.filter(rater=rater, packet=packet)
    current = tries.filter(finished_at=None).first()
    if current is None:
        n = tries.count()
        if n >= packet.attempts:
            raise NotQualified
        current = Qualification.objects.create(rater=rater, packet=packet, attempt=n + 1, started_at=now)
    return _next_of(rater, packet, Purpose.GOLD, current.attempt, now)


def _next_of(rater: Rater, packet: Packet, purpose: str, round_: int, now: datetime) -> Assignment | None:
    """The first unfinished assignment of the round; the round's assignments are made when it begins."""
    mine = Assignment.objects.filter(rater=rater, item__packet=packet, purpose=purpose, round=round_)
    if not mine.exists():
        _begin(rater, packet, purpose, round_, now)
    return mine.filter(status=Status.OPEN).select_related("item").order_by("rank").first()


def _begin(rater: Rater, packet: Packet, purpose: str, round_: int, now: datetime) -> None:
    items = Item.objects.filter(packet=packet, purpose=purpose, erased_at=None).select_related("kind").order_by("key")
    order = drawn_order(list(items), seed=packet.seed, code=rater.code, purpose=f"{purpose} {round_}")
    last = Assignment.objects.filter(rater=rater).order_by("-rank").values_list("rank", flat=True).first() or 0
    sides = generator_for(packet.seed, rater.code, f"sides of {purpose} {round_}")
    first = sides.random() < 0.5
    Assignment.objects.bulk_create(
        [
            Assignment(
                item=item,
                rater=rater,
                purpose=purpose,
                round=round_,
                rank=last + i,
                swapped=(packet.is_counterbalanced and first ^ bool(i % 2)) if item.kind.sides else None,
                claimed_at=now,
            )
            for i, item in enumerate(order, start=1)
        ]
    )


def decide_if_answered(assignment: Assignment, now: datetime) -> None:
    """Decide the attempt if its last gold item was just answered. The rater is locked."""
    rater, packet = assignment.rater, assignment.item.packet
    same = Assignment.objects.filter(
        rater=rater, item__packet=packet, purpose=Purpose.GOLD, round=assignment.round, status=Status.OPEN
    )
    if same.exists():
        return
    attempt = Qualification.objects.filter(rater=rater, packet=packet, attempt=assignment.round, finished_at=None)
    for each in attempt.select_related("packet"):
        _finish(each, now)


def _finish(attempt: Qualification, now: datetime) -> None:
    """Count the right answers of an attempt whose items are all judged, and decide it."""
    right = right_answers(attempt)
    attempt.n_asked, attempt.n_right = len(right), sum(right)
    mark = attempt.packet.pass_mark or 0.0
    attempt.passed = attempt.n_asked > 0 and attempt.n_right / attempt.n_asked >= mark
    attempt.finished_at = now
    attempt.save()


def right_answers(attempt: Qualification) -> list[bool]:
    """For each gold answer asked in the attempt, whether the rater's was one of the right ones."""
    asked: dict[tuple[int, int], set[str]] = {}
    gold = GoldLabel.objects.filter(item__packet=attempt.packet, item__purpose=Purpose.GOLD)
    for item_id, dimension_id, code in gold.values_list("item_id", "dimension_id", "label__code"):
        asked.setdefault((item_id, dimension_id), set()).add(code)
    given = Judgement.objects.current().filter(
        assignment__rater=attempt.rater, assignment__purpose=Purpose.GOLD, assignment__round=attempt.attempt
    )
    answers = {
        (item_id, dimension_id): (label, labels)
        for item_id, dimension_id, label, labels in given.values_list(
            "assignment__item_id", "dimension_id", "label__code", "labels"
        )
    }
    return [_is_right(answers.get(key), right) for key, right in sorted(asked.items())]


def _is_right(answer: tuple[str | None, list[str] | None] | None, right: set[str]) -> bool:
    """Whether one label is among the right ones, or several labels are exactly the right ones."""
    if answer is None:
        return False
    label, labels = answer
    return set(labels) == right if labels is not None else label in right
