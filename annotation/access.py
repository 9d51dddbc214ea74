"""Who may see and do what in a campaign. One place for views, API and admin."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext as _

from annotation.models import Campaign, CampaignMember, Rater, Unblinding

Role = CampaignMember.Role

#: Who may do what a role may do. Analysts, adjudicators and watchers may each do their own, owners all of it.
MAY_ACT_AS: dict[str, frozenset[str]] = {
    Role.OWNER: frozenset({Role.OWNER}),
    Role.ANALYST: frozenset({Role.OWNER, Role.ANALYST}),
    Role.ADJUDICATOR: frozenset({Role.OWNER, Role.ADJUDICATOR}),
    Role.WATCHER: frozenset({Role.OWNER, Role.ANALYST, Role.WATCHER}),
}
VIEW_HIDDEN = "annotation.view_hidden"


def role_of(user: Any, campaign: Campaign) -> str | None:
    """The role of `user` in the team, None for a stranger; a superuser is an owner everywhere."""
    if not user.is_authenticated or not user.is_active:
        return None
    if user.is_superuser:
        return Role.OWNER
    return CampaignMember.objects.filter(campaign=campaign, user=user).values_list("role", flat=True).first()


def may(user: Any, campaign: Campaign, needs: str | None = None) -> bool:
    """Whether `user` may do what the role `needs` may do; without one, what any of the team may."""
    role = role_of(user, campaign)
    return role is not None if needs is None else role in MAY_ACT_AS[needs]


def campaign_for(user: Any, slug: str, needs: str | None = None) -> Campaign:
    """The campaign `slug` for `user`, who needs the rights of the role `needs`, or of any of the team.

    Raises
    ------
    Http404
        If there is no such campaign, or the user must not learn that there is.
    PermissionDenied
        If the user sees the campaign but lacks the role.
    """
    campaign = Campaign.objects.visible_to(user).filter(slug=slug).first()
    if campaign is None:
        raise Http404
    if not may(user, campaign, needs):
        raise PermissionDenied(_("Your role in this campaign does not allow this."))
    return campaign


def is_rater(user: Any, campaign: Campaign) -> bool:
    """Whether `user` judges in the campaign, or did."""
    return user.is_authenticated and Rater.objects.filter(campaign=campaign, account=user).exists()


def is_unblinded(campaign: Campaign) -> bool:
    """Whether the hidden fields of the campaign's packet were released."""
    return Unblinding.objects.filter(lock__packet=campaign.current_packet_id).exists()


def may_see_hidden(user: Any, campaign: Campaign) -> bool:
    """Whether `user` may see hidden fields: the team after unblinding; before, with the permission, unless they judge.

    Whoever judges must not see them even as a superuser: the permission would void the audit.
    """
    if not may(user, campaign):
        return False
    return is_unblinded(campaign) or (user.has_perm(VIEW_HIDDEN) and not is_rater(user, campaign))
