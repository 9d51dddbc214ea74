"""The filters of pages."""

from __future__ import annotations

import pytest

from core.templatetags.pages import by_column, for_field

ERRORS = [{"field": "text", "message": "Too short"}, {"field": "text", "message": "Too plain"}]


@pytest.mark.parametrize(
    ("errors", "field", "message"),
    [(ERRORS, "text", "Too short"), (ERRORS, "stance", ""), ([], "text", ""), (None, "text", ""), ("", "text", "")],
)
def test_the_first_error_of_a_field_is_its_message(errors: object, field: str, message: str) -> None:
    assert for_field(errors, field) == message  # type: ignore[arg-type]


def test_cells_are_given_with_the_columns_they_stand_in() -> None:
    columns = [{"label": "Source", "numeric": False}, {"label": "Score", "numeric": True}]

    assert list(by_column(["A", "0.5"], columns)) == [("A", columns[0]), ("0.5", columns[1])]


def test_a_row_of_another_length_than_the_header_is_an_error() -> None:
    with pytest.raises(ValueError, match="longer"):
        list(by_column(["A"], [{"label": "Source"}, {"label": "Score"}]))
