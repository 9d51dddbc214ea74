"""The screening report of a study's questions, or of a file: what is read, and the table that comes of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from clustering.inclusion import Inclusion
from clustering.loading import current_questions
from clustering.stats.screening import Criterion, Cutoffs, ScreeningReport, screen
from core.tables import InputColumn, TableSpec, read_table
from studies.models import Answer, FreeResponse, Study

PARTY_ITEM = "party"
"""Code of the form item that asks for the party, as in the usual form."""
NEUTRAL = "neutral"
"""The usual stance that takes no side."""

REASONS: dict[str, Promise] = {
    "consensus": gettext_lazy("nearly all take one stance"),
    "neutral": gettext_lazy("neutral across parties"),
    "importance": gettext_lazy("hardly important to people"),
    "no_stances": gettext_lazy("nobody gave a stance"),
    "few_stances": gettext_lazy("too few gave a stance"),
    "no_parties": gettext_lazy("of nobody a party is known"),
    "few_parties": gettext_lazy("too few parties have enough people"),
    "no_importances": gettext_lazy("nobody rated the importance"),
    "few_importances": gettext_lazy("too few rated the importance"),
}
RECOMMENDATIONS: dict[str, Promise] = {
    "keep": gettext_lazy("keep"),
    "drop": gettext_lazy("drop"),
    "undecided": gettext_lazy("undecided"),
}
COLUMNS = (
    "question",
    "recommendation",
    "reasons",
    "n_people",
    *(
        f"{name}{part}"
        for name in ("consensus", "neutral", "importance")
        for part in ("", "_low", "_high", "_n", "_cutoff", "_met", "_borderline", "_undefined")
    ),
)
FILE = TableSpec(
    (
        InputColumn("question"),
        InputColumn("participant"),
        InputColumn("stance", nullable=True),
        InputColumn("party", nullable=True, optional=True),
        InputColumn("importance", "number", nullable=True, optional=True, minimum=1, maximum=5),
    ),
    unique=(("question", "participant"),),
    ignore_others=True,
)


def screen_study(
    study: Study,
    *,
    inclusion: Inclusion,
    cutoffs: Cutoffs,
    party_item: str = PARTY_ITEM,
    neutral_stance: str = NEUTRAL,
) -> ScreeningReport:
    """Screen the current questions by what people said with their free responses, and the party from the form.

    The rule of inclusion decides by origin and outcome; a minimum of votes is none of a stance and is not asked for.
    """
    questions = current_questions(study.pk)
    responses = FreeResponse.objects.filter(
        question__in=questions,
        enrolment__origin__in=inclusion.origins,
        enrolment__status__in=inclusion.statuses,
    )
    parties = dict(
        Answer.objects.filter(enrolment__study=study, item_code=party_item, value_choice__isnull=False).values_list(
            "enrolment_id", "value_choice"
        )
    )
    rows: dict[str, list[tuple[str | None, str | None, float | None]]] = defaultdict(list)
    read = responses.values_list("question__code", "enrolment_id", "stance", "importance").order_by("pk")
    for question, enrolment, stance, importance in read.iterator():
        rows[question].append((stance or None, parties.get(enrolment), importance))
    return screen([question.code for question in questions], rows, neutral_stance=neutral_stance, cutoffs=cutoffs)


def screen_file(path: Path, *, cutoffs: Cutoffs, neutral_stance: str = NEUTRAL) -> ScreeningReport:
    """Screen the questions of a table with a row a person and question, in the order of their codes.

    Raises
    ------
    BadInput
        With everything that is wrong in the file.
    """
    rows: dict[str, list[tuple[str | None, str | None, float | None]]] = defaultdict(list)
    for row in read_table(path, path.name, FILE):
        rows[row["question"]].append((row["stance"], row["party"], row["importance"]))
    return screen(sorted(rows), rows, neutral_stance=neutral_stance, cutoffs=cutoffs)


def rows_of(report: ScreeningReport) -> Iterator[dict[str, Any]]:
    """The report as a table, a question a row, unrounded, by the names in `COLUMNS`; None where undefined."""
    for question in report.to_dict()["questions"]:
        row = {
            "question": question["question"],
            "recommendation": question["recommendation"],
            "reasons": " ".join(question["reasons"]),
            "n_people": question["n_people"],
        }
        for name in ("consensus", "neutral", "importance"):
            row |= _cells(name, question[name])
        yield row


def _cells(name: str, criterion: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: criterion["value"],
        f"{name}_low": criterion["low"],
        f"{name}_high": criterion["high"],
        f"{name}_n": criterion["n"],
        f"{name}_cutoff": criterion["cutoff"],
        f"{name}_met": criterion["is_met"],
        f"{name}_borderline": criterion["is_borderline"],
        f"{name}_undefined": criterion["undefined"],
    }


def criterion_in_words(criterion: Criterion) -> str:
    """A figure with its interval and people, or why there is none."""
    if criterion.undefined:
        return str(REASONS[criterion.undefined])
    numbers = {"value": criterion.value, "low": criterion.low, "high": criterion.high, "n": criterion.n}
    text = _("%(value).2f (%(low).2f to %(high).2f; %(n)d people)") % numbers
    return f"{text} \N{MIDDLE DOT} {_('borderline')}" if criterion.is_borderline else text


def reasons_in_words(reasons: tuple[str, ...]) -> str:
    """Why a question is to be dropped, or what is not known of it."""
    return ", ".join(str(REASONS[name]) for name in reasons)
