"""Who may see a participant's page: whoever holds the session's token, or, before there is one, anybody."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import translation

from studies.models import Study, StudyVersion

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def token_required(view: View[P]) -> View[P]:
    """Mark a view that answers to the session's cookie alone; the service it calls looks the token up."""
    view.access = "participant: the session's token"  # type: ignore[attr-defined]
    return view


def public_study(slug: str) -> tuple[Study, StudyVersion]:
    """The published study `slug` and its current version; a draft does not exist for participants.

    Raises
    ------
    Http404
        If there is none.
    """
    study = Study.objects.filter(slug=slug).exclude(status=Study.Status.DRAFT).select_related("current_version").first()
    if study is None or study.current_version is None:
        raise Http404
    return study, study.current_version


def in_study_language(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Hand the view the study and its version instead of the slug, and speak the study's language."""

    @wraps(view)
    def speak(request: HttpRequest, slug: str, *args: Any, **kwargs: Any) -> HttpResponse:
        study, version = public_study(slug)
        with translation.override(version.definition["language"]):
            return view(request, study, version, *args, **kwargs)

    return speak
