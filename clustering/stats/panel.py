"""The panel: coverage of every question by every answer, with what the two variants weigh it by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from clustering.stats.coverage import QuestionCoverage
from clustering.stats.matrix import FloatArray
from clustering.stats.plain import plain

__all__ = [
    "METHOD_VERSION",
    "VARIANTS",
    "CoveragePanel",
    "CoverageRow",
    "Variant",
    "panel_of_coverages",
    "panel_of_rows",
]

METHOD_VERSION = "1"

Variant = Literal["unweighted", "weighted"]
VARIANTS: tuple[Variant, ...] = ("unweighted", "weighted")
# Half a unit of the third digit, and a little for binary fractions.
ROUNDED = 0.00051
NO_SIZES = "the sizes of the groups are not known"
NO_GROUPS_KNOWN = "a table of coverages does not say which groups an answer represents"


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """Coverage of one question by one answer, as a file gives it.

    Attributes
    ----------
    question : str
    source : str
        The model (or person) that gave the answer.
    coverage : float
        Share in [0, 1] of the groups that are represented.
    n_groups : int
        Groups of the question, at least 1.
    coverage_weighted : float or None
        Share in [0, 1] of the people who are in a represented group.
    n_people : int or None
        Members of the groups of the question, at least `n_groups`; the weight of the weighted variant.
    domain : str
        Name of the set of questions it belongs to; empty for none.
    """

    question: str
    source: str
    coverage: float
    n_groups: int
    coverage_weighted: float | None = None
    n_people: int | None = None
    domain: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class CoveragePanel:
    """Coverage of questions (rows) by sources (columns) and the weights of its cells.

    Attributes
    ----------
    questions : tuple of str, length n_questions
        In ascending order.
    domains : tuple of str, length n_questions
    sources : tuple of str, length n_sources
        In ascending order.
    coverage, coverage_weighted : ndarray of float, shape (n_questions, n_sources)
        In [0, 1]; ``nan`` where there is none.
    n_groups, n_people : ndarray of float, shape (n_questions, n_sources)
        Groups that have a say on the answer and their members: the denominators of the two shares. 0
        where there are none, ``nan`` where it is not known.
    best, best_weighted : ndarray of float, shape (n_questions,)
        The same for the best across sources; ``nan`` where it is not known.
    question_groups : ndarray of float, shape (n_questions,)
        Number of groups of a question, whether they have a say or not.
    reasons : dict of str to str
        By variant ("weighted", "best"): why it is missing altogether.
    recovered : tuple of str
        Variants whose fractions were put back in place of rounded shares (:func:`panel_of_rows`).
    """

    questions: tuple[str, ...]
    domains: tuple[str, ...]
    sources: tuple[str, ...]
    coverage: FloatArray
    coverage_weighted: FloatArray
    n_groups: FloatArray
    n_people: FloatArray
    best: FloatArray
    best_weighted: FloatArray
    question_groups: FloatArray
    reasons: dict[str, str]
    recovered: tuple[Variant, ...] = ()

    def values(self, variant: Variant) -> FloatArray:
        """Coverage of the variant, shape (n_questions, n_sources)."""
        return self.coverage if variant == "unweighted" else self.coverage_weighted

    def weights(self, variant: Variant) -> FloatArray:
        """Groups (unweighted) or people (weighted) behind each cell, shape (n_questions, n_sources)."""
        return self.n_groups if variant == "unweighted" else self.n_people

    def of_domain(self, domain: str) -> CoveragePanel:
        """The questions of one domain."""
        rows = np.array([name == domain for name in self.domains], dtype=bool)
        return self.subset(rows)

    def subset(self, rows: np.ndarray) -> CoveragePanel:
        """The questions marked true, shape (n_questions,)."""
        kept = np.flatnonzero(rows)
        return CoveragePanel(
            questions=tuple(self.questions[row] for row in kept),
            domains=tuple(self.domains[row] for row in kept),
            sources=self.sources,
            coverage=self.coverage[kept],
            coverage_weighted=self.coverage_weighted[kept],
            n_groups=self.n_groups[kept],
            n_people=self.n_people[kept],
            best=self.best[kept],
            best_weighted=self.best_weighted[kept],
            question_groups=self.question_groups[kept],
            reasons=self.reasons,
            recovered=self.recovered,
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``, the reason in `reasons` or with the question."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def panel_of_coverages(
    coverages: Sequence[QuestionCoverage], domains: Mapping[str, str] | None = None
) -> CoveragePanel:
    """Panel of questions whose coverage was computed from ratings.

    Parameters
    ----------
    coverages : sequence of QuestionCoverage
        One for each question, in any order.
    domains : mapping of question to domain, optional

    Returns
    -------
    CoveragePanel

    Raises
    ------
    ValueError
        If a question occurs twice, or rules, thresholds or tolerances differ.
    """
    ordered = sorted(coverages, key=lambda coverage: coverage.question)
    names = tuple(coverage.question for coverage in ordered)
    if len(set(names)) < len(names):
        raise ValueError("a question occurs twice")
    if len({(coverage.rule, coverage.threshold, coverage.tolerance) for coverage in ordered}) > 1:
        raise ValueError("coverages by different rules or thresholds cannot be averaged")
    sources = tuple(sorted({source for coverage in ordered for source in coverage.sources}))
    place = {source: column for column, source in enumerate(sources)}
    shape = (len(names), len(sources))
    values, weighted = np.full((2, *shape), np.nan)
    groups, people = np.zeros((2, *shape))
    for row, coverage in enumerate(ordered):
        columns = [place[source] for source in coverage.sources]
        has_say = coverage.n_ratings > 0
        values[row, columns] = coverage.coverage
        weighted[row, columns] = coverage.coverage_weighted
        groups[row, columns] = has_say.sum(axis=0)
        people[row, columns] = coverage.group_sizes @ has_say
    return CoveragePanel(
        questions=names,
        domains=tuple((domains or {}).get(name, "") for name in names),
        sources=sources,
        coverage=values,
        coverage_weighted=weighted,
        n_groups=groups,
        n_people=people,
        best=np.array([coverage.best_coverage for coverage in ordered], dtype=np.float64),
        best_weighted=np.array([coverage.best_coverage_weighted for coverage in ordered], dtype=np.float64),
        question_groups=np.array([len(coverage.group_labels) for coverage in ordered], dtype=np.float64),
        reasons={},
    )


def panel_of_rows(rows: Sequence[CoverageRow], *, recover: bool = True) -> CoveragePanel:
    """Panel of a table of coverages, as a paper prints it.

    Parameters
    ----------
    rows : sequence of CoverageRow
        In any order; a question need not have every source.
    recover : bool, default True
        Put the fraction back where a share was rounded to three digits: 0.688 of 16 groups is 11/16. Done
        for a variant only if all its shares are within 0.00051 of a fraction of their groups (people).

    Returns
    -------
    CoveragePanel
        Without a best across sources, which such a table does not tell; without a weighted variant if a
        row lacks `coverage_weighted` or `n_people`.

    Raises
    ------
    ValueError
        If a pair occurs twice, a number is out of range, or a question has two numbers of groups or
        people or two domains.
    """
    _check_rows(rows)
    facts = {row.question: (row.n_groups, row.n_people, row.domain) for row in rows}
    questions, sources = (tuple(sorted({getattr(row, name) for row in rows})) for name in ("question", "source"))
    row_of, column_of = ({key: index for index, key in enumerate(keys)} for keys in (questions, sources))
    shape = (len(questions), len(sources))
    values, weighted = np.full((2, *shape), np.nan)
    groups, people = np.zeros((2, *shape))
    has_sizes = all(row.coverage_weighted is not None and row.n_people is not None for row in rows)
    for row in rows:
        cell = row_of[row.question], column_of[row.source]
        values[cell], groups[cell] = row.coverage, row.n_groups
        if has_sizes:
            weighted[cell], people[cell] = row.coverage_weighted, row.n_people
    unknown = np.full(len(questions), np.nan)
    recovered: list[Variant] = []
    if recover:
        values = _recovered("unweighted", values, groups, recovered)
        weighted = _recovered("weighted", weighted, people, recovered)
    return CoveragePanel(
        questions=questions,
        domains=tuple(facts[question][2] for question in questions),
        sources=sources,
        coverage=values,
        coverage_weighted=weighted,
        n_groups=groups,
        n_people=people if has_sizes else np.full(shape, np.nan),
        best=unknown,
        best_weighted=unknown,
        question_groups=np.array([facts[question][0] for question in questions], dtype=np.float64),
        reasons={"best": NO_GROUPS_KNOWN} | ({} if has_sizes else {"weighted": NO_SIZES}),
        recovered=tuple(recovered),
    )


def _recovered(variant: Variant, values: FloatArray, whole: FloatArray, done: list[Variant]) -> FloatArray:
    """The shares as fractions, if all of them are rounded fractions; `done` gets the variant if so."""
    given = ~np.isnan(values)
    fractions = np.where(given, np.rint(np.nan_to_num(values) * whole) / np.maximum(whole, 1), np.nan)
    if not given.any() or np.nanmax(np.abs(fractions - values)) > ROUNDED:
        return values
    done.append(variant)
    return fractions


def _check_rows(rows: Sequence[CoverageRow]) -> None:
    facts: dict[str, tuple[int, int | None, str]] = {}
    seen: set[tuple[str, str]] = set()
    for row in rows:
        name = f"question {row.question!r}, source {row.source!r}"
        if (row.question, row.source) in seen:
            raise ValueError(f"{name} occurs twice")
        seen.add((row.question, row.source))
        # Written so that nan is refused too.
        if not 0 <= row.coverage <= 1 or not (row.coverage_weighted is None or 0 <= row.coverage_weighted <= 1):
            raise ValueError(f"{name}: a coverage lies outside 0 to 1")
        if row.n_groups < 1 or (row.n_people is not None and row.n_people < row.n_groups):
            raise ValueError(f"{name}: there is at least one group, and no group is empty")
        fact = (row.n_groups, row.n_people, row.domain)
        if facts.setdefault(row.question, fact) != fact:
            raise ValueError(f"question {row.question!r} has two numbers of groups or people, or two domains")
