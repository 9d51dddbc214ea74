"""What `studies` itself offers a study through the registry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.registry import StudyModule
from studies import access, exports
from studies.data.withdrawal import erase
from studies.models import Study
from studies.selectors import summary
from studies.session.runners import RUNNERS


def pages(study: Study, user: Any) -> Sequence[tuple[Any, str]]:
    """Where the team takes its data out, for those who may read them."""
    if not access.may(user, study, access.Role.ANALYST):
        return []
    return [(_("Exports"), reverse("studies:exports", args=[study.slug]))]


module = StudyModule(
    slug="studies",
    label=gettext_lazy("Studies"),
    blocks=RUNNERS,
    tables=exports.tables,
    summary=summary,
    erase=erase,
    pages=pages,
)
