"""Weights of pairs of labels from a file: how much two labels agree, or how far they are apart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from django.utils.translation import gettext as _

from annotation.files.grids import Cells, grid
from annotation.files.shapes import is_table
from annotation.stats.scales import FloatArray
from core.errors import Problems, bad_file


def read_weights(source: str | Path | bytes, name: str) -> tuple[tuple[str, ...], FloatArray]:
    """Labels, and agreement weights of each pair of them, 1 on the diagonal.

    A table with 0 along its diagonal holds disagreement weights: :math:`w=1-d/d_{max}`.

    Raises
    ------
    BadInput
        If the table is not square, not symmetric, or its diagonal is neither 0 nor 1.
    """
    problems = Problems()
    with grid(source, name, problems) as table:
        rows = [cells for _line, cells in table.rows]
    problems.raise_if_any()
    labels = tuple(table.header[1:])
    if not is_table(table.header, rows):
        message = _("A table of weights has the same labels in its rows as in its columns, in one order.")
        raise bad_file(name, message, _("Write it as ,yes,no, then yes,1,0 and no,0,1."), line=1)
    values = np.array([[float(cell or 0) for cell in cells[1:]] for cells in rows])
    diagonal = np.diag(values)
    if not np.allclose(values, values.T) or not (np.all(diagonal == 0) or np.all(diagonal == 1)) or not values.any():
        message = _("Weights are symmetric, with 1 along the diagonal for agreement or 0 for disagreement.")
        raise bad_file(name, message, _("Correct the table."), line=1)
    return labels, values if diagonal[0] == 1 else 1 - values / values.max()


def looks_like_weights(header: Sequence[str], rows: Sequence[Cells]) -> bool:
    """Whether a table is one of weights: no name in its corner, and 0 or 1 along its diagonal."""
    if not header or header[0] or not is_table(header, rows):
        return False
    diagonal = {float(row[place] or 0) for place, row in enumerate(rows, start=1)}
    return diagonal in ({0.0}, {1.0})
