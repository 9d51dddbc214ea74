"""Scores within subgroups of the participants: whom do answers represent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clustering.stats.coverage import TOLERANCE, Rule
from clustering.stats.inputs import QuestionInput, panel_of_inputs
from clustering.stats.intervals import Estimate, mean_over_questions
from clustering.stats.plain import plain

__all__ = ["METHOD_VERSION", "MINIMUM_PEOPLE", "SubgroupRow", "SubgroupTable", "subgroup_tables"]

METHOD_VERSION = "1"

MINIMUM_PEOPLE = 5


@dataclass(frozen=True, slots=True)
class SubgroupRow:
    """One source within one subgroup.

    Attributes
    ----------
    value : str
        What the members of the subgroup have in common.
    source : str
    n_people : int
        Members of the subgroup who are in a group and rated the source on a question that counts.
    n_ratings : int
        Their ratings.
    mean_rating : float
        Of those ratings.
    share_reaching : float
        Share in [0, 1] of those ratings that reach the threshold.
    unweighted, weighted : Estimate
        Score with interval over questions: a group counts by the ratings and sizes of its members who are in
        the subgroup.
    undefined : str or None
        Why nothing is given.
    """

    value: str
    source: str
    n_people: int
    n_ratings: int
    mean_rating: float
    share_reaching: float
    unweighted: Estimate
    weighted: Estimate
    undefined: str | None


@dataclass(frozen=True, slots=True)
class SubgroupTable:
    """All sources within all subgroups of one attribute.

    Attributes
    ----------
    attribute : str
    minimum_people : int
        Smaller subgroups are not shown, and a question counts for a subgroup only with as many of its members
        in groups.
    rows : tuple of SubgroupRow
        In order of value and source.
    n_without_value : int
        Participants in a group who have no value.
    undefined : str or None
    """

    attribute: str
    minimum_people: int
    rows: tuple[SubgroupRow, ...]
    n_without_value: int
    undefined: str | None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, the reason beside it."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


@dataclass(frozen=True, slots=True)
class _Options:
    rule: Rule
    threshold: float
    tolerance: float
    minimum_people: int
    seed: int
    replicates: int
    level: float


def subgroup_tables(
    questions: Sequence[QuestionInput],
    *,
    seed: int,
    minimum_people: int = MINIMUM_PEOPLE,
    rule: Rule = "mean",
    threshold: float = 4.0,
    tolerance: float = TOLERANCE,
    replicates: int = 2000,
    level: float = 0.95,
) -> tuple[SubgroupTable, ...]:
    """Scores within the subgroups of every attribute of the participants.

    Parameters
    ----------
    questions : sequence of QuestionInput
    seed, replicates, level
        Of the bootstrap over questions.
    minimum_people : int, default 5
        Subgroups below it are named with a reason and without numbers.
    rule, threshold, tolerance
        As in :func:`clustering.stats.coverage.question_coverage`.

    Returns
    -------
    tuple of SubgroupTable
        In order of attribute.

    Raises
    ------
    ValueError
        If an option is out of range.

    Notes
    -----
    The opinion groups are those of all participants. Within a subgroup an answer represents a group if the
    members *of the subgroup* in it say so; groups without such members have no say. Subgroups therefore rest on
    different groups and questions: a difference between two of them mixes whom answers represent with which
    views the subgroups hold.
    """
    if minimum_people < 1:
        raise ValueError("a subgroup has at least one person")
    options = _Options(rule, threshold, tolerance, minimum_people, seed, replicates, level)
    ordered = sorted(questions, key=lambda question: question.code)
    attributes = sorted({name for question in ordered for name in question.attributes})
    return tuple(_table(ordered, attribute, options) for attribute in attributes)


def _table(questions: Sequence[QuestionInput], attribute: str, options: _Options) -> SubgroupTable:
    values = [question.attributes.get(attribute, {}) for question in questions]
    without = {
        person
        for question, given in zip(questions, values, strict=True)
        for person in question.members
        if person not in given
    }
    sources = tuple(sorted({source for question in questions for source in question.ratings.sources}))
    rows = []
    for value in sorted({value for given in values for value in given.values()}):
        inputs = [
            replace(
                question,
                members={person: group for person, group in question.members.items() if given.get(person) == value},
            )
            for question, given in zip(questions, values, strict=True)
        ]
        counted = [question for question in inputs if len(question.members) >= options.minimum_people]
        rows += _rows(value, counted, sources, options)
    return SubgroupTable(
        attribute, options.minimum_people, tuple(rows), len(without), None if rows else "no participant has a value"
    )


def _rows(
    value: str, questions: Sequence[QuestionInput], sources: tuple[str, ...], options: _Options
) -> list[SubgroupRow]:
    panel = panel_of_inputs(questions, rule=options.rule, threshold=options.threshold, tolerance=options.tolerance)
    estimates = [
        mean_over_questions(values, seed=options.seed, replicates=options.replicates, level=options.level)
        for values in (panel.coverage, panel.coverage_weighted)
    ]
    rows = []
    for source in sources:
        people, ratings = _ratings(questions, source)
        if len(people) < options.minimum_people or source not in panel.sources:
            rows.append(_hidden(value, source, options.minimum_people))
            continue
        column = panel.sources.index(source)
        rows.append(
            SubgroupRow(
                value=value,
                source=source,
                n_people=len(people),
                n_ratings=len(ratings),
                mean_rating=float(np.mean(ratings)),
                share_reaching=float(np.mean(np.array(ratings) >= options.threshold - options.tolerance)),
                unweighted=estimates[0][column],
                weighted=estimates[1][column],
                undefined=None,
            )
        )
    return rows


def _ratings(questions: Sequence[QuestionInput], source: str) -> tuple[set[str], list[float]]:
    """Who of the members rated the source, and what they gave."""
    people: set[str] = set()
    ratings: list[float] = []
    for question in questions:
        if source not in question.ratings.sources:
            continue
        column = question.ratings.values[:, question.ratings.sources.index(source)]
        for person, rating in zip(question.ratings.participants, column, strict=True):
            if person in question.members and not np.isnan(rating):
                people.add(person)
                ratings.append(float(rating))
    return people, ratings


def _hidden(value: str, source: str, minimum: int) -> SubgroupRow:
    nan, reason = float("nan"), f"fewer than {minimum} people of the subgroup rated it on a question that counts"
    none = Estimate(nan, nan, nan, nan, 0, 0, reason, reason)
    # The number itself would tell of a few people: it is withheld as well.
    return SubgroupRow(value, source, 0, 0, nan, nan, none, none, reason)
