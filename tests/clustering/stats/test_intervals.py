import numpy as np
import pytest
import scipy.stats

from clustering.stats.intervals import mean_over_questions, question_times, replicate_means
from clustering.stats.ranks import rank_rows, ranks_from_top

NAN = float("nan")


def test_draws_are_with_replacement_and_as_many_as_questions():
    counted = question_times(15, seed=4, replicates=300)
    collapsed = question_times(15, seed=4, replicates=300, repeats="collapsed")

    assert (counted.sum(axis=1) == 15).all()
    assert counted.max() > 1
    assert np.array_equal(collapsed, counted > 0)
    # On average 1 - (1 - 1/n)^n of the questions are drawn.
    assert collapsed.mean() == pytest.approx(1 - (14 / 15) ** 15, abs=0.01)


def test_unknown_options_are_refused():
    with pytest.raises(ValueError, match="repeated draws"):
        question_times(3, seed=0, replicates=2, repeats="twice")
    with pytest.raises(ValueError, match="unknown interval"):
        mean_over_questions(np.zeros((2, 1)), seed=0, method="normal")


def test_a_replicate_without_a_question_of_the_column_has_no_mean():
    means = replicate_means(np.array([[0.5, NAN], [0.3, 0.7]]), np.array([[2.0, 0.0], [1.0, 1.0]]))

    assert means == pytest.approx(np.array([[0.5, NAN], [0.4, 0.7]]), nan_ok=True)


def test_the_expanded_interval_takes_the_quantiles_of_its_source():
    coverage = np.random.default_rng(0).random((10, 1))
    (estimate,) = mean_over_questions(coverage, seed=1, replicates=5000, method="expanded")
    means = replicate_means(coverage, question_times(10, seed=1, replicates=5000))[:, 0]
    tail = scipy.stats.norm.cdf(np.sqrt(10 / 9) * scipy.stats.t.ppf(0.025, 9))

    assert (estimate.low, estimate.high) == pytest.approx(tuple(np.quantile(means, [tail, 1 - tail])))


@pytest.mark.slow
def test_intervals_cover_the_mean_as_often_as_documented():
    rng = np.random.default_rng(20)
    trials, n_questions, truth = 1000, 15, 1.5 / 5
    kinds = {
        "percentile": {},
        "expanded": {"method": "expanded"},
        "collapsed": {"repeats": "collapsed"},
    }
    hits = dict.fromkeys(kinds, 0)
    for trial in range(trials):
        coverage = rng.beta(1.5, 3.5, size=(n_questions, 1))
        for kind, options in kinds.items():
            (estimate,) = mean_over_questions(coverage, seed=trial, replicates=1000, **options)
            hits[kind] += estimate.low <= truth <= estimate.high

    rates = {kind: count / trials for kind, count in hits.items()}
    error = np.sqrt(0.95 * 0.05 / trials)
    print(f"95 % intervals, {n_questions} questions, {trials} trials: {rates} (Monte-Carlo error {error:.3f})")
    assert abs(rates["expanded"] - 0.95) < 3 * error
    assert 0.89 < rates["percentile"] < rates["expanded"]
    assert rates["collapsed"] < rates["percentile"] - 3 * error


def test_ties_share_the_mean_of_their_ranks():
    assert ranks_from_top(np.array([[0.2, 0.5, 0.5 + 1e-12, 0.1]])).tolist() == [[3.0, 1.5, 1.5, 4.0]]


def test_ranks_agree_with_a_second_implementation():
    scores = np.random.default_rng(1).integers(0, 5, (200, 6)) / 4

    assert np.array_equal(ranks_from_top(scores), scipy.stats.rankdata(-scores, axis=1))


def test_rank_intervals_are_ranks_that_occurred_and_chances_sum_to_one():
    rng = np.random.default_rng(2)
    scores = np.array([0.5, 0.4, NAN, 0.1])
    replicates = np.column_stack([scores[None, :] + rng.normal(0, 0.08, (500, 4))])

    rows = rank_rows(("a", "b", "c", "d"), scores, replicates)

    assert [row.rank for row in rows] == pytest.approx([1, 2, NAN, 3], nan_ok=True)
    assert rows[2].undefined == "no question has a coverage"
    assert sum(row.p_first for row in rows if row.undefined is None) == pytest.approx(1)
    assert all(row.low <= row.rank <= row.high for row in rows if row.undefined is None)
    assert (rows[3].low, rows[3].high) == (3, 3)


def test_without_replicates_ranks_have_no_interval():
    rows = rank_rows(("a", "b"), np.array([0.5, 0.4]), np.zeros((0, 2)))

    assert [row.rank for row in rows] == [1, 2]
    assert {row.interval_undefined for row in rows} == {"no replicate gives every source a score"}
