"""Take in what was collected elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone
from django.utils.translation import gettext as _

from core.errors import NotThere
from core.management_base import Outcome, PolyphonyCommand
from studies.models import Study
from voting.services.responses import ImportedResponses, import_responses


class Command(PolyphonyCommand):
    """All or nothing; the same files again change nothing."""

    help = "Take in participants, statements, responses, ratings and votes collected elsewhere, in long form."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the study and the files."""
        parser.add_argument(
            "files",
            nargs="+",
            type=Path,
            metavar="FILE",
            help="tables in CSV, JSON Lines or Parquet, known by their columns; or the folder of an export",
        )
        parser.add_argument("--study", required=True, metavar="SLUG", help="the study")
        parser.add_argument("--dry-run", action="store_true", help="only check the files and say what would be done")
        parser.add_argument(
            "--spreadsheet-safe", action="store_true", help="the CSV files are spreadsheet-safe: take apostrophes away"
        )
        parser.add_argument(
            "--skip-other-revisions",
            action="store_true",
            help="leave out rows about revisions of questions and answers that the study does not have",
        )

    def perform(self, **options: Any) -> Outcome:
        """Import in one transaction, and say what was done."""
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise NotThere(_("There is no study %(slug)s here.") % {"slug": options["study"]})
        done = import_responses(
            study=study,
            files=options["files"],
            by=None,
            now=timezone.now(),
            dry_run=options["dry_run"],
            spreadsheet_safe=options["spreadsheet_safe"],
            skip_other_revisions=options["skip_other_revisions"],
        )
        return Outcome(_text(done), {"study": study.slug, **done.to_dict()})


def _text(done: ImportedResponses) -> str:
    lines = [_headline(done)]
    lines += [f"  {each.file}: {each.content}{_not_read(each.not_read)}" for each in done.files]
    for name, n_new in done.n_new.items():
        if done.n_rows[name] or n_new:
            numbers = {"name": name, "n": done.n_rows[name], "new": n_new, "history": _history(done, name)}
            lines.append("  " + _("%(name)s: %(n)d rows, %(new)d new%(history)s") % numbers)
    if n := done.n_other_revisions:
        lines.append("  " + _("%(n)d rows about other revisions were left out") % {"n": n})
    if n := done.n_erased:
        lines.append("  " + _("%(n)d rows of or about people who have withdrawn here were left out") % {"n": n})
    return "\n".join(lines)


def _headline(done: ImportedResponses) -> str:
    if done.is_unchanged:
        return _("Nothing is new: all of it is in the study already.")
    return _("Dry run, nothing was written. It would be imported:") if done.is_dry_run else _("Imported:")


def _not_read(names: tuple[str, ...]) -> str:
    return " " + _("(not read: %(names)s)") % {"names": ", ".join(names)} if names else ""


def _history(done: ImportedResponses, name: str) -> str:
    parts = []
    if n := done.n_changes.get(name):
        parts.append(_("%(n)d changed an earlier one") % {"n": n})
    if n := done.n_repeated.get(name):
        parts.append(_("%(n)d repeated the one before") % {"n": n})
    return f" ({', '.join(parts)})" if parts else ""
