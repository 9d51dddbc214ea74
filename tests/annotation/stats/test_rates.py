from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from annotation.stats.rates import difference_of_rates, wilson


@pytest.mark.parametrize(("hits", "n"), [(0, 10), (3, 10), (10, 10), (517, 1400)])
def test_wilson_agrees_with_statsmodels(hits, n):
    rate = wilson(hits, n)
    assert (rate.interval.low, rate.interval.high) == pytest.approx(proportion_confint(hits, n, method="wilson"))


def test_no_items_is_a_reason():
    assert (wilson(0, 0).reason, wilson(0, 0).to_dict()["value"]) == ("no_items", None)
    nothing = np.zeros(0, np.int64)
    assert difference_of_rates((nothing, nothing), (nothing, nothing)).reason == "no_items"


def test_difference_of_strata_is_resampled_by_unit():
    rng = np.random.default_rng(3)
    n = np.full(50, 4)
    hits = (rng.binomial(4, 0.7, 50), rng.binomial(4, 0.4, 50))
    found = difference_of_rates(hits, (n, n), seed=1, unit="pairs")
    assert found.value == pytest.approx((hits[0].sum() - hits[1].sum()) / 200)
    assert 0 < found.interval.low < found.value < found.interval.high
    assert found.test == "chi-square"
    assert found == difference_of_rates(hits, (n, n), seed=1, unit="pairs")
    small = difference_of_rates((np.array([1, 1]), np.array([0, 0])), (np.array([1, 1]), np.array([1, 1])))
    assert small.test == "Fisher exact"
