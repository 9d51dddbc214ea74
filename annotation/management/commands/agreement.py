from __future__ import annotations

from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.files import FORMATS, LEVELS, RatingsOptions, read_ratings, read_weights
from annotation.models import Campaign
from annotation.reporting import studies
from annotation.reporting.about import about_file
from annotation.reporting.documents import computed, document
from annotation.reporting.folders import write_folder
from annotation.reporting.html import whole_page
from annotation.reporting.loading import material_of
from annotation.reporting.text import as_text
from annotation.services import agreeing
from annotation.stats.material import Material, Settings
from core.errors import Conflict, Invalid, NotThere
from core.management_base import Outcome, PolyphonyCommand
from core.runs import execute
from studies.models import Study


class Command(PolyphonyCommand):
    """Print how far raters agree."""

    help = "Report the agreement of raters of an audit, of participants of a study, or of a ratings file."

    def add_arguments(self, parser: CommandParser) -> None:
        """What to read, and how."""
        parser.add_argument("file", nargs="?", metavar="FILE", help="Ratings: CSV, JSON Lines or Parquet.")
        parser.add_argument("--campaign", metavar="SLUG", help="The locked packet of an audit.")
        parser.add_argument("--study", metavar="SLUG", help="Votes and ratings of a study.")
        add_file_options(parser)
        parser.add_argument("--out", metavar="PATH", help="A folder for all files, or FILE.html for the page alone.")
        parser.add_argument("--seed", type=_natural, default=0, metavar="N", help="Of the bootstrap (default: 0).")
        parser.add_argument("--replicates", type=_natural, default=1000, metavar="B", help="0 for no bootstrap.")
        parser.add_argument("--confidence", type=float, default=0.95, metavar="P", help="Of the intervals.")

    def perform(self, **options: Any) -> Outcome:
        """Read, compute and print."""
        if [bool(options[name]) for name in ("file", "campaign", "study")].count(True) != 1:
            raise Invalid(_("Name a ratings file, or a campaign, or a study."))
        data, material = self._report(options)
        if options["out"]:
            return Outcome(_("Written: %(path)s") % {"path": written(data, material, Path(options["out"]))}, data)
        return Outcome(as_text(data), data)

    def _report(self, options: dict[str, Any]) -> tuple[dict[str, Any], Material]:
        if options["campaign"]:
            return self._of_campaign(options)
        return self._of_study(options) if options["study"] else self._of_file(options)

    def _of_study(self, options: dict[str, Any]) -> tuple[dict[str, Any], Material]:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise NotThere(_("There is no study %(slug)s here.") % {"slug": options["study"]})
        return studies.document_of(study, settings_from(options))

    def _of_campaign(self, options: dict[str, Any]) -> tuple[dict[str, Any], Material]:
        """The report as the button makes it: a run, executed here."""
        campaign = campaign_named(options["campaign"])
        run = agreeing.queue(
            campaign=campaign, by=None, now=timezone.now(), seed=options["seed"], replicates=options["replicates"]
        )
        done = execute(run.pk)
        if done is None:
            raise Conflict(_("A worker is computing this at the moment; try again later."))
        if done.status == done.Status.FAILED or done.result is None:
            raise Conflict(done.error)
        packet = agreeing.reportable(campaign)
        return done.result, material_of(packet, with_hidden=done.parameters["hidden"])

    def _of_file(self, options: dict[str, Any]) -> tuple[dict[str, Any], Material]:
        told = options_from(options)
        path = Path(options["file"])
        weights = {}
        for given in options["weights"]:
            labels, matrix = read_weights(Path(given), Path(given).name)
            weights[Path(given).name] = matrix
            told = told if told.labels else RatingsOptions(**{**_as_dict(told), "labels": labels, "level": "nominal"})
        found = read_ratings(path, path.name, told, weights=weights)
        return document(computed(found.material, settings_from(options)), about_file(found, told)), found.material


def written(report: dict[str, Any], material: Material, path: Path) -> Path:
    """Write the report to a folder, or as one page if the path ends in .html."""
    try:
        if path.suffix == ".html":
            path.write_text(whole_page(report), encoding="utf-8", newline="\n")
        else:
            write_folder(report, material, path)
    except OSError as error:
        raise cannot_write(path, error) from error
    return path


def cannot_write(path: Path, error: OSError) -> Invalid:
    """What a person learns of a path that cannot be written."""
    return Invalid(_("%(path)s cannot be written: %(reason)s.") % {"path": path, "reason": error.strerror or error})


def campaign_named(slug: str) -> Campaign:
    """The campaign with that slug, or a clear error."""
    campaign = Campaign.objects.filter(slug=slug).first()
    if campaign is None:
        raise NotThere(_("There is no audit %(slug)s here.") % {"slug": slug})
    return campaign


def add_file_options(parser: CommandParser) -> None:
    """Options about a ratings file."""
    parser.add_argument("--format", choices=FORMATS, help="The shape of the file; without it, it is recognised.")
    parser.add_argument("--labels", type=_words, default=(), metavar="A,B,C", help="All labels, lowest first.")
    parser.add_argument("--cannot-judge", metavar="LABEL", help="The label that says so.")
    parser.add_argument("--not-applicable", metavar="LABEL", help="The label that says so.")
    parser.add_argument("--missing", type=_words, default=(), metavar="A,B", help="Texts that stand for no judgement.")
    parser.add_argument("--matches", type=_words, default=(), metavar="A,B", help="Labels that count as a match.")
    parser.add_argument("--strata", metavar="COLUMN", help="The column of strata.")
    parser.add_argument("--unit", metavar="COLUMN", help="The column of what is resampled together.")
    parser.add_argument("--level", choices=LEVELS, help="What differences between labels mean.")
    parser.add_argument("--raters", type=_words, default=(), metavar="A,B", help="Only these raters.")
    parser.add_argument("--models", type=_words, default=(), metavar="A,B", help="Raters that are language models.")
    parser.add_argument("--weights", action="append", default=[], metavar="FILE", help="Weights of pairs of labels.")
    parser.add_argument("--n", type=_natural, metavar="N", help="Items behind a table of shares.")


def settings_from(options: dict[str, Any]) -> Settings:
    """How the report is computed."""
    try:
        return Settings(options["seed"], options["replicates"], options["confidence"])
    except ValueError as error:
        raise Invalid(str(error)) from error


def options_from(options: dict[str, Any]) -> RatingsOptions:
    """What the options say about the file."""
    return RatingsOptions(**{name: options[name] for name in RatingsOptions.__slots__})


def _as_dict(options: RatingsOptions) -> dict[str, Any]:
    return {name: getattr(options, name) for name in RatingsOptions.__slots__}


def _words(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))


def _natural(text: str) -> int:
    value = int(text)
    if value < 0:
        raise ArgumentTypeError(_("not negative"))
    return value
