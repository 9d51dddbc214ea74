"""The end of judging: lock, unblind, adjudicate."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import Role, campaign_for
from annotation.models import Campaign, Dimension, Item, Packet
from annotation.selectors import disagreements, teams
from annotation.services import closing
from annotation.team.forms import ConfirmForm, DecisionForm, LockForm
from annotation.team.pages import act, page
from core.errors import DomainError


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def lock(request: HttpRequest, slug: str) -> HttpResponse:
    """Say how far the packet is judged, then end judging."""
    campaign = campaign_for(request.user, slug, needs=Role.OWNER)
    form = LockForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        reason = form.cleaned_data["override_reason"]
        try:
            closing.lock(campaign=campaign, by=request.user, now=timezone.now(), override_reason=reason)
        except DomainError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Judging is over: answers can no longer be given or changed."))
            return redirect("audits:campaign", slug)
    standing = teams.standing_of(campaign)
    if standing.stage != "judging":
        return redirect("audits:campaign", slug)
    status = 422 if form.errors else 200
    return page(request, campaign, "lock.html", {"standing": standing, "form": form}, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def unblind(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what is released and by whom, then do it, for good."""
    campaign = campaign_for(request.user, slug, needs=Role.OWNER)
    standing = teams.standing_of(campaign)
    if standing.stage != "locked" or standing.packet is None:
        return redirect("audits:campaign", slug)
    form = ConfirmForm(campaign, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        done = _("The hidden fields are released. This is on record.")
        return act(request, campaign, closing.unblind, done, "audits:campaign", campaign=campaign)
    context = {
        "standing": standing,
        "form": form,
        "hidden": [field["name"] for field in standing.packet.hidden_fields],
        "n_items": standing.packet.items.count(),
    }
    return page(request, campaign, "unblind.html", context, status=422 if form.errors else 200)


@require_safe
@never_cache
@login_required
def adjudication(request: HttpRequest, slug: str) -> HttpResponse:
    """Where raters disagree, and what was decided."""
    campaign = campaign_for(request.user, slug, needs=Role.ADJUDICATOR)
    standing = teams.standing_of(campaign)
    lines = disagreements.disagreements(standing.lock.packet) if standing.lock is not None else []
    context = {"standing": standing, "lines": lines, "n_open": sum(not line.is_decided for line in lines)}
    return page(request, campaign, "adjudication.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def decide(request: HttpRequest, slug: str, key: str, code: str) -> HttpResponse:
    """One item and dimension: what was said, what was decided before, and the form to decide."""
    campaign = campaign_for(request.user, slug, needs=Role.ADJUDICATOR)
    item, dimension = _asked(campaign, key, code)
    form = DecisionForm(dimension, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            closing.adjudicate(
                item=item,
                dimension=dimension,
                given=form.given(),
                reason=form.cleaned_data["reason"],
                by=request.user,
                now=timezone.now(),
            )
        except DomainError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("The decision is kept. What the raters said stays beside it."))
            return redirect("audits:adjudication", slug)
    texts = disagreements.label_texts(dimension)
    context = {
        "item": item,
        "dimension": dimension,
        "passages": disagreements.stored_passages(item),
        "answers": [(row, disagreements.in_words(row, texts)) for row in disagreements.answers_to(item, dimension)],
        "decisions": [(row, disagreements.in_words(row, texts)) for row in disagreements.decisions_on(item, dimension)],
        "form": form,
    }
    return page(request, campaign, "decide.html", context, status=422 if form.errors else 200)


def _asked(campaign: Campaign, key: str, code: str) -> tuple[Item, Dimension]:
    """The item and the dimension of the campaign's locked packet."""
    packet: Packet | None = campaign.current_packet
    if packet is None or teams.standing_of(campaign).lock is None:
        raise Http404
    items: Any = packet.items.select_related("kind__rubric", "packet").prefetch_related("texts")
    item: Item = get_object_or_404(items, key=key)
    return item, get_object_or_404(Dimension.objects.select_related("kind"), kind=item.kind_id, code=code)
