"""What a researcher may set before ratings are predicted, with kind messages."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from clustering.inclusion import ORIGINS, Inclusion
from clustering.parameters import LARGEST_SEED
from core.endpoints import model_parameters
from core.endpoints import names as endpoint_names
from core.errors import Invalid
from prediction.judging.planning import TOKENS_OF_A_REPLY
from prediction.judging.variants import VARIANTS
from prediction.models import LONGEST_NAME, Candidate
from prediction.parameters import MOST_REPEATS, Asking, Method, Reporting
from prediction.selectors import batch_lines, candidates_of, default_inclusion
from studies.forms import MAXIMUM_UPLOAD, CloneForm, NotLarger
from studies.models import Source, Study

ABOUT = {
    "D": _("D: demographics"),
    "FR": _("FR: the free response"),
    "FR+S+D": _("FR+S+D: free response, stance, demographics"),
    "FS": _("FS: ratings of the other answers to the question"),
    "FS+FR": _("FS+FR: those ratings and the free response"),
    "FS+FR+D+S": _("FS+FR+D+S: ratings, free response, demographics, stance"),
    "MS": _("MS: all other ratings of the person (many-shot)"),
}


class SettingsForm(forms.Form):
    """Turns what the settings themselves refuse into messages at their fields."""

    def settings(self) -> Any:
        """The settings of a valid form."""
        raise NotImplementedError

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


class AskingForm(SettingsForm):
    """What predicts, of whom, how often."""

    method = forms.ChoiceField(
        label=_("Predicted by"),
        choices=[
            (Method.JUDGE.value, _("a model as judge")),
            (Method.MEAN_OF_OTHERS.value, _("baseline: mean of the person's other ratings")),
            (Method.MOST_SIMILAR.value, _("baseline: rating of the most similar answer")),
        ],
    )
    endpoint = forms.ChoiceField(label=_("Judge"), required=False, choices=())
    variant = forms.ChoiceField(
        label=_("What the judge is told of the person"),
        required=False,
        choices=[("", _("nothing: a baseline")), *((code, ABOUT[code]) for code in VARIANTS)],
    )
    scope = forms.ChoiceField(
        label=_("What is predicted"),
        choices=[
            ("measured", _("ratings that people gave")),
            ("new", _("answers of candidates, which nobody rated")),
            ("all", _("both")),
        ],
    )
    repeats = forms.IntegerField(
        label=_("Repeats"),
        min_value=1,
        max_value=MOST_REPEATS,
        help_text=_("How often the judge is asked the same; their mean is rounded half up. A baseline is asked once."),
    )
    subset = forms.IntegerField(
        label=_("Only so many points"),
        required=False,
        min_value=1,
        help_text=_("A drawn subset to try a prompt on. A later run over all repeats none of its calls."),
    )
    subset_seed = forms.IntegerField(label=_("Seed of the subset"), min_value=0, max_value=LARGEST_SEED)
    model_parameters = forms.CharField(
        label=_("Parameters of the model (JSON)"),
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text=_('Sent with every request, as in {"temperature": 0.7}.'),
    )
    reply_tokens = forms.IntegerField(
        label=_("Tokens of a reply, for the estimate"),
        min_value=1,
        max_value=100_000,
        help_text=_("A model that reasons before it answers is paid for its thoughts as well."),
    )
    origins = forms.MultipleChoiceField(
        label=_("Take in people who are"),
        choices=[(origin.value, origin.label) for origin in ORIGINS],
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["endpoint"].choices = [("", _("nobody: a baseline")), *((name, name) for name in endpoint_names())]  # type: ignore[attr-defined]

    def clean_model_parameters(self) -> dict[str, Any]:
        """Read the parameters as a JSON object."""
        try:
            return model_parameters(self.cleaned_data["model_parameters"])
        except Invalid as problem:
            raise forms.ValidationError(str(problem)) from problem

    def settings(self) -> Asking:
        """The settings of a valid form."""
        values = self.cleaned_data
        is_judge = values["method"] == Method.JUDGE
        return Asking(
            inclusion=Inclusion(tuple(values["origins"])),
            method=values["method"],
            variant=values["variant"],
            endpoint=values["endpoint"],
            model_parameters=values["model_parameters"],
            repeats=values["repeats"] if is_judge else 1,
            subset=values["subset"],
            subset_seed=values["subset_seed"],
            scope=values["scope"],
        )


def asking_defaults(study: Study) -> dict[str, Any]:
    """The settings of the Overton paper where there is a judge, a baseline where there is none."""
    has_judge = bool(endpoint_names())
    return {
        "method": Method.JUDGE.value if has_judge else Method.MEAN_OF_OTHERS.value,
        "endpoint": endpoint_names()[0] if has_judge else "",
        "variant": "FS+FR" if has_judge else "",
        "scope": "measured",
        "repeats": 3 if has_judge else 1,
        "subset_seed": 1,
        "reply_tokens": TOKENS_OF_A_REPLY,
        "origins": list(default_inclusion(study).origins),
    }


class FileForm(forms.Form):
    """A table of predicted ratings."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # Several forms stand on one page: each has ids of its own.
        super().__init__(*args, **{"auto_id": "file_%s", **kwargs})

    file = forms.FileField(
        label=_("Table (CSV, JSON Lines or Parquet)"),
        validators=[NotLarger(MAXIMUM_UPLOAD)],
        widget=forms.FileInput(attrs={"accept": ".csv,.jsonl,.ndjson,.parquet"}),
    )
    method = forms.CharField(
        label=_("Name of the method"),
        required=False,
        max_length=LONGEST_NAME,
        help_text=_("For rows that name none; otherwise the name of the file."),
    )
    dry_run = forms.BooleanField(label=_("Only show what would be done"), required=False, initial=True)


class CandidatesForm(forms.Form):
    """A table of answers that nobody has rated."""

    file = forms.FileField(
        label=_("Table (CSV, JSON Lines or Parquet)"),
        validators=[NotLarger(MAXIMUM_UPLOAD)],
        widget=forms.FileInput(attrs={"accept": ".csv,.jsonl,.ndjson,.parquet"}),
    )
    dry_run = forms.BooleanField(label=_("Only show what would be done"), required=False, initial=True)


class ReportForm(SettingsForm):
    """Which batches are compared, and how."""

    batches = forms.MultipleChoiceField(label=_("Compare"), choices=(), widget=forms.CheckboxSelectMultiple)
    unit = forms.ChoiceField(
        label=_("The bootstrap draws"),
        choices=[
            ("participant", _("participants, with all their ratings")),
            ("rating", _("single ratings, as in the paper")),
            ("question", _("questions, with all their ratings")),
        ],
    )
    replicates = forms.IntegerField(label=_("Bootstrap replicates"), min_value=100, max_value=100_000)
    permutations = forms.IntegerField(label=_("Permutations"), min_value=99, max_value=100_000)
    seed = forms.IntegerField(label=_("Seed"), min_value=0, max_value=LARGEST_SEED)

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "report_%s", **kwargs})
        self.study = study
        filled = [line.batch for line in batch_lines(study) if line.n]
        self.fields["batches"].choices = [(str(batch.public_id), batch.name) for batch in filled]  # type: ignore[attr-defined]

    def settings(self) -> Reporting:
        """The settings of a valid form."""
        values = self.cleaned_data
        names = ("unit", "replicates", "permutations")
        return Reporting(
            inclusion=default_inclusion(self.study),
            batches=tuple(values["batches"]),
            **{name: values[name] for name in names},
        )


def report_defaults(study: Study) -> dict[str, Any]:
    """All batches with the settings of the paper, but for the unit of the bootstrap."""
    return {
        "batches": [str(line.batch.public_id) for line in batch_lines(study) if line.n],
        "unit": "participant",
        "replicates": 2000,
        "permutations": 5000,
        "seed": 1,
    }


class HandForm(forms.Form):
    """One prediction by hand; no rating means that one cannot tell."""

    participant = forms.CharField(max_length=64, widget=forms.HiddenInput)
    answer = forms.UUIDField(widget=forms.HiddenInput)
    rating = forms.TypedChoiceField(
        choices=[(str(n), str(n)) for n in range(1, 6)] + [("none", _("cannot tell"))],
        coerce=lambda value: None if value == "none" else int(value),
        empty_value="",
        error_messages={"required": _("Choose a number, or that you cannot tell.")},
    )


class ShortlistForm(CloneForm):
    """Which models go into a new study, and what it is called."""

    models = forms.MultipleChoiceField(label=_("Models"), choices=(), widget=forms.CheckboxSelectMultiple)

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "shortlist_%s", **kwargs})
        measured = Source.objects.filter(study=study).order_by("position", "code")
        new: list[Candidate] = candidates_of(study)
        self.fields["models"].choices = [  # type: ignore[attr-defined]
            *((source.code, gettext("%(name)s (measured)") % {"name": source.name}) for source in measured),
            *((candidate.code, gettext("%(name)s (predicted)") % {"name": candidate.name}) for candidate in new),
        ]
