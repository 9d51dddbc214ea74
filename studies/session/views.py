"""The pages of a session: the current one, its drafts, and leaving."""

from __future__ import annotations

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from core.errors import DomainError
from core.http import render_page, wants_fragment
from studies.access_participant import public_study, token_required
from studies.data.withdrawal import withdraw_enrolment
from studies.recruitment.views import problem_page, see_other
from studies.session import services
from studies.session.outcomes import may_withdraw
from studies.session.pages import plain_page, walk_page
from studies.session.services import NoSession
from studies.session.showing import Shown
from studies.session.tokens import session_key

NOTICE = "polyphony_notice"
NOTICE_SECONDS = 60
FETCHED_AHEAD = 425
"""Too Early: browsers drop an answer that is an error, and ask again once the page is wanted."""


@require_http_methods(["GET", "POST"])
@token_required
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the page on which the session is, or take in a post and lead on: at once with htmx, else by 303.

    A browser that fetches ahead gets nothing: what it may never show must not count as shown.
    """
    if request.method == "GET" and is_fetched_ahead(request):
        return HttpResponse(status=FETCHED_AHEAD, headers={"Cache-Control": "no-store", "Vary": "Sec-Purpose, Purpose"})
    try:
        return _post(request, slug) if request.method == "POST" else _show(request, slug)
    except DomainError as error:
        return _problem(request, slug, error)


def is_fetched_ahead(request: HttpRequest) -> bool:
    """Whether the browser asks before anybody wants to see the page: it prefetches or prerenders."""
    return any("prefetch" in request.headers.get(name, "").lower() for name in ("Sec-Purpose", "Purpose", "X-Moz"))


def page_again(request: HttpRequest, slug: str) -> HttpResponse | None:
    """The page with what was typed, for a post whose form key has expired; None if there is no session to show.

    Status 422 lets htmx swap it in; the page carries a fresh key.
    """
    try:
        shown = services.show_again(key=session_key(request), slug=slug, data=_fields(request), now=timezone.now())
    except DomainError:
        return None
    response = _rendered(request, shown)
    response.status_code = 422
    return response


@require_POST
@token_required
def draft(request: HttpRequest, slug: str) -> HttpResponse:
    """Keep what is typed and not yet sent."""
    try:
        services.save_draft(key=session_key(request), slug=slug, data=_fields(request), now=timezone.now())
    except NoSession as error:
        return HttpResponse(str(error), status=error.http_status, content_type="text/plain; charset=utf-8")
    return HttpResponse(status=204)


@require_http_methods(["GET", "POST"])
@token_required
def withdraw(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask whether the person means it; then erase, and give a receipt."""
    try:
        shown = services.session_of(key=session_key(request), slug=slug)
    except NoSession as error:
        return _problem(request, slug, error)
    with translation.override(shown.enrolment.language):
        if not may_withdraw(shown.enrolment) or request.POST.get("decision") == "keep":
            return _see(slug)
        if request.POST.get("decision") == "withdraw":
            withdraw_enrolment(enrolment=shown.enrolment, by=None, now=timezone.now())
            return _see(slug)
        title = _("Withdraw from the study")
        form_action = reverse("participant:withdraw", args=[slug])
        context = plain_page(shown.version.definition, "withdraw", title, form_action=form_action)
        return render_page(request, "studies/session/withdraw.html", context, partial="main")


def _show(request: HttpRequest, slug: str) -> HttpResponse:
    notice = _kept_notice(request)
    shown = services.show_page(key=session_key(request), slug=slug, now=timezone.now(), notice=notice)
    response = _rendered(request, shown)
    if NOTICE in request.COOKIES:
        response.delete_cookie(NOTICE, path=_path(slug), samesite="Lax")
    return response


def _post(request: HttpRequest, slug: str) -> HttpResponse:
    at_once = wants_fragment(request)
    shown = services.take_post(
        key=session_key(request), slug=slug, data=_fields(request), now=timezone.now(), makes_page=at_once
    )
    if at_once or shown.errors:
        return _rendered(request, shown)
    response = _see(slug)
    if shown.notice:
        value = signing.dumps(shown.notice, salt=NOTICE)
        response.set_cookie(
            NOTICE,
            value,
            max_age=NOTICE_SECONDS,
            path=_path(slug),
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
    return response


def _rendered(request: HttpRequest, shown: Shown) -> HttpResponse:
    with translation.override(shown.enrolment.language):
        template, context = walk_page(request, shown)
        return render_page(request, template, context, partial="main", status=422 if shown.errors else 200)


def _see(slug: str) -> HttpResponse:
    return see_other(reverse("participant:page", args=[slug]))


def _path(slug: str) -> str:
    return reverse("participant:landing", args=[slug])


def _fields(request: HttpRequest) -> dict[str, list[str]]:
    return dict(request.POST.lists())


def _kept_notice(request: HttpRequest) -> str:
    """The notice of a post that was answered by a redirect; empty if it is not ours."""
    try:
        return str(signing.loads(request.COOKIES.get(NOTICE, ""), salt=NOTICE, max_age=NOTICE_SECONDS))
    except signing.BadSignature:
        return ""


def _problem(request: HttpRequest, slug: str, error: DomainError) -> HttpResponse:
    _study, version = public_study(slug)
    with translation.override(version.definition["language"]):
        return problem_page(request, version.definition, str(error), status=error.http_status)
