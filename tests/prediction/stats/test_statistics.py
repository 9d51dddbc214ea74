"""Errors, duels, rounding and permutation ANOVA against scipy, the paper's identity and cases by hand."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from prediction.stats.accuracy import accuracy_report
from prediction.stats.anova import eta_squared, permutation_anova
from prediction.stats.baselines import NO_OTHER, mean_of_others, most_similar
from prediction.stats.parity import subgroup_parity
from prediction.stats.rounding import averaged, on_scale
from prediction.stats.table import PredictionTable


def drawn_table(seed: int = 0, *, n_people: int = 60, n_methods: int = 3) -> PredictionTable:
    rng = np.random.default_rng(seed)
    points = [(f"p{i:03d}", f"q{j}", f"s{k}") for i in range(n_people) for j in range(2) for k in range(4)]
    actual = dict(zip(points, rng.integers(1, 6, len(points)).tolist(), strict=True))
    predicted = {
        f"m{m}": {
            point: int(np.clip(value + rng.integers(-m - 1, m + 2), 1, 5))
            for point, value in actual.items()
            if rng.random() < 0.95
        }
        for m in range(n_methods)
    }
    return PredictionTable.from_ratings(actual, predicted)


# --- rounding


@pytest.mark.parametrize(
    ("value", "expected"), [(1.5, 2), (2.5, 3), (3.5, 4), (4.5, 5), (2.4999, 2), (1.0, 1), (5.0, 5), (8 / 3, 3)]
)
def test_halves_go_up(value: float, expected: int) -> None:
    assert on_scale(np.array([value])).tolist() == [expected]


def test_a_half_is_a_half_however_it_was_summed() -> None:
    almost = float(np.nextafter(2.5, 0))
    assert on_scale(np.array([almost])).tolist() == [3]


def test_repeats_are_averaged_over_those_that_gave_a_rating() -> None:
    nan = np.nan
    repeats = np.array([[1, 2, 2], [2, 3, nan], [nan, nan, 4], [nan, nan, nan]])
    assert np.array_equal(averaged(repeats), [2, 3, 4, nan], equal_nan=True)


def test_a_prediction_outside_the_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="outside"):
        averaged(np.array([[6.0]]))


# --- errors and duels


def test_the_figures_are_those_of_scipy_and_of_the_formulas() -> None:
    table = drawn_table()
    report = accuracy_report(table, seed=1, replicates=50)
    for column, found in enumerate(report.own):
        predicted = table.predicted[:, column]
        has = ~np.isnan(predicted)
        error = predicted[has] - table.actual[has]
        assert found.n_predicted == has.sum() < found.n_points
        assert found.mae.value == pytest.approx(np.abs(error).mean(), abs=1e-12)
        assert found.mse.value == pytest.approx((error**2).mean(), abs=1e-12)
        assert found.accuracy.value == pytest.approx((error == 0).mean(), abs=1e-12)
        rho = stats.spearmanr(predicted[has], table.actual[has]).statistic
        assert found.spearman.value == pytest.approx(rho, abs=1e-12)


def test_methods_are_compared_over_the_points_they_have_in_common() -> None:
    table = drawn_table()
    report = accuracy_report(table, seed=1, replicates=50)
    common = ~np.isnan(table.predicted).any(axis=1)
    assert {found.n_predicted for found in report.common} == {common.sum()} == {report.n_common}
    error = np.abs(table.predicted[common, 1] - table.actual[common])
    assert report.common[1].mae.value == pytest.approx(error.mean(), abs=1e-12)


def test_wins_ties_and_losses_by_hand() -> None:
    actual = {("p", "q", f"s{i}"): 3 for i in range(5)}
    predicted = {
        "a": dict(zip(actual, [3, 3, 4, 5, 2], strict=True)),
        "b": dict(zip(actual, [3, 4, 3, 1, 5], strict=True)),
    }
    table = PredictionTable.from_ratings(actual, predicted)
    duel, back = accuracy_report(table, seed=0, unit="rating", replicates=20).duels
    assert (duel.n_wins, duel.n_ties, duel.n_losses) == (2, 2, 1)
    assert duel.win_rate.value == pytest.approx(2 / 3)
    assert back.win_rate.value == pytest.approx(1 / 3)
    assert duel.tie_rate.value == back.tie_rate.value == pytest.approx(0.4)


def test_the_participant_bootstrap_draws_whole_people() -> None:
    table = drawn_table(n_people=12, n_methods=1)
    report = accuracy_report(table, seed=5, unit="participant", replicates=400)
    rng = np.random.default_rng(5)
    people = sorted({point[0] for point in table.points})
    rows = {person: [i for i, point in enumerate(table.points) if point[0] == person] for person in people}
    means = []
    for _start in range(0, 400, 100):
        for draw in rng.integers(0, len(people), size=(100, len(people))):
            chosen = [i for index in draw for i in rows[people[index]]]
            means.append(np.nanmean(np.abs(table.predicted[chosen, 0] - table.actual[chosen])))
    low, high = np.quantile(means, [0.025, 0.975])
    assert (report.own[0].mae.low, report.own[0].mae.high) == pytest.approx((low, high), abs=1e-12)
    assert report.n_units == 12


def test_people_who_are_alike_within_make_the_participant_interval_wider() -> None:
    actual = {(f"p{i}", "q", f"s{j}"): 3 for i in range(40) for j in range(8)}
    predicted = {"m": {point: 3 if int(point[0][1:]) % 2 else 5 for point in actual}}
    table = PredictionTable.from_ratings(actual, predicted)
    widths = {
        unit: (estimate := accuracy_report(table, seed=1, unit=unit).own[0].mae).high - estimate.low
        for unit in ("rating", "participant")
    }
    # 8 equal ratings a person: the interval is sqrt(8) times as wide.
    assert widths["participant"] / widths["rating"] == pytest.approx(8**0.5, rel=0.1)


def test_what_is_undefined_says_why() -> None:
    table = PredictionTable.from_ratings({("p", "q", "s"): 3, ("p", "q", "t"): 3}, {"a": {}, "b": {("p", "q", "s"): 3}})
    report = accuracy_report(table, seed=0, replicates=10)
    assert report.own[0].mae.undefined == "nothing was predicted"
    assert report.own[1].spearman.undefined == "one of the two does not vary"
    assert report.own[1].mae.interval_undefined == "one participant: nothing to resample"
    assert report.duels[0].win_rate.undefined == "the two predicted no point in common"
    assert report.to_dict()["average_win_rates"] == [["a", None], ["b", None]]


def test_no_points_at_all() -> None:
    report = accuracy_report(PredictionTable.from_ratings({}, {"a": {}}), seed=0, replicates=10)
    assert report.own[0].mae.undefined == "nothing was predicted"
    assert (report.n_points, report.n_units) == (0, 0)


@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(random: object) -> None:
    table = drawn_table(n_people=5)
    pairs = list(zip(table.points, table.actual.tolist(), strict=True))
    random.shuffle(pairs)  # type: ignore[attr-defined]
    columns = {
        method: {
            point: value
            for point, value in zip(table.points, table.predicted[:, column].tolist(), strict=True)
            if value == value
        }
        for column, method in reversed(list(enumerate(table.methods)))
    }
    again = PredictionTable.from_ratings(dict(pairs), columns)
    assert accuracy_report(again, seed=3, replicates=20).to_dict() == (
        accuracy_report(table, seed=3, replicates=20).to_dict()
    )


@pytest.mark.parametrize("value", [0, 6, 2.5, np.nan])
def test_a_measured_rating_is_a_whole_point(value: float) -> None:
    with pytest.raises(ValueError, match="whole number"):
        PredictionTable.from_ratings({("p", "q", "s"): value}, {})


def test_the_interval_covers_the_truth() -> None:
    """500 samples of 60 people from a known world: the 95 % interval of MAE covers; Monte-Carlo error 0.010."""
    covered = 0
    for sample in range(500):
        rng = np.random.default_rng(1000 + sample)
        level = rng.random(60) < 0.5
        actual = {(f"p{i:02d}", "q", f"s{j}"): 3 for i in range(60) for j in range(4)}
        predicted = {
            "m": {point: 3 + int(rng.random() < (0.8 if level[int(point[0][1:])] else 0.2)) for point in actual}
        }
        estimate = accuracy_report(PredictionTable.from_ratings(actual, predicted), seed=sample, replicates=400)
        covered += estimate.own[0].mae.low <= 0.5 <= estimate.own[0].mae.high
    assert 0.91 <= covered / 500 <= 0.98


# --- permutation ANOVA


def test_f_is_that_of_scipy_and_eta_belongs_to_it() -> None:
    rng = np.random.default_rng(2)
    groups = [rng.normal(0.3 * i, 1, 30 + 7 * i) for i in range(4)]
    values = np.concatenate(groups)
    labels = [f"g{i}" for i, group in enumerate(groups) for _ in group]
    found = permutation_anova(values, labels, seed=0, permutations=2000)
    oracle = stats.f_oneway(*groups)
    assert found.f == pytest.approx(oracle.statistic, rel=1e-10)
    assert found.eta_squared == pytest.approx(eta_squared(found.f, n_groups=4, n_rows=len(values)), rel=1e-10)
    assert found.p == pytest.approx(oracle.pvalue, abs=0.02)


def test_p_is_that_of_scipys_permutation_test_exactly_where_all_arrangements_can_be_tried() -> None:
    groups = [np.array([1.0, 2.0, 4.0]), np.array([3.0, 5.0, 6.0])]
    oracle = stats.permutation_test(
        groups, lambda *samples: stats.f_oneway(*samples).statistic, alternative="greater", n_resamples=np.inf
    )
    found = permutation_anova(np.concatenate(groups), list("aaabbb"), seed=1, permutations=40_000)
    # Monte-Carlo error of 40,000 draws at p = 0.2: 0.002.
    assert found.p == pytest.approx(oracle.pvalue, abs=0.008)


def test_blocks_are_scipys_permutation_test_of_participants_labels() -> None:
    rng = np.random.default_rng(3)
    n_rows = [1, 2, 3, 1, 2, 4]
    people = [f"p{i}" for i, n in enumerate(n_rows) for _ in range(n)]
    group = dict(zip([f"p{i}" for i in range(6)], "aaabbb", strict=True))
    values = rng.normal(size=len(people))

    def between(labels_a: np.ndarray, labels_b: np.ndarray) -> float:
        chosen = {f"p{int(i)}" for i in labels_a}
        a = values[[person in chosen for person in people]]
        b = values[[person not in chosen for person in people]]
        return float(stats.f_oneway(a, b).statistic)

    oracle = stats.permutation_test(
        [np.array([0, 1, 2]), np.array([3, 4, 5])], between, alternative="greater", n_resamples=np.inf, vectorized=False
    )
    found = permutation_anova(
        values, [group[person] for person in people], participants=people, scheme="blocks", seed=1, permutations=40_000
    )
    assert found.p == pytest.approx(oracle.pvalue, abs=0.01)
    assert found.n_blocks == 6


def test_within_keeps_each_persons_level() -> None:
    rng = np.random.default_rng(4)
    people = [f"p{i:02d}" for i in range(40) for _ in range(4)]
    labels = ["s0", "s1", "s2", "s3"] * 40
    level = np.repeat(rng.normal(0, 5, 40), 4)
    values = level + np.tile([0.0, 0.0, 0.0, 1.0], 40) + rng.normal(0, 0.5, 160)
    rows = permutation_anova(values, labels, seed=0, permutations=999)
    within = permutation_anova(values, labels, participants=people, scheme="within", seed=0, permutations=999)
    assert rows.f == pytest.approx(within.f)
    assert rows.p > 0.3
    assert within.p == pytest.approx(0.001)


def test_rows_of_a_person_taken_as_independent_find_what_is_not_there() -> None:
    """People differ, groups do not: rows reject far too often, blocks at their level; Monte-Carlo error 0.015."""
    rejected = {"rows": 0, "blocks": 0}
    for world in range(200):
        rng = np.random.default_rng(world)
        level = rng.normal(size=30)
        people = [f"p{i:02d}" for i in range(30) for _ in range(8)]
        labels = [f"g{i % 2}" for i in range(30) for _ in range(8)]
        values = np.repeat(level, 8) + rng.normal(0, 0.5, 240)
        for scheme in ("rows", "blocks"):
            found = permutation_anova(values, labels, participants=people, scheme=scheme, seed=world, permutations=199)
            rejected[scheme] += found.p <= 0.05
    assert rejected["blocks"] / 200 <= 0.10
    assert rejected["rows"] / 200 >= 0.3


def test_the_order_of_rows_does_not_change_p() -> None:
    rng = np.random.default_rng(5)
    people = [f"p{i}" for i in range(10) for _ in range(3)]
    labels = ["a" if int(person[1:]) < 5 else "b" for person in people]
    values = rng.integers(0, 3, 30).astype(float)
    order = rng.permutation(30)
    for scheme in ("rows", "blocks"):
        first = permutation_anova(values, labels, participants=people, scheme=scheme, seed=1, permutations=300)
        again = permutation_anova(
            values[order],
            [labels[i] for i in order],
            participants=[people[i] for i in order],
            scheme=scheme,
            seed=1,
            permutations=300,
        )
        assert first.to_dict() == again.to_dict()


@pytest.mark.parametrize(
    ("values", "labels", "reason"),
    [
        ([1, 2], ["a", "a"], "fewer than two groups"),
        ([1, 1, 1, 1], ["a", "a", "b", "b"], "all values are equal"),
        ([1, 1, 2, 2], ["a", "a", "b", "b"], "do not vary within"),
        ([1, 2], ["a", "b"], "no group has more than one row"),
        ([], [], "fewer than two groups"),
    ],
)
def test_what_cannot_be_tested_says_why(values: list[float], labels: list[str], reason: str) -> None:
    found = permutation_anova(values, labels, seed=0, permutations=10)
    assert reason in (found.undefined or "")
    assert found.to_dict()["p"] is None


def test_blocks_need_one_label_a_person() -> None:
    with pytest.raises(ValueError, match="two labels"):
        permutation_anova([1, 2, 3], ["a", "b", "a"], participants=["p", "p", "q"], scheme="blocks", seed=0)


def test_rows_without_a_label_are_left_out_and_counted() -> None:
    found = permutation_anova([1, 2, 3, 4, 9], ["a", "a", "b", "b", None], seed=0, permutations=10)
    assert (found.n_rows, found.n_missing, found.sizes) == (4, 1, (2, 2))


@pytest.mark.shared
def test_the_effect_sizes_of_table_2_belong_to_its_f(shared: Path) -> None:
    """7,200 rows; F and eta squared are printed rounded, the identity holds within 6e-5."""
    with (shared / "vectors" / "overton" / "002_table2_anova.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8
    for row in rows:
        n_groups = int(row["groups"])
        assert eta_squared(float(row["F"]), n_groups=n_groups, n_rows=7200) == pytest.approx(
            float(row["eta2"]), abs=6e-5
        )


# --- baselines and parity


def test_the_mean_of_others_never_sees_the_rating_itself() -> None:
    ratings = {("p", "q", "a"): 5, ("p", "q", "b"): 2, ("p", "q", "c"): 3, ("p", "r", "a"): 1, ("o", "q", "a"): 1}
    targets = [("p", "q", "a"), ("p", "q", "b"), ("p", "q", "new"), ("p", "r", "a"), ("x", "q", "a")]
    guesses = mean_of_others(ratings, targets)
    assert [guess.value for guess in guesses[:3]] == [3, 4, 3]  # 2.5 up, 4, 10/3
    assert [guess.undefined for guess in guesses[3:]] == [NO_OTHER, NO_OTHER]


def test_the_most_similar_answer_is_the_nearest_that_the_person_rated() -> None:
    embeddings = {
        ("q", "a"): np.array([1.0, 0.0]),
        ("q", "b"): np.array([2.0, 0.2]),
        ("q", "c"): np.array([0.0, 1.0]),
        ("q", "z"): np.array([0.0, 0.0]),
    }
    ratings = {("p", "q", "a"): 5, ("p", "q", "b"): 2, ("p", "q", "c"): 3, ("o", "q", "a"): 1, ("o", "q", "c"): 4}
    found = most_similar(ratings, [("p", "q", "a"), ("p", "q", "c"), ("o", "q", "b"), ("p", "q", "z")], embeddings)
    assert [guess.value for guess in found[:3]] == [2, 2, 1]
    assert "no direction" in (found[3].undefined or "")


def test_of_equally_near_answers_the_earlier_source_counts() -> None:
    same = {("q", source): np.array([1.0, 1.0], dtype=np.float32) for source in "abc"}
    ratings = {("p", "q", "a"): 5, ("p", "q", "b"): 2, ("p", "q", "c"): 3}
    assert [guess.value for guess in most_similar(ratings, sorted(ratings), same)] == [2, 5, 5]


def test_parity_tests_people_as_blocks_and_models_within_people() -> None:
    table = drawn_table(7, n_people=20, n_methods=1)
    sex = {f"p{i:03d}": "female" if i % 2 else "male" for i in range(19)}
    report = subgroup_parity(table, "m0", {"sex": sex}, seed=0, permutations=100)
    assert [(line.category, line.metric, line.people.scheme) for line in report.lines] == [
        ("sex", "mae", "blocks"),
        ("sex", "mse", "blocks"),
        ("model", "mae", "within"),
        ("model", "mse", "within"),
    ]
    assert report.lines[0].rows.n_missing > 0
    assert report.lines[2].rows.groups == ("s0", "s1", "s2", "s3")
