"""Groups and scores as they leave the platform: those of the reported run, keyed by the codes of the other tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext_lazy as _

from clustering.letters import group_label
from clustering.models import GroupCoverage, GroupMember, QuestionCoverage, Score
from clustering.selectors import reported_run
from clustering.services import run_identity
from core.models import Run
from core.tables import Column, Kind, Table
from studies.models import Study

CHUNK = 5_000
BEST = "best-across-models"
Rows = Iterator[tuple[Any, ...]]

_RUN = Column("run", Kind.UUID, _("The run of OvertonScores that the row belongs to."), nullable=False)
_QUESTION = Column("question", Kind.TEXT, _("Code of the question."), nullable=False)
_REVISION = Column("question_revision", Kind.INTEGER, _("Revision of the question."), nullable=False)
_SOURCE = Column("source", Kind.TEXT, _("Code of the source; best-across-models if any answer may represent a group."))
_GROUP = Column(
    "group",
    Kind.TEXT,
    _("Letter of the opinion group, the same from run to run as long as its members are; missing if in none."),
)
_UNDEFINED = Column("undefined", Kind.TEXT, _("Why there is no number; empty if there is one."), nullable=False)


def tables() -> tuple[Table, ...]:
    """The tables that clustering declares; `rows` of each takes the study."""
    return (GROUPS, COVERAGES, QUESTION_COVERAGES, SCORES)


def about(study: Study) -> dict[str, Any]:
    """What the manifest says of the run whose groups and scores the tables hold; None if there is no run."""
    run = reported_run(study)
    if run is None:
        return {"reported_run": None}
    parts = list(run.parts.order_by("pk"))
    return {
        "reported_run": {
            **run_identity(run),
            "is_marked_reported": run.is_reported,
            "finished_at": run.finished_at.isoformat() if run.finished_at else None,
            "method_versions": _method_versions(run, parts),
            "groupings": [run_identity(part) for part in parts],
        }
    }


def _method_versions(run: Run, parts: list[Run]) -> dict[str, str]:
    """The version of each method, as the results state them."""
    result = run.result or {}
    stated: dict[str, Any] = {"overton": result.get("overton")}
    for line in result.get("questions", []):
        stated["coverage"] = line["coverage"]
    for part in parts:
        stated |= {name: value for name, value in (part.result or {}).items() if isinstance(value, dict)}
    return {name: value["method_version"] for name, value in stated.items() if value and "method_version" in value}


def group_rows(study: Study) -> Rows:
    """Who is in which group of the reported run, and where on the map."""
    run = reported_run(study)
    if run is None:
        return
    members = GroupMember.objects.filter(grouping__run__parent=run).order_by("grouping__question__position", "pk")
    rows = members.values_list(
        "grouping__question__code",
        "grouping__question__revision",
        "enrolment__public_code",
        "group__identity",
        "x",
        "y",
        "n_votes",
    )
    for question, revision, participant, identity, *rest in rows.iterator(chunk_size=CHUNK):
        label = None if identity is None else group_label(identity)
        yield (run.public_id, question, revision, participant, label, *rest)


def coverage_rows(study: Study) -> Rows:
    """Mean rating of each group by answer, and whether the answer represents it."""
    run = reported_run(study)
    if run is None:
        return
    rows = (
        GroupCoverage.objects.filter(run=run)
        .order_by("pk")
        .select_related("group__grouping__question", "answer__source")
    )
    for row in rows.iterator(chunk_size=CHUNK):
        question = row.group.grouping.question
        yield (
            run.public_id,
            question.code,
            question.revision,
            row.group.letter,
            row.group.size,
            row.answer.source.code,
            row.n_ratings,
            row.mean_rating,
            row.is_covered,
        )


def question_coverage_rows(study: Study) -> Rows:
    """Coverage of each question by each source."""
    run = reported_run(study)
    if run is None:
        return
    rows = (
        QuestionCoverage.objects.filter(run=run)
        .order_by("pk")
        .values_list(
            "question__code",
            "question__revision",
            "source__code",
            "n_groups",
            "coverage",
            "coverage_weighted",
            "undefined",
        )
    )
    for question, revision, source, *rest in rows.iterator(chunk_size=CHUNK):
        yield (run.public_id, question, revision, source or BEST, *rest)


def score_rows(study: Study) -> Rows:
    """OvertonScores with their intervals."""
    run = reported_run(study)
    if run is None:
        return
    rows = (
        Score.objects.filter(run=run)
        .order_by("pk")
        .values_list("source__code", "is_weighted", "n_questions", "value", "low", "high", "undefined")
    )
    for source, *rest in rows.iterator(chunk_size=CHUNK):
        yield (run.public_id, source or BEST, *rest)


GROUPS = Table(
    name="groups",
    description=_("Opinion groups of the reported run: who is in which, and where on the opinion map."),
    columns=(
        _RUN,
        _QUESTION,
        _REVISION,
        Column("participant", Kind.TEXT, _("Public code of the participant."), nullable=False),
        _GROUP,
        Column("x", Kind.NUMBER, _("First coordinate on the opinion map.")),
        Column("y", Kind.NUMBER, _("Second coordinate on the opinion map.")),
        Column("n_votes", Kind.INTEGER, _("Votes that counted."), nullable=False),
    ),
    rows=group_rows,
)

COVERAGES = Table(
    name="group_coverages",
    description=_("How each group of the reported run rates each answer, and whether the answer represents it."),
    columns=(
        _RUN,
        _QUESTION,
        _REVISION,
        Column("group", Kind.TEXT, _("Label of the opinion group, A being the largest."), nullable=False),
        Column("group_size", Kind.INTEGER, _("Members of the group."), nullable=False),
        _SOURCE,
        Column("n_ratings", Kind.INTEGER, _("Members who rated the answer."), nullable=False),
        Column("mean_rating", Kind.NUMBER, _("Their mean rating, 1 to 5; missing without a rating.")),
        Column("is_covered", Kind.BOOLEAN, _("Whether the answer represents the group; missing without a rating.")),
    ),
    rows=coverage_rows,
)

QUESTION_COVERAGES = Table(
    name="question_coverages",
    description=_("Share of a question's groups that an answer represents, in the reported run."),
    columns=(
        _RUN,
        _QUESTION,
        _REVISION,
        _SOURCE,
        Column("n_groups", Kind.INTEGER, _("Groups of the question."), nullable=False),
        Column("coverage", Kind.NUMBER, _("Share of groups, 0 to 1, each counting alike.")),
        Column("coverage_weighted", Kind.NUMBER, _("Share of groups, 0 to 1, each counting by its size.")),
        _UNDEFINED,
    ),
    rows=question_coverage_rows,
)

SCORES = Table(
    name="scores",
    description=_("OvertonScores of the reported run."),
    columns=(
        _RUN,
        _SOURCE,
        Column("is_weighted", Kind.BOOLEAN, _("Whether groups count by their size."), nullable=False),
        Column("n_questions", Kind.INTEGER, _("Questions with a coverage."), nullable=False),
        Column("overton_score", Kind.NUMBER, _("Mean coverage over questions, 0 to 1.")),
        Column("low", Kind.NUMBER, _("Lower end of the bootstrap interval over questions.")),
        Column("high", Kind.NUMBER, _("Upper end of the bootstrap interval over questions.")),
        _UNDEFINED,
    ),
    rows=score_rows,
)
