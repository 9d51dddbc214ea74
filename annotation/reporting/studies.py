"""Votes and ratings of a study as judgements: participants are the raters, by question and by opinion group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from annotation.reporting.about import About
from annotation.reporting.documents import computed, document
from annotation.stats.codes import Judgements
from annotation.stats.material import Material, Settings
from annotation.stats.scales import Scale
from core import registry
from core.canonical import content_sha256
from core.tables import Table
from studies.models import Enrolment, Question, Study

VOTES = Scale(("disagree", "neutral", "agree"), "ordinal", (-1.0, 0.0, 1.0))
RATINGS = Scale(("1", "2", "3", "4", "5"), "interval", (1.0, 2.0, 3.0, 4.0, 5.0))
_VOTE = {-1: "disagree", 0: "neutral", 1: "agree"}


@dataclass(slots=True)
class _Columns:
    """Judgements of one question."""

    item: list[str] = field(default_factory=list)
    rater: list[str] = field(default_factory=list)
    label: list[str] = field(default_factory=list)


def document_of(study: Study, settings: Settings) -> tuple[dict[str, Any], Material]:
    """The report of a study's current votes and ratings on the present revision of each question, and its material."""
    material = material_of(study)
    rows = [(each.dimension, each.items, each.raters, each.code.tolist()) for each in material.dimensions]
    facts = {
        "title": study.title,
        "questions": Question.objects.filter(study=study, is_current=True).count(),
        "groups": sum(len(set(groups.values())) for groups in material.groups.values()),
    }
    notes = (_("Raters are participants. Sets of raters are opinion groups, where a run has found them."),)
    about = About("study", study.slug, content_sha256(rows), facts, notes)
    return document(computed(material, settings), about), material


def material_of(study: Study) -> Material:
    """Each question's votes and ratings as a dimension of its own."""
    votes = _by_question(study, "votes", "statement", lambda value: _VOTE[value])
    ratings = _by_question(study, "ratings", "source", str)
    groups = _groups(study)
    dimensions, of_dimension = [], {}
    for name, scale, found in (("votes", VOTES, votes), ("ratings", RATINGS, ratings)):
        for question, columns in sorted(found.items()):
            dimension = f"{name}/{question}"
            dimensions.append(Judgements.from_columns(dimension, columns.item, columns.rater, columns.label, scale))
            if question in groups:
                of_dimension[dimension] = groups[question]
    return Material(dimensions=tuple(dimensions), groups=of_dimension)


def _by_question(study: Study, table: str, item: str, label: Any) -> dict[str, _Columns]:
    """The current rows of a table that some app offers, by question."""
    current = dict(Question.objects.filter(study=study, is_current=True).values_list("code", "revision"))
    found: dict[str, _Columns] = {}
    for row in _rows(study, table):
        question = row["question"]
        if (
            row["superseded_at"] is not None
            or current.get(question) != row["question_revision"]
            or row["value"] is None
        ):
            continue
        columns = found.setdefault(question, _Columns())
        columns.item.append(row[item])
        columns.rater.append(row["participant"])
        columns.label.append(label(row["value"]))
    return found


def _rows(study: Study, name: str) -> Iterator[Mapping[str, Any]]:
    tables: Sequence[Table] = [
        table for module in registry.modules() for table in module.tables() if table.name == name
    ]
    for table in tables:
        names = [column.name for column in table.columns]
        for row in table.rows(study):
            yield dict(zip(names, row, strict=True))


def _groups(study: Study) -> dict[str, dict[str, str]]:
    """The opinion group of each participant by question, from the viewpoints that some app offers."""
    questions = dict(Question.objects.filter(study=study).values_list("pk", "code"))
    people = dict(Enrolment.objects.filter(study=study).values_list("pk", "public_code"))
    found: dict[str, dict[str, str]] = {}
    for module in registry.modules():
        for view in module.viewpoints(study) if module.viewpoints else ():
            if view.group and view.enrolment_id in people:
                found.setdefault(questions[view.question_id], {})[people[view.enrolment_id]] = view.group
    return found
