"""Who may see and moderate statements and votes."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from studies.access import MAY_ACT_AS, TEAM, Role, may
from studies.models import Study
from voting.models import Statement


def studies_of_team(user: Any) -> QuerySet[Study]:
    """The studies in whose team `user` is. An annotator judges blindly, and would see how people voted."""
    return _studies_with_role(user, TEAM)


def moderated_studies(user: Any) -> QuerySet[Study]:
    """The studies whose statements `user` may approve and reject."""
    return _studies_with_role(user, MAY_ACT_AS[Role.MODERATOR])


def may_moderate(user: Any, study: Study) -> bool:
    """Whether `user` may approve and reject the study's statements."""
    return may(user, study, Role.MODERATOR)


def may_edit(user: Any, study: Study) -> bool:
    """Whether `user` may change the study's draft."""
    return may(user, study, Role.EDITOR)


def moderated_statements(user: Any) -> QuerySet[Statement]:
    """The statements that `user` may approve and reject."""
    return Statement.objects.filter(question__study__in=moderated_studies(user))


def _studies_with_role(user: Any, roles: frozenset[str]) -> QuerySet[Study]:
    studies = Study.objects.visible_to(user)
    if user.is_authenticated and user.is_superuser:
        return studies
    return studies.filter(memberships__user_id=user.pk, memberships__role__in=roles)
