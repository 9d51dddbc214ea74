"""From the link to the end, in a browser without scripts and in one with htmx."""

from __future__ import annotations

import pytest

from studies.models import Enrolment, FreeResponse, RepresentationRating, Slot
from tests.factories import CODES
from tests.walking import Walker, read_text

ONE_QUESTION = ["write", "rate_intro", "rate", "rate"]


@pytest.mark.parametrize("htmx", [False, True], ids=["without scripts", "htmx"])
def test_a_person_walks_from_the_link_to_the_code(study, htmx: bool) -> None:
    walker = Walker(study.slug, htmx=htmx)
    walker.start()

    kinds = walker.walk()

    assert kinds == ["consent", "form", *ONE_QUESTION * 3, "complete"]
    assert CODES["complete"] in read_text(walker.page)
    enrolment = Enrolment.objects.get()
    assert enrolment.status == Enrolment.Status.COMPLETE
    assert enrolment.consented_at is not None
    assert FreeResponse.objects.count() == 3
    assert RepresentationRating.objects.current().count() == 6
    assert set(Slot.objects.values_list("status", flat=True)) == {"complete"}
