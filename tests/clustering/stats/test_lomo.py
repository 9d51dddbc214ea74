import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustering.stats.adjusted import adjusted_scores
from clustering.stats.lomo import leave_one_out, leave_one_out_scores, precision_at, replaced_panel
from tests.clustering.stats.panels import plain_panel

# Table 1 of the paper: adjusted scores from people and from Gemini 2.5 Pro.
TABLE_1 = {
    "o4-mini": (0.358, 0.299),
    "DeepSeek R1": (0.309, 0.262),
    "Llama 3.3-70B": (0.289, 0.226),
    "Gemma 3-27B": (0.282, 0.292),
    "GPT-4.1": (0.268, 0.197),
    "Llama 4 Maverick": (0.261, 0.254),
    "Claude 3.7 Sonnet": (0.226, 0.329),
    "DeepSeek V3": (0.219, 0.224),
}


def test_table_1():
    human = {model: pair[0] for model, pair in TABLE_1.items()}
    predicted = {model: pair[1] for model, pair in TABLE_1.items()}

    result = leave_one_out_scores(human, predicted)

    assert len(result.runs) == 8
    assert result.mean_spearman == pytest.approx(0.8905, abs=0.00005)
    assert result.pooled_pearson.value == pytest.approx(0.9002, abs=0.00005)
    assert result.mean_absolute_difference == pytest.approx(0.00998, abs=0.000005)
    assert (result.direction.n_agree, result.direction.n) == (59, 64)
    assert [precision_at(list(human.values()), list(predicted.values()), k) for k in (2, 4, 6)] == pytest.approx(
        [0.5, 0.75, 5 / 6]
    )
    assert result.significance.undefined == "scores without a test"
    json.dumps(result.to_dict(), allow_nan=False)


def test_the_prediction_of_some_models_leaves_out_the_others():
    result = leave_one_out_scores({"a": 0.1, "b": 0.2, "c": 0.4}, {"b": 0.5})

    (run,) = result.runs
    assert run.target == "b"
    assert run.scores.tolist() == [0.1, 0.5, 0.4]
    assert run.deviations.sum() == pytest.approx(0)
    assert (result.direction_of_targets.n_agree, result.direction_of_targets.n) == (0, 1)
    assert run.spearman.value == pytest.approx(0.5)


def test_without_predictions_there_is_a_reason():
    result = leave_one_out_scores({"a": 0.1, "b": 0.2}, {})

    assert (result.undefined, result.direction.undefined) == ("no model has a prediction",) * 2
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("human", "predicted", "message"),
    [({"a": 0.1}, {"b": 0.2}, "did not rate"), ({"a": 0.1, "b": float("nan")}, {"a": 0.1}, "finite")],
)
def test_what_cannot_be_compared_is_refused(human, predicted, message):
    with pytest.raises(ValueError, match=message):
        leave_one_out_scores(human, predicted)


def panels(seed=0, noise=0.05):
    rng = np.random.default_rng(seed)
    values = np.clip(
        rng.normal(0.4, 0.1, (20, 1)) + np.array([-0.2, 0, 0.05, 0.2]) + rng.normal(0, 0.05, (20, 4)), 0, 1
    )
    return plain_panel(values), plain_panel(np.clip(values + rng.normal(0, noise, values.shape), 0, 1))


def test_each_run_fits_the_regression_with_one_column_replaced():
    human, predicted = panels()

    result = leave_one_out(human, predicted, variant="unweighted", mode="paper")

    for run in result.runs:
        column = human.sources.index(run.target)
        values = human.coverage.copy()
        values[:, column] = predicted.coverage[:, column]
        table = adjusted_scores(replace(human, coverage=values), variant="unweighted", mode="paper")
        assert run.scores == pytest.approx([score.adjusted for score in table.scores])
        assert run.deviations == pytest.approx([score.deviation for score in table.scores])
        expected = tuple(
            "neither" if score.p_value >= 0.05 else "above" if score.deviation > 0 else "below"
            for score in table.scores
        )
        assert run.verdicts == expected
    assert result.significance.n == 16
    assert result.significance_of_targets.n == 4
    assert {"above", "below"} <= set(result.human_verdicts)


def test_a_perfect_prediction_agrees_in_everything():
    human, _ = panels()

    result = leave_one_out(human, human, variant="unweighted")

    assert result.mean_spearman == pytest.approx(1)
    assert result.pooled_pearson.value == pytest.approx(1)
    assert result.mean_absolute_difference == pytest.approx(0)
    assert result.direction.share == result.significance.share == 1


def test_scores_alone_give_the_same_as_the_ordinary_regression():
    human, predicted = panels()
    scores = [
        {score.source: score.adjusted for score in adjusted_scores(panel, variant="unweighted").scores}
        for panel in (human, predicted)
    ]

    fitted, plain = leave_one_out(human, predicted, variant="unweighted"), leave_one_out_scores(*scores)

    assert fitted.mean_spearman == pytest.approx(plain.mean_spearman)
    assert fitted.pooled_pearson.value == pytest.approx(plain.pooled_pearson.value)
    assert fitted.mean_absolute_difference == pytest.approx(plain.mean_absolute_difference)
    assert fitted.direction == plain.direction


def test_other_questions_are_refused():
    human, predicted = panels()

    with pytest.raises(ValueError, match="same questions"):
        leave_one_out(human, predicted.subset(np.arange(20) > 0), variant="unweighted")


def test_a_replaced_panel_knows_no_best_across_sources():
    human, predicted = panels()

    assert replaced_panel(human, predicted, "m1").reasons["best"] == "one column is predicted"


def first_by_lot(scores, rng):
    """The best; among several the one a die picks."""
    order = rng.permutation(len(scores))
    return max(range(len(scores)), key=lambda index: (scores[index], order[index]))


@given(
    human=st.lists(st.sampled_from([0.1, 0.2, 0.3]), min_size=2, max_size=6),
    predicted=st.lists(st.sampled_from([0.1, 0.2, 0.3]), min_size=6, max_size=6),
)
def test_precision_is_the_expected_overlap_with_ties_broken_at_random(human, predicted):
    predicted = predicted[: len(human)]
    rng = np.random.default_rng(0)
    draws = [first_by_lot(human, rng) == first_by_lot(predicted, rng) for _ in range(400)]

    # 400 draws: an error of at most 0.025.
    assert precision_at(human, predicted, 1) == pytest.approx(np.mean(draws), abs=0.1)
    assert precision_at(human, predicted, len(human)) == pytest.approx(1)
    for k in range(1, len(human) + 1):
        assert 0 <= precision_at(human, predicted, k) <= 1 + 1e-12


def test_precision_refuses_a_k_out_of_range():
    with pytest.raises(ValueError, match="k from 1"):
        precision_at([0.1, 0.2], [0.1, 0.2], 3)
