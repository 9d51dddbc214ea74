"""Count the votes on every statement of a study again, and compare with the stored tallies."""

from __future__ import annotations

import dataclasses
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.errors import Conflict, NotThere
from core.management_base import Outcome, PolyphonyCommand
from studies.models import Study
from voting import services
from voting.services import TallyDifference, TallyReport

SHOWN = 100
"""How many differences are printed as text; `--json` has all."""


class Command(PolyphonyCommand):
    """Exit status 1 if some tally is wrong and was not repaired."""

    help = "Count the votes on every statement of a study again, and compare with the stored tallies."

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the study, and whether to put right what is wrong."""
        parser.add_argument("--study", required=True, metavar="SLUG", help="The study.")
        parser.add_argument("--repair", action="store_true", help="Store what was counted where it differs.")

    def perform(self, *, study: str, repair: bool, **options: Any) -> Outcome:
        """Recount, and say what differs."""
        found = Study.objects.filter(slug=study).first()
        if found is None:
            raise NotThere(_("There is no study “%(slug)s”.") % {"slug": study})
        report = services.verify_tallies(study=found, repair=repair)
        outcome = Outcome(text="\n".join(_lines(report)), data=dataclasses.asdict(report))
        if report.differences and not repair:
            raise Conflict(outcome.text, code="tallies_differ")
        return outcome


def _lines(report: TallyReport) -> list[str]:
    n = report.n_statements
    counted = ngettext("%(n)d statement was counted again.", "%(n)d statements were counted again.", n) % {"n": n}
    if not report.differences:
        return [counted, _("All tallies are right.")]
    verdict = _("These were wrong and are right now:") if report.repaired else _("These are wrong:")
    rest = len(report.differences) - SHOWN
    more = ngettext("… and %(n)d more.", "… and %(n)d more.", rest) % {"n": rest}
    return [counted, verdict, *map(_line, report.differences[:SHOWN]), *([more] if rest > 0 else [])]


def _line(difference: TallyDifference) -> str:
    line = _("%(question)s/%(statement)s: %(field)s is %(stored)d, counted %(counted)d")
    return line % dataclasses.asdict(difference)
