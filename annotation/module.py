"""What `annotation` offers a study through the registry."""

from __future__ import annotations

from django.utils import timezone
from django.utils.translation import gettext_lazy

from annotation.services import erasure
from core.registry import StudyModule
from studies.models import Enrolment


def erase(enrolment: Enrolment, policy: str) -> int:
    """What withdrawal does here."""
    return erasure.erase_participation(enrolment=enrolment, policy=policy, now=timezone.now())


module = StudyModule(slug="annotation", label=gettext_lazy("Annotation"), erase=erase)
