"""What all kinds of rows share."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

from clustering.drawing import Drawn
from clustering.models import RunFigure
from core.models import Run


def finite(value: float) -> float | None:
    """The number, or None where it is undefined."""
    return None if math.isnan(value) else float(value)


def store_figures(run: Run, drawn: list[Drawn]) -> None:
    """Write the figures of a run with the numbers beside them."""
    RunFigure.objects.bulk_create(
        RunFigure(run=run, name=figure.name, specification=figure.specification, table=figure.table) for figure in drawn
    )


@contextmanager
def drawn_quickly() -> Iterator[None]:
    """Draw without checking each piece of a chart against the schema, which takes longer than the clustering.

    The tests of the figures draw the same charts with all checks.
    """
    from altair.utils.schemapi import debug_mode

    with debug_mode(False):
        yield
