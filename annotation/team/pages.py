"""What every page of a campaign's team shows, and how an act answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from annotation import access
from annotation.access import Role
from annotation.models import Campaign
from annotation.selectors.teams import campaign_nav
from core.errors import DomainError


def page(
    request: HttpRequest, campaign: Campaign, template: str, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    """A page of the campaign, with the bar above it."""
    shared = {
        "campaign": campaign,
        "study_nav": campaign_nav(campaign, request.user, request.path),
        "is_owner": access.may(request.user, campaign, Role.OWNER),
        "judges_too": access.is_rater(request.user, campaign),
        "sees_hidden": access.may_see_hidden(request.user, campaign),
    }
    return render(request, f"annotation/team/{template}", shared | context, status=status)


def act(
    request: HttpRequest, campaign: Campaign, service: Callable[..., Any], done: str, to: str, /, **arguments: Any
) -> HttpResponse:
    """Do what a service does and go to a page, with what it says against it if it does not."""
    try:
        service(by=request.user, now=timezone.now(), **arguments)
    except DomainError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, done)
    return redirect(to, campaign.slug)
