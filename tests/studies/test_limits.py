"""A form of the admin refuses what a definition file refuses, with the same limits."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.urls import URLPattern

from clustering import urls as clustering_urls
from core.errors import BadInput
from core.strictyaml import read
from studies import urls, urls_participant
from studies.definition.schema import file_spec
from studies.models.validators import LARGE, RESERVED_SLUGS, SMALL
from tests.factories import StudyFactory, VoteSettingsFactory

pytestmark = pytest.mark.django_db

OUTSIDE = [
    ("places", 0, "recruitment: {places: 0}"),
    ("places", LARGE + 1, f"recruitment: {{places: {LARGE + 1}}}"),
    ("session_minutes", 4, "recruitment: {session_minutes: 4}"),
    ("pay_amount", "-0.01", 'pay: {amount: "-0.01"}'),
    ("pay_amount", "1000000.00", 'pay: {amount: "1000000.00"}'),
    ("pay_minutes", 0, "pay: {minutes: 0}"),
    ("pay_minutes", SMALL + 1, f"pay: {{minutes: {SMALL + 1}}}"),
    ("questions_each", 0, "assignment: {questions_each: 0}"),
    ("slot_minutes", 4, "assignment: {slot_minutes: 4}"),
    ("write_minimum", -1, "write: {minimum: -1}"),
    ("write_minimum", 10_001, "write: {minimum: 10001}"),
    ("write_maximum", 0, "write: {maximum: 0}"),
    ("write_maximum", 10_001, "write: {maximum: 10001}"),
    ("slug", "upload", "slug: upload"),
    ("slug", "Upper", "slug: Upper"),
]
INSIDE = [
    ("places", 1, "recruitment: {places: 1}"),
    ("session_minutes", 5, "recruitment: {session_minutes: 5}"),
    ("pay_amount", "0", 'pay: {amount: "0"}'),
    ("pay_minutes", 1, "pay: {minutes: 1}"),
    ("questions_each", 1, "assignment: {questions_each: 1}"),
    ("slot_minutes", 5, "assignment: {slot_minutes: 5}"),
    ("write_minimum", 0, "write: {minimum: 0}"),
    ("write_maximum", 10_000, "write: {maximum: 10000}"),
    ("slug", "uploads", "slug: uploads"),
]


def in_file(line: str) -> None:
    """Read a file that says `line` beside what it must say."""
    needed = {"slug": "slug: parks", "title": "title: Parks"}
    lines = [text for key, text in needed.items() if not line.startswith(f"{key}:")]
    read("\n".join([*lines, line, ""]), "study.yaml", file_spec())


@pytest.mark.parametrize(("column", "value", "line"), OUTSIDE)
def test_what_is_outside_is_refused_in_both(column: str, value: Any, line: str) -> None:
    study = StudyFactory()
    setattr(study, column, value)
    with pytest.raises(ValidationError) as caught:
        study.full_clean()
    assert column in caught.value.message_dict
    with pytest.raises(BadInput):
        in_file(line)


@pytest.mark.parametrize(("column", "value", "line"), INSIDE)
def test_what_is_just_inside_is_taken_in_both(column: str, value: Any, line: str) -> None:
    study = StudyFactory(write_minimum=0)
    setattr(study, column, value)
    study.full_clean()
    in_file(line)


@pytest.mark.parametrize("value", [0, 1001, 30_000])
def test_the_votes_asked_for_have_one_range(value: int) -> None:
    settings = VoteSettingsFactory()
    settings.minimum = value
    with pytest.raises(ValidationError, match="minimum"):
        settings.full_clean()
    with pytest.raises(BadInput):
        in_file(f"vote: {{minimum: {value}}}")


def test_a_bound_of_a_form_item_fits_its_column() -> None:
    item = "form: [{{code: a, kind: integer, label: A, options: [], minimum: {}}}]"
    in_file(item.format(-LARGE - 1))
    with pytest.raises(BadInput):
        in_file(item.format(-LARGE - 2))


def test_a_reserved_slug_says_why() -> None:
    with pytest.raises(BadInput, match="not possible") as caught:
        in_file("slug: upload")
    assert "address" in str(caught.value)


def test_every_fixed_segment_beside_a_slug_is_reserved() -> None:
    fixed = set()
    for module in (urls, urls_participant, clustering_urls):
        for pattern in module.urlpatterns:
            assert isinstance(pattern, URLPattern)
            first = str(pattern.pattern).split("/")[0]
            if first and not first.startswith("<"):
                fixed.add(first)
    assert fixed == RESERVED_SLUGS
