"""What people gave and were shown: answers, free responses, ratings, pages, and what came too late."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from core.tables import Column, Kind, Table
from studies.data.columns import (
    ANSWER_REVISION,
    IDENTITY_PERMISSION,
    PARTICIPANT,
    QUESTION,
    REVISION,
    SOURCE,
    Rows,
    streamed,
)
from studies.data.people_tables import PREVIEW
from studies.models import Answer, FreeResponse, LateSubmission, PageView, RepresentationRating, Study


def answer_rows(study: Study) -> Rows:
    """The replies to the form, one a person and item."""
    answers = Answer.objects.filter(enrolment__study=study).exclude(enrolment__origin=PREVIEW)
    return streamed(
        answers.order_by("pk"),
        "enrolment__public_code",
        "item_code",
        "value_choice",
        "value_choices",
        "value_integer",
        "value_text",
        "missing",
        "answered_at",
    )


def response_rows(study: Study) -> Rows:
    """What people wrote on the questions."""
    responses = FreeResponse.objects.filter(enrolment__study=study).exclude(enrolment__origin=PREVIEW)
    columns = ("text", "stance", "importance", "n_characters", "written_at")
    rows = streamed(
        responses.order_by("pk"), "enrolment__public_code", "question__code", "question__revision", *columns
    )
    for participant, question, revision, text, stance, *rest in rows:
        yield (participant, question, revision, text, stance or None, *rest)


def rating_rows(study: Study) -> Rows:
    """All ratings in the order given, superseded ones too."""
    ratings = RepresentationRating.objects.filter(enrolment__study=study).exclude(enrolment__origin=PREVIEW)
    return streamed(
        ratings.order_by("pk"),
        "enrolment__public_code",
        "answer__question__code",
        "answer__question__revision",
        "answer__source__code",
        "answer__revision",
        "value",
        "rank",
        "rated_at",
        "superseded_at",
    )


def page_view_rows(study: Study) -> Rows:
    """Every display of a page, in the order shown."""
    views = PageView.objects.filter(step__enrolment__study=study).exclude(step__enrolment__origin=PREVIEW)
    rows = streamed(
        views.order_by("pk"),
        "step__enrolment__public_code",
        "step__position",
        "step__kind",
        "step__block",
        "step__question__code",
        "step__answer__source__code",
        "step__number",
        "shown_at",
        "step__submitted_at",
        "layout",
        "shown",
    )
    for *head, layout, shown in rows:
        # The page of a rating also notes the row of its answer, which means nothing outside; `source` names it.
        yield (*head, layout or None, {key: value for key, value in shown.items() if key != "answer"})


def late_submission_rows(study: Study) -> Rows:
    """What came too late and differed from what counts."""
    late = LateSubmission.objects.filter(step__enrolment__study=study).exclude(step__enrolment__origin=PREVIEW)
    return streamed(
        late.order_by("pk"),
        "step__enrolment__public_code",
        "step__position",
        "step__kind",
        "step__question__code",
        "received_at",
        "payload",
    )


_POSITION = Column("position", Kind.INTEGER, _("Place of the page in the session, from 0."), nullable=False)
_KIND = Column("kind", Kind.TEXT, _("Kind of page."), nullable=False)
_PAGE_QUESTION = Column("question", Kind.TEXT, _("Code of the question; missing if the page has none."))

ANSWERS = Table(
    name="answers",
    description=_("Replies to the form in long form: one value column is filled, or missing says why none is."),
    columns=(
        PARTICIPANT,
        Column("item", Kind.TEXT, _("Code of the item; its label and options are in the definition."), nullable=False),
        Column("value_choice", Kind.TEXT, _("The option chosen, of an item with one choice.")),
        Column("value_choices", Kind.JSON, _("The options chosen, of an item with several choices.")),
        Column("value_integer", Kind.INTEGER, _("The number given.")),
        Column("value_text", Kind.TEXT, _("The text given.")),
        Column("missing", Kind.TEXT, _("Why there is no value."), values=dict(Answer.Missing.choices)),
        Column("answered_at", Kind.DATETIME, _("When the form was sent."), nullable=False),
    ),
    rows=answer_rows,
)

RESPONSES = Table(
    name="responses",
    description=_("Free responses: the participant's own view on a question."),
    columns=(
        PARTICIPANT,
        QUESTION,
        REVISION,
        Column("text", Kind.TEXT, _("What the person wrote."), nullable=False),
        Column("stance", Kind.TEXT, _("The stance chosen, by its value; missing if the study does not ask.")),
        Column("importance", Kind.INTEGER, _("How important the question is to the person, from 1 to 5.")),
        Column(
            "n_characters",
            Kind.INTEGER,
            _("Length of the text: Unicode code points after NFC."),
            unit="characters",
            nullable=False,
        ),
        Column("written_at", Kind.DATETIME, _("When it was sent."), nullable=False),
    ),
    rows=response_rows,
)

RATINGS = Table(
    name="ratings",
    description=_("To what extent the participant's perspective is represented in an answer."),
    columns=(
        PARTICIPANT,
        QUESTION,
        REVISION,
        SOURCE,
        ANSWER_REVISION,
        Column(
            "value",
            Kind.INTEGER,
            _("The rating."),
            values={1: _("lowest: not at all represented"), 2: "2", 3: "3", 4: "4", 5: _("highest: fully represented")},
            nullable=False,
        ),
        Column("rank", Kind.INTEGER, _("Place of the answer in the order shown, from 1; missing if unknown.")),
        Column("rated_at", Kind.DATETIME, _("When it was given."), nullable=False),
        Column("superseded_at", Kind.DATETIME, _("When another rating took its place; missing if it is current.")),
    ),
    rows=rating_rows,
)

PAGE_VIEWS = Table(
    name="page_views",
    description=_("Every display of a page: when, and what was shown in which order."),
    columns=(
        PARTICIPANT,
        _POSITION,
        _KIND,
        Column("block", Kind.TEXT, _("Block of the session that the page belongs to."), nullable=False),
        _PAGE_QUESTION,
        Column("source", Kind.TEXT, _("Code of the source whose answer was shown; missing if none was.")),
        Column("number", Kind.INTEGER, _("Rank of the page within its kind and question, from 1."), nullable=False),
        Column("shown_at", Kind.DATETIME, _("When it was shown."), nullable=False),
        Column("submitted_at", Kind.DATETIME, _("When the page was first sent with what counts.")),
        Column("layout", Kind.TEXT, _("Layout, if there are several.")),
        Column("shown", Kind.JSON, _("What was shown in which order, by codes."), nullable=False),
    ),
    rows=page_view_rows,
)

LATE_SUBMISSIONS = Table(
    name="late_submissions",
    description=_("What came too late and differed from what counts. Kept aside, never analysed."),
    columns=(
        PARTICIPANT,
        _POSITION,
        _KIND,
        _PAGE_QUESTION,
        Column("received_at", Kind.DATETIME, _("When it came."), nullable=False),
        Column("payload", Kind.JSON, _("The fields that were sent."), personal=True, nullable=False),
    ),
    rows=late_submission_rows,
    personal_permission=IDENTITY_PERMISSION,
)

TABLES = (ANSWERS, RESPONSES, RATINGS, PAGE_VIEWS, LATE_SUBMISSIONS)
