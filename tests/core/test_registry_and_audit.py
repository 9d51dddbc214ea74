"""What apps offer a study, and the record of what the team did."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AnonymousUser

from core import audit, registry
from core.models import AuditEvent
from core.registry import StudyModule


def test_a_slug_is_registered_once() -> None:
    register = registry._Registry()
    register.register(StudyModule(slug="x", label="X"))
    with pytest.raises(ValueError, match="registered already"):
        register.register(StudyModule(slug="x", label="X"))


def test_lower_apps_come_first() -> None:
    slugs = [module.slug for module in registry.modules()]
    assert slugs.index("studies") < slugs.index("voting") < slugs.index("clustering")


def test_an_unknown_kind_of_block_is_named() -> None:
    with pytest.raises(LookupError, match="'dance'"):
        registry.block_runner("dance")


@pytest.mark.django_db
def test_an_event_outlives_the_account_that_made_it() -> None:
    researcher = get_user_model().objects.create_user("ada")
    audit.record("study.published", subject_kind="study", subject_id="s1", by=researcher, number=2)
    researcher.delete()

    event = AuditEvent.objects.get()

    assert event.by is None
    assert event.by_name == "ada"
    assert event.detail == {"number": 2}


@pytest.mark.django_db
@pytest.mark.parametrize("by", [None, AnonymousUser()])
def test_a_command_leaves_its_trace_too(by: AnonymousUser | None) -> None:
    assert audit.record("study.loaded", subject_kind="study", subject_id=1, by=by).by_name == "command line"
