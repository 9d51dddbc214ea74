"""What people were asked and shown, in every revision: questions, sources and their answers."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from core.tables import Column, Kind, Table
from studies.data.columns import ANSWER_REVISION, QUESTION, REVISION, SOURCE, Rows, streamed
from studies.models import ModelAnswer, Study


def question_rows(study: Study) -> Rows:
    """All revisions of all questions."""
    questions = study.questions.order_by("position", "code", "revision")
    return streamed(questions, "code", "revision", "domain", "text", "position", "is_current", "is_frozen")


def source_rows(study: Study) -> Rows:
    """All sources."""
    return streamed(study.sources.order_by("position", "code"), "code", "name", "settings", "position")


def model_answer_rows(study: Study) -> Rows:
    """All revisions of all answers."""
    answers = ModelAnswer.objects.filter(question__study=study).order_by(
        "question__position",
        "question__code",
        "question__revision",
        "source__position",
        "source__code",
        "revision",
    )
    columns = ("question__code", "question__revision", "source__code", "revision", "text", "is_current", "is_frozen")
    return streamed(answers, *columns)


_CURRENT = Column("is_current", Kind.BOOLEAN, _("Whether it is the present revision."), nullable=False)
_FROZEN = Column("is_frozen", Kind.BOOLEAN, _("Whether a published version shows it."), nullable=False)

QUESTIONS = Table(
    name="questions",
    description=_("Questions in every revision. A changed text is another revision; analyses never mix them."),
    columns=(
        QUESTION,
        REVISION,
        Column("domain", Kind.TEXT, _("The subset it belongs to; may be empty."), nullable=False),
        Column("text", Kind.TEXT, _("The question as shown."), nullable=False),
        Column("position", Kind.INTEGER, _("Place in the definition, from 0."), nullable=False),
        _CURRENT,
        _FROZEN,
    ),
    rows=question_rows,
)

SOURCES = Table(
    name="sources",
    description=_("Sources: the models with their generation settings."),
    columns=(
        SOURCE,
        Column("name", Kind.TEXT, _("Name for people."), nullable=False),
        Column("settings", Kind.JSON, _("Generation settings."), nullable=False),
        Column("position", Kind.INTEGER, _("Place in the definition, from 0."), nullable=False),
    ),
    rows=source_rows,
)

MODEL_ANSWERS = Table(
    name="model_answers",
    description=_("The sources' answers to the questions, in every revision."),
    columns=(
        QUESTION,
        REVISION,
        SOURCE,
        ANSWER_REVISION,
        Column("text", Kind.TEXT, _("The answer as shown."), nullable=False),
        _CURRENT,
        _FROZEN,
    ),
    rows=model_answer_rows,
)

TABLES = (QUESTIONS, SOURCES, MODEL_ANSWERS)
