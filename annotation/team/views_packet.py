"""What is judged: items in, the freeze, the amendment."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import access
from annotation.access import Role, campaign_for
from annotation.items.columns import layout_of, table_spec
from annotation.models import Campaign
from annotation.selectors import teams
from annotation.services import drawing, items, packets
from annotation.services.checks import problems_of
from annotation.team.forms import DrawForm, ReasonForm, TableForm
from annotation.team.pages import act, page
from annotation.team.views import campaign_page
from core.errors import DomainError, NotAllowed
from core.http import problem_table
from studies.access import readable_studies

ITEMS_SHOWN = 50


@require_safe
@never_cache
@login_required
def item_list(request: HttpRequest, slug: str) -> HttpResponse:
    """How many items there are, the first of them, and the ways to add more."""
    return _items_page(request, campaign_for(request.user, slug))


def _items_page(request: HttpRequest, campaign: Campaign, *, status: int = 200, **more: Any) -> HttpResponse:
    standing = teams.standing_of(campaign)
    shown = standing.draft or standing.packet
    assert shown is not None, "a campaign has a packet"
    sees_hidden = access.may_see_hidden(request.user, campaign)
    may_draw = campaign.study is not None and any(kind.sides for kind in shown.kinds.all())
    context = {
        "standing": standing,
        "shown": shown,
        "counts": teams.item_counts(shown),
        "strata": teams.strata_counts(shown) if sees_hidden else None,
        "n_items": shown.items.count(),
        "first": shown.items.select_related("kind").prefetch_related("texts").order_by("key")[:ITEMS_SHOWN],
        "columns": [column.name for column in table_spec(layout_of(shown)).columns],
        "table_form": TableForm(),
        "draw_form": DrawForm(shown) if may_draw else None,
        "n_shown": ITEMS_SHOWN,
    }
    return page(request, campaign, "items.html", context | more, status=status)


@require_POST
@login_required
def import_items(request: HttpRequest, slug: str) -> HttpResponse:
    """Take in a table of items, or show what it would do."""
    campaign = campaign_for(request.user, slug, needs=Role.OWNER)
    form = TableForm(request.POST, request.FILES)
    if not form.is_valid():
        return _items_page(request, campaign, status=422, table_form=form)
    file = form.cleaned_data["file"]
    try:
        report = items.import_items(
            campaign=campaign,
            source=file.read(),
            name=file.name,
            by=request.user,
            now=timezone.now(),
            dry_run=form.cleaned_data["dry_run"],
        )
    except DomainError as error:
        return _items_page(request, campaign, status=422, table_form=form, error=error, table=problem_table(error))
    return _reported(request, campaign, report, table_form=form)


@require_POST
@login_required
def draw(request: HttpRequest, slug: str) -> HttpResponse:
    """Draw pairs from the study, or show how many there would be."""
    campaign = campaign_for(request.user, slug, needs=Role.OWNER)
    try:
        form = DrawForm(packets.draft_of(campaign), request.POST)
    except DomainError as error:
        return _items_page(request, campaign, status=409, error=error)
    if not form.is_valid():
        return _items_page(request, campaign, status=422, draw_form=form)
    try:
        if not readable_studies(request.user).filter(pk=campaign.study_id).exists():
            raise NotAllowed(_("You may not read the texts of the study of this audit."))
        report = drawing.draw(
            campaign=campaign,
            settings=form.settings(),
            by=request.user,
            now=timezone.now(),
            dry_run=form.cleaned_data["dry_run"],
        )
    except DomainError as error:
        return _items_page(request, campaign, status=422, draw_form=form, error=error)
    return _reported(request, campaign, report.items, drawn=report, draw_form=form)


def _reported(request: HttpRequest, campaign: Campaign, report: items.ItemReport, **more: Any) -> HttpResponse:
    if report.is_dry_run:
        return _items_page(request, campaign, report=report, **more)
    values = {"new": report.n_created, "changed": report.n_updated, "same": report.n_unchanged}
    messages.success(request, _("%(new)d items are new, %(changed)d were changed, %(same)d are as before.") % values)
    return redirect("audits:items", campaign.slug)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def freeze(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what the freeze seals, then do it."""
    campaign = campaign_for(request.user, slug, needs=Role.OWNER)
    if request.method == "POST":
        done = _("The packet is frozen. Nothing of it can be changed any more; an amendment makes a new packet.")
        return act(request, campaign, packets.freeze, done, "audits:campaign", campaign=campaign)
    standing = teams.standing_of(campaign)
    if standing.draft is None:
        return redirect("audits:campaign", slug)
    draft = standing.draft
    context = {
        "standing": standing,
        "shown": draft,
        "problems": problems_of(draft),
        "counts": teams.item_counts(draft),
        "kinds": draft.kinds.select_related("rubric").prefetch_related("dimensions"),
        "n_work": draft.items.work().count(),
        "consent": campaign.consent_texts.order_by("-number").first(),
        "hidden": [field["name"] for field in draft.hidden_fields],
    }
    context["n_judgements"] = context["n_work"] * draft.raters_per_item
    return page(request, campaign, "freeze.html", context)


@require_POST
@login_required
def amend(request: HttpRequest, slug: str) -> HttpResponse:
    """Open the draft of the next packet."""
    campaign = campaign_for(request.user, slug, needs=Role.OWNER)
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return campaign_page(request, campaign, status=422, amend_form=form)
    done = _("This is the draft of the next packet. Raters go on with the frozen one until it is frozen.")
    reason = form.cleaned_data["reason"]
    return act(request, campaign, packets.amend, done, "audits:campaign", campaign=campaign, reason=reason)
