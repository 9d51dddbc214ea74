import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import statsmodels.formula.api as smf
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from clustering.stats.adjusted import adjusted_bootstrap, adjusted_scores
from clustering.stats.effects import fit_effects, linked, refit_effects
from tests.clustering.stats.panels import panel_of, plain_panel, random_cells

NAN = float("nan")


def oracle(data, weights, *, use_t):
    """Adjusted score, deviation, its error, interval and p value by statsmodels on the rows as they are."""
    model = smf.wls("y ~ 0 + C(model) + C(question)", data, weights=weights)
    groups = pd.factorize(data["question"])[0]
    fit = model.fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=use_t)
    models = sorted(set(data["model"]))
    n, k = len(models), len(fit.params)
    contrasts = np.zeros((n, k))
    contrasts[:, :n] = np.eye(n) - 1 / n
    test = fit.t_test(contrasts)
    questions = len(set(groups))
    baseline = fit.params.iloc[n:].sum() / questions
    low, high = test.conf_int().T
    return {
        model: (fit.params.iloc[i] + baseline, test.effect[i], test.sd.item(i), low[i], high[i], test.pvalue[i])
        for i, model in enumerate(models)
    }


def found(table):
    return {s.source: (s.adjusted, s.deviation, s.standard_error, s.low, s.high, s.p_value) for s in table.scores}


def assert_close(one, other):
    assert set(one) == set(other)
    for key, numbers in one.items():
        assert numbers == pytest.approx(other[key], rel=1e-8, abs=1e-10), key


@pytest.mark.parametrize("missing", [0.0, 0.3], ids=["balanced", "unbalanced"])
@pytest.mark.parametrize("distribution", ["normal", "t"])
@pytest.mark.parametrize("variant", ["unweighted", "weighted"])
@pytest.mark.parametrize("seed", [0, 1])
def test_paper_mode_is_the_regression_on_groups(seed, variant, distribution, missing):
    cells = random_cells(seed, missing=missing)
    data = pd.DataFrame(
        [(q, m, float(y), size) for q, m, covered, sizes in cells for y, size in zip(covered, sizes, strict=True)],
        columns=["question", "model", "y", "size"],
    )
    weights = data["size"] if variant == "weighted" else np.ones(len(data))

    table = adjusted_scores(panel_of(cells), variant=variant, mode="paper", distribution=distribution)

    assert (table.n_rows, table.undefined) == (len(data), None)
    assert_close(found(table), oracle(data, weights, use_t=distribution == "t"))


@pytest.mark.parametrize("missing", [0.0, 0.3], ids=["balanced", "unbalanced"])
@pytest.mark.parametrize("distribution", ["normal", "t"])
@pytest.mark.parametrize("variant", ["unweighted", "weighted"])
def test_ordinary_mode_is_the_regression_on_question_means(variant, distribution, missing):
    cells = random_cells(5, missing=missing)
    panel = panel_of(cells)
    values = panel.values(variant)
    data = pd.DataFrame(
        [
            (question, source, values[row, column])
            for row, question in enumerate(panel.questions)
            for column, source in enumerate(panel.sources)
            if not np.isnan(values[row, column])
        ],
        columns=["question", "model", "y"],
    )

    table = adjusted_scores(panel, variant=variant, distribution=distribution)

    assert (table.mode, table.n_rows) == ("ordinary", len(cells))
    assert_close(found(table), oracle(data, np.ones(len(data)), use_t=distribution == "t"))


def test_the_result_says_how_it_came_about():
    panel = panel_of(random_cells(0))
    paper = adjusted_scores(panel, variant="weighted", mode="paper")
    exact = adjusted_scores(panel, variant="weighted", distribution="t", factor="questions")

    assert (paper.mode, paper.distribution, paper.degrees_of_freedom) == ("paper", "normal", None)
    assert paper.factor == pytest.approx(12 / 11 * (paper.n_rows - 1) / (paper.n_rows - 15))
    assert (exact.mode, exact.distribution, exact.degrees_of_freedom) == ("ordinary", "t", 11)
    assert exact.factor == pytest.approx(12 / 11)


def test_with_balanced_cells_the_test_is_the_t_test_of_differences_from_question_means():
    panel = panel_of(random_cells(8))
    gaps = panel.coverage - panel.coverage.mean(axis=1, keepdims=True)
    oracle = scipy.stats.ttest_1samp(gaps, 0)
    interval = oracle.confidence_interval(0.95)

    for column, score in enumerate(
        adjusted_scores(panel, variant="unweighted", distribution="t", factor="questions").scores
    ):
        assert score.p_value == pytest.approx(oracle.pvalue[column])
        assert (score.low, score.high) == pytest.approx((interval.low[column], interval.high[column]))


def test_with_balanced_cells_the_ordinary_score_is_the_raw_one():
    panel = panel_of(random_cells(2))

    for score in adjusted_scores(panel, variant="unweighted").scores:
        assert score.adjusted == pytest.approx(score.raw)
        assert score.pooled == pytest.approx(score.raw)


def test_a_model_that_misses_the_hard_questions_is_adjusted_down():
    values = np.array([[0.9, 0.8], [0.8, 0.8], [0.2, NAN], [0.1, NAN], [0.15, 0.05]])

    easy = adjusted_scores(plain_panel(values), variant="unweighted").scores[1]

    assert easy.raw == pytest.approx(0.55)
    assert easy.adjusted < 0.45


@given(
    values=hnp.arrays(
        np.float64,
        st.tuples(st.integers(2, 7), st.integers(2, 4)),
        elements=st.sampled_from([0.0, 0.2, 0.5, 1.0, NAN]),
    ),
    shift=st.sampled_from([0.0, 0.1]),
    order=st.randoms(use_true_random=False),
)
def test_deviations_sum_to_zero_and_do_not_see_question_shifts_or_order(values, shift, order):
    if np.isnan(values).all():
        return
    panel = plain_panel(values)
    table = adjusted_scores(panel, variant="unweighted")
    json.dumps(table.to_dict(), allow_nan=False)
    for score in table.scores:
        assert np.isnan(score.adjusted) == (score.undefined is not None)
        assert np.isnan(score.standard_error) == (score.interval_undefined is not None)
    if table.undefined:
        return
    assert sum(s.deviation for s in table.scores if not s.undefined) == pytest.approx(0, abs=1e-9)

    shifted = panel.coverage * 0.5 + np.linspace(0, shift, len(panel.questions))[:, None]
    other = adjusted_scores(replace(panel, coverage=shifted), variant="unweighted")
    rows = list(range(len(values)))
    order.shuffle(rows)
    shuffled = adjusted_scores(plain_panel(values[rows]), variant="unweighted")
    for one, two, three in zip(table.scores, other.scores, shuffled.scores, strict=True):
        assert two.deviation == pytest.approx(one.deviation / 2, abs=1e-9, nan_ok=True)
        assert three.deviation == pytest.approx(one.deviation, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (np.array([[0.5], [0.2]]), "one source: nothing to compare it with"),
        (np.array([[0.5, NAN], [NAN, 0.2]]), "the sources are not linked by common questions"),
    ],
)
def test_without_a_comparison_there_is_a_reason(values, reason):
    table = adjusted_scores(plain_panel(values), variant="unweighted", mode="paper")

    assert table.undefined == reason
    assert all(np.isnan(score.adjusted) and score.undefined == reason for score in table.scores)


def test_one_question_has_scores_without_intervals():
    table = adjusted_scores(plain_panel(np.array([[0.5, 0.25]])), variant="unweighted", mode="paper")

    assert [score.deviation for score in table.scores] == pytest.approx([0.125, -0.125])
    assert {score.interval_undefined for score in table.scores} == {"one question: no spread between questions"}


def test_as_many_coefficients_as_rows_have_no_error():
    table = adjusted_scores(plain_panel(np.array([[0.5, 0.25, NAN], [0.1, NAN, 0.3]])), variant="unweighted")

    assert {score.interval_undefined for score in table.scores} == {"as many coefficients as rows: no residual"}


def test_a_deviation_without_spread_has_no_test():
    values = np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.5, 0.6, 0.7]])

    for score in adjusted_scores(plain_panel(values), variant="unweighted").scores:
        assert score.interval_undefined == "its deviation is the same on every question: no standard error"
        assert np.isnan(score.p_value)


def test_without_sizes_the_weighted_variant_has_a_reason():
    table = adjusted_scores(plain_panel(np.array([[0.5, 0.2], [0.1, 0.2]])), variant="weighted", mode="paper")

    assert table.undefined == "the sizes of the groups are not known"


def test_unknown_options_are_refused():
    panel = plain_panel(np.array([[0.5, 0.2]]))

    for options in ({"mode": "other"}, {"distribution": "cauchy"}, {"factor": "none"}, {"level": 1.0}):
        with pytest.raises(ValueError, match="unknown"):
            adjusted_scores(panel, variant="unweighted", **options)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_refitting_resamples_is_fitting_each(missing):
    panel = panel_of(random_cells(3, missing=missing))
    weights = np.where(np.isnan(panel.coverage), 0, panel.n_groups)
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, len(panel.questions), (20, len(panel.questions)))
    times = np.array([np.bincount(row, minlength=len(panel.questions)) for row in drawn], dtype=float)

    deviation, baseline = refit_effects(panel.coverage, weights, times)

    for index, row in enumerate(drawn):
        if not linked(weights[row][:, weights[row].any(axis=0)]) or not weights[row].any(axis=0).all():
            assert np.isnan(deviation[index]).all()
            continue
        one = fit_effects(panel.coverage[row], weights[row])
        assert deviation[index] == pytest.approx(one.deviation, abs=1e-9)
        assert baseline[index] == pytest.approx(one.baseline.mean(), abs=1e-9)


def test_the_closed_form_and_least_squares_agree():
    panel = panel_of(random_cells(4))
    weights = panel.n_groups.copy()
    closed = fit_effects(panel.coverage, weights)
    # A hair of imbalance takes the other way.
    weights[0, 0] *= 1 + 1e-9
    general = fit_effects(panel.coverage, weights)

    assert general.deviation == pytest.approx(closed.deviation, abs=1e-8)
    assert general.influence == pytest.approx(closed.influence, abs=1e-8)


def test_bootstrap_intervals_hold_the_adjusted_score_and_repeat_by_seed():
    panel = panel_of(random_cells(6, missing=0.2))
    options = {"variant": "weighted", "mode": "paper", "replicates": 500}

    one, other = (adjusted_bootstrap(panel, seed=2, **options) for _ in range(2))
    table = adjusted_scores(panel, variant="weighted", mode="paper")

    assert one == other
    for estimate, score in zip(one, table.scores, strict=True):
        assert estimate.value == score.adjusted
        assert estimate.low < estimate.value < estimate.high


def test_a_source_without_coverage_does_not_hinder_the_others():
    panel = plain_panel(np.array([[0.5, 0.2, NAN], [0.1, 0.2, NAN], [0.3, 0.6, NAN]]))
    panel = replace(
        panel,
        sources=("m0", "m1", "m2"),
        **{
            name: np.column_stack([getattr(panel, name), np.full(3, fill)])
            for name, fill in (("coverage", NAN), ("coverage_weighted", NAN), ("n_groups", 0), ("n_people", 0))
        },
    )

    table = adjusted_scores(panel, variant="unweighted")
    estimates = adjusted_bootstrap(panel, variant="unweighted", seed=0, replicates=50)

    assert [score.undefined for score in table.scores] == [None, None, "no question has a coverage"]
    assert [estimate.undefined for estimate in estimates] == [None, None, "no question has a coverage"]


@pytest.mark.slow
def test_intervals_of_deviations_cover_about_as_often_as_they_say():
    rng = np.random.default_rng(12)
    effects = np.array([-0.1, 0.0, 0.02, 0.08])
    ways = {"exact": ("t", "questions"), "t, full": ("t", "full"), "as statsmodels": ("normal", "full")}
    trials, hits = 1000, dict.fromkeys(ways, 0)
    for _ in range(trials):
        values = np.clip(rng.normal(0.4, 0.1, (15, 1)) + effects + rng.normal(0, 0.08, (15, 4)), 0, 1)
        panel = plain_panel(values)
        for name, (distribution, factor) in ways.items():
            table = adjusted_scores(panel, variant="unweighted", distribution=distribution, factor=factor)
            hits[name] += sum(s.low <= e <= s.high for s, e in zip(table.scores, effects, strict=True))
    # The four deviations of a trial depend on each other: the error is that of trials, not of intervals.
    error = np.sqrt(0.95 * 0.05 / trials)
    rates = {name: count / trials / len(effects) for name, count in hits.items()}
    print(f"15 questions, 4 models: {rates} (Monte-Carlo error at most {error:.3f})")
    assert abs(rates["exact"] - 0.95) < 3 * error
    assert 0.95 < rates["as statsmodels"] < rates["t, full"] < 0.99
