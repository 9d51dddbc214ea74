"""What a run of a judge has to ask: the points, what stands already, and what the rest costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from core.canonical import content_sha256
from core.endpoints import ChatRequest, Endpoint, configured
from prediction.judging.context import Context, context_of
from prediction.judging.variants import VARIANTS, Template, template
from prediction.models import Prediction, PredictionBatch
from prediction.parameters import Asking
from prediction.points import Measured, Target, measured, subset_of, targets_of
from studies.models import Study

TOKENS_OF_A_REPLY = 8
"""What "Rating: N" takes. A model that reasons before it answers is paid for its thoughts as well: give a number."""


@dataclass(frozen=True, slots=True)
class Call:
    """One thing to ask: a target and the number of the repeat."""

    target: Target
    repeat: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What a judge is asked in a run, in order of repeat and point, so that all points have one answer early."""

    asking: Asking
    template: Template
    context: Context
    targets: tuple[Target, ...]
    left_out: dict[str, int]
    known: Measured

    def request(self, target: Target) -> ChatRequest:
        """The request about one target."""
        return self.context.request(target, self.asking.variant, self.template, self.asking.model_parameters)

    def calls(self) -> Iterator[Call]:
        """All calls, made or not."""
        for repeat in range(1, self.asking.repeats + 1):
            for target in self.targets:
                yield Call(target, repeat)

    def hashes(self) -> dict[tuple[str, str, str], str]:
        """The hash of the prompt of every target, by point."""
        return {target.point: self.request(target).sha256 for target in self.targets}


def plan_of(study: Study, asking: Asking) -> Plan:
    """Load what a judge is told and decide what is asked. A person who lacks what the variant tells is left out."""
    known = measured(study, asking.inclusion)
    context = context_of(study, known)
    needs = VARIANTS[asking.variant].needs
    wanted = subset_of(targets_of(study, asking.inclusion, asking.scope, known), asking.subset, asking.subset_seed)
    reasons = [context.lacking(target, needs) for target in wanted]
    return Plan(
        asking=asking,
        template=template(asking.variant),
        context=context,
        targets=tuple(target for target, reason in zip(wanted, reasons, strict=True) if reason is None),
        left_out=dict(sorted(Counter(reason for reason in reasons if reason is not None).items())),
        known=known,
    )


Stored = dict[tuple[int, int | None, int | None, int], tuple[str, float | None, str]]
"""By enrolment, answer, candidate's answer and repeat: outcome, value, hash of the prompt."""


def stored_of(batch: PredictionBatch | None) -> Stored:
    """What a batch holds already."""
    rows = Prediction.objects.current().filter(batch=batch).order_by() if batch else Prediction.objects.none()
    columns = ("enrolment_id", "answer_id", "candidate_answer_id", "repeat", "outcome", "value", "prompt_sha256")
    return {tuple(row[:4]): tuple(row[4:]) for row in rows.values_list(*columns).iterator(chunk_size=10_000)}  # type: ignore[misc]


def key_of(call: Call) -> tuple[int, int | None, int | None, int]:
    """The key of a call in `Stored`."""
    return (call.target.enrolment_id, *call.target.answer_key, call.repeat)


def open_calls(plan: Plan, stored: Stored, hashes: dict[tuple[str, str, str], str]) -> list[Call]:
    """The calls whose answer is not there yet, or was an answer to another prompt."""
    return [
        call
        for call in plan.calls()
        if (found := stored.get(key_of(call))) is None or found[2] != hashes[call.target.point]
    ]


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will take, before it starts.

    Attributes
    ----------
    n_points : targets that are asked about
    left_out : how many are not, by reason
    n_calls : requests that will be sent, retries aside
    n_made : requests that were made before and will not be repeated
    prompt_tokens : of all requests, by a quarter of their characters
    completion_tokens : of all replies
    cost : in `currency`; None where a price is unknown
    """

    endpoint: str
    model: str
    n_points: int
    left_out: dict[str, int]
    n_calls: int
    n_made: int
    prompt_tokens: int
    completion_tokens: int
    cost: Decimal | None
    currency: str

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; the cost as text, since it is exact."""
        names = ("endpoint", "model", "n_points", "left_out", "n_calls", "n_made", "prompt_tokens")
        names += ("completion_tokens", "currency")
        values = {name: getattr(self, name) for name in names}
        return values | {"cost": None if self.cost is None else str(self.cost)}


def judge_parameters(endpoint: Endpoint, asking: Asking, template: Template) -> dict[str, Any]:
    """The parameters of a judge's batch: everything that decides what is asked of whom, and nothing secret."""
    return {
        **endpoint.described(),
        "variant": asking.variant,
        "template_version": template.version,
        "template_sha256": template.sha256,
        "model_parameters": dict(asking.model_parameters),
    }


def batch_of(study: Study, asking: Asking) -> PredictionBatch | None:
    """The batch that a judge's run would fill, if there is one already."""
    parameters = judge_parameters(configured(asking.endpoint), asking, template(asking.variant))
    return PredictionBatch.objects.filter(
        study=study, method=PredictionBatch.Method.JUDGE, parameters_sha256=content_sha256(parameters)
    ).first()


def estimate(
    study: Study,
    asking: Asking,
    *,
    reply_tokens: int = TOKENS_OF_A_REPLY,
    input_price: Decimal | None = None,
    output_price: Decimal | None = None,
) -> Estimate:
    """Calls, tokens and cost of a judge's run, from the prompts as they would be sent.

    `input_price` and `output_price`, for a million tokens, take the place of the endpoint's.
    """
    endpoint = configured(asking.endpoint)
    plan = plan_of(study, asking)
    hashes: dict[tuple[str, str, str], str] = {}
    tokens: dict[tuple[str, str, str], int] = {}
    for target in plan.targets:
        request = plan.request(target)
        hashes[target.point], tokens[target.point] = request.sha256, request.roughly_tokens()
    todo = open_calls(plan, stored_of(batch_of(study, asking)), hashes)
    prompt_tokens = sum(tokens[call.target.point] for call in todo)
    completion_tokens = reply_tokens * len(todo)
    return Estimate(
        endpoint=endpoint.name,
        model=endpoint.model,
        n_points=len(plan.targets),
        left_out=plan.left_out,
        n_calls=len(todo),
        n_made=len(plan.targets) * asking.repeats - len(todo),
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        cost=_cost(endpoint, prompt_tokens, completion_tokens, input_price, output_price),
        currency=endpoint.currency,
    )


def _cost(
    endpoint: Endpoint,
    prompt_tokens: int,
    completion_tokens: int,
    input_price: Decimal | None,
    output_price: Decimal | None,
) -> Decimal | None:
    priced = replace(
        endpoint,
        input_price=endpoint.input_price if input_price is None else input_price,
        output_price=endpoint.output_price if output_price is None else output_price,
    )
    return priced.cost(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)


class Requests(Sequence[ChatRequest]):
    """The requests of calls, made when they are due: all prompts of a large study would not fit into memory."""

    def __init__(self, plan: Plan, calls: Sequence[Call]) -> None:
        self.plan, self.calls = plan, calls

    def __len__(self) -> int:
        return len(self.calls)

    def __getitem__(self, index: Any) -> Any:
        return self.plan.request(self.calls[index].target)
