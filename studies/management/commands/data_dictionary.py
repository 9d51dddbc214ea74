"""Print the data dictionary of exports."""

from __future__ import annotations

from typing import Any

from django.utils import translation

from core.management_base import Outcome, PolyphonyCommand
from core.tables import data_dictionary
from studies.data.folder import all_tables, dictionary_text


class Command(PolyphonyCommand):
    """The tables of every app with their columns, as exports write them; `docs/data-dictionary.md` is its output."""

    help = "Print the data dictionary of exports: every table and column, in Markdown."

    def perform(self, **options: Any) -> Outcome:
        """Make it of the declarations."""
        # The committed copy must not depend on whose machine printed it.
        with translation.override("en"):
            dictionary = data_dictionary(all_tables(), include_personal=True)
            names = [column.name for column in dictionary.columns]
            rows = [dict(zip(names, row, strict=True)) for row in dictionary.rows()]
            return Outcome(dictionary_text(include_personal=True).rstrip("\n"), {"columns": rows})
