"""What a block of a session is to the walk: how it plans its steps, shows them and takes their posts.

The walk (`studies.session.services`) knows no block by name. It locks the enrolment, finds the step by its nonce, and
hands both to the runner that the registry names for the step's block. A runner never moves the position: it returns
what should happen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any, Protocol

from studies.models import Enrolment, ModelAnswer, Question, Step

Definition = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PlanContext:
    """What a block may look at when it plans: no queries are needed, everything drawn is drawn from the seed."""

    definition: Definition
    enrolment: Enrolment
    seed: str
    question: Question | None = None
    answers: Sequence[ModelAnswer] = ()


@dataclass(frozen=True, slots=True)
class StepPlan:
    """One step to come. `number` is its rank within its kind and question, from 1."""

    kind: str
    answer: ModelAnswer | None = None
    number: int = 1


@dataclass(frozen=True, slots=True)
class StepContext:
    """A step under the enrolment's lock (`submit`) or about to be shown (`present`).

    `kept` is what a runner hands from taking a post to showing the page that answers it, in the same transaction: what
    it has just read and written need not be read again.
    """

    step: Step
    enrolment: Enrolment
    definition: Definition
    seed: str
    kept: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Page:
    """What a step shows: the template, its own context, and what to record about the display.

    `shown` is stored in the PageView: everything about order that a replay or an analyst may need.
    """

    template: str
    title: str
    context: dict[str, Any] = field(default_factory=dict)
    shown: dict[str, Any] = field(default_factory=dict)


class Next(Enum):
    """What the walk does after a valid post."""

    ADVANCE = "advance"  # the step is done
    STAY = "stay"  # stored, the step goes on (a vote card)
    DECLINE = "decline"  # consent was declined: the session ends
    SCREEN_OUT = "screen_out"


@dataclass(frozen=True, slots=True)
class Submitted:
    """The runner's answer to a post.

    With `errors` (id of the field on the page to message) nothing was stored and the page is shown again with what was
    typed. `notice` is shown on the next page. A post may be refused as late (`late=True`) by a block that stays open
    for several posts: it is kept aside and the person is told.
    """

    next: Next = Next.ADVANCE
    errors: Mapping[str, str] = field(default_factory=dict)
    notice: str = ""
    late: bool = False


class Runner(Protocol):
    """One kind of block. `step.question`, `step.answer` and `enrolment.study` cost no query.

    A runner may offer more, which the walk looks for by name:

    * `keeps_drafts = True`: what is typed and not yet sent comes back in `values` (default: no draft is kept).
    * `lacks(enrolment, steps) -> int`: how many of its required records are missing when the session would end. The
      completion code is shown only if no runner lacks anything.
    * `is_repeat(context, data) -> bool`: whether a post for a step that is done repeats what is stored. For blocks that
      take several posts in a step; for the others the walk compares the post with the first valid one.
    """

    kind: str
    per_question: bool

    def plan(self, context: PlanContext) -> Sequence[StepPlan]:
        """The steps of the block, in the order in which they will be shown."""

    def present(
        self, context: StepContext, values: Mapping[str, Any], errors: Mapping[str, str], now: datetime
    ) -> Page:
        """What to show. Runs inside the walk's transaction and may write what it shows (an exposure).

        `values` maps a field to the list of values that were typed and not taken: a refused post or a draft.
        """

    def submit(self, context: StepContext, data: Mapping[str, Sequence[str]], now: datetime) -> Submitted:
        """Store a post (field to list of values) inside the walk's transaction, under the enrolment's lock."""
