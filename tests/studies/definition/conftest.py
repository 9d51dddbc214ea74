from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from studies import services
from studies.definition import load_bytes
from studies.models import Study

WHOLE = dedent(
    """\
    schema_version: 1
    slug: parks
    title: "Parks and paths"
    summary: |
      We ask about parks.

      It takes a quarter of an hour.
    contact: "parks@example.org"
    ethics: {body: "Board of the institute", protocol: "2026-17"}
    pay: {amount: "4.50", currency: USD, minutes: 20}
    consent: "I take part of my own free will."
    form:
      - {code: age, kind: integer, label: "How old are you?", minimum: 18, maximum: 120}
      - code: sex
        kind: single
        label: "Sex"
        options: [{value: female, label: Female}, {value: male, label: Male}]
    assignment: {questions_each: 2}
    rate: {instructions: "Say how well your view is represented."}
    debrief: "Thank you."
    questions:
      - {code: q1, domain: parks, text: "Should parks close at night?"}
      - {code: q2, domain: paths, text: "Who should pay for paths?"}
    sources:
      - {code: s1, name: "Model one", settings: {temperature: 0.7}}
      - {code: s2, name: "Model two"}
    answers:
      - {question: q1, source: s1, text: "Yes, for quiet."}
      - {question: q1, source: s2, text: "Never, they belong to all."}
      - {question: q2, source: s1, text: "The town."}
      - {question: q2, source: s2, text: "Those who use them."}
    """
)


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


@pytest.fixture
def whole() -> str:
    """A definition that can be published."""
    return WHOLE


@pytest.fixture
def owner(django_user_model: Any) -> Any:
    return django_user_model.objects.create_user("olga", is_staff=True)


@pytest.fixture
def draft(db: None, owner: Any, now: datetime, whole: str) -> Study:
    """A draft that can be published, owned by Olga."""
    definition = load_bytes(whole.encode(), "study.yaml")
    return services.apply_definition(definition=definition, by=owner, now=now)[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path
