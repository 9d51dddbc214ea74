"""What `prediction` offers a study through the registry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.registry import StudyModule
from prediction import exports, services
from studies.models import Study


def pages(study: Study, user: Any) -> Sequence[tuple[Any, str]]:
    """The predictions of the study."""
    return [(_("Predictions"), reverse("prediction:overview", args=[study.slug]))]


module = StudyModule(
    slug="prediction",
    label=gettext_lazy("Predicted ratings"),
    tables=exports.tables,
    pages=pages,
    erase=services.erase_participation,
)
