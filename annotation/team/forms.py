"""What the team's pages of an audit take in: parsing and kind messages."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.access import Role
from annotation.answers import Given
from annotation.judging.prompting import shipped_instructions
from annotation.models import Campaign, CampaignMember, Dimension, Judgement, Packet, PayPer
from annotation.services import drawing
from core.endpoints import model_parameters
from core.endpoints import names as endpoint_names
from core.errors import Invalid
from core.tables import Format
from studies.access import readable_studies
from studies.forms import MAXIMUM_DEFINITION, MAXIMUM_UPLOAD, NotLarger

CANNOT_JUDGE = "__cannot_judge__"
TABLES = ".csv,.jsonl,.ndjson,.parquet"


class Own(forms.Form):
    """Several forms stand on one page: each has ids of its own."""

    own = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": f"{self.own}_%s", **kwargs})


class NewForm(Own):
    """A campaign of a shipped kind."""

    own = "new"
    kind = forms.ChoiceField(label=_("Kind"), choices=Campaign.Kind.choices)
    title = forms.CharField(label=_("Title"), max_length=200)
    slug = forms.SlugField(label=_("Slug"), max_length=64, help_text=_("The name in links: a-z, 0-9 and hyphens."))
    study = forms.ModelChoiceField(
        label=_("Study"),
        queryset=None,
        to_field_name="slug",
        required=False,
        empty_label=_("none: the items are imported"),
        help_text=_("Whose texts pairs can be drawn from."),
    )

    def __init__(self, user: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["study"].queryset = readable_studies(user).order_by("slug")  # type: ignore[attr-defined]


class DefinitionForm(Own):
    """A definition file, its rubrics written into it."""

    own = "definition"
    file = forms.FileField(
        label=_("Definition file (YAML)"),
        validators=[NotLarger(MAXIMUM_DEFINITION)],
        widget=forms.FileInput(attrs={"accept": ".yaml,.yml"}),
    )


class TableForm(Own):
    """A table, first as a dry run."""

    own = "table"
    file = forms.FileField(
        label=_("Table (CSV, JSON Lines or Parquet)"),
        validators=[NotLarger(MAXIMUM_UPLOAD)],
        widget=forms.FileInput(attrs={"accept": TABLES}),
    )
    dry_run = forms.BooleanField(label=_("Only show what would be done"), required=False, initial=True)


class DrawForm(Own):
    """What is drawn from the study."""

    own = "draw"
    per_stratum = forms.IntegerField(label=_("References drawn of each stratum"), min_value=1, initial=5)
    strata = forms.MultipleChoiceField(
        label=_("What makes a stratum"),
        choices=[("question", _("question")), ("group", _("opinion group")), ("covered", _("covered or not"))],
        widget=forms.CheckboxSelectMultiple,
        initial=list(drawing.STRATA),
    )
    partners = forms.MultipleChoiceField(
        label=_("Each reference is paired with"),
        choices=[("model", _("the model's answer")), ("peer", _("a statement of a peer"))],
        widget=forms.CheckboxSelectMultiple,
        initial=list(drawing.PARTNERS),
    )
    kind = forms.ChoiceField(label=_("Kind of item"), choices=())
    dry_run = forms.BooleanField(label=_("Only show what would be done"), required=False, initial=True)

    def __init__(self, packet: Packet, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sided = [(kind.code, kind.name) for kind in packet.kinds.all() if kind.sides]
        with_context = [kind.code for kind in packet.kinds.all() if kind.sides and len(kind.parts) > len(kind.sides)]
        self.fields["kind"].choices = sided  # type: ignore[attr-defined]
        self.fields["kind"].initial = next(iter(with_context), None)

    def settings(self) -> drawing.DrawSettings:
        """The settings of a valid form."""
        values = self.cleaned_data
        return drawing.DrawSettings(
            per_stratum=values["per_stratum"],
            strata=tuple(values["strata"]),
            partners=tuple(values["partners"]),
            kind=values["kind"],
        )


class ReasonForm(Own):
    """A reason that is kept."""

    own = "reason"
    reason = forms.CharField(label=_("Reason"), max_length=500, help_text=_("Kept on record for good."))


class LockForm(Own):
    """The end of judging; a reason if something is missing."""

    own = "lock"
    override_reason = forms.CharField(
        label=_("Why it is locked though incomplete"),
        required=False,
        max_length=500,
        help_text=_("Only if something is missing: printed in the report."),
    )


class ConfirmForm(Own):
    """What cannot be undone is confirmed by typing the slug of the campaign."""

    own = "confirm"
    slug = forms.CharField(label=_("Type the slug of the campaign to confirm"), max_length=64)

    def __init__(self, campaign: Campaign, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.campaign = campaign

    def clean_slug(self) -> str:
        """Insist on the very slug."""
        typed: str = self.cleaned_data["slug"]
        if typed != self.campaign.slug:
            raise forms.ValidationError(gettext("This is not the slug of the campaign."))
        return typed


class AccountField(forms.CharField):
    """The name of an account."""

    def clean(self, value: Any) -> Any:
        """Find the account."""
        name = super().clean(value)
        account = get_user_model().objects.filter(username=name, is_active=True).first()
        if account is None:
            raise forms.ValidationError(gettext("There is no account of this name."))
        return account


class TermsForm(Own):
    """Recruitment and pay, for the report."""

    recruitment = forms.CharField(
        label=_("Recruitment"), required=False, max_length=300, help_text=_("As in: students of the department.")
    )
    pay_amount = forms.DecimalField(
        label=_("Pay"), required=False, min_value=0.01, max_digits=8, decimal_places=2, help_text=_("Empty: unpaid.")
    )
    pay_currency = forms.CharField(label=_("Currency"), required=False, max_length=3, help_text=_("As in EUR."))
    pay_per = forms.ChoiceField(label=_("Pay is for"), required=False, choices=PayPer.choices)

    def terms(self) -> dict[str, Any]:
        """The terms of a valid form."""
        names = ("recruitment", "pay_amount", "pay_currency", "pay_per")
        return {name: self.cleaned_data[name] for name in names}


class RaterForm(TermsForm):
    """A person with an account, as a rater."""

    own = "rater"
    account = AccountField(label=_("Name of the account"), max_length=150)
    field_order = ("account",)


class InvitationForm(TermsForm):
    """A link by which people become raters."""

    own = "invitation"
    name = forms.CharField(label=_("Name"), max_length=120, help_text=_("For the team; raters do not see it."))
    limit = forms.IntegerField(label=_("How many may use it"), min_value=1, max_value=10_000, initial=1)
    days = forms.IntegerField(label=_("Days until it expires"), min_value=1, max_value=365, initial=14)
    field_order = ("name", "limit", "days")

    def expires_at(self) -> Any:
        """When it expires."""
        return timezone.now() + timedelta(days=self.cleaned_data["days"])


class MemberForm(Own):
    """A member of the team."""

    own = "member"
    account = AccountField(label=_("Name of the account"), max_length=150)
    role = forms.ChoiceField(label=_("Role"), choices=CampaignMember.Role.choices, initial=Role.ANALYST)


class JudgeForm(Own):
    """A language model, as a rater."""

    own = "judge"
    endpoint = forms.ChoiceField(label=_("Model endpoint"), choices=())
    name = forms.CharField(label=_("Name"), required=False, max_length=200, help_text=_("Empty: that of the model."))
    prompt = forms.CharField(
        label=_("Instructions to the model"),
        widget=forms.Textarea(attrs={"rows": 6}),
        max_length=20_000,
        help_text=_("Rubric, texts, questions and the form of the reply follow them by themselves."),
    )
    parameters = forms.CharField(
        label=_("Parameters of the model (JSON)"),
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text=_('Sent with every request, as in {"temperature": 0}.'),
    )
    attempts = forms.IntegerField(
        label=_("Replies asked for until one can be read"),
        min_value=1,
        max_value=10,
        initial=3,
        help_text=_("What cannot be read after so many is recorded as such."),
    )
    asks_both_ways = forms.BooleanField(
        label=_("Ask each pair both ways round"),
        required=False,
        help_text=_("Twice the calls; reports how often the model says the same. The second look is not analysed."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        initial = {"prompt": shipped_instructions(), "parameters": '{"temperature": 0}', **kwargs.pop("initial", {})}
        super().__init__(*args, initial=initial, **kwargs)
        self.fields["endpoint"].choices = [(name, name) for name in endpoint_names()]  # type: ignore[attr-defined]

    def clean_parameters(self) -> dict[str, Any]:
        """Read the parameters as a JSON object that the client may send."""
        try:
            return model_parameters(self.cleaned_data["parameters"])
        except Invalid as problem:
            raise forms.ValidationError(str(problem)) from problem


class DecisionForm(Own):
    """An adjudicated label and why."""

    own = "decision"
    reason = forms.CharField(label=_("Reason"), widget=forms.Textarea(attrs={"rows": 3}), max_length=4000)

    def __init__(self, dimension: Dimension, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.dimension = dimension
        choices = list(dimension.labels.values_list("code", "text"))
        is_multiple = dimension.scale == Dimension.Scale.MULTIPLE
        if dimension.cannot_judge_label:
            choices.append((CANNOT_JUDGE, dimension.cannot_judge_label))
        field: forms.Field = (
            forms.MultipleChoiceField(
                label=dimension.name, choices=choices, widget=forms.CheckboxSelectMultiple, required=False
            )
            if is_multiple
            else forms.ChoiceField(label=dimension.name, choices=choices, widget=forms.RadioSelect)
        )
        self.fields["label"] = field
        self.order_fields(["label", "reason"])

    def clean(self) -> dict[str, Any]:
        """Cannot judge is no label beside others."""
        values = super().clean() or {}
        if isinstance(values.get("label"), list) and CANNOT_JUDGE in values["label"] and len(values["label"]) > 1:
            self.add_error("label", gettext("Choose either labels or that it cannot be judged."))
        return values

    def given(self) -> Given:
        """The answer of a valid form."""
        chosen = self.cleaned_data["label"]
        if chosen in (CANNOT_JUDGE, [CANNOT_JUDGE]):
            return Given(missing=Judgement.Missing.CANNOT_JUDGE)
        return Given(labels=chosen) if isinstance(chosen, list) else Given(label=chosen)


class ExportForm(Own):
    """What leaves the platform."""

    own = "export"
    scope = forms.ChoiceField(
        label=_("For whom"),
        choices=[
            ("public", _("for everybody: without hidden fields and without who the raters are")),
            ("private", _("for the team: everything")),
        ],
        widget=forms.RadioSelect,
        initial="public",
    )
    formats = forms.MultipleChoiceField(
        label=_("Formats"),
        choices=[(str(Format.CSV), "CSV"), (str(Format.PARQUET), "Parquet"), (str(Format.JSONL), "JSON Lines")],
        widget=forms.CheckboxSelectMultiple,
        initial=[str(Format.CSV), str(Format.PARQUET)],
    )
