"""A draft walked from its page to the end as a participant: it counts for nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from studies import selectors, services
from studies.definition import load_bytes, load_file
from studies.models import Enrolment, FreeResponse, Question, Study
from studies.recruitment.assignment import taken_places
from tests.walking import Walker
from voting.models import Statement, Vote

EXAMPLE = Path(__file__).parents[2] / "examples" / "public_life" / "study.yaml"


@pytest.fixture
def example(researcher: Any) -> Study:
    """The example study as a draft of the researcher's."""
    definition = load_file(EXAMPLE)
    return services.apply_definition(definition=definition, by=researcher, now=timezone.now())[0]


@pytest.fixture
def previewed(example: Study, researcher: Any) -> Walker:
    """Who has walked the draft to its end."""
    client = Client()
    client.force_login(researcher)
    walker = Walker(example.slug, client=client)
    walker.page = client.post(reverse("studies:preview", args=[example.slug]), follow=True)
    walker.walk()
    return walker


def test_a_preview_of_a_draft_counts_for_nothing(example: Study, previewed: Walker) -> None:
    enrolment = Enrolment.objects.get()
    assert (enrolment.origin, enrolment.status) == ("preview", "complete")
    assert FreeResponse.objects.count() == 3
    assert "PREVIEW" in previewed.page.content.decode()
    example.refresh_from_db()
    assert example.status == Study.Status.DRAFT

    services.publish_study(study=example, by=None, now=timezone.now())

    questions = list(Question.objects.filter(study=example))
    assert set(taken_places(questions, now=timezone.now()).values()) == {0}
    assert selectors.people_of(example).total == 0
    assert all(label == "Last results (UTC)" or value == 0 for label, value in selectors.module_summary(example))
    live = Walker(example.slug)
    live.start()
    live.walk()
    shown = Statement.objects.filter(exposures__enrolment__origin="live")
    assert shown.exists()
    assert not shown.filter(is_preview=True).exists()


def test_a_draft_that_was_previewed_can_be_changed(example: Study, previewed: Walker) -> None:
    assert Vote.objects.exists()
    changed = 'slug: public-life\ntitle: "Other"\nquestions: [{code: fares, text: "Another text?"}]\n'

    services.apply_definition(definition=load_bytes(changed.encode(), "study.yaml"), by=None, now=timezone.now())

    current = Question.objects.filter(study=example, is_current=True)
    assert [(row.code, row.text) for row in current] == [("fares", "Another text?")]


def test_what_cannot_be_walked_cannot_be_previewed(example: Study, researcher: Any) -> None:
    empty = load_bytes(b'slug: public-life\ntitle: "Other"\n', "study.yaml")
    services.apply_definition(definition=empty, by=None, now=timezone.now())
    client = Client()
    client.force_login(researcher)

    page = client.post(reverse("studies:preview", args=[example.slug]), follow=True)

    assert "each participant is to get 3" in page.content.decode()
    assert not Enrolment.objects.exists()


def test_the_same_draft_is_frozen_once_for_previews(example: Study) -> None:
    first = services.freeze_preview(study=example, by=None, now=timezone.now())
    again = services.freeze_preview(study=example, by=None, now=timezone.now())

    assert first == again
    assert first.number is None
    assert example.current_version is None
