"""The options that `cluster` and `overton` share, and how their runs are executed in the foreground."""

from __future__ import annotations

from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from clustering.inclusion import ORIGINS, STATUSES, Inclusion, default_origins
from clustering.parameters import INTERVALS, LARGEST_SEED, METHODS, OWN_VOTES, RULES, SPACES, UNITS, Parameters
from clustering.parameters.grouping import MODERATION
from core.errors import DomainError, NotThere
from core.models import Run
from core.runs import execute
from studies.models import Question, Study

_SETTINGS = (
    *("method", "space", "unit", "minimum_size", "own_votes", "moderation"),
    *("stability_seeds", "stability_replicates", "stability_shuffles"),
    *("rule", "threshold", "replicates", "level", "interval"),
)


def add_source_options(parser: CommandParser, *, file_help: str) -> None:
    """A study, or a file without one."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--study", metavar="SLUG", help="The study.")
    source.add_argument("file", nargs="?", type=Path, metavar="FILE", help=file_help)


def add_grouping_options(parser: CommandParser) -> None:
    """Options that decide whom a run takes in and how groups are found."""
    defaults = Parameters(inclusion=Inclusion(tuple(ORIGINS)))
    parser.add_argument("--method", choices=METHODS, default=defaults.method, help="The clusterer (default: dynamic).")
    parser.add_argument("--space", choices=SPACES, default=defaults.space, help="Where distances are taken.")
    parser.add_argument("--unit", choices=UNITS, default=defaults.unit, help="What thresholds on the map count in.")
    parser.add_argument(
        "--minimum-size", type=int, metavar="N", help="Smallest group; without it 1, 3 and 5 are tried as published."
    )
    parser.add_argument(
        "--reading",
        action="append",
        type=_reading,
        metavar="NAME=VALUE",
        dest="readings",
        help="Another reading of the dynamic clusterer, such as axes=5 (docs/methods.md); may be repeated.",
    )
    parser.add_argument("--own-votes", choices=OWN_VOTES, help="Votes on own statements; each method has its habit.")
    parser.add_argument(
        "--moderation", choices=MODERATION, default=defaults.moderation, help="Of polis: rejected statements."
    )
    parser.add_argument("--stability-seeds", type=int, default=defaults.stability_seeds, metavar="N")
    parser.add_argument("--stability-replicates", type=int, default=defaults.stability_replicates, metavar="N")
    parser.add_argument(
        "--stability-shuffles",
        type=int,
        default=defaults.stability_shuffles,
        metavar="N",
        help="Compare the silhouette with that of N shuffles of the votes, such as 99 (default: 0, not at all).",
    )
    parser.add_argument(
        "--origin", action="append", choices=[origin.value for origin in ORIGINS], help="May be repeated."
    )
    parser.add_argument(
        "--status", action="append", choices=[status.value for status in STATUSES], help="May be repeated."
    )
    parser.add_argument("--minimum-votes", type=int, default=1, metavar="N", help="Fewest votes on a question.")
    parser.add_argument(
        "--seed", type=seed_number, default=1, metavar="X", help="Seed of every random start (default: 1)."
    )


def add_scoring_options(parser: CommandParser) -> None:
    """Options that decide coverage and intervals."""
    defaults = Parameters(inclusion=Inclusion(tuple(ORIGINS)))
    parser.add_argument("--rule", choices=RULES, default=defaults.rule, help="When a group is represented.")
    parser.add_argument("--threshold", type=float, metavar="T", help="1 to 5 (default: 4).")
    parser.add_argument("--replicates", type=int, default=defaults.replicates, metavar="N", help="Of the bootstrap.")
    parser.add_argument("--level", type=float, default=defaults.level, metavar="P", help="Of the intervals.")
    parser.add_argument(
        "--external",
        type=Path,
        metavar="FILE",
        help="Other scores of the sources: source (or model), a column a score.",
    )
    parser.add_argument(
        "--subgroup",
        action="append",
        dest="subgroups",
        metavar="CODE",
        help="Of a study: a form item; may be repeated.",
    )
    parser.add_argument("--interval", choices=INTERVALS, default=defaults.interval, help="Kind of the intervals.")


def _reading(text: str) -> tuple[str, Any]:
    """A reading as the option gives it; whether there is such a one is checked with the other settings."""
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise ArgumentTypeError(_("a reading is NAME=VALUE"))
    return name, int(value) if value.isascii() and value.isdigit() else value


def seed_number(text: str) -> int:
    """A seed as the option gives it; what is none is told by the parser of the options."""
    seed = int(text)
    if not 0 <= seed <= LARGEST_SEED:
        raise ArgumentTypeError(_("a seed is 0 to %(largest)d") % {"largest": LARGEST_SEED})
    return seed


def study_named(slug: str) -> Study:
    """The study with that slug, or a clear error."""
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        raise NotThere(_("There is no study %(slug)s here.") % {"slug": slug})
    return study


def question_named(study: Study, code: str) -> Question:
    """The present revision of a question, or a clear error that names the codes."""
    question = Question.objects.filter(study=study, code=code, is_current=True).first()
    if question is None:
        codes = ", ".join(Question.objects.filter(study=study, is_current=True).values_list("code", flat=True))
        raise NotThere(_("There is no question %(code)s; the study has: %(codes)s.") % {"code": code, "codes": codes})
    return question


def parameters_from(options: dict[str, Any], study: Study | None) -> Parameters:
    """The settings that the options name; what is left out has the default of the pages.

    Without a study everybody in the file is taken in, as far as it does not say that they did not complete.
    """
    origins = options["origin"] or (default_origins(study) if study else [str(origin) for origin in ORIGINS])
    statuses = options["status"] or Inclusion(("live",)).statuses
    inclusion = Inclusion(tuple(origins), tuple(statuses), options["minimum_votes"])
    given = {name: options[name] for name in _SETTINGS if options.get(name) is not None}
    if options.get("subgroups"):
        given["subgroups"] = tuple(options["subgroups"])
    if options.get("external"):
        from clustering.files import read_external

        given["external"] = read_external(options["external"])
    return Parameters(inclusion=inclusion, readings=dict(options["readings"] or ()), **given)


def finished(run: Run) -> Run:
    """Execute a queued run here and now.

    Raises
    ------
    DomainError
        If a worker computes it already, or it ended without a result: the message says why.
    """
    done = execute(run.pk)
    if done is None:
        raise DomainError(_("A worker is computing this at the moment; look at the results page, or try again later."))
    if done.status == Run.Status.FAILED:
        raise DomainError(done.error)
    return done
