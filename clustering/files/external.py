"""Scores of sources from elsewhere, which a run sets beside its own."""

from __future__ import annotations

from pathlib import Path

from django.utils.translation import gettext as _

from clustering.files.bundles import tables_at
from clustering.files.scores import SOURCE, clean
from core.errors import bad_file
from core.tables import InputColumn, Kind, TableSpec, stream_table


def read_external(path: Path) -> dict[str, dict[str, float]]:
    """Name of a score to source to number: a table with `source` (or `model`) and a column for each score.

    An empty cell is a source without that score.

    Raises
    ------
    BadInput
        With every problem by file, line and column.
    """
    tables = tables_at(path)
    named = [name for name in SOURCE if name in tables[0].columns]
    scores = [name for name in tables[0].columns if name not in SOURCE]
    if len(tables) != 1 or len(named) != 1 or not scores:
        message = _("This is no table of other scores.")
        raise bad_file(path.name, message, _("It has one column source or model, and one for each score."))
    columns = [InputColumn(name, Kind.NUMBER, nullable=True) for name in scores]
    spec = TableSpec((InputColumn(named[0]), *columns), unique=((named[0],),))
    found: dict[str, dict[str, float]] = {name: {} for name in scores}
    for row in stream_table(tables[0].source, tables[0].name, spec):
        for name in scores:
            if row[name] is not None:
                found[name][clean(row[named[0]])] = float(row[name])
    return found
