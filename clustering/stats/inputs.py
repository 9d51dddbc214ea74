"""What the statistics of a study start from: ratings and groups of each question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from clustering.stats.coverage import TOLERANCE, QuestionCoverage, Rule, question_coverage
from clustering.stats.panel import CoveragePanel, panel_of_coverages
from clustering.stats.ratings import RatingMatrix

__all__ = ["METHOD_VERSION", "QuestionInput", "coverages_of", "panel_of_inputs", "with_groups_from"]

METHOD_VERSION = "1"


@dataclass(frozen=True, slots=True)
class QuestionInput:
    """Ratings, groups and attributes of one question.

    Attributes
    ----------
    code : str
        Key of the question.
    domain : str
        Set of questions it belongs to; empty for none.
    ratings : RatingMatrix
        Ratings of the answers.
    members : mapping of participant key to group
        People in a group only (see :meth:`OpinionGroups.members`).
    attributes : mapping of attribute name to mapping of participant key to value
        For subgroup tables; a participant without a value is left out of that attribute's table.
    """

    code: str
    domain: str
    ratings: RatingMatrix
    members: Mapping[str, int]
    attributes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def coverages_of(
    questions: Sequence[QuestionInput],
    *,
    rule: Rule = "mean",
    threshold: float = 4.0,
    tolerance: float = TOLERANCE,
) -> tuple[QuestionCoverage, ...]:
    """Coverage of every question, in order of code.

    Parameters
    ----------
    questions : sequence of QuestionInput
    rule, threshold, tolerance
        As in :func:`clustering.stats.coverage.question_coverage`.

    Returns
    -------
    tuple of QuestionCoverage

    Raises
    ------
    ValueError
        If an option is out of range.
    """
    return tuple(
        question_coverage(
            question.ratings,
            question.members,
            question=question.code,
            threshold=threshold,
            rule=rule,
            tolerance=tolerance,
        )
        for question in sorted(questions, key=lambda question: question.code)
    )


def panel_of_inputs(
    questions: Sequence[QuestionInput],
    *,
    rule: Rule = "mean",
    threshold: float = 4.0,
    tolerance: float = TOLERANCE,
) -> CoveragePanel:
    """Panel of the coverages of questions; arguments and errors as in :func:`coverages_of`.

    Returns
    -------
    CoveragePanel
    """
    coverages = coverages_of(questions, rule=rule, threshold=threshold, tolerance=tolerance)
    return panel_of_coverages(coverages, {question.code: question.domain for question in questions})


def with_groups_from(question: QuestionInput, smallest: int) -> QuestionInput:
    """The question without its groups below a size; their members are in no group then.

    Parameters
    ----------
    question : QuestionInput
    smallest : int
        Members a group needs to stay.

    Returns
    -------
    QuestionInput
    """
    sizes = Counter(question.members.values())
    kept = {person: group for person, group in question.members.items() if sizes[group] >= smallest}
    return replace(question, members=kept)
