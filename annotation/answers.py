"""From what a page or a model says to what is stored: checks by dimension, mirrored labels, what does not apply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Dimension, Judgement, Label
from core.errors import Invalid, nearest
from core.text import check_length, is_blank, normalise_typed

EVIDENCE_MAXIMUM = 4000
Missing = Judgement.Missing
#: What may be given instead of a label by a person, and by a model.
OF_PEOPLE = frozenset({Missing.CANNOT_JUDGE, Missing.SKIPPED})
OF_MODELS = frozenset({Missing.CANNOT_JUDGE, Missing.SKIPPED, Missing.REFUSED, Missing.UNPARSABLE})


@dataclass(frozen=True, slots=True)
class Given:
    """One answer as it was given, in terms of the page: a label, several labels, or why there is none."""

    label: str | None = None
    labels: Sequence[str] | None = None
    missing: str | None = None
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """One answer as it is stored."""

    dimension: Dimension
    label: Label | None = None
    shown_label: Label | None = None
    labels: list[str] | None = None
    missing: str | None = None
    evidence: str = ""

    def says(self, row: Judgement) -> bool:
        """Whether a stored judgement says the same."""
        return (
            row.label_id == (self.label.pk if self.label else None)
            and row.labels == self.labels
            and row.missing == self.missing
            and row.evidence == self.evidence
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, for the hash of a submission."""
        shown = None if self.shown_label is None else self.shown_label.code
        return {"label": shown, "labels": self.labels, "missing": self.missing, "evidence": self.evidence}


def check(
    dimensions: Sequence[Dimension], given: Mapping[str, Given], *, swapped: bool | None, by_model: bool
) -> list[Checked]:
    """The answers to `dimensions` (in their order) as they are stored; a dimension that does not apply is marked so.

    Raises
    ------
    Invalid
        With the messages by the code of the dimension.
    """
    faults: dict[str, list[str]] = {}
    for code in given.keys() - {dimension.code for dimension in dimensions}:
        faults[code] = [_("There is no such question.")]
    checked: dict[int, Checked] = {}
    for dimension in dimensions:
        try:
            checked[dimension.pk] = _check_one(dimension, given.get(dimension.code), checked, swapped, by_model)
        except Invalid as error:
            faults[dimension.code] = [str(error.message)]
    if faults:
        raise Invalid(fields=faults)
    return list(checked.values())


def _check_one(
    dimension: Dimension,
    given: Given | None,
    earlier: Mapping[int, Checked],
    swapped: bool | None,
    by_model: bool,
) -> Checked:
    if not _applies(dimension, earlier):
        return Checked(dimension, missing=Missing.NOT_APPLICABLE)
    if given is None or (given.label is None and given.labels is None and given.missing is None):
        if dimension.is_required:
            raise Invalid(_("Please choose an answer."))
        return Checked(dimension, missing=Missing.SKIPPED)
    evidence = _evidence(dimension, given)
    if given.missing is not None:
        return Checked(dimension, missing=_missing(dimension, given, by_model), evidence=evidence)
    by_code = {label.code: label for label in dimension.labels.all()}
    if dimension.scale == Dimension.Scale.MULTIPLE:
        chosen = set(given.labels or ([given.label] if given.label else []))
        _refuse_unknown(chosen, by_code)
        return Checked(dimension, labels=[code for code in by_code if code in chosen], evidence=evidence)
    if given.labels is not None and (given.label is not None or len(given.labels) != 1):
        raise Invalid(_("Please choose one answer."))
    code = given.label if given.label is not None else (given.labels or [""])[0]
    _refuse_unknown({code}, by_code)
    shown = by_code[code]
    return Checked(dimension, _stored(shown, swapped, by_code), shown, evidence=evidence)


def _applies(dimension: Dimension, earlier: Mapping[int, Checked]) -> bool:
    if dimension.depends_on_id is None:
        return True
    other = earlier.get(dimension.depends_on_id)
    if other is None:  # the other one has a fault of its own
        return False
    codes = set(other.labels or ([] if other.label is None else [other.label.code]))
    return bool(codes & set(dimension.depends_labels))


def _evidence(dimension: Dimension, given: Given) -> str:
    text = normalise_typed(given.evidence)
    if dimension.evidence == Dimension.Evidence.OFF:
        return ""
    if dimension.evidence == Dimension.Evidence.REQUIRED and given.missing is None and is_blank(text):
        raise Invalid(_("Please say in a few words what your answer rests on."))
    return check_length("" if is_blank(text) else text, maximum=EVIDENCE_MAXIMUM)


def _missing(dimension: Dimension, given: Given, by_model: bool) -> str:
    if given.label is not None or given.labels:
        raise Invalid(_("Please choose one answer."))
    if given.missing not in (OF_MODELS if by_model else OF_PEOPLE):
        raise Invalid(_("This answer is not possible here."))
    if given.missing == Missing.CANNOT_JUDGE and dimension.cannot_judge == Dimension.CannotJudge.ABSENT:
        raise Invalid(_("This answer is not possible here."))
    if given.missing == Missing.SKIPPED and dimension.is_required:
        raise Invalid(_("Please choose an answer."))
    return str(Missing(given.missing))


def _refuse_unknown(codes: set[str], known: Mapping[str, Label]) -> None:
    for code in sorted(codes - known.keys()):
        raise Invalid(_("There is no such answer. %(remedy)s") % {"remedy": nearest(code, known)})


def _stored(shown: Label, swapped: bool | None, by_code: Mapping[str, Label]) -> Label:
    """The label with the texts in their stored order."""
    if not swapped or shown.mirror_id is None:
        return shown
    return next(label for label in by_code.values() if label.pk == shown.mirror_id)
