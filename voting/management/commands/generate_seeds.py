from __future__ import annotations

from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone
from django.utils.translation import gettext as _

from core.endpoints import model_parameters, names
from core.errors import DomainError, Invalid, NotThere, one_line
from core.management_base import Outcome, PolyphonyCommand
from core.models import Run
from core.runs import execute
from studies.models import Study
from voting.seeding.models import SeedDraft
from voting.seeding.planning import Estimate, estimate, planned
from voting.seeding.selectors import provenance
from voting.seeding.services import start_seeding
from voting.seeding.settings import ORIGINS, PEOPLE, Seeding


class Command(PolyphonyCommand):
    """Let a model write seed statements after examples from a pilot study; a person approves them on the page."""

    help = "Let a model write seed statements after responses of a pilot study. A person approves each on its page."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whom to ask, after whose examples, how much."""
        parser.add_argument("--study", required=True, metavar="SLUG", help="The draft study.")
        parser.add_argument("--pilot", required=True, metavar="SLUG", help="Whose free responses are the examples.")
        parser.add_argument("--endpoint", required=True, metavar="NAME", help=f"One of: {', '.join(names()) or '-'}.")
        parser.add_argument("--question", action="append", metavar="CODE", help="May be repeated; without it all.")
        parser.add_argument("--each", type=int, default=8, metavar="N", help="Statements a question (default: 8).")
        parser.add_argument("--seed", type=int, default=1, metavar="X", help="Of the draw of examples (default: 1).")
        parser.add_argument("--origin", action="append", choices=[origin.value for origin in ORIGINS])
        parser.add_argument("--parameters", type=_json_object, default={}, metavar="JSON", help="Sent to the model.")
        parser.add_argument("--estimate", action="store_true", help="Only say what it would take; ask nothing.")

    def perform(self, **options: Any) -> Outcome:
        """Ask in the foreground what is still open, and print what there is."""
        study, pilot = _study(options["study"]), _study(options["pilot"])
        seeding = Seeding(
            pilot=str(pilot.public_id),
            endpoint=options["endpoint"],
            each=options["each"],
            questions=tuple(options["question"] or ()),
            origins=tuple(options["origin"] or PEOPLE),
            model_parameters=options["parameters"],
        )
        plan = planned(study, seeding, options["seed"])
        expected = estimate(plan, seeding)
        if options["estimate"]:
            return Outcome(_priced(expected), _as_data(expected))
        self.progress(_priced(expected))
        run = start_seeding(study=study, seeding=seeding, seed=options["seed"], by=None, now=timezone.now())
        done = execute(run.pk)
        if done is None:
            raise DomainError(_("A worker generates these at the moment: look at the page, or try again later."))
        if done.status == Run.Status.FAILED:
            raise DomainError(done.error)
        series = {job.series for job in plan.jobs}
        drafts = list(SeedDraft.objects.filter(series__in=series).select_related("question", "run"))
        lines = [f"{draft.question.code} {draft.status}: {one_line(draft.text or draft.refusal)}" for draft in drafts]
        data = {"study": study.slug, "run": str(done.public_id), "drafts": [provenance(draft) for draft in drafts]}
        return Outcome("\n".join([*lines, f"run {done.public_id}"]), data)


def _study(slug: str) -> Study:
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        raise NotThere(_("There is no study %(slug)s here.") % {"slug": slug})
    return study


def _json_object(text: str) -> dict[str, Any]:
    try:
        return model_parameters(text)
    except Invalid as problem:
        raise ArgumentTypeError(str(problem)) from problem


def _priced(expected: Estimate) -> str:
    cost = _("cost unknown") if expected.cost is None else f"{expected.cost:.4f} {expected.currency}"
    return f"{expected.n_calls} calls, about {expected.prompt_tokens} + {expected.completion_tokens} tokens, {cost}"


def _as_data(expected: Estimate) -> dict[str, Any]:
    return {
        "n_calls": expected.n_calls,
        "prompt_tokens": expected.prompt_tokens,
        "completion_tokens": expected.completion_tokens,
        "cost": None if expected.cost is None else str(expected.cost),
        "currency": expected.currency,
    }
