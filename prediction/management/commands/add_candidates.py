from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from clustering.command_options import study_named
from core.management_base import Outcome, PolyphonyCommand
from prediction import services


class Command(PolyphonyCommand):
    """Add answers of new models to a closed study for prediction alone."""

    help = "Take a table (question, source, text[, name]) of answers that nobody rated into a closed study."

    def add_arguments(self, parser: CommandParser) -> None:
        """The study and the table."""
        parser.add_argument("--study", required=True, metavar="SLUG", help="The study; it must be closed.")
        parser.add_argument("file", type=Path, metavar="FILE", help="CSV, JSON Lines or Parquet.")
        parser.add_argument("--dry-run", action="store_true", help="Only say what would be added.")

    def perform(self, **options: Any) -> Outcome:
        """Take the table in and say what is new."""
        study = study_named(options["study"])
        file: Path = options["file"]
        done = services.add_candidates(
            study=study, source=file, name=file.name, by=None, now=timezone.now(), dry_run=options["dry_run"]
        )
        verb = "would add" if done.is_dry_run else "added"
        text = f"{file.name}: {done.n_rows} rows, {verb} {done.n_new} answers of {', '.join(done.candidates)}"
        return Outcome(text, {"study": study.slug, "added": done.to_dict()})
