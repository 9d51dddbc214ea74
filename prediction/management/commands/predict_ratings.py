from __future__ import annotations

from argparse import ArgumentTypeError
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone
from django.utils.translation import gettext as _

from clustering.command_options import finished, seed_number, study_named
from clustering.inclusion import ORIGINS, STATUSES, Inclusion, default_origins
from clustering.services import run_identity
from core.canonical import content_sha256
from core.endpoints import EndpointError, model_parameters
from core.errors import Conflict, Invalid
from core.management_base import Outcome, PolyphonyCommand
from core.models import Run
from core.runs import queue_run
from prediction import services, words
from prediction.judging.planning import TOKENS_OF_A_REPLY, estimate
from prediction.judging.variants import VARIANTS
from prediction.models import PredictionBatch
from prediction.parameters import PREDICTION, PREDICTION_REPORT, SCOPES, UNITS, Asking, Method, Reporting
from prediction.points import targets_of
from studies.models import Study

BASELINES = (Method.MEAN_OF_OTHERS.value, Method.MOST_SIMILAR.value)


class Command(PolyphonyCommand):
    """The automated benchmark: predict ratings, or report how good the predictions are."""

    help = (
        "Predict representation ratings from a file, by a model as judge or by a baseline. Without any of these: "
        "report on all predictions of the study."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """What predicts, and how."""
        parser.add_argument("--study", required=True, metavar="SLUG", help="The study.")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--file", type=Path, metavar="F", help="Long table: participant, question, source, rating.")
        what.add_argument("--variant", choices=list(VARIANTS), help="What the judge is told; needs --endpoint.")
        what.add_argument("--baseline", choices=BASELINES, help="A baseline that asks nobody.")
        self._add_file_options(parser)
        self._add_judge_options(parser)
        self._add_report_options(parser)

    @staticmethod
    def _add_file_options(parser: CommandParser) -> None:
        parser.add_argument("--method", default="", metavar="NAME", help="Name of the file's method (default: file).")
        parser.add_argument("--dry-run", action="store_true", help="Only say what the file would add.")

    @staticmethod
    def _add_judge_options(parser: CommandParser) -> None:
        parser.add_argument("--endpoint", default="", metavar="NAME", help="Configured model endpoint: the judge.")
        parser.add_argument("--parameters", type=_json_object, default={}, metavar="JSON", help="Sent with requests.")
        parser.add_argument("--repeats", type=int, default=3, metavar="N", help="How often it is asked (default: 3).")
        parser.add_argument("--subset", type=int, metavar="N", help="Only so many points, drawn by --subset-seed.")
        parser.add_argument("--subset-seed", type=seed_number, default=1, metavar="X", help="(default: 1)")
        parser.add_argument(
            "--scope", choices=SCOPES, default="measured", help="Ratings there are, candidates, or both."
        )
        parser.add_argument("--estimate", action="store_true", help="Only say what the judge would cost.")
        parser.add_argument("--reply-tokens", type=int, default=TOKENS_OF_A_REPLY, metavar="N", help="Of one reply.")
        parser.add_argument("--input-price", type=_price, metavar="P", help="For a million tokens of prompts.")
        parser.add_argument("--output-price", type=_price, metavar="P", help="For a million tokens of replies.")
        origins, statuses = [each.value for each in ORIGINS], [each.value for each in STATUSES]
        parser.add_argument("--origin", action="append", choices=origins, help="Whose ratings; may be repeated.")
        parser.add_argument("--status", action="append", choices=statuses, help="May be repeated.")

    @staticmethod
    def _add_report_options(parser: CommandParser) -> None:
        parser.add_argument("--unit", choices=UNITS, default="participant", help="What the bootstrap draws.")
        parser.add_argument("--replicates", type=int, default=2000, metavar="N", help="Of the bootstrap.")
        parser.add_argument("--permutations", type=int, default=5000, metavar="N", help="Of the tests of parity.")
        parser.add_argument("--seed", type=seed_number, default=1, metavar="X", help="Of the report (default: 1).")

    def perform(self, **options: Any) -> Outcome:
        """Take in the file, ask the judge, compute the baseline, or report."""
        study = study_named(options["study"])
        if options["endpoint"] and not options["variant"]:
            raise CommandError("--endpoint needs --variant.")
        if options["file"] is not None:
            return self._from_file(study, options)
        if options["variant"] or options["baseline"]:
            return self._asked(study, options)
        return self._report(study, options)

    def _from_file(self, study: Study, options: dict[str, Any]) -> Outcome:
        file: Path = options["file"]
        done = services.import_predictions(
            study=study,
            source=file,
            name=file.name,
            method=options["method"],
            by=None,
            now=timezone.now(),
            dry_run=options["dry_run"],
        )
        return Outcome(words.imported(done), {"study": study.slug, "imported": done.to_dict()})

    def _asked(self, study: Study, options: dict[str, Any]) -> Outcome:
        asking = _asking(study, options)
        if options["estimate"]:
            return self._estimate(study, asking, options)
        if not targets_of(study, asking.inclusion, asking.scope):
            raise Conflict(_("There is nothing to predict: nobody who is taken in has rated an answer."))
        if asking.method == Method.JUDGE:
            self.progress(words.estimated(self._estimated(study, asking, options)))
        run = self._computed(PREDICTION, study, asking.to_dict(), asking.subset_seed)
        return Outcome(words.predicted(run), run_identity(run) | {"result": run.result})

    def _estimate(self, study: Study, asking: Asking, options: dict[str, Any]) -> Outcome:
        if asking.method != Method.JUDGE:
            raise Invalid(_("A baseline asks nobody and costs nothing."))
        found = self._estimated(study, asking, options)
        return Outcome(words.estimated(found), {"study": study.slug, "estimate": found.to_dict()})

    @staticmethod
    def _estimated(study: Study, asking: Asking, options: dict[str, Any]) -> Any:
        try:
            return estimate(
                study,
                asking,
                reply_tokens=options["reply_tokens"],
                input_price=options["input_price"],
                output_price=options["output_price"],
            )
        except EndpointError as problem:
            raise Invalid(str(problem), fields={"endpoint": [str(problem)]}) from problem

    def _report(self, study: Study, options: dict[str, Any]) -> Outcome:
        batches = PredictionBatch.objects.filter(
            study=study, predictions__isnull=False, predictions__superseded_at=None
        )
        ids = tuple(str(public_id) for public_id in batches.distinct().values_list("public_id", flat=True))
        if not ids:
            raise Conflict(
                _("The study has no predictions yet: give a file, a variant with an endpoint, or a baseline.")
            )
        reporting = Reporting(
            inclusion=_inclusion(study, options),
            batches=ids,
            unit=options["unit"],
            replicates=options["replicates"],
            permutations=options["permutations"],
        )
        run = self._computed(PREDICTION_REPORT, study, reporting.to_dict(), options["seed"])
        return Outcome(words.reported(run), run_identity(run) | {"result": run.result})

    @staticmethod
    def _computed(kind: str, study: Study, parameters: dict[str, Any], seed: int) -> Run:
        run = queue_run(kind=kind, subject_kind="study", subject_id=study.public_id, parameters=parameters, seed=seed)
        assert run.parameters_sha256 == content_sha256(parameters)
        return finished(run)


def _asking(study: Study, options: dict[str, Any]) -> Asking:
    is_judge = options["variant"] is not None
    return Asking(
        inclusion=_inclusion(study, options),
        method=Method.JUDGE.value if is_judge else options["baseline"],
        variant=options["variant"] or "",
        endpoint=options["endpoint"],
        model_parameters=options["parameters"],
        repeats=options["repeats"] if is_judge else 1,
        subset=options["subset"],
        subset_seed=options["subset_seed"],
        scope=options["scope"],
    )


def _inclusion(study: Study, options: dict[str, Any]) -> Inclusion:
    origins = tuple(options["origin"] or default_origins(study))
    return Inclusion(origins, tuple(options["status"])) if options["status"] else Inclusion(origins)


def _json_object(text: str) -> dict[str, Any]:
    try:
        return model_parameters(text)
    except Invalid as problem:
        raise ArgumentTypeError(str(problem)) from problem


def _price(text: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation as problem:
        raise ArgumentTypeError(_("a price is a number such as 1.25")) from problem
    if not value.is_finite() or value < 0:
        raise ArgumentTypeError(_("a price is a number such as 1.25"))
    return value
