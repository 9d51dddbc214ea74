"""Which figures a run gets, and that the numbers beside each are those of the statistics."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from clustering import drawing
from clustering.drawing import Drawn, RatedQuestion, figures_of_groups, figures_of_scores
from clustering.stats.clusterers import cluster
from clustering.stats.coverage import question_coverage
from clustering.stats.distributions import rating_counts
from clustering.stats.matrix import VoteMatrix
from clustering.stats.overton import overton_scores
from clustering.stats.profiles import profile_groups
from clustering.stats.projection import project
from clustering.stats.ratings import RatingMatrix

LETTERS = ["C", "A", "B"]
N_EACH, N_STATEMENTS = 8, 15


@pytest.fixture(scope="module")
def matrix() -> VoteMatrix:
    rng = random.Random(5)
    votes = [
        (f"p{i:02}", f"s{j:02}", (1.0 if i % 3 == j % 3 else -1.0) if rng.random() < 0.95 else 0.0)
        for i in range(3 * N_EACH)
        for j in range(N_STATEMENTS)
        if rng.random() < 0.9
    ]
    return VoteMatrix.from_votes([*votes, ("p00", "lonely", 1.0)])


@pytest.fixture(scope="module")
def found(matrix: VoteMatrix) -> Any:
    return cluster(matrix, method="dynamic", seed=1)


@pytest.fixture(scope="module")
def drawn(matrix: VoteMatrix, found: Any) -> dict[str, Drawn]:
    figures = figures_of_groups(
        matrix=matrix, found=found, profiles=profile_groups(matrix, found.labels), letters=LETTERS
    )
    return {figure.name: figure for figure in figures}


def lines(figure: Drawn) -> list[dict[str, Any]]:
    return [dict(zip(figure.table["columns"], row, strict=True)) for row in figure.table["rows"]]


def test_groups_get_map_loadings_agreement_and_search(drawn: dict[str, Drawn]) -> None:
    assert list(drawn) == ["opinion_map", "loadings", "agreement", "silhouettes"]
    assert all(len(name) <= 32 for name in drawn)


def test_the_map_has_a_line_a_group_under_the_letters_given(
    drawn: dict[str, Drawn], matrix: VoteMatrix, found: Any
) -> None:
    groups = lines(drawn["opinion_map"])

    assert [(row["group"], row["n_people"]) for row in groups] == list(zip(LETTERS, found.sizes, strict=True))
    assert sum(row["n_votes"] for row in groups) == matrix.n_votes
    first = found.coordinates[found.labels == 0].mean(axis=0)
    assert [groups[0]["x"], groups[0]["y"]] == pytest.approx(first.tolist())


def test_nobody_stands_twice_on_a_map_of_many(matrix: VoteMatrix, found: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "MOST_PEOPLE", 10)
    profiles = profile_groups(matrix, found.labels)
    figure = figures_of_groups(matrix=matrix, found=found, profiles=profiles, letters=LETTERS)[0]

    assert figure.table["notes"] == {"n_people": 24, "n_drawn": 8}
    assert sum(row["n_people"] for row in lines(figure)) == 24


def test_loadings_are_those_of_the_map_longest_first(drawn: dict[str, Drawn], matrix: VoteMatrix, found: Any) -> None:
    projection = project(matrix)
    assert np.allclose(projection.coordinates, found.coordinates)  # the same axes
    rows = lines(drawn["loadings"])
    place = {code: column for column, code in enumerate(matrix.statements)}

    for row in rows:
        assert [row["x"], row["y"]] == pytest.approx(projection.components[:, place[row["statement"]]].tolist())
    lengths = [np.hypot(row["x"], row["y"]) for row in rows]
    assert lengths == sorted(lengths, reverse=True)
    assert [row["number"] for row in rows] == list(range(1, len(rows) + 1))


def test_agreement_counts_every_vote_of_a_group_and_marks_few(drawn: dict[str, Drawn], matrix: VoteMatrix) -> None:
    rows = lines(drawn["agreement"])

    assert sum(row["n_votes"] for row in rows) == matrix.n_votes
    for row in rows:
        assert row["n_votes"] == row["n_agree"] + row["n_disagree"] + row["n_neutral"] > 0
        assert row["agree"] == row["n_agree"] / row["n_votes"]
    cells = drawn["agreement"].specification["data"]["values"]
    assert {row["is_weak"] for row in cells if row["statement"] == "lonely"} == {True}
    assert {row["is_weak"] for row in cells if row["n_votes"] >= 5} == {False}


def test_every_fit_of_the_search_is_counted_once(drawn: dict[str, Drawn], found: Any) -> None:
    rows, notes = lines(drawn["silhouettes"]), drawn["silhouettes"].table["notes"]

    assert sum(row["n_fits"] for row in rows) + notes["n_without"] == notes["n_fits"] == len(found.rows)
    [chosen] = [row for row in rows if row["is_chosen"]]
    assert chosen["n_groups"] == found.n_groups == 3
    assert chosen["silhouette"] == pytest.approx(found.silhouette) == max(row["silhouette"] for row in rows)


def test_co_membership_is_a_mean_over_pairs_of_two_groups(matrix: VoteMatrix, found: Any) -> None:
    same = found.labels[:, None] == found.labels[None, :]
    pairs = np.where(same, 0.75, 0.125)
    np.fill_diagonal(pairs, np.nan)
    plain = [[None if np.isnan(cell) else cell for cell in line] for line in pairs.tolist()]
    stability = {"bootstrap": {"pairs": plain, "n_replicates": 50}, "seeds": None}
    profiles = profile_groups(matrix, found.labels)
    figures = figures_of_groups(matrix=matrix, found=found, profiles=profiles, letters=LETTERS, stability=stability)
    rows = lines(next(figure for figure in figures if figure.name == "together"))

    assert {(row["group"] == row["other"], row["share"], row["n_pairs"]) for row in rows} == {
        (True, 0.75, N_EACH * (N_EACH - 1) // 2),
        (False, 0.125, N_EACH * N_EACH),
    }


def test_seeds_are_compared_pair_by_pair(matrix: VoteMatrix, found: Any) -> None:
    seeds = {"seeds": [1, 2], "adjusted_rand": [[None, 0.9], [0.9, None]], "undefined": None}
    profiles = profile_groups(matrix, found.labels)
    figures = figures_of_groups(
        matrix=matrix, found=found, profiles=profiles, letters=LETTERS, stability={"seeds": seeds, "bootstrap": None}
    )
    assert figures[-1].table["rows"] == [[1, 2, 0.9], [2, 1, 0.9]]


def test_votes_without_groups_get_no_figure() -> None:
    matrix = VoteMatrix.from_votes([("p1", "s1", 1.0)])
    none = cluster(matrix, method="dynamic", seed=1)
    profiles = profile_groups(matrix, none.labels)
    assert figures_of_groups(matrix=matrix, found=none, profiles=profiles, letters=[]) == []


RATINGS = [("p1", "s1", 5), ("p2", "s1", 4), ("p3", "s1", 1), ("p1", "s2", 2), ("p3", "s2", 2)]
MEMBERS = {"p1": 0, "p2": 0, "p3": 1}


def scored(ratings: list[Any]) -> dict[str, Drawn]:
    matrix = RatingMatrix.from_ratings(ratings, sources=["s1", "s2"])
    coverage = question_coverage(matrix, MEMBERS, question="q1")
    question = RatedQuestion("q1", coverage, rating_counts(matrix, MEMBERS), ["A", "B"])
    table = overton_scores([coverage], seed=1, replicates=100)
    figures = figures_of_scores(questions=[question], table=table, names={"s1": "One", "s2": "Two"}, best="Best")
    return {figure.name: figure for figure in figures}


def test_scores_come_highest_first_and_the_best_across_last() -> None:
    rows = lines(scored(RATINGS)["scores"])
    assert [(row["source"], row["variant"], row["value"]) for row in rows] == [
        ("One", "unweighted", 0.5),
        ("One", "weighted", pytest.approx(2 / 3)),
        ("Two", "unweighted", 0.0),
        ("Two", "weighted", 0.0),
        ("Best", "unweighted", 0.5),
        ("Best", "weighted", pytest.approx(2 / 3)),
    ]


def test_each_bar_of_ratings_holds_all_of_a_groups_ratings() -> None:
    figure = scored(RATINGS)["ratings-1"]
    first = lines(figure)[0]

    assert first == {
        "source": "One", "group": "A", "n_ratings": 2, "mean": 4.5,
        "rating_1": 0, "rating_2": 0, "rating_3": 0, "rating_4": 1, "rating_5": 1,
    }  # fmt: skip
    assert [(row["source"], row["group"]) for row in lines(figure)] == [
        ("One", "A"), ("One", "B"), ("Two", "A"), ("Two", "B"),
    ]  # fmt: skip


def test_without_ratings_there_is_nothing_to_draw() -> None:
    assert scored([]) == {}
