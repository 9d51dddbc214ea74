"""Write everything about a study into a folder."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone
from django.utils.translation import gettext as _

from core.errors import NotThere
from core.management_base import Outcome, PolyphonyCommand
from core.tables import Format
from studies.data.folder import Content, Tell
from studies.data.services import export_study
from studies.models import Study

DEFAULT = (Format.CSV, Format.PARQUET)
LINE_EVERY_S = 3.0


class Command(PolyphonyCommand):
    """Raw tables, data dictionary, definitions and manifest, of one moment; the folder appears complete or not."""

    help = "Write the tables of a study with data dictionary, definitions and manifest into a new folder."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the study, the folder, and how."""
        parser.add_argument("study", metavar="SLUG", help="the study")
        parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="a folder, new or empty")
        parser.add_argument(
            "--format",
            dest="formats",
            action="extend",
            nargs="+",
            choices=[str(form) for form in Format],
            help="one or more; csv and parquet without it",
        )
        parser.add_argument(
            "--spreadsheet-safe", action="store_true", help="write CSV so that a spreadsheet runs no formula"
        )
        parser.add_argument(
            "--include-external-ids",
            action="store_true",
            help="also what is personal: recruiters' ids, and what came too late",
        )

    def perform(self, **options: Any) -> Outcome:
        """Export, and say what was written."""
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise NotThere(_("There is no study %(slug)s here.") % {"slug": options["study"]})
        content = export_study(
            study=study,
            folder=options["out"],
            formats=options["formats"] or DEFAULT,
            spreadsheet_safe=options["spreadsheet_safe"],
            include_external_ids=options["include_external_ids"],
            by=None,
            now=timezone.now(),
            tell=self._teller(),
        )
        return Outcome(_text(content, options["out"]), {"folder": str(options["out"]), **content})

    def _teller(self) -> Tell:
        """What prints a line of progress every few seconds, so that small exports print none."""
        told = time.monotonic()

        def tell(done: int, total: int, note: str) -> None:
            nonlocal told
            if time.monotonic() - told >= LINE_EVERY_S:
                told = time.monotonic()
                message = _("%(done)d of %(total)d files written, %(table)s next")
                self.progress(message % {"done": done, "total": total, "table": note})

        return tell


def _text(content: Content, folder: Path) -> str:
    rows = {entry["name"]: entry["rows"] for entry in content["tables"]}
    width = max(map(len, rows))
    lines = [f"  {name:<{width}} {n:>9}" for name, n in rows.items()]
    return "\n".join([_("Exported to %(folder)s; rows of each table:") % {"folder": folder}, *lines])
