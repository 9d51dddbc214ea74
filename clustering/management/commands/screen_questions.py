from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from clustering.command_options import study_named
from clustering.inclusion import ORIGINS, STATUSES, Inclusion, default_origins
from clustering.screening import (
    COLUMNS,
    NEUTRAL,
    PARTY_ITEM,
    RECOMMENDATIONS,
    criterion_in_words,
    reasons_in_words,
    rows_of,
    screen_file,
    screen_study,
)
from clustering.stats.screening import Cutoffs, ScreeningReport
from core.errors import Invalid
from core.management_base import Outcome, PolyphonyCommand


class Command(PolyphonyCommand):
    """Say which questions of a pilot study to keep: consensus, neutrality across parties, importance."""

    help = "Screen the questions of a pilot study, or of a table, by consensus, neutral stances and importance."

    def add_arguments(self, parser: CommandParser) -> None:
        """What to read, and the cut-offs."""
        defaults = Cutoffs()
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--study", metavar="SLUG", help="The pilot study.")
        source.add_argument(
            "file", nargs="?", metavar="FILE", help="A table with question, participant, stance[, party, importance]."
        )
        parser.add_argument("--consensus", type=float, default=defaults.consensus, metavar="SHARE")
        parser.add_argument("--neutral", type=float, default=defaults.neutral, metavar="SHARE")
        parser.add_argument("--importance", type=float, default=defaults.importance, metavar="MEAN")
        parser.add_argument("--minimum-people", type=int, default=defaults.minimum_people, metavar="N")
        parser.add_argument("--minimum-party", type=int, default=defaults.minimum_party, metavar="N")
        parser.add_argument("--minimum-parties", type=int, default=defaults.minimum_parties, metavar="N")
        parser.add_argument("--level", type=float, default=defaults.level, metavar="P", help="Of the intervals.")
        parser.add_argument("--neutral-stance", default=NEUTRAL, metavar="VALUE")
        parser.add_argument("--party-item", default=PARTY_ITEM, metavar="CODE", help="Form item that asks the party.")
        parser.add_argument("--origin", action="append", choices=[origin.value for origin in ORIGINS])
        parser.add_argument("--status", action="append", choices=[status.value for status in STATUSES])
        parser.add_argument("--csv", action="store_true", help="Print the table as CSV.")

    def perform(self, **options: Any) -> Outcome:
        """Screen, and print a line a question."""
        names = Cutoffs.__dataclass_fields__
        try:
            cutoffs = Cutoffs(**{name: options[name] for name in names})
        except ValueError as problem:
            raise Invalid(_("These are no cut-offs: %(why)s.") % {"why": problem}) from problem
        report = self._report(cutoffs, options)
        return Outcome(_as_csv(report) if options["csv"] else _as_text(report), report.to_dict())

    def _report(self, cutoffs: Cutoffs, options: dict[str, Any]) -> ScreeningReport:
        if options["file"]:
            return screen_file(Path(options["file"]), cutoffs=cutoffs, neutral_stance=options["neutral_stance"])
        study = study_named(options["study"])
        statuses = tuple(options["status"] or Inclusion(("live",)).statuses)
        return screen_study(
            study,
            inclusion=Inclusion(tuple(options["origin"] or default_origins(study)), statuses),
            cutoffs=cutoffs,
            party_item=options["party_item"],
            neutral_stance=options["neutral_stance"],
        )


def _as_text(report: ScreeningReport) -> str:
    lines = []
    for question in report.questions:
        why = f" ({reasons_in_words(question.reasons)})" if question.reasons else ""
        lines.append(f"{question.question}: {RECOMMENDATIONS[question.recommendation]}{why}")
        lines += [f"  {name}: {criterion_in_words(each)}" for name, each in question.criteria.items()]
    lines.append(f"keep {report.n_keep}, drop {report.n_drop}, undecided {report.n_undecided}")
    return "\n".join(lines)


def _as_csv(report: ScreeningReport) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows_of(report))
    return text.getvalue().rstrip("\n")
