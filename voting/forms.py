"""Forms of the admin: seeds as the team writes them."""

from __future__ import annotations

from typing import Any

from django import forms

from studies.admin_fields import TypedText
from voting import services
from voting.models import Statement


class SeedForm(forms.ModelForm):
    """A drafted seed: a new one, or another text for one that was not published."""

    text = TypedText(widget=forms.Textarea(attrs={"rows": 4, "cols": 80}))

    class Meta:
        model = Statement
        fields = ("question", "code", "text")

    def clean(self) -> dict[str, Any]:
        """Whatever the service would say against it, said at the field."""
        data: dict[str, Any] = super().clean() or {}
        row = self.row_of(data)
        if all(row.values()):
            study = row["question"].study
            problems = services.seed_problems(study=study, row={**row, "question": row["question"].code})
            for name, messages in problems.items():
                for message in messages:
                    self.add_error(name if name in self.fields else None, message)
        return data

    def row_of(self, data: dict[str, Any]) -> dict[str, Any]:
        """Question, code and text, of the row itself where the form does not offer them."""
        return {name: data.get(name) or getattr(self.instance, name, None) for name in ("question", "code", "text")}
