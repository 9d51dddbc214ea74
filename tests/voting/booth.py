"""A person at the vote block of one question: drives the block's runner as the walk does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from studies.models import Enrolment, Question, Step, Study
from studies.session.blocks import Page, StepContext, Submitted
from tests.factories import (
    NOW,
    EnrolmentFactory,
    FreeResponseFactory,
    QuestionFactory,
    StatementFactory,
    StepFactory,
    StudyFactory,
)
from voting.blocks import VoteRunner
from voting.models import Exposure, VoteBlock

RUNNER = VoteRunner()


@dataclass
class Booth:
    """Each act is a request: a transaction under the lock of the enrolment, at a later time than the one before."""

    enrolment: Enrolment
    question: Question
    step: Step
    vote_settings: dict[str, Any]
    now: datetime = NOW
    page: Page | None = field(default=None, init=False)

    @property
    def card(self) -> dict[str, Any] | None:
        """The card on the screen."""
        assert self.page is not None, "look first"
        return self.page.context["card"]

    @property
    def context(self) -> StepContext:
        return StepContext(
            step=self.step,
            enrolment=self.enrolment,
            definition={"vote": self.vote_settings, "blocks": ["write", "vote"]},
            seed=self.enrolment.study.seed,
        )

    def look(self) -> Page:
        """Load the page."""
        self.now += timedelta(seconds=1)
        with transaction.atomic():
            self.lock()
            self.page = RUNNER.present(self.context, {}, {}, self.now)
        return self.page

    def post(self, **fields: str) -> Submitted:
        """Send fields; if they are taken, the page after them is on the screen."""
        self.now += timedelta(seconds=1)
        with transaction.atomic():
            self.lock()
            context = self.context
            submitted = RUNNER.submit(context, {name: [value] for name, value in fields.items()}, self.now)
            self.page = RUNNER.present(context, {}, submitted.errors, self.now)
        return submitted

    def vote(self, value: str = "agree", nonce: Any = None) -> Submitted:
        """Vote on the card on the screen, or on another one shown before."""
        return self.post(action="vote", value=value, exposure=str(nonce or (self.card or {})["nonce"]))

    def finish(self) -> Submitted:
        """Go on, whatever the page says."""
        return self.post(action="finish")

    def vote_on_all(self, values: Sequence[str] = ("agree",), maximum: int = 10_000) -> int:
        """Vote until there is no card left, or `maximum` votes were cast; how many were."""
        self.look()
        n = 0
        while self.card is not None and n < maximum:
            self.vote(values[n % len(values)])
            n += 1
        return n

    @property
    def block(self) -> VoteBlock:
        return VoteBlock.objects.get(enrolment=self.enrolment, question=self.question)

    @property
    def shown(self) -> list[str]:
        """The codes of the statements shown, in their order."""
        exposures = Exposure.objects.filter(enrolment=self.enrolment, question=self.question).order_by("rank")
        return list(exposures.values_list("statement__code", flat=True))

    def lock(self) -> None:
        """Lock the enrolment as the walk does: its row alone, not its study's."""
        Enrolment.objects.select_for_update(no_key=True, of=("self",)).get(pk=self.enrolment.pk)


def settings(**changed: Any) -> dict[str, Any]:
    """The `vote` section of a definition."""
    return {"minimum": 3, "policy": "uniform", "mix": 0.5, "moderation": "after", **changed}


def booth(question: Question, *, origin: str = "live", now: datetime = NOW, **vote: Any) -> Booth:
    """A new person who has come to the vote block of `question`."""
    enrolment = EnrolmentFactory(study=question.study, origin=origin, status="active")
    step = StepFactory(enrolment=enrolment, kind="vote", block="vote", question=question)
    return Booth(enrolment, question, step, settings(**vote), now=now)


def question_with(n_seeds: int, *, study: Study | None = None) -> Question:
    """A question with approved seeds."""
    question = QuestionFactory(study=study or StudyFactory())
    for n in range(1, n_seeds + 1):
        StatementFactory(question=question, code=f"seed-{n}")
    return question


def write(person: Booth, text: str = "") -> Any:
    """The free response of a person on their question; a statement only if a service makes it one."""
    more = {"text": text} if text else {}
    return FreeResponseFactory(enrolment=person.enrolment, question=person.question, written_at=person.now, **more)
