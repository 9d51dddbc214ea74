"""What `annotation` offers a study through the registry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.blocks import AnnotateRunner
from annotation.models import Campaign
from annotation.sections import AnnotateSection
from annotation.services import erasure
from core.registry import StudyModule
from studies.models import Enrolment, Study


def erase(enrolment: Enrolment, policy: str) -> int:
    """What withdrawal does here."""
    return erasure.erase_participation(enrolment=enrolment, policy=policy, now=timezone.now())


def summary(study: Study) -> Sequence[tuple[Any, Any]]:
    """How many audits judge texts of the study; nothing if there are none."""
    n = Campaign.objects.filter(study=study).count()
    return [(_("Blind audits"), n)] if n else []


def pages(study: Study, user: Any) -> Sequence[tuple[Any, str]]:
    """The audits of the study that the account may open."""
    campaigns = Campaign.objects.visible_to(user).filter(study=study).order_by("pk")
    return [
        (_("Audit: %(slug)s") % {"slug": each.slug}, reverse("audits:campaign", args=[each.slug])) for each in campaigns
    ]


def admin_inlines() -> Sequence[Any]:
    """The settings of the annotate block, on the page of a draft."""
    # The admin's modules may be imported only once all apps are there.
    from annotation.admin_block import AnnotateSettingsInline

    return [AnnotateSettingsInline]


module = StudyModule(
    slug="annotation",
    label=gettext_lazy("Annotation"),
    blocks=(AnnotateRunner(),),
    sections=(AnnotateSection(),),
    summary=summary,
    pages=pages,
    erase=erase,
    admin_inlines=admin_inlines,
)
