import json
from itertools import combinations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from statsmodels.stats.multitest import multipletests

from clustering.stats.differences import paired_differences
from clustering.stats.multiplicity import holm, holm_steps
from tests.clustering.stats.panels import plain_panel

NAN = float("nan")


@given(p=hnp.arrays(np.float64, st.integers(1, 12), elements=st.floats(0, 1)))
def test_holm_agrees_with_a_second_implementation(p):
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1])


def test_tests_that_could_not_be_done_do_not_count():
    assert holm(np.array([0.01, NAN, 0.04])) == pytest.approx([0.02, NAN, 0.04], nan_ok=True)
    assert holm_steps(np.array([0.01, NAN, 0.04]), 0.05).tolist() == [2, 0, 1]
    assert holm_steps(np.array([0.01, 0.5, 0.04]), 0.05).tolist() == [3, 2, 2]


@pytest.fixture
def panel():
    rng = np.random.default_rng(3)
    values = np.clip(
        rng.normal(0.4, 0.15, (20, 1)) + np.array([0.15, 0.0, 0.05, -0.05]) + rng.normal(0, 0.08, (20, 4)), 0, 1
    )
    values[3, 1] = NAN
    return plain_panel(values)


def test_each_pair_is_a_paired_t_test_on_common_questions(panel):
    table = paired_differences(panel, variant="unweighted", seed=0, replicates=200)

    assert [(row.left, row.right) for row in table.pairs] == list(combinations(panel.sources, 2))
    for row in table.pairs:
        left, right = (panel.coverage[:, panel.sources.index(name)] for name in (row.left, row.right))
        oracle = scipy.stats.ttest_rel(left, right, nan_policy="omit")
        interval = oracle.confidence_interval(0.95)
        assert row.p_value == pytest.approx(oracle.pvalue)
        assert (row.low, row.high) == pytest.approx((interval.low, interval.high))
        assert row.n_questions == (19 if "m1" in (row.left, row.right) else 20)
        assert row.bootstrap_low < row.difference < row.bootstrap_high


def test_holm_intervals_go_with_holm_decisions_and_simultaneous_ones_are_widest(panel):
    table = paired_differences(panel, variant="unweighted", seed=0, replicates=200)
    decided = [row.p_holm <= 0.05 for row in table.pairs]

    assert table.n_tests == 6
    assert any(decided)
    assert not all(decided)
    for row, significant in zip(table.pairs, decided, strict=True):
        assert (row.holm_low > 0 or row.holm_high < 0) == significant
        assert row.simultaneous_low <= row.holm_low <= row.low
        assert row.high <= row.holm_high <= row.simultaneous_high
    smallest = min(table.pairs, key=lambda row: row.p_value)
    assert smallest.holm_low == pytest.approx(smallest.simultaneous_low)


def test_what_cannot_be_tested_has_a_reason():
    values = np.array([[0.5, 0.25, 0.1, NAN], [0.75, 0.5, 0.9, 0.2], [0.5, 0.25, 0.3, NAN]])
    rows = {
        (row.left, row.right): row
        for row in paired_differences(plain_panel(values), variant="unweighted", seed=0, replicates=50).pairs
    }

    assert rows["m0", "m1"].difference == pytest.approx(0.25)
    assert rows["m0", "m1"].interval_undefined == "the difference is the same on every question"
    assert rows["m0", "m3"].interval_undefined == "one question: no spread between questions"
    assert rows["m0", "m2"].interval_undefined is None
    weighted = paired_differences(plain_panel(values), variant="weighted", seed=0, replicates=50)
    assert {row.undefined for row in weighted.pairs} == {"the sizes of the groups are not known"}
    json.dumps(weighted.to_dict(), allow_nan=False)


def test_one_source_has_nobody_to_differ_from():
    table = paired_differences(plain_panel(np.array([[0.5], [0.1]])), variant="unweighted", seed=0)

    assert (table.pairs, table.undefined) == ((), "fewer than two sources")


@pytest.mark.slow
def test_families_of_intervals_and_tests_hold_what_they_promise():
    rng = np.random.default_rng(9)
    trials, n_questions = 1000, 15
    equal, unequal = np.zeros(5), np.array([0.0, 0.0, 0.02, 0.06, 0.12])
    errors = {"no difference": 0, "some differ": 0}
    together = {"simultaneous": 0, "holm": 0, "single": 0}
    for effects, name in ((equal, "no difference"), (unequal, "some differ")):
        truth = np.array([effects[i] - effects[j] for i, j in combinations(range(5), 2)])
        for _ in range(trials):
            values = rng.normal(0.4, 0.1, (n_questions, 1)) + effects + rng.normal(0, 0.06, (n_questions, 5))
            rows = paired_differences(
                plain_panel(np.clip(values, 0, 1)), variant="unweighted", seed=0, replicates=1
            ).pairs
            errors[name] += any(row.p_holm <= 0.05 for row, gap in zip(rows, truth, strict=True) if gap == 0)
            if name == "some differ":
                for kind in together:
                    prefix = "" if kind == "single" else f"{kind}_"
                    together[kind] += all(
                        getattr(row, f"{prefix}low") <= gap <= getattr(row, f"{prefix}high")
                        for row, gap in zip(rows, truth, strict=True)
                    )
    error = np.sqrt(0.95 * 0.05 / trials)
    print(
        f"Holm errs anywhere: { {k: v / trials for k, v in errors.items()} }; all intervals hold: "
        f"{ {k: v / trials for k, v in together.items()} } (Monte-Carlo error {error:.3f})"
    )
    assert all(count / trials < 0.05 + 3 * error for count in errors.values())
    assert together["simultaneous"] / trials > 0.95 - 3 * error
    assert together["single"] < together["holm"] <= together["simultaneous"]
