"""What a researcher may set before a run, with kind messages."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from clustering.inclusion import MOST_VOTES, ORIGINS, STATUSES, Inclusion, default_origins
from clustering.parameters import LARGEST_SEED, Parameters
from clustering.parameters.grouping import MOST_REPLICATES
from core.errors import Invalid
from studies.models import Enrolment, Study

PUBLISHED_GRID = ""


class RunForm(forms.Form):
    """Settings of a run; each has the default that the papers use."""

    origins = forms.MultipleChoiceField(
        label=_("Take in people who are"),
        choices=[(origin.value, origin.label) for origin in ORIGINS],
        widget=forms.CheckboxSelectMultiple,
    )
    statuses = forms.MultipleChoiceField(
        label=_("whose session is"),
        choices=[(status.value, status.label) for status in map(Enrolment.Status, STATUSES)],
        widget=forms.CheckboxSelectMultiple,
    )
    minimum_votes = forms.IntegerField(
        label=_("Fewest votes on a question"),
        min_value=1,
        max_value=MOST_VOTES,
        help_text=_("Who voted less is left out of its groups."),
    )
    method = forms.ChoiceField(
        label=_("Clusterer"),
        choices=[
            ("dynamic", _("dynamic (the Overton paper)")),
            ("polis", _("polis (as Pol.is does; two to five groups)")),
        ],
        help_text=_("Space, thresholds and the smallest group are settings of the dynamic one."),
    )
    space = forms.ChoiceField(
        label=_("Space of distances"),
        choices=[
            ("projection", _("projection (the plane of the opinion map)")),
            ("votes", _("votes (statements two people share)")),
        ],
    )
    unit = forms.ChoiceField(
        label=_("Thresholds on the map count in"),
        choices=[("spread", _("spreads of the participants")), ("coordinate", _("coordinates of the map"))],
    )
    minimum_size = forms.TypedChoiceField(
        label=_("Smallest group"),
        coerce=int,
        empty_value=None,
        required=False,
        choices=[(PUBLISHED_GRID, _("as in the paper: 1, 3 and 5 are tried"))] + [(n, str(n)) for n in range(1, 11)],
    )
    rule = forms.ChoiceField(
        label=_("A group is represented if"),
        choices=[
            ("mean", _("its mean rating reaches the threshold")),
            ("majority", _("more than half of its members rate at least the threshold")),
        ],
    )
    threshold = forms.FloatField(label=_("Threshold"), min_value=1, max_value=5)
    replicates = forms.IntegerField(label=_("Bootstrap replicates"), min_value=100, max_value=100_000)
    stability_replicates = forms.IntegerField(
        label=_("Clusterings of people drawn anew"),
        min_value=0,
        max_value=MOST_REPLICATES,
        help_text=_("They show how stable the groups are; 100 or more for a publication, 0 for none."),
    )
    subgroups = forms.CharField(
        label=_("Subgroups by"),
        required=False,
        help_text=_("Codes of form items with one choice or a whole number, separated by commas."),
    )
    seed = forms.IntegerField(label=_("Seed"), min_value=0, max_value=LARGEST_SEED)

    def parameters(self) -> Parameters:
        """The settings of a valid form."""
        values = self.cleaned_data
        inclusion = Inclusion(tuple(values["origins"]), tuple(values["statuses"]), values["minimum_votes"])
        names = ("method", "space", "unit", "minimum_size", "stability_replicates", "rule", "threshold", "replicates")
        given = {name: values[name] for name in names}
        return Parameters(inclusion=inclusion, subgroups=_codes(values["subgroups"]), **given)

    def clean(self) -> dict[str, Any]:
        """Let the settings themselves say what is wrong with them together."""
        values = super().clean() or {}
        if not self.errors:
            try:
                self.parameters()
            except Invalid as problem:
                raise forms.ValidationError(str(problem)) from problem
        return values


def _codes(text: str) -> tuple[str, ...]:
    return tuple(code for part in text.split(",") if (code := part.strip()))


def initial_settings(study: Study) -> dict[str, Any]:
    """The defaults for a study: who there is, and the settings of the Overton paper."""
    parameters = Parameters(inclusion=Inclusion(default_origins(study)))
    return {
        "origins": list(parameters.inclusion.origins),
        "statuses": list(parameters.inclusion.statuses),
        "minimum_votes": parameters.inclusion.minimum_votes,
        "method": parameters.method,
        "space": parameters.space,
        "unit": parameters.unit,
        "minimum_size": PUBLISHED_GRID,
        "rule": parameters.rule,
        "threshold": parameters.threshold,
        "replicates": parameters.replicates,
        "stability_replicates": parameters.stability_replicates,
        "subgroups": "",
        "seed": 1,
    }


class GroupNameForm(forms.Form):
    """What a group is called; how long it may be, the service says."""

    name = forms.CharField(
        label=_("Name of the group"),
        required=False,
        help_text=_("A few words for what its members hold. Leave it empty to take the name away."),
    )
