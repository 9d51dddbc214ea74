"""What the team's pages take in: parsing and kind messages."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from studies.imports import LABELS
from studies.models import Study

MAXIMUM_UPLOAD = 20_000_000
MAXIMUM_DEFINITION = 2_000_000
"""YAML is read at some hundred kilobytes a second: a larger one would hold a thread of the web server for minutes."""


class NotLarger:
    """Refuse a file of more than `limit` bytes before it is read into memory."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def __call__(self, file: Any) -> None:
        """Look at its size."""
        if file.size > self.limit:
            message = gettext("The file is larger than %(limit)d MB. Load it by a command.")
            raise ValidationError(message % {"limit": self.limit // 1_000_000})


class DefinitionForm(forms.Form):
    """A definition file; for a published study with the reason of the amendment."""

    file = forms.FileField(
        label=_("Definition file (YAML)"),
        validators=[NotLarger(MAXIMUM_DEFINITION)],
        widget=forms.FileInput(attrs={"accept": ".yaml,.yml"}),
    )
    reason = forms.CharField(
        label=_("Reason for the amendment"),
        required=False,
        max_length=500,
        help_text=_("Only for a published study: kept with the new version for good."),
    )


class ImportForm(forms.Form):
    """A table to import; first as a dry run."""

    kind = forms.ChoiceField(label=_("What the table holds"), choices=list(LABELS.items()))
    file = forms.FileField(
        label=_("Table (CSV or JSON Lines)"),
        validators=[NotLarger(MAXIMUM_UPLOAD)],
        widget=forms.FileInput(attrs={"accept": ".csv,.jsonl,.ndjson"}),
    )
    dry_run = forms.BooleanField(label=_("Only show what would be done"), required=False, initial=True)


class SeedsForm(forms.Form):
    """Another study whose free responses become seeds."""

    other = forms.ModelChoiceField(label=_("Study"), queryset=Study.objects.none(), to_field_name="slug")
    maximum = forms.IntegerField(
        label=_("At most this many for each question"),
        required=False,
        initial=20,
        validators=[MinValueValidator(1)],
    )
    dry_run = forms.BooleanField(label=_("Only show what would be done"), required=False, initial=True)

    prefix = "seeds"

    def __init__(self, *args: Any, studies: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["other"].queryset = studies  # type: ignore[attr-defined]


class CloneForm(forms.Form):
    """Name and title of the copy."""

    slug = forms.SlugField(label=_("Slug of the copy"), max_length=64)
    title = forms.CharField(label=_("Title of the copy"), max_length=200)
