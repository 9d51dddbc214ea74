"""What an export should hold, as the team chooses it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from core.tables import Format
from studies.data.columns import IDENTITY_PERMISSION

LABELS = {Format.CSV: _("CSV"), Format.PARQUET: _("Parquet"), Format.JSONL: _("JSON Lines")}


class ExportForm(forms.Form):
    """Formats, and the two options; recruiters' ids are offered to those alone who may have them."""

    formats = forms.MultipleChoiceField(
        label=_("Formats"),
        choices=[(str(form), label) for form, label in LABELS.items()],
        widget=forms.CheckboxSelectMultiple,
        initial=[str(Format.CSV), str(Format.PARQUET)],
    )
    spreadsheet_safe = forms.BooleanField(
        label=_("CSV for spreadsheets"),
        required=False,
        help_text=_(
            "An apostrophe before what a spreadsheet would run as a formula. Programs read the raw form better."
        ),
    )
    include_external_ids = forms.BooleanField(
        label=_("With recruiters' ids and what came too late"),
        required=False,
        help_text=_("Personal data: only for paying people and for answering their requests."),
    )

    def __init__(self, *args: Any, user: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not user.has_perm(IDENTITY_PERMISSION):
            del self.fields["include_external_ids"]
