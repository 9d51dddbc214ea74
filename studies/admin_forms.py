"""Forms of the admin: drafts as people write them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core import strictyaml
from core.canonical import content_sha256
from core.errors import Conflict, DomainError
from studies import services
from studies.admin_fields import BlocksField, CodesField, OptionsField
from studies.definition import canonical
from studies.models import FormItem, Membership, ModelAnswer, Source, Study
from studies.models.study import default_blocks, default_stances

LINES = {"rows": 6, "cols": 60}


class StudyForm(forms.ModelForm):
    """The columns of a draft."""

    seen = forms.CharField(required=False, widget=forms.HiddenInput)
    blocks = BlocksField(
        label=gettext_lazy("Blocks"),
        initial=default_blocks,
        help_text=gettext_lazy("One a line, in the order of a session: from consent to debrief."),
    )
    stance_options = OptionsField(
        label=gettext_lazy("Stance options"),
        initial=default_stances,
        required=False,
        help_text=gettext_lazy("One a line: value = label. Empty: stance is not asked."),
    )
    codes = CodesField(
        label=gettext_lazy("Completion codes"),
        required=False,
        help_text=gettext_lazy("One a line: outcome = code. What is left out is made at publication, opaque."),
    )

    class Meta:
        model = Study
        fields = tuple(
            field.name
            for field in Study._meta.fields
            if field.editable and field.name not in {"id", "created_at", "created_by"}
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            self.fields["seen"].initial = _state_of(self.instance)

    def clean(self) -> dict[str, Any]:
        """Refuse to save over what somebody else saved; the study is locked, and as it is stored."""
        data = super().clean() or {}
        if self.instance.pk and data.get("seen") not in {None, "", _state_of(self.instance)}:
            message = _(
                "Somebody has changed this draft since you opened it. Nothing of yours was saved: open it anew."
            )
            raise ValidationError(message, code="changed_meanwhile")
        return data


def _state_of(study: Study) -> str:
    """What of a draft its page would write."""
    elsewhere = {"answers", "seeds", "revisions"}
    return content_sha256({key: value for key, value in canonical(study).items() if key not in elsewhere})


class FormItemForm(forms.ModelForm):
    """An item with its options as lines."""

    options = OptionsField(
        label=gettext_lazy("Options"),
        required=False,
        may_screen_out=True,
        help_text=gettext_lazy("One a line: value = label. Add [screens out] to end the session of who chooses it."),
    )

    class Meta:
        model = FormItem
        fields = ("code", "kind", "label", "hint", "options", "minimum", "maximum", "position")


class SourceForm(forms.ModelForm):
    """A source; its settings are a JSON object."""

    class Meta:
        model = Source
        fields = ("code", "name", "settings", "position")

    def clean_settings(self) -> Any:
        """Keys and values, whatever they are, that can also stand in a file."""
        settings = self.cleaned_data["settings"] or {}
        if not isinstance(settings, dict):
            raise ValidationError(_('Write a JSON object, such as {"temperature": 0.7}.'))
        try:
            text = strictyaml.dump({"settings": settings})
            same = strictyaml.read(text, "settings", strictyaml.Anything()) == {"settings": settings}
        except (ValueError, DomainError) as error:
            raise ValidationError(_("This cannot be stored: %(why)s") % {"why": error}) from error
        if not same:
            raise ValidationError(_("This cannot be stored as it is. Put large numbers in quotes."))
        return settings


class MembershipForm(forms.ModelForm):
    """A member by name of the account: a list would name every account to everybody."""

    username = forms.CharField(label=gettext_lazy("Account"), max_length=150)

    class Meta:
        model = Membership
        fields = ("role",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user_before = self.instance.user if self.instance.pk else None
        if self.user_before is not None:
            self.fields["username"].initial = self.user_before.get_username()

    def clean_username(self) -> str:
        """The name of an account there is."""
        name: str = self.cleaned_data["username"]
        user = get_user_model().objects.filter(username=name, is_active=True).first()
        if user is None:
            raise ValidationError(_("There is no account of this name."))
        self.instance.user = user
        return name


class MembershipFormSet(forms.BaseInlineFormSet):
    """The team of a study, which keeps an owner and has everybody once."""

    def clean(self) -> None:
        """Look at all members together."""
        super().clean()
        kept = [form for form in self.forms if form.cleaned_data and not form.cleaned_data.get("DELETE")]
        names = [form.cleaned_data.get("username") for form in kept]
        if len(set(names)) < len(names):
            raise ValidationError(_("An account has one role in a study."))
        before = [form.initial["role"] for form in self.initial_forms]
        try:
            services.refuse_without_owner(before=before, after=[form.cleaned_data.get("role", "") for form in kept])
        except Conflict as error:
            raise ValidationError(str(error), code=error.code) from error

    def write(self, *, by: Any, now: datetime) -> None:
        """Do what was entered by the services of the team: owners first, so that there is one at any time."""
        present: list[Any] = self.initial_forms
        changed: list[Any] = [form for form in self.forms if form.has_changed() and form not in self.deleted_forms]
        kept = {form.instance.user for form in self.forms if form.cleaned_data and form not in self.deleted_forms}
        self.new_objects, self.changed_objects, self.deleted_objects = [], [], []
        for form in sorted(changed, key=lambda form: form.cleaned_data["role"] != Membership.Role.OWNER):
            role = form.cleaned_data["role"]
            member = services.add_member(study=self.instance, user=form.instance.user, role=role, by=by, now=now)
            if form.user_before is None:
                self.new_objects.append(member)
            else:
                self.changed_objects.append((member, form.changed_data))
        for form in present:
            if form.user_before not in kept:
                services.remove_member(study=self.instance, user=form.user_before, by=by, now=now)
        self.deleted_objects = [form.instance for form in present if form in self.deleted_forms]


class ModelAnswerForm(forms.ModelForm):
    """An answer of a source to a question of the same study."""

    class Meta:
        model = ModelAnswer
        fields = ("question", "source", "text")

    def clean(self) -> dict[str, Any]:
        """Both of one study, which is a draft, and one answer for both. Locked: nobody publishes it meanwhile."""
        data = super().clean() or {}
        question, source = data.get("question"), data.get("source")
        if not (question and source):
            return data
        if question.study_id != source.study_id:
            raise ValidationError({"source": _("The source belongs to another study than the question.")})
        # An answer may move to a question of another study: then both must be drafts.
        ids = {question.study_id, self.instance.question.study_id if self.instance.pk else question.study_id}
        studies = Study.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk")
        if any(study.status != Study.Status.DRAFT for study in studies):
            raise ValidationError(_("The study has been published; its answers are frozen."))
        twins = ModelAnswer.objects.filter(question=question, source=source).exclude(pk=self.instance.pk)
        if twins.exists():
            raise ValidationError({"source": _("This source has an answer to the question already.")})
        return data
