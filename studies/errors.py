"""Rules of a study's life that were broken."""

from __future__ import annotations

from django.utils.translation import gettext as _

from core.errors import Conflict, Invalid
from studies.definition.checks import Problem


class NotPublishable(Invalid):
    """The draft cannot be published; `problems` says why, `fields` lists the messages by key of the definition."""

    default_code = "not_publishable"

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = tuple(problems)
        fields: dict[str, list[str]] = {}
        for problem in problems:
            fields.setdefault(problem.where, []).append(problem.message)
        message = _("The study cannot be published: %(why)s") % {"why": " ".join(map(str, problems))}
        super().__init__(message, fields=fields)


class SlugTaken(Conflict):
    """Slugs are unique across all studies, those of other groups included."""

    default_code = "slug_taken"

    def __init__(self, slug: str) -> None:
        super().__init__(_("The slug “%(slug)s” is taken already. Choose another.") % {"slug": slug})
