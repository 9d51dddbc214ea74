"""Which calls a generation makes, before any is made: whose response is the example of which statement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext as _

from core.canonical import content_sha256
from core.endpoints import ChatRequest, configured
from core.errors import Conflict, Invalid, shown
from core.randomness import drawn_order, generator_for
from studies.models import Enrolment, FreeResponse, Question, Study
from voting.seeding import prompts
from voting.seeding.models import SeedDraft
from voting.seeding.settings import LARGEST_SEED, Seeding

TOKENS_OF_A_REPLY = 100
"""For estimates: a statement of 300 characters has about 75 tokens."""


@dataclass(frozen=True, slots=True)
class Job:
    """One call: the `position`-th statement on `question`, with `example` as the one shot."""

    question: Question
    position: int
    example: FreeResponse
    request: ChatRequest
    series: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What is asked only once: which series, after whose example, with which words."""
        return self.series, self.example.enrolment.public_code, self.request.sha256


@dataclass(frozen=True, slots=True)
class Plan:
    """All calls of a generation in order, and those of them that are still to be made."""

    jobs: tuple[Job, ...]
    open_jobs: tuple[Job, ...]
    input_sha256: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is still to be asked, and about what it costs; `cost` None if a price is unknown."""

    n_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: Decimal | None
    currency: str


def planned(study: Study, seeding: Seeding, seed: int) -> Plan:
    """The calls of these settings; the same settings, seed and responses give the same plan.

    Raises
    ------
    Conflict
        If there is nothing to ask about, or there are fewer examples than statements are wanted: nobody's response
        is used twice for a question.
    Invalid
        If the seed is out of range.
    """
    if not 0 <= seed <= LARGEST_SEED:
        raise Invalid(_("A seed is 0 to %(largest)d.") % {"largest": LARGEST_SEED})
    pool = _pool(seeding)
    jobs = [job for question in _questions(study, seeding) for job in _jobs_of(study, question, pool, seeding, seed)]
    made = set(
        SeedDraft.objects.filter(series__in={job.series for job in jobs}).values_list(
            "series", "example", "prompt_sha256"
        )
    )
    described = [[job.question.code, *job.key] for job in jobs]
    return Plan(tuple(jobs), tuple(job for job in jobs if job.key not in made), content_sha256(described))


def estimate(plan: Plan, seeding: Seeding) -> Estimate:
    """Calls, tokens and cost of what is still open; a reply is taken to have `TOKENS_OF_A_REPLY` tokens."""
    endpoint = configured(seeding.endpoint)
    asked = sum(job.request.roughly_tokens() for job in plan.open_jobs)
    answered = TOKENS_OF_A_REPLY * len(plan.open_jobs)
    cost = endpoint.cost(prompt_tokens=asked, completion_tokens=answered)
    return Estimate(len(plan.open_jobs), asked, answered, cost, endpoint.currency)


def _questions(study: Study, seeding: Seeding) -> list[Question]:
    questions = list(study.questions.filter(is_current=True).order_by("position", "code"))
    if unknown := sorted(set(seeding.questions) - {question.code for question in questions}):
        raise Conflict(_("There is no question %(code)s in this study.") % {"code": shown(unknown[0])})
    wanted = [question for question in questions if not seeding.questions or question.code in seeding.questions]
    if not wanted:
        raise Conflict(_("This study has no question yet, so there is nothing to write about."))
    return wanted


def _pool(seeding: Seeding) -> dict[str, list[FreeResponse]]:
    """The responses that may be examples, by the code of their writer."""
    responses = (
        FreeResponse.objects.filter(
            enrolment__study__public_id=seeding.pilot,
            enrolment__status=Enrolment.Status.COMPLETE,
            enrolment__origin__in=seeding.origins,
        )
        .select_related("enrolment", "question")
        .order_by("pk")
    )
    pool: dict[str, list[FreeResponse]] = defaultdict(list)
    for response in responses:
        pool[response.enrolment.public_code].append(response)
    return pool


def _jobs_of(
    study: Study, question: Question, pool: dict[str, list[FreeResponse]], seeding: Seeding, seed: int
) -> Sequence[Job]:
    """Draw people without replacement, and of each one of their responses to other questions than this."""
    usable = {
        code: sorted(others, key=lambda response: (response.question.code, response.question.revision))
        for code, responses in sorted(pool.items())
        if (others := [each for each in responses if each.question.text != question.text])
    }
    if len(usable) < seeding.each:
        message = _(
            "There are responses of %(n)d people who completed the pilot study, on other questions than %(code)s;"
            " %(wanted)d statements need as many."
        )
        raise Conflict(message % {"n": len(usable), "code": question.code, "wanted": seeding.each})
    people = drawn_order(list(usable), seed=str(seed), code=question.code, purpose="seed examples")[: seeding.each]
    chooser = generator_for(str(seed), question.code, "seed examples: response")
    examples = [usable[code][chooser.randrange(len(usable[code]))] for code in people]
    endpoint = configured(seeding.endpoint).described()
    series = content_sha256({"question": str(question.public_id), "seed": seed, **endpoint})
    return [
        Job(question, position, example, _request(study, question, example, seeding), series)
        for position, example in enumerate(examples, start=1)
    ]


def _request(study: Study, question: Question, example: FreeResponse, seeding: Seeding) -> ChatRequest:
    return prompts.request_for(
        question=question.text,
        example_question=example.question.text,
        example=example.text,
        minimum=study.write_minimum,
        maximum=study.write_maximum,
        parameters=seeding.model_parameters,
    )
