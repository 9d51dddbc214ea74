"""How a constraint is tested: a good row passes, the row that breaks it does not, and the database names it."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction


def refuses(name: str, row: Any, /, **changes: Any) -> None:
    """Assert that the database refuses `changes` to the stored `row` by the constraint `name`."""
    rows = type(row)._default_manager.filter(pk=row.pk)
    assert rows.exists()
    with pytest.raises(IntegrityError) as caught, transaction.atomic():
        rows.update(**changes)
    if connection.vendor == "postgresql" or "CHECK" in str(caught.value):
        # SQLite names the columns of a broken unique index, not the index.
        assert name in str(caught.value)
