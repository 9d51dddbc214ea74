"""The pages on which a rater judges: what comes next, drafts, and the time that the server sees."""

from __future__ import annotations

import uuid

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.models import Assignment, ItemEvent, Packet, Rater
from annotation.rating import flow, showing
from annotation.rating.access import rater_required
from annotation.rating.flow import Values
from annotation.rating.notices import keep_notice, kept_notice
from annotation.rating.pages import render_screen, work_url
from annotation.rating.showing import Screen
from annotation.rating.tokens import token_in
from core.errors import DomainError
from core.http import wants_fragment
from studies.recruitment.views import see_other
from studies.session.views import FETCHED_AHEAD, is_fetched_ahead

#: What a page may report of itself: it was left, and is looked at again.
SEEN = {"hidden": ItemEvent.Kind.HIDDEN, "back": ItemEvent.Kind.BACK}


@require_GET
@rater_required
def work(request: HttpRequest, rater: Rater) -> HttpResponse:
    """The short address of a campaign: where the rater goes on."""
    return HttpResponseRedirect(work_url(rater.campaign))


@require_http_methods(["GET", "POST"])
@rater_required
def item(request: HttpRequest, rater: Rater) -> HttpResponse:
    """Show what comes next, or take in a post and lead on: at once with htmx, else by 303.

    A browser that fetches ahead gets nothing: an item it may never show would be kept from others.
    """
    if request.method == "POST":
        return _post(request, rater)
    if is_fetched_ahead(request):
        return HttpResponse(status=FETCHED_AHEAD, headers={"Cache-Control": "no-store", "Vary": "Sec-Purpose, Purpose"})
    screen = flow.screen_for(rater, rater.campaign.current_packet, timezone.now())
    return shown(request, rater, screen, notice=kept_notice(request), forget_notice=True)


def _post(request: HttpRequest, rater: Rater) -> HttpResponse:
    now, packet = timezone.now(), packet_of(rater)
    data = posted(request)
    if flow.last(data, "assignment"):
        _refuse_foreign(rater, packet, data)
    try:
        taken = flow.take(rater, packet, data, now)
        screen = taken.screen
        if screen is None and wants_fragment(request):
            screen = flow.screen_for(rater, packet, now)
    except DomainError as error:
        return refused(request, rater, error)
    if screen is not None:
        return shown(request, rater, screen, notice=taken.notice)
    return keep_notice(see_other(work_url(rater.campaign)), request, rater, taken.notice)


def shown(
    request: HttpRequest, rater: Rater, screen: Screen, *, notice: str = "", forget_notice: bool = False
) -> HttpResponse:
    """A screen on the page where the rater goes on; with a personal link where it is first needed."""
    more = {"back_url": back_url(request, rater)} if screen.kind == "consent" else {}
    action = work_url(rater.campaign)
    response = render_screen(request, rater.campaign, screen, form_action=action, notice=notice, **more)
    return keep_notice(response, request, rater, "") if forget_notice else response


def back_url(request: HttpRequest, rater: Rater) -> str:
    """The personal link of a rater who is known by this browser's cookie alone; empty for one with an account."""
    token = token_in(request)
    if rater.account_id is not None or not token:
        return ""
    return request.build_absolute_uri(reverse("judging:back", args=[rater.campaign.slug, token]))


def refused(request: HttpRequest, rater: Rater, error: DomainError) -> HttpResponse:
    """Say why nothing can be done now, in a page of the campaign."""
    screen = showing.over(showing.Over.PAUSED, message=str(error), status=error.http_status)
    screen.title = _("This is not possible at the moment")
    return shown(request, rater, screen)


@require_POST
@rater_required
def draft(request: HttpRequest, rater: Rater, assignment_id: uuid.UUID) -> HttpResponse:
    """Keep what is chosen and typed and not yet sent."""
    assignment = own(rater, assignment_id)
    try:
        flow.keep_draft(assignment, posted(request), timezone.now())
    except DomainError as error:
        return HttpResponse(str(error), status=error.http_status, content_type="text/plain; charset=utf-8")
    return HttpResponse(status=204)


@require_POST
@rater_required
def seen(request: HttpRequest, rater: Rater, assignment_id: uuid.UUID) -> HttpResponse:
    """Note that the page of an open item was left, or is looked at again: for the time spent on it."""
    assignment = own(rater, assignment_id)
    kind = SEEN.get(request.POST.get("what", ""))
    if kind is None:
        return HttpResponse(status=400)
    if assignment.status == Assignment.Status.OPEN:
        flow.note(assignment, kind, timezone.now())
    return HttpResponse(status=204)


def packet_of(rater: Rater) -> Packet:
    """The packet that is judged now.

    Raises
    ------
    Http404
        If there is none yet.
    """
    packet = rater.campaign.current_packet
    if packet is None:
        raise Http404
    return packet


def own(rater: Rater, assignment_id: uuid.UUID) -> Assignment:
    """The rater's own assignment.

    Raises
    ------
    Http404
        If it is somebody else's, of another campaign, or not there.
    """
    assignment = flow.assignment_of(rater, packet_of(rater), str(assignment_id))
    if assignment is None:
        raise Http404
    return assignment


def _refuse_foreign(rater: Rater, packet: Packet, data: Values) -> None:
    if flow.assignment_of(rater, packet, flow.last(data, "assignment")) is None:
        raise Http404


def posted(request: HttpRequest) -> dict[str, list[str]]:
    """The fields of a post, each with its values."""
    return dict(request.POST.lists())
