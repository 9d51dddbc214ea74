"""The filters of the participant's pages."""

from __future__ import annotations

import pytest

from core.templatetags.pages import for_field

ERRORS = [{"field": "text", "message": "Too short"}, {"field": "text", "message": "Too plain"}]


@pytest.mark.parametrize(
    ("errors", "field", "message"),
    [(ERRORS, "text", "Too short"), (ERRORS, "stance", ""), ([], "text", ""), (None, "text", ""), ("", "text", "")],
)
def test_the_first_error_of_a_field_is_its_message(errors: object, field: str, message: str) -> None:
    assert for_field(errors, field) == message  # type: ignore[arg-type]
