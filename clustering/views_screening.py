"""The screening of a pilot study's questions: cut-offs in the address, so that a page can be cited and repeated."""

from __future__ import annotations

import csv
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from clustering.inclusion import ORIGINS, Inclusion, default_origins
from clustering.screening import (
    COLUMNS,
    RECOMMENDATIONS,
    criterion_in_words,
    reasons_in_words,
    rows_of,
    screen_study,
)
from clustering.stats.screening import Cutoffs, ScreeningReport
from studies.access import study_for
from studies.models import FormItem, Study
from studies.selectors import study_nav

PERCENT = {"min_value": 0.01, "max_value": 1.0}


class ScreeningForm(forms.Form):
    """Cut-offs and whom to take in."""

    consensus = forms.FloatField(label=gettext_lazy("Consensus: drop from this share of one stance"), **PERCENT)
    neutral = forms.FloatField(label=gettext_lazy("Neutral: drop from this share in every party"), **PERCENT)
    importance = forms.FloatField(
        label=gettext_lazy("Importance: drop up to this mean"),
        min_value=0,
        max_value=5,
        help_text=gettext_lazy("1 to 5"),
    )
    minimum_people = forms.IntegerField(label=gettext_lazy("Fewest people"), min_value=2, max_value=100_000)
    minimum_party = forms.IntegerField(label=gettext_lazy("Fewest people of a party"), min_value=1, max_value=100_000)
    minimum_parties = forms.IntegerField(label=gettext_lazy("Fewest parties"), min_value=1, max_value=1000)
    level = forms.FloatField(label=gettext_lazy("Level of the intervals"), min_value=0.5, max_value=0.999)
    neutral_stance = forms.ChoiceField(label=gettext_lazy("Stance that takes no side"), required=False, choices=())
    party_item = forms.ChoiceField(label=gettext_lazy("Form item that asks for the party"), required=False, choices=())
    origins = forms.MultipleChoiceField(
        label=gettext_lazy("Take in people who are"),
        choices=[(origin.value, origin.label) for origin in ORIGINS],
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        stances = [(option["value"], option["label"]) for option in study.stance_options]
        items = study.form_items.filter(kind=FormItem.Kind.SINGLE).order_by("position", "code")
        self.fields["neutral_stance"].choices = stances  # type: ignore[attr-defined]
        self.fields["party_item"].choices = [(item.code, item.label) for item in items]  # type: ignore[attr-defined]

    def report(self, study: Study) -> ScreeningReport:
        """The report of valid settings."""
        values = self.cleaned_data
        return screen_study(
            study,
            inclusion=Inclusion(tuple(values["origins"])),
            cutoffs=Cutoffs(**{name: values[name] for name in Cutoffs.__dataclass_fields__}),
            party_item=values["party_item"],
            neutral_stance=values["neutral_stance"],
        )


def _asked(request: HttpRequest, study: Study) -> ScreeningForm:
    """The form with what the address says, and the defaults for what it leaves out."""
    unbound = ScreeningForm(study)
    values: dict[str, Any] = {name: field.default for name, field in Cutoffs.__dataclass_fields__.items()}
    values["neutral_stance"] = _usual(unbound.fields["neutral_stance"], "neutral")
    values["party_item"] = _usual(unbound.fields["party_item"], "party")
    values["origins"] = list(default_origins(study))
    for name in unbound.fields:
        if name in request.GET:
            values[name] = request.GET.getlist(name) if name == "origins" else request.GET[name]
    return ScreeningForm(study, values)


def _usual(field: Any, name: str) -> str:
    """The choice called `name`, or the first there is."""
    choices = [value for value, _label in field.choices]
    return name if name in choices else next(iter(choices), "")


@login_required
@require_safe
@never_cache
def screening(request: HttpRequest, slug: str) -> HttpResponse:
    """Which questions to keep, and why."""
    study = study_for(request.user, slug)
    form = _asked(request, study)
    is_valid = form.is_valid()
    context = {
        "study": study,
        "study_nav": study_nav(study, request.user, reverse("clustering:screening", args=[slug])),
        "form": form,
        "query": request.GET.urlencode(),
    }
    if is_valid:
        report = form.report(study)
        context |= {"report": report, "table": _table(report), "parties": _parties(report)}
    return render(request, "clustering/screening.html", context, status=200 if is_valid else 422)


@login_required
@require_safe
@never_cache
def screening_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The same table, unrounded."""
    study = study_for(request.user, slug)
    form = _asked(request, study)
    if not form.is_valid():
        return HttpResponse(_("These are no cut-offs."), status=422, content_type="text/plain; charset=utf-8")
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="screening-{study.slug}.csv"'
    writer = csv.DictWriter(response, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows_of(form.report(study)))
    return response


def _table(report: ScreeningReport) -> dict[str, Any]:
    columns = [_("Question"), _("Recommendation"), _("Why"), _("Consensus"), _("Neutral, least"), _("Importance")]
    rows = [
        [
            each.question,
            str(RECOMMENDATIONS[each.recommendation]),
            reasons_in_words(each.reasons),
            *(criterion_in_words(criterion) for criterion in each.criteria.values()),
        ]
        for each in report.questions
    ]
    return {"columns": [{"label": label, "numeric": False} for label in columns], "rows": rows}


def _parties(report: ScreeningReport) -> dict[str, Any]:
    """Neutral shares by question and party, for those that are judged."""
    columns = [_("Question"), _("Party"), _("Neutral"), _("People")]
    rows = [
        [each.question, party.party, f"{party.share:.2f} ({party.low:.2f} {_('to')} {party.high:.2f})", str(party.n)]
        for each in report.questions
        for party in each.parties
        if party.is_judged
    ]
    return {"columns": [{"label": label, "numeric": False} for label in columns], "rows": rows}
