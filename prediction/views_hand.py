"""Predictions by hand: one person and answer at a time, without the rating that was given."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from core.errors import DomainError
from prediction import selectors, services
from prediction.forms import HandForm
from prediction.views import nav
from studies.access import Role, study_for
from studies.models import ModelAnswer, Study


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def by_hand(request: HttpRequest, slug: str) -> HttpResponse:
    """The next point that the person has not predicted; a post stores what they think."""
    study = study_for(request.user, slug, needs=Role.ANALYST)
    if request.method == "POST":
        return _predicted(request, study)
    return _page(request, study, selectors.hand_card(study, request.user), HandForm())


def _predicted(request: HttpRequest, study: Study) -> HttpResponse:
    form = HandForm(request.POST)
    valid = form.is_valid()
    if "participant" in form.errors or "answer" in form.errors:
        raise Http404
    answer = ModelAnswer.objects.filter(question__study=study, public_id=form.cleaned_data["answer"]).first()
    card = selectors.hand_card(study, request.user, answer.pk, form.cleaned_data["participant"]) if answer else None
    if card is None:
        raise Http404
    if not valid:
        return _page(request, study, card, form, status=422)
    try:
        services.store_by_hand(
            study=study,
            target=card.target,
            value=form.cleaned_data["rating"],
            by=request.user,
            now=timezone.now(),
        )
    except DomainError as problem:
        messages.error(request, str(problem))
    else:
        messages.success(request, _("Prediction %(number)d is stored.") % {"number": card.number})
    return redirect("prediction:by-hand", study.slug)


def _page(
    request: HttpRequest, study: Study, card: selectors.HandCard | None, form: HandForm, status: int = 200
) -> HttpResponse:
    points = [(n, {1: study.rate_low, 5: study.rate_high}.get(n, "")) for n in range(1, 6)]
    context = {"study": study, "study_nav": nav(request, study), "card": card, "form": form, "points": points}
    return render(request, "prediction/by_hand.html", context, status=status)
