"""The executors of runs that predict. Imported by the worker alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from core.canonical import content_sha256
from core.endpoints import EndpointError, chat_all, configured
from core.errors import DomainError
from core.models import Run
from core.runs import CannotCompute, Computed, RunningRun
from prediction.judging.planning import Call, Plan, Requests, judge_parameters, key_of, open_calls, plan_of, stored_of
from prediction.models import Prediction, PredictionBatch
from prediction.parameters import Asking, Method
from prediction.points import Target, measured, subset_of, targets_of
from prediction.services.batches import batch_for
from prediction.services.keeping import Kept, keep_guesses, keep_reply
from prediction.stats.accuracy import accuracy_report
from prediction.stats.baselines import Guess, mean_of_others, most_similar
from prediction.stats.rounding import averaged
from prediction.stats.table import PredictionTable
from studies.models import Study

FAILURES_IN_A_ROW = 5
"""After so many requests in a row without an answer the run gives up. What was answered stays."""
ABOUT_THE_PROMPT = frozenset({400, 413, 422})
"""Statuses that refuse one request, too long a prompt for instance: the next may be answered, so these do not count."""
REPLICATES = 500
"""Of the intervals in the result of a run; a report has as many as it is told."""


def predictions(running: RunningRun) -> Computed:
    """Predict ratings by a judge or a baseline; rows of a judge are written as they come."""
    asking = Asking.from_dict(running.run.parameters)
    study = Study.objects.get(public_id=running.run.subject_id)
    return _judged(running, study, asking) if asking.method == Method.JUDGE else _guessed(running, study, asking)


def _judged(running: RunningRun, study: Study, asking: Asking) -> Computed:
    try:
        endpoint = configured(asking.endpoint)
        endpoint.key()
    except EndpointError as problem:
        raise CannotCompute(str(problem)) from problem
    plan = plan_of(study, asking)
    if not plan.targets:
        raise CannotCompute(_("Nobody has what this prompt variant tells the judge."))
    parameters = judge_parameters(endpoint, asking, plan.template)
    batch = batch_for(
        study=study,
        method=Method.JUDGE,
        parameters=parameters,
        name=f"{asking.variant} {endpoint.name}",
        now=timezone.now(),
        by_id=running.run.created_by_id,
    )
    hashes = plan.hashes()
    todo = open_calls(plan, stored_of(batch), hashes)
    n_calls = len(plan.targets) * asking.repeats
    running.progress(n_calls - len(todo), n_calls)
    failures = _ask(running, plan, batch, todo, hashes, n_calls)
    stored = stored_of(batch)
    answers = [(call, stored.get(key_of(call))) for call in plan.calls()]
    current = {
        call: Kept(*found) for call, found in answers if found is not None and found[2] == hashes[call.target.point]
    }
    result = {
        **_described(study, batch, asking, plan.targets, plan.left_out),
        "calls": {
            "n": n_calls,
            "n_answered": len(current),
            "n_failed": sum(failures.values()),
            "failures": dict(sorted(failures.items())),
            "outcomes": dict(sorted(Counter(kept.outcome for kept in current.values()).items())),
        },
        "judge": parameters,
        **_accuracy(plan.known.ratings, [(call.target, kept.value) for call, kept in current.items()]),
    }
    digest = content_sha256(
        {"parameters": parameters, "repeats": asking.repeats, "prompts": [list(item) for item in hashes.items()]}
    )
    return Computed(digest, result)


def _ask(
    running: RunningRun,
    plan: Plan,
    batch: PredictionBatch,
    todo: list[Call],
    hashes: dict[tuple[str, str, str], str],
    n_calls: int,
) -> Counter[str]:
    """Send what is open and store each reply at once; how many had no answer, by the code of the error."""
    failures: Counter[str] = Counter()
    in_a_row = 0
    done = n_calls - len(todo)
    endpoint = configured(plan.asking.endpoint)
    with closing(chat_all(endpoint, Requests(plan, todo))) as replies:  # type: ignore[type-var]
        for index, reply in replies:
            call = todo[index]
            if isinstance(reply, EndpointError):
                failures[reply.code] += 1
                in_a_row += reply.status not in ABOUT_THE_PROMPT
                if in_a_row >= FAILURES_IN_A_ROW:
                    raise CannotCompute(_given_up(reply))
            else:
                in_a_row = 0
                keep_reply(
                    batch=batch,
                    target=call.target,
                    repeat=call.repeat,
                    prompt_sha256=hashes[call.target.point],
                    reply=reply,
                    now=timezone.now(),
                )
            done += 1
            running.progress(done, n_calls, f"{call.target.question} {call.target.source}")
    return failures


def _given_up(error: EndpointError) -> str:
    message = _(
        "The endpoint gave no answer %(n)d times in a row, at last: %(error)s What was answered is kept. Start the "
        "same run again to go on from there."
    )
    return message % {"n": FAILURES_IN_A_ROW, "error": error}


def _guessed(running: RunningRun, study: Study, asking: Asking) -> Computed:
    known = measured(study, asking.inclusion)
    targets = subset_of(targets_of(study, asking.inclusion, asking.scope, known), asking.subset, asking.subset_seed)
    if not targets:
        raise CannotCompute(_("There is nothing to predict: nobody who is taken in has rated an answer."))
    running.progress(0, 1)
    points = [target.point for target in targets]
    parameters: dict[str, Any] = {"method": asking.method}
    if asking.method == Method.MEAN_OF_OTHERS:
        guesses = mean_of_others(known.ratings, points)
    else:
        guesses, described = _similar(study, known.ratings, targets, [*known.targets, *targets])
        parameters |= described
    now = timezone.now()
    batch = batch_for(
        study=study,
        method=asking.method,
        parameters=parameters,
        name=asking.method.replace("_", " "),
        now=now,
        by_id=running.run.created_by_id,
    )
    values = [None if guess.undefined else guess.value for guess in guesses]
    wanted = [
        (target, value, guess.undefined or "") for target, value, guess in zip(targets, values, guesses, strict=True)
    ]
    reasons = Counter(guess.undefined for guess in guesses if guess.undefined)
    result = {
        **_described(study, batch, asking, targets, dict(sorted(reasons.items()))),
        "baseline": parameters,
        **_accuracy(known.ratings, list(zip(targets, values, strict=True))),
    }
    digest = content_sha256(
        {
            "parameters": parameters,
            "targets": [list(point) for point in points],
            "ratings": [[*point, value] for point, value in known.ratings.items()],
        }
    )

    def store(_run: Run) -> None:
        keep_guesses(batch=batch, guesses=wanted, now=now)

    return Computed(digest, result, store)


def _similar(
    study: Study, ratings: dict[tuple[str, str, str], int], targets: list[Target], answers: Iterable[Target]
) -> tuple[list[Guess], dict[str, str]]:
    """The guesses by the embedder, and what names it."""
    from core.embeddings import embedder
    from prediction.judging.context import answer_texts

    texts = answer_texts(study)
    by_key = {(target.question, target.source): texts[target.answer_key] for target in answers}
    keys = sorted(by_key)
    try:
        chosen = embedder()
        vectors = chosen.encode([by_key[key] for key in keys])
    except DomainError as problem:
        raise CannotCompute(str(problem)) from problem
    embeddings = dict(zip(keys, vectors, strict=True))
    guesses = most_similar(ratings, [target.point for target in targets], embeddings)
    return guesses, {"embedder": chosen.id, "embedder_sha256": chosen.sha256}


def _described(
    study: Study, batch: PredictionBatch, asking: Asking, targets: Iterable[Target], left_out: dict[str, int]
) -> dict[str, Any]:
    return {
        "study": study.slug,
        "batch": {"public_id": str(batch.public_id), "name": batch.name, "method": batch.method},
        "n_points": len(list(targets)),
        "left_out": left_out,
        "subset": None if asking.subset is None else {"size": asking.subset, "seed": asking.subset_seed},
    }


def _accuracy(
    ratings: dict[tuple[str, str, str], int], values: Iterable[tuple[Target, float | None]]
) -> dict[str, Any]:
    """The figures of the run alone, over the measured ratings among its points; repeats are averaged and rounded."""
    import numpy as np

    repeats: dict[tuple[str, str, str], list[float]] = {}
    asked = set()
    for target, value in values:
        if target.point in ratings:
            asked.add(target.point)
            if value is not None:
                repeats.setdefault(target.point, []).append(value)
    predicted = {point: float(averaged(np.array([found]))[0]) for point, found in repeats.items()}
    table = PredictionTable.from_ratings({point: ratings[point] for point in asked}, {"predicted": predicted})
    report = accuracy_report(table, seed=0, replicates=REPLICATES).to_dict()
    return {"accuracy": report["own"][0] | {name: report[name] for name in ("unit", "replicates", "level", "seed")}}


def outcomes_of(batch: PredictionBatch) -> dict[str, int]:
    """How many current predictions of a batch have which outcome."""
    rows = Prediction.objects.current().filter(batch=batch).values_list("outcome", flat=True)
    return dict(sorted(Counter(rows).items()))
