"""What a researcher sets before seeds are generated, with kind messages."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from core.endpoints import model_parameters, names
from core.errors import Invalid
from studies.models import Enrolment, Study
from voting.seeding.selectors import pilot_studies
from voting.seeding.settings import LARGEST_SEED, MOST_EACH, PEOPLE, Seeding


class SeedingForm(forms.Form):
    """Whose responses are examples, which model writes, how much."""

    pilot = forms.ModelChoiceField(
        label=_("Study whose free responses are the examples"),
        queryset=Study.objects.none(),
        to_field_name="slug",
        help_text=_("A pilot study. Only people who completed it count; each is an example once for a question."),
    )
    endpoint = forms.ChoiceField(label=_("Model"), choices=())
    question = forms.ChoiceField(label=_("Question"), required=False, choices=())
    each = forms.IntegerField(label=_("Statements for each question"), min_value=1, max_value=MOST_EACH, initial=8)
    seed = forms.IntegerField(
        label=_("Seed of the draw"),
        min_value=0,
        max_value=LARGEST_SEED,
        initial=1,
        help_text=_("The same seed and settings repeat no call; another seed draws other examples."),
    )
    model_parameters = forms.CharField(
        label=_("Parameters of the model (JSON)"),
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text=_('Sent with every request, as in {"temperature": 1}.'),
    )
    with_simulated = forms.BooleanField(label=_("Also take responses of simulated people"), required=False)

    def __init__(self, study: Study, user: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        codes = study.questions.filter(is_current=True).order_by("position", "code").values_list("code", flat=True)
        self.fields["pilot"].queryset = pilot_studies(user)  # type: ignore[attr-defined]
        self.fields["endpoint"].choices = [(name, name) for name in names()]  # type: ignore[attr-defined]
        self.fields["question"].choices = [("", _("all questions")), *((code, code) for code in codes)]  # type: ignore[attr-defined]

    def clean_model_parameters(self) -> dict[str, Any]:
        """Read the parameters as a JSON object."""
        try:
            return model_parameters(self.cleaned_data["model_parameters"])
        except Invalid as problem:
            raise forms.ValidationError(str(problem)) from problem

    def clean(self) -> dict[str, Any]:
        """Let the settings say what is wrong with them together."""
        values = super().clean() or {}
        if not self.errors:
            try:
                self.settings()
            except Invalid as problem:
                for name, messages in problem.fields.items():
                    for message in messages:
                        self.add_error(name if name in self.fields else None, message)
        return values

    def settings(self) -> Seeding:
        """The settings of a valid form."""
        values = self.cleaned_data
        simulated = (Enrolment.Origin.SIMULATED.value,) if values["with_simulated"] else ()
        return Seeding(
            pilot=str(values["pilot"].public_id),
            endpoint=values["endpoint"],
            each=values["each"],
            questions=(values["question"],) if values["question"] else (),
            origins=(*PEOPLE, *simulated),
            model_parameters=values["model_parameters"],
        )


class DecisionForm(forms.Form):
    """One generated text as a person leaves it, and what becomes of it."""

    text = forms.CharField(required=False, strip=False, widget=forms.Textarea(attrs={"rows": 4}))
    act = forms.ChoiceField(choices=[("approve", "approve"), ("reject", "reject")])
