"""The pages that belong to the house: home, health, and what an untrusted form gets."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config import health
from core.access import public
from studies.access import team_studies
from studies.session.views import page_again


@require_safe
@never_cache
@public("names no study unless the visitor may see it")
def home(request: HttpRequest) -> HttpResponse:
    """List the studies of whoever is logged in, or say what this is and where to log in."""
    return render(request, "home.html", {"studies": team_studies(request.user).order_by("title")})


@require_safe
@never_cache
@public("a load balancer has no account; the answer holds no data")
def healthz(request: HttpRequest) -> JsonResponse:
    """Say whether this copy can serve: 503 only if the database or its tables are not usable."""
    report = health.report()
    return JsonResponse(report.to_dict(), status=200 if report.can_serve else 503)


@public("the answer to a form that cannot be trusted")
def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Explain a refused form; nothing of it was stored. A participant gets their page back with what they typed."""
    match = request.resolver_match
    if match is not None and match.view_name == "participant:page" and (again := page_again(request, **match.kwargs)):
        return again
    return render(request, "403_csrf.html", {"has_cookie": bool(request.COOKIES)}, status=403)
