"""Recruiters' ids are deleted once they are no longer needed, and nothing else with them."""

from __future__ import annotations

from typing import Any

import pytest

from core.models import AuditEvent
from studies.models import Enrolment, ExternalIdentity, Study
from studies.recruitment.services import StillOpen, delete_external_ids
from tests.factories import NOW, ExternalIdentityFactory


def test_the_ids_of_one_study_go_and_its_people_stay(study: Study, researcher: Any) -> None:
    for _n in range(2):
        ExternalIdentityFactory(enrolment__study=study, study=study)
    other = ExternalIdentityFactory()
    Study.objects.filter(pk=study.pk).update(status="paused")

    assert delete_external_ids(study=study, by=researcher, now=NOW) == 2

    assert ExternalIdentity.objects.get() == other
    assert Enrolment.objects.filter(study=study).count() == 2
    event = AuditEvent.objects.get()
    assert (event.event, event.detail, event.by_name) == (
        "study.external_ids_deleted",
        {"n": 2},
        researcher.get_username(),
    )
    assert event.study_id == str(study.public_id)


def test_who_comes_in_is_told_apart_as_long_as_the_study_is_open(study: Study, researcher: Any) -> None:
    ExternalIdentityFactory(enrolment__study=study, study=study)

    with pytest.raises(StillOpen, match="Pause or close"):
        delete_external_ids(study=study, by=researcher, now=NOW)

    assert ExternalIdentity.objects.exists()
