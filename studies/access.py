"""Who may see and do what in a study. One place for views, API and admin."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from studies.models import Membership, Study

Role = Membership.Role

#: Who may do what a role may do: an owner everything, an editor what analysts and moderators may.
MAY_ACT_AS: dict[str, frozenset[str]] = {
    Role.OWNER: frozenset({Role.OWNER}),
    Role.EDITOR: frozenset({Role.OWNER, Role.EDITOR}),
    Role.ANALYST: frozenset({Role.OWNER, Role.EDITOR, Role.ANALYST}),
    Role.MODERATOR: frozenset({Role.OWNER, Role.EDITOR, Role.MODERATOR}),
    Role.ANNOTATOR: frozenset({Role.OWNER, Role.EDITOR, Role.ANNOTATOR}),
}
#: Who sees the team's pages of a study. An annotator judges blindly, and would see results there.
TEAM: frozenset[str] = frozenset({Role.OWNER, Role.EDITOR, Role.ANALYST, Role.MODERATOR})


def role_of(user: Any, study: Study) -> str | None:
    """The role of `user` in `study`, None for a stranger; a superuser is an owner everywhere."""
    if not user.is_authenticated or not user.is_active:
        return None
    if user.is_superuser:
        return Role.OWNER
    return Membership.objects.filter(study=study, user=user).values_list("role", flat=True).first()


def may(user: Any, study: Study, needs: str | None = None) -> bool:
    """Whether `user` may do in `study` what the role `needs` may do; without one, what any of the team may."""
    allowed = TEAM if needs is None else MAY_ACT_AS[needs]
    return role_of(user, study) in allowed


def study_for(user: Any, slug: str, needs: str | None = None) -> Study:
    """The study `slug` for `user`, who needs the rights of the role `needs`, or of any of the team.

    Raises
    ------
    Http404
        If there is no such study, or the user must not learn that there is.
    PermissionDenied
        If the user sees the study but lacks the role.
    """
    study = Study.objects.visible_to(user).filter(slug=slug).first()
    if study is None:
        raise Http404
    if not may(user, study, needs):
        raise PermissionDenied(_("Your role in this study does not allow this."))
    return study


def team_studies(user: Any) -> QuerySet[Study]:
    """The studies whose pages `user` may see as one of the team."""
    return _in_role(user, TEAM)


def readable_studies(user: Any) -> QuerySet[Study]:
    """The studies whose data `user` may read."""
    return _in_role(user, MAY_ACT_AS[Role.ANALYST])


def editable_studies(user: Any) -> QuerySet[Study]:
    """The studies whose definition `user` may change while they are drafts."""
    return _in_role(user, MAY_ACT_AS[Role.EDITOR])


def _in_role(user: Any, roles: frozenset[str]) -> QuerySet[Study]:
    visible = Study.objects.visible_to(user)
    if user.is_superuser or not user.is_authenticated:
        return visible
    return visible.filter(pk__in=Membership.objects.filter(user=user, role__in=roles).values("study_id"))


def may_create(user: Any) -> bool:
    """Whether `user` may create studies: staff may, and become owners of theirs."""
    return bool(user.is_active and user.is_staff)
