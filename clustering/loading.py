"""From rows to keys and numbers: what the statistics are computed from.

Participants go by their public code, statements and sources by their code, so that a result can be recomputed from an
export. Rejected statements and previews are never loaded.
"""

from __future__ import annotations

from dataclasses import dataclass

from clustering.inclusion import Inclusion
from studies.models import Enrolment, ModelAnswer, Question, RepresentationRating
from voting.models import Statement, Vote

COUNTED_STATEMENTS = (Statement.Status.APPROVED, Statement.Status.WITHDRAWN)


@dataclass(frozen=True, slots=True)
class QuestionVotes:
    """Current votes on a question.

    Attributes
    ----------
    votes : (public code, statement code, value) of each current vote, value in {1, -1, 0}
    authors : statement code to the author's public code, where the author is included
    statements : code to primary key
    enrolments : public code to primary key, of those who voted
    """

    votes: list[tuple[str, str, float]]
    authors: dict[str, str]
    statements: dict[str, int]
    enrolments: dict[str, int]


def question_votes(question: Question, rule: Inclusion) -> QuestionVotes:
    """The current votes of the included enrolments on the question's statements, in three queries."""
    statements = Statement.objects.filter(question=question, is_preview=False, status__in=COUNTED_STATEMENTS)
    enrolments = dict(
        Enrolment.objects.filter(rule.enrolments(), study_id=question.study_id).values_list("pk", "public_code")
    )
    codes: dict[int, str] = {}
    authors: dict[str, str] = {}
    for key, code, author in statements.values_list("pk", "code", "author_id"):
        codes[key] = code
        if author in enrolments:
            authors[code] = enrolments[author]
    rows = Vote.objects.current().filter(statement__question=question).order_by()
    counts: dict[str, int] = {}
    votes: list[tuple[str, str, float]] = []
    for enrolment, statement, value in rows.values_list("enrolment_id", "statement_id", "value").iterator(50_000):
        if enrolment in enrolments and statement in codes:
            code = enrolments[enrolment]
            counts[code] = counts.get(code, 0) + 1
            votes.append((code, codes[statement], float(value)))
    enough = {code for code, n in counts.items() if n >= rule.minimum_votes}
    return QuestionVotes(
        votes=[vote for vote in votes if vote[0] in enough],
        authors=authors,
        statements={code: key for key, code in codes.items()},
        enrolments={code: key for key, code in enrolments.items() if code in enough},
    )


def question_ratings(question: Question, rule: Inclusion) -> list[tuple[str, str, int]]:
    """(public code, source code, value 1-5) of each current rating by an included enrolment, in canonical order.

    Ratings of an earlier revision of an answer are of another text and are left out.
    """
    rows = (
        RepresentationRating.objects.current()
        .filter(
            answer__question=question,
            answer__is_current=True,
            enrolment__in=Enrolment.objects.filter(rule.enrolments()),
        )
        .values_list("enrolment__public_code", "answer__source__code", "value")
    )
    return sorted(rows)


def current_questions(study_id: int) -> list[Question]:
    """The study's questions in their present revision, in display order."""
    return list(Question.objects.filter(study_id=study_id, is_current=True).order_by("position", "code"))


def answers_by_source(question: Question) -> dict[str, ModelAnswer]:
    """The present answers to a question by the code of their source, in the order of the sources."""
    answers = ModelAnswer.objects.filter(question=question, is_current=True).select_related("source")
    return {answer.source.code: answer for answer in answers.order_by("source__position", "source__code")}
