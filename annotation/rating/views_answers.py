"""A rater's own answers: the list, and one item to look at again and change until the packet is locked."""

from __future__ import annotations

import uuid

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation.models import Assignment, Lock, Rater
from annotation.rating import flow, showing
from annotation.rating.access import rater_required
from annotation.rating.notices import keep_notice, kept_notice
from annotation.rating.pages import page_of, render_screen, work_url
from annotation.rating.showing import Screen
from annotation.rating.views import own, packet_of, posted, refused
from core.errors import DomainError
from core.http import render_page
from studies.recruitment.views import see_other

ON_A_PAGE = 50


@require_GET
@rater_required
def answers(request: HttpRequest, rater: Rater, number: int = 1) -> HttpResponse:
    """The items that the rater has judged, the last first."""
    packet = rater.campaign.current_packet
    pages = Paginator(showing.own_assignments(rater, packet), ON_A_PAGE)
    if not 1 <= number <= pages.num_pages:
        raise Http404
    found = pages.page(number)
    context = page_of(
        rater.campaign,
        "answers",
        _("Your answers"),
        items=[showing.own_item(assignment) for assignment in found],
        found=found,
        n=pages.count,
        is_locked=_is_locked(rater),
        work_url=work_url(rater.campaign),
    )
    context["page"]["notice"] = kept_notice(request)
    response = render_page(request, "annotation/rating/answers.html", context, partial="main")
    return keep_notice(response, request, rater, "")


@require_http_methods(["GET", "POST"])
@rater_required
def answer(request: HttpRequest, rater: Rater, assignment_id: uuid.UUID) -> HttpResponse:
    """An item that the rater has judged, with its earlier answers; a post changes them."""
    assignment = own(rater, assignment_id)
    if assignment.purpose != Assignment.Purpose.WORK or assignment.status != Assignment.Status.DONE:
        raise Http404
    if request.method == "POST":
        return _post(request, rater, assignment)
    return _shown(request, rater, assignment, flow.item_screen(assignment, is_revision=True))


def _post(request: HttpRequest, rater: Rater, assignment: Assignment) -> HttpResponse:
    data = {**posted(request), "assignment": [str(assignment.public_id)]}
    try:
        taken = flow.take(rater, packet_of(rater), data, timezone.now(), is_revision=True)
    except DomainError as error:
        return refused(request, rater, error)
    if taken.screen is not None:
        return _shown(request, rater, assignment, taken.screen)
    to = reverse("judging:answers", args=[rater.campaign.slug])
    if not taken.is_done:
        to = reverse("judging:answer", args=[rater.campaign.slug, assignment.public_id])
    return keep_notice(see_other(to), request, rater, taken.notice or _("Your answers are saved."))


def _shown(request: HttpRequest, rater: Rater, assignment: Assignment, screen: Screen) -> HttpResponse:
    action = reverse("judging:answer", args=[rater.campaign.slug, assignment.public_id])
    more = {"history": showing.history(assignment), "is_locked": _is_locked(rater)}
    notice = kept_notice(request)
    return render_screen(request, rater.campaign, screen, form_action=action, notice=notice, **more)


def _is_locked(rater: Rater) -> bool:
    return Lock.objects.filter(packet=rater.campaign.current_packet_id).exists()
