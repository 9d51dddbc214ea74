"""What a model has yet to be asked, and what that takes before it starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q, QuerySet

from annotation.judging.prompting import request_for
from annotation.models import Assignment, Judge, JudgeCall, Packet, Rater
from annotation.selectors.cards import card
from annotation.selectors.places import plan_for_model
from core.endpoints import ChatRequest, configured

TOKENS_OF_AN_ANSWER = 16
"""What the code of one answer takes in a reply. A model that reasons first is paid for its thoughts as well."""
SAMPLE = 200
"""Of more items than this the tokens are estimated from so many, evenly spaced."""
Outcome = JudgeCall.Outcome
CAME = (Outcome.ANSWERED, Outcome.REFUSED, Outcome.UNPARSABLE)
"""Outcomes of calls that brought a reply."""


def open_assignments(rater: Rater, packet: Packet) -> QuerySet[Assignment]:
    """What the model has not judged, in its order, each with `n_replies` that came for it already."""
    rows = Assignment.objects.filter(rater=rater, item__packet=packet, status=Assignment.Status.OPEN)
    n_replies = Count("calls", filter=Q(calls__outcome__in=CAME))
    return (
        rows.select_related("rater__judge", "item__packet", "item__kind__rubric")
        .annotate(n_replies=n_replies)
        .order_by("rank")
    )


def request_of(assignment: Assignment, judge: Judge) -> ChatRequest:
    """What the model is sent about one item."""
    return request_for(card(assignment), instructions=judge.prompt, parameters=judge.parameters)


class Requests(Sequence[ChatRequest]):
    """The requests about items, made when they are due: all prompts of a large packet would not fit into memory."""

    def __init__(self, assignments: Sequence[Assignment], judge: Judge) -> None:
        self.assignments, self.judge = assignments, judge

    def __len__(self) -> int:
        return len(self.assignments)

    def __getitem__(self, index: Any) -> Any:
        return request_of(self.assignments[index], self.judge)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What asking a model takes, before it starts.

    Attributes
    ----------
    n_calls : requests that will be sent if every reply can be read
    n_made : items that the model has judged already, which are not asked again
    n_swapped : how many of the calls ask the other way round
    prompt_tokens : of all requests, by a quarter of their characters
    completion_tokens : of all replies
    is_sampled : whether the tokens are estimated from some of the items
    cost : in `currency`; None where a price is unknown
    """

    endpoint: str
    model: str
    n_calls: int
    n_made: int
    n_swapped: int
    prompt_tokens: int
    completion_tokens: int
    is_sampled: bool
    cost: Decimal | None
    currency: str

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; the cost as text, since it is exact."""
        names = [name for name in self.__slots__ if name != "cost"]
        return {name: getattr(self, name) for name in names} | {"cost": None if self.cost is None else str(self.cost)}


def estimate(rater: Rater, packet: Packet) -> Estimate:
    """Calls, tokens and cost of asking the model about everything it has not judged. Writes nothing."""
    judge = rater.judge
    endpoint = configured(judge.endpoint)
    done = set(
        Assignment.objects.filter(rater=rater, item__packet=packet, status=Assignment.Status.DONE).values_list(
            "item_id", "purpose"
        )
    )
    todo = [planned for planned in plan_for_model(rater, packet) if planned[:2] not in done]
    step = max(1, -(-len(todo) // SAMPLE))
    sample = todo[::step]
    prompt, reply = _tokens(sample, packet, judge)
    prompt_tokens, completion_tokens = (_scaled(tokens, len(sample), len(todo)) for tokens in (prompt, reply))
    return Estimate(
        endpoint=endpoint.name,
        model=endpoint.model,
        n_calls=len(todo),
        n_made=len(done),
        n_swapped=sum(purpose == Assignment.Purpose.SWAP for _item, purpose, _swapped in todo),
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        is_sampled=step > 1,
        cost=endpoint.cost(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens),
        currency=endpoint.currency,
    )


def _tokens(sample: Sequence[tuple[int, str, bool | None]], packet: Packet, judge: Judge) -> tuple[int, int]:
    """Of prompts and of replies."""
    items = packet.items.select_related("kind__rubric").in_bulk([item for item, _purpose, _swapped in sample])
    prompt = reply = 0
    for item_id, _purpose, swapped in sample:
        shown = card(Assignment(item=items[item_id], swapped=swapped))
        prompt += request_for(shown, instructions=judge.prompt, parameters=judge.parameters).roughly_tokens()
        reply += TOKENS_OF_AN_ANSWER * len(shown.asked)
    return prompt, reply


def _scaled(tokens: int, n: int, of: int) -> int:
    return tokens if n == of or n == 0 else -(-tokens * of // n)
