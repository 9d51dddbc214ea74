import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from clustering.stats.association import kendall, mid_ranks, pearson, spearman
from clustering.stats.correlates import by_group_size, by_number_of_groups
from clustering.stats.external import external_correlation
from clustering.stats.inputs import coverages_of
from clustering.stats.panel import panel_of_coverages
from tests.clustering.stats.panels import planted_questions

NAN = float("nan")
ORACLES = {
    pearson: scipy.stats.pearsonr,
    spearman: scipy.stats.spearmanr,
    kendall: scipy.stats.kendalltau,
}
PAIRS = st.integers(0, 9).flatmap(
    lambda n: st.tuples(
        *(hnp.arrays(np.float64, n, elements=st.sampled_from([0.0, 0.25, 0.5, 1.0, NAN])) for _ in range(2))
    )
)


@pytest.mark.parametrize("measure", ORACLES)
@given(pair=PAIRS)
def test_correlations_agree_with_a_second_implementation(measure, pair):
    left, right = pair
    known = ~(np.isnan(left) | np.isnan(right))

    found = measure(left, right)

    assert found.n == known.sum()
    assert np.isnan(found.value) == (found.undefined is not None)
    if known.sum() < 2:
        assert found.undefined == "fewer than two pairs"
    elif np.ptp(left[known]) == 0 or np.ptp(right[known]) == 0:
        assert found.undefined == "one side does not vary"
    else:
        assert found.value == pytest.approx(ORACLES[measure](left[known], right[known]).statistic, abs=1e-12)


@given(values=hnp.arrays(np.float64, st.integers(0, 8), elements=st.sampled_from([0.0, 0.1, 0.3])))
def test_mid_ranks_agree_with_a_second_implementation(values):
    assert mid_ranks(values).tolist() == scipy.stats.rankdata(values).tolist()


def test_values_that_differ_by_rounding_are_tied():
    assert mid_ranks(np.array([0.1 + 0.2, 0.3, 0.4])).tolist() == [1.5, 1.5, 3.0]


def test_models_that_lack_a_score_do_not_count():
    row = external_correlation({"a": 0.1, "b": 0.3, "c": NAN, "d": 0.2}, {"a": 1, "b": 3, "c": 2, "e": 9}, name="x")

    assert row.sources == ("a", "b")
    assert row.pearson.value == pytest.approx(1)
    assert external_correlation({"a": 0.1}, {"a": 2}, name="x").kendall.undefined == "fewer than two pairs"


def test_number_of_groups_and_coverage():
    questions = [q for k in (2, 4, 7) for q in planted_questions(k, n_groups=k, n_questions=2)]
    questions = [type(q)(f"{i}", q.domain, q.ratings, q.members, q.attributes) for i, q in enumerate(questions)]
    panel = panel_of_coverages(coverages_of(questions))

    table = by_number_of_groups(panel)

    for column, row in enumerate(table.rows):
        oracle = scipy.stats.pearsonr(panel.question_groups, panel.coverage[:, column]).statistic
        assert row.correlation.value == pytest.approx(oracle)
    assert table.mean == pytest.approx(np.mean([row.correlation.value for row in table.rows]))
    assert table.pooled.n == 18


def test_group_size_and_mean_rating_pool_the_groups_of_all_questions():
    coverages = coverages_of(planted_questions(1))
    sizes = np.concatenate([coverage.group_sizes for coverage in coverages])
    ratings = np.concatenate([coverage.mean_rating for coverage in coverages])

    table = by_group_size(coverages)

    for column, row in enumerate(table.rows):
        known = ~np.isnan(ratings[:, column])
        assert row.correlation.value == pytest.approx(
            scipy.stats.pearsonr(sizes[known], ratings[known, column]).statistic
        )
    known = ~np.isnan(ratings)
    everywhere = np.broadcast_to(sizes[:, None], ratings.shape)
    assert table.pooled.value == pytest.approx(scipy.stats.pearsonr(everywhere[known], ratings[known]).statistic)
    assert by_group_size([]).pooled.undefined == "fewer than two pairs"
