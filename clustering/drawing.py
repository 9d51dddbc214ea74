"""Which figures a run gets, and the numbers that stand beside each. Imported by the worker alone.

A figure goes by its name: `opinion_map`, or `ratings-2` for the second question of a run of scores. Its table holds
keys and unrounded numbers; pages and files put words and texts to them (`clustering/showing.py`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clustering import figures
from clustering.figures.parts import Row
from clustering.stats.clusterers import Grouping
from clustering.stats.coverage import QuestionCoverage
from clustering.stats.distributions import RatingCounts
from clustering.stats.matrix import FloatArray, VoteMatrix
from clustering.stats.overton import Estimate, OvertonTable
from clustering.stats.profiles import OpinionProfiles
from clustering.stats.projection import project

MOST_PEOPLE = 2_000
"""People drawn on a map: of more, every k-th, since marks would only cover each other."""
MOST_STATEMENTS = 40
"""Statements in the heat map: those on which groups differ most. The table holds all."""
FEW_VOTES = 5
"""A share of fewer votes is marked as weak."""
DIGITS = 9
"""Silhouettes that agree so far are one mark."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure to store."""

    name: str
    specification: dict[str, Any]
    table: dict[str, Any]


def table_of(columns: Sequence[str], rows: Sequence[Row], **notes: Any) -> dict[str, Any]:
    """The numbers beside a figure; `notes` are what its description needs."""
    return {"columns": list(columns), "rows": [[row[name] for name in columns] for row in rows], "notes": notes}


def figures_of_groups(
    *,
    matrix: VoteMatrix,
    found: Grouping,
    profiles: OpinionProfiles,
    letters: Sequence[str],
    stability: Mapping[str, Any] | None = None,
) -> list[Drawn]:
    """The figures of one question's groups: map, loadings, agreement, search and stability.

    `matrix` holds the votes that count, `letters` names the groups by their number; `stability` is the result's.
    """
    if found.undefined is not None:
        return []
    stability = stability or {}
    drawn = [
        _map(matrix, found, letters),
        _loadings(matrix, found),
        _agreement(profiles, letters),
        _grid(found),
        _together(stability.get("bootstrap"), found, letters),
        _seeds(stability.get("seeds")),
    ]
    return [figure for figure in drawn if figure is not None]


def _map(matrix: VoteMatrix, found: Grouping, letters: Sequence[str]) -> Drawn | None:
    votes = matrix.seen.sum(axis=1).tolist()
    people = [
        {"x": x, "y": y, "group": letters[label] if label >= 0 else "", "votes": n}
        for label, (x, y), n in zip(found.labels.tolist(), found.coordinates.tolist(), votes, strict=True)
        if math.isfinite(x) and math.isfinite(y)
    ]
    if not people:
        return None
    shown = people[:: math.ceil(len(people) / MOST_PEOPLE)]
    columns = ("group", "n_people", "x", "y", "n_votes")
    rows = [_centre(people, group) for group in [*letters[: found.n_groups], ""]]
    table = table_of(columns, [row for row in rows if row["n_people"]], n_people=len(people), n_drawn=len(shown))
    chart = figures.opinion_map(shown, letters[: found.n_groups])
    return Drawn("opinion_map", figures.specification(chart), table)


def _centre(people: Sequence[Row], group: str) -> dict[str, Any]:
    """A group as one line: how many stand around which place, having cast how many votes."""
    members = [row for row in people if row["group"] == group]
    n = len(members)
    mean = {axis: sum(row[axis] for row in members) / n if n else None for axis in ("x", "y")}
    return {"group": group, "n_people": n, **mean, "n_votes": sum(row["votes"] for row in members)}


def _loadings(matrix: VoteMatrix, found: Grouping) -> Drawn | None:
    """The two loadings of each statement, longest first."""
    used, components = _axes(matrix, found)
    length = np.hypot(*components)
    order = sorted(range(len(used.statements)), key=lambda column: (-round(float(length[column]), DIGITS), column))
    seen, mean = used.seen.sum(axis=0), _mean_vote(used)
    rows = [
        {
            "number": number,
            "statement": used.statements[column],
            "line": f"{number}. {used.statements[column]}",
            "x": float(components[0][column]),
            "y": float(components[1][column]),
            "mean_vote": finite(mean[column]),
            "n_votes": int(seen[column]),
        }
        for number, column in enumerate(order, 1)
        if length[column] > 0
    ]
    if not rows:
        return None
    columns = ("number", "statement", "x", "y", "mean_vote", "n_votes")
    shown = [{key: row[key] for key in ("number", "statement", "line", "x", "y")} for row in rows]
    return Drawn("loadings", figures.specification(figures.statement_loadings(shown)), table_of(columns, rows))


def _axes(matrix: VoteMatrix, found: Grouping) -> tuple[VoteMatrix, FloatArray]:
    """The votes that made the map, and the loadings of its axes: those the clusterer kept, or found again."""
    kept = getattr(found, "map", None)
    if kept is not None:
        on_map = set(kept.statements)
        columns = np.array([code in on_map for code in matrix.statements], dtype=bool)
        places = {code: place for place, code in enumerate(kept.statements)}
        used = matrix.subset(np.ones(len(matrix.participants), dtype=bool), columns)
        return used, kept.components[:, [places[code] for code in used.statements]]
    placed = np.asarray(np.isfinite(found.coordinates).all(axis=1), dtype=bool)
    used = matrix.subset(placed, np.asarray(matrix.seen.any(axis=0), dtype=bool))
    return used, project(used).components


def _mean_vote(matrix: VoteMatrix) -> FloatArray:
    seen = matrix.seen.sum(axis=0)
    mean: FloatArray = np.full(len(matrix.statements), np.nan)
    np.divide(np.nansum(matrix.values, axis=0), seen, out=mean, where=seen > 0)
    return mean


def _agreement(profiles: OpinionProfiles, letters: Sequence[str]) -> Drawn | None:
    counts = profiles.counts
    order = _most_divided_first(profiles)
    cells = [
        {
            "statement": profiles.statements[column],
            "line": f"{place}. {profiles.statements[column]}",
            "place": place,
            "group": letters[group],
            "agree": float(counts.agree[group, column] / counts.seen[group, column]),
            "n_agree": int(counts.agree[group, column]),
            "n_disagree": int(counts.disagree[group, column]),
            "n_neutral": int(counts.neutral[group, column]),
            "n_votes": int(counts.seen[group, column]),
            "is_weak": bool(counts.seen[group, column] < FEW_VOTES),
        }
        for place, column in enumerate(order, 1)
        for group in range(len(counts.seen))
        if counts.seen[group, column]
    ]
    if not cells:
        return None
    shown = [cell for cell in cells if cell["place"] <= MOST_STATEMENTS]
    columns = ("statement", "group", "agree", "n_agree", "n_disagree", "n_neutral", "n_votes")
    table = table_of(columns, cells, n_statements=len(order), n_drawn=min(len(order), MOST_STATEMENTS))
    chart = figures.agreement_heat_map(shown, letters[: len(counts.seen)])
    return Drawn("agreement", figures.specification(chart), table)


def _most_divided_first(profiles: OpinionProfiles) -> list[int]:
    """Columns by how far the groups' smoothed shares of agreement lie apart; one vote of one says little."""
    counts = profiles.counts
    share = (counts.agree + 1.0) / (counts.seen + 2.0)
    apart = np.zeros(share.shape[1]) if not len(share) else share.max(axis=0) - share.min(axis=0)
    voted = np.flatnonzero(counts.seen.sum(axis=0) > 0).tolist()
    return sorted(voted, key=lambda column: (-round(float(apart[column]), DIGITS), column))


def _grid(found: Grouping) -> Drawn | None:
    """Candidates with a silhouette; equal ones counted."""
    fits = [(index, row) for index, row in enumerate(found.rows) if math.isfinite(row.silhouette)]
    if not fits:
        return None
    times = Counter((row.n_groups, round(row.silhouette, DIGITS)) for _index, row in fits)
    best = found.rows[found.chosen] if found.chosen is not None else None
    chosen = None if best is None else (best.n_groups, round(best.silhouette, DIGITS))
    rows = [
        {"n_groups": n_groups, "silhouette": silhouette, "n_fits": n, "is_chosen": (n_groups, silhouette) == chosen}
        for (n_groups, silhouette), n in sorted(times.items())
    ]
    columns = ("n_groups", "silhouette", "n_fits", "is_chosen")
    table = table_of(columns, rows, n_fits=len(found.rows), n_without=len(found.rows) - len(fits))
    return Drawn("silhouettes", figures.specification(figures.silhouette_grid(rows)), table)


def _together(bootstrap: Mapping[str, Any] | None, found: Grouping, letters: Sequence[str]) -> Drawn | None:
    """Mean co-membership within and between groups over the participants drawn anew."""
    if not bootstrap or not bootstrap.get("pairs"):
        return None
    pairs = np.array(bootstrap["pairs"], dtype=np.float64)  # None becomes nan
    cells = []
    for left in range(found.n_groups):
        for right in range(found.n_groups):
            block = pairs[np.ix_(found.labels == left, found.labels == right)]
            known = block[np.isfinite(block)]
            n = len(known) // 2 if left == right else len(known)
            share = float(known.mean()) if len(known) else None
            cells.append({"group": letters[left], "other": letters[right], "share": share, "n_pairs": n})
    if all(cell["share"] is None for cell in cells):
        return None
    chart = figures.co_membership(cells, letters[: found.n_groups])
    table = table_of(("group", "other", "share", "n_pairs"), cells, n_replicates=bootstrap.get("n_replicates"))
    return Drawn("together", figures.specification(chart), table)


def _seeds(seeds: Mapping[str, Any] | None) -> Drawn | None:
    if not seeds or seeds.get("undefined"):
        return None
    cells = [
        {"seed": seed, "other_seed": other, "adjusted_rand": value}
        for seed, line in zip(seeds["seeds"], seeds["adjusted_rand"], strict=True)
        for other, value in zip(seeds["seeds"], line, strict=True)
        if value is not None
    ]
    table = table_of(("seed", "other_seed", "adjusted_rand"), cells)
    return Drawn("seeds", figures.specification(figures.seed_agreement(cells)), table)


@dataclass(frozen=True, slots=True)
class RatedQuestion:
    """What the figures of the scores need of one question."""

    code: str
    coverage: QuestionCoverage
    counts: RatingCounts
    letters: Sequence[str]


def figures_of_scores(
    *,
    questions: Sequence[RatedQuestion],
    table: OvertonTable,
    names: Mapping[str, str],
    best: str,
    sensitivity: Sequence[Row] = (),
) -> list[Drawn]:
    """The figures of a study's scores; none if no question has a coverage.

    `names` are those of the sources by code, `best` that of the best across them; `sensitivity` has a row per source
    (code) and ``threshold`` with its ``value``.
    """
    if table.undefined is not None:
        return []
    # Highest first; an undefined score (nan) compares with nothing and goes last.
    ordered = sorted(
        table.scores,
        key=lambda score: (score.unweighted.undefined is not None, -(finite(score.unweighted.value) or 0.0)),
    )
    shown = {score.source: names[score.source] for score in ordered}
    drawn = [_scores(table, shown, best), _coverages(questions, shown)]
    if sensitivity:
        drawn.append(_thresholds(sensitivity, shown, table.threshold))
    for number, question in enumerate(questions, 1):
        if question.counts.counts.any():
            drawn.append(_ratings(f"ratings-{number}", question, shown))
    return drawn


def _scores(table: OvertonTable, names: Mapping[str, str], best: str) -> Drawn:
    variants = ((figures.unweighted(), "unweighted"), (figures.weighted(), "weighted"))
    estimates = {score.source: score for score in table.scores}
    lines = [*((names[code], estimates[code]) for code in names), (best, table.best)]
    rows = [
        {"source": name, "variant": variant, **_estimate(getattr(score, attribute))}
        for name, score in lines
        for variant, attribute in variants
    ]
    columns = ("source", "variant", "n_questions", "value", "low", "high")
    chart = figures.score_intervals(rows, [name for name, _score in lines])
    notes = {"level": table.level, "replicates": table.replicates}
    return Drawn("scores", figures.specification(chart), table_of(columns, rows, **notes))


def _estimate(estimate: Estimate) -> dict[str, Any]:
    numbers = {name: finite(getattr(estimate, name)) for name in ("value", "low", "high")}
    return {**numbers, "n_questions": estimate.n_questions}


def _coverages(questions: Sequence[RatedQuestion], names: Mapping[str, str]) -> Drawn:
    cells = [
        {
            "question": question.code,
            "source": names[source],
            "coverage": finite(value),
            "n_groups": len(question.coverage.group_labels),
        }
        for question in questions
        for source, value in zip(question.coverage.sources, question.coverage.coverage.tolist(), strict=True)
    ]
    chart = figures.coverage_matrix(cells, [question.code for question in questions], list(names.values()))
    table = table_of(("question", "source", "coverage", "n_groups"), cells)
    return Drawn("coverage", figures.specification(chart), table)


def _thresholds(sensitivity: Sequence[Row], names: Mapping[str, str], threshold: float) -> Drawn:
    rows = [{**row, "source": names[row["source"]], "value": finite(row["value"])} for row in sensitivity]
    chart = figures.threshold_sensitivity(
        [row for row in rows if row["value"] is not None], list(names.values()), threshold
    )
    return Drawn("thresholds", figures.specification(chart), table_of(("threshold", "source", "value"), rows))


def _ratings(name: str, question: RatedQuestion, names: Mapping[str, str]) -> Drawn:
    counts, place = question.counts, list(names)
    letters = [question.letters[label] for label in counts.group_labels]
    columns = sorted(range(len(counts.sources)), key=lambda column: place.index(counts.sources[column]))
    pairs = [(column, row) for column in columns for row in range(len(letters)) if counts.counts[row, column].any()]
    cells, rows = [], []
    for column, row in pairs:
        who = {"source": names[counts.sources[column]], "group": letters[row]}
        pieces = _pieces(counts.counts[row, column].tolist(), counts.values, **who)
        cells += pieces
        each = {f"rating_{piece['rating']}": piece["n"] for piece in pieces}
        rows.append({**who, "n_ratings": pieces[0]["n_ratings"], "mean": pieces[0]["mean"], **each})
    keys = ("source", "group", "n_ratings", "mean", *(f"rating_{value}" for value in counts.values))
    chart = figures.rating_distributions(cells, list(names.values()), letters)
    return Drawn(name, figures.specification(chart), table_of(keys, rows, question=question.code))


def _pieces(counts: Sequence[int], values: Sequence[int], **common: str) -> list[dict[str, Any]]:
    """The pieces of one bar: each rating from where the one below ends; no bar without a rating."""
    total = sum(counts)
    if not total:
        return []
    mean = sum(n * value for n, value in zip(counts, values, strict=True)) / total
    ends = [sum(counts[: place + 1]) / total for place in range(len(counts))]
    return [
        {
            **common,
            "rating": value,
            "n": n,
            "share": n / total,
            "start": end - n / total,
            "end": end,
            "n_ratings": total,
            "mean": mean,
        }
        for value, n, end in zip(values, counts, ends, strict=True)
    ]


def finite(value: float) -> float | None:
    """The number, or None where it is undefined."""
    return None if math.isnan(value) else float(value)
