import csv
import json

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from clustering.stats.coverage import question_coverage
from clustering.stats.overton import mean_over_questions, overton_scores
from clustering.stats.ratings import RatingMatrix

NAN = float("nan")


def coverage_of(question, covered, *, sizes=None, source="m", **options):
    """Coverage of one answer that represents the groups marked 1 of the sizes given; None: nobody rated."""
    sizes = sizes or [1] * len(covered)
    people = [(f"g{g}-{i}", g) for g, size in enumerate(sizes) for i in range(size)]
    ratings = RatingMatrix.from_ratings(
        [(person, source, 5 if covered[g] else 1) for person, g in people if covered[g] is not None], sources=[source]
    )
    return question_coverage(ratings, dict(people), question=question, **options)


def test_the_score_is_the_mean_coverage_over_questions():
    table = overton_scores(
        [coverage_of("q2", [1, 0, 0, 0], sizes=[7, 1, 1, 1]), coverage_of("q1", [1, 0])], seed=0, replicates=100
    )

    (score,) = table.scores
    assert table.questions == ("q1", "q2")
    assert score.source == "m"
    assert score.unweighted.value == pytest.approx((0.5 + 0.25) / 2)
    assert score.weighted.value == pytest.approx((0.5 + 0.7) / 2)
    assert (score.unweighted.n_questions, score.unweighted.n_replicates) == (2, 100)
    assert score.unweighted.low <= score.unweighted.value <= score.unweighted.high


def test_a_question_without_a_coverage_is_left_out_with_its_reason():
    table = overton_scores([coverage_of("q1", [1, 0]), coverage_of("q2", [None, None])], seed=0, replicates=100)

    assert table.questions == ("q1",)
    assert table.left_out == (("q2", "nobody in a group rated an answer"),)
    assert table.scores[0].unweighted.value == 0.5


def test_one_question_has_a_score_and_no_interval():
    (score,) = overton_scores([coverage_of("q1", [1, 0])], seed=0).scores

    assert score.unweighted.value == 0.5
    assert np.isnan(score.unweighted.low)
    assert score.unweighted.interval_undefined == "one question: nothing to resample"
    assert score.unweighted.undefined is None


def test_a_source_is_averaged_over_the_questions_it_was_rated_on():
    table = overton_scores(
        [coverage_of("q1", [1, 0], source="m"), coverage_of("q2", [1, 1], source="n")], seed=0, replicates=100
    )

    assert [(s.source, s.unweighted.value, s.unweighted.n_questions) for s in table.scores] == [
        ("m", 0.5, 1),
        ("n", 1.0, 1),
    ]
    assert table.best.unweighted.value == 0.75


@pytest.mark.parametrize("coverages", [[], [coverage_of("q", [None])]], ids=["no question", "no rating"])
def test_without_coverage_there_is_a_reason_and_no_number(coverages):
    table = overton_scores(coverages, seed=0)

    assert table.undefined == "no question has a coverage"
    assert all(np.isnan(score.unweighted.value) for score in (*table.scores, table.best))
    assert table.best.unweighted.undefined == "no question has a coverage"
    json.dumps(table.to_dict(), allow_nan=False)


def test_a_question_given_twice_is_refused():
    with pytest.raises(ValueError, match="twice"):
        overton_scores([coverage_of("q", [1]), coverage_of("q", [0])], seed=0)


@pytest.mark.parametrize("options", [{"threshold": 3.0}, {"rule": "majority"}], ids=str)
def test_coverages_by_different_rules_are_refused(options):
    with pytest.raises(ValueError, match="different rules"):
        overton_scores([coverage_of("q1", [1]), coverage_of("q2", [1], **options)], seed=0)


@pytest.mark.parametrize("options", [{"seed": -1}, {"seed": 0, "replicates": 0}, {"seed": 0, "level": 1.0}], ids=str)
def test_options_out_of_range_are_refused(options):
    with pytest.raises(ValueError, match="level"):
        mean_over_questions(np.zeros((2, 1)), **options)


def test_the_interval_is_that_of_a_percentile_bootstrap():
    coverage = np.random.default_rng(5).random((15, 1))

    (estimate,) = mean_over_questions(coverage, seed=1, replicates=20_000)
    oracle = scipy.stats.bootstrap(
        (coverage[:, 0],), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(2)
    )

    # Two independent sets of 20,000 replicates: quantiles agree to about 0.003 of a spread of 0.075.
    assert estimate.low == pytest.approx(oracle.confidence_interval.low, abs=0.005)
    assert estimate.high == pytest.approx(oracle.confidence_interval.high, abs=0.005)
    assert estimate.standard_error == pytest.approx(coverage.std() / np.sqrt(15), rel=0.03)


def test_the_same_seed_gives_the_same_bytes_for_any_order_of_questions():
    coverages = [coverage_of(f"q{i}", [1] * i + [0] * (6 - i)) for i in range(7)]

    one, other = overton_scores(coverages, seed=3), overton_scores(coverages[::-1], seed=3)

    assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())
    assert one.scores[0].unweighted.low != overton_scores(coverages, seed=4).scores[0].unweighted.standard_error


@given(
    coverage=hnp.arrays(
        np.float64, st.tuples(st.integers(1, 8), st.integers(1, 3)), elements=st.sampled_from([0.0, 0.25, 1.0, NAN])
    )
)
def test_intervals_hold_within_the_coverages_and_undefined_has_a_reason(coverage):
    for column, estimate in zip(coverage.T, mean_over_questions(coverage, seed=0, replicates=200), strict=True):
        defined = column[~np.isnan(column)]
        assert estimate.n_questions == len(defined)
        assert np.isnan(estimate.value) == (estimate.undefined is not None)
        assert np.isnan(estimate.low) == (estimate.interval_undefined is not None)
        if len(defined) > 1:
            assert defined.min() - 1e-12 <= estimate.low <= estimate.high <= defined.max() + 1e-12


@pytest.mark.slow
def test_the_interval_covers_the_mean_about_as_often_as_it_says():
    rng = np.random.default_rng(8)
    truth, trials = 0.3, 600
    hits = 0
    for trial in range(trials):
        coverage = rng.beta(1.5, 3.5, size=(40, 1))
        (estimate,) = mean_over_questions(coverage, seed=trial, replicates=500)
        hits += estimate.low <= truth <= estimate.high

    rate, error = hits / trials, np.sqrt(0.95 * 0.05 / trials)
    print(f"coverage of the 95 % interval with 40 questions: {rate:.3f} (Monte-Carlo error {error:.3f})")
    # Percentile intervals of a mean are a little short in small samples: some 94 % at 40 questions.
    assert 0.91 < rate < 0.97


NAMES = {"Deepseek V3": "DeepSeek V3", "Llama 3-70B instruct": "Llama 3.3-70B instruct"}


@pytest.mark.shared
@pytest.mark.parametrize(
    ("variant", "expected_file"),
    [("unweighted", "002_table5_expected.csv"), ("weighted", "002_table7_expected.csv")],
)
def test_published_coverages_average_to_the_published_scores(shared, variant, expected_file):
    def rows(name):
        with (shared / "vectors" / "overton" / name).open(encoding="utf-8", newline="") as file:
            return [{k: v.replace("\u00a0", " ") for k, v in row.items()} for row in csv.DictReader(file)]

    table = rows("002_table12.csv")
    coverages = [
        published_question(question, [row for row in table if row["topic"] == question])
        for question in sorted({row["topic"] for row in table})
    ]

    found = {s.source: getattr(s, variant).value for s in overton_scores(coverages, seed=0, replicates=100).scores}

    assert len(coverages) == 15
    for row in rows(expected_file):
        # Coverages are printed to three digits, so their mean is good to half a unit of the third.
        assert found[row["model"]] == pytest.approx(float(row["raw"]), abs=0.0006)
        assert round(found[row["model"]], 3) == pytest.approx(float(row["raw_printed"]), abs=0.0011)


def published_question(question, rows):
    """Coverage of all models of one question, rebuilt from numbers of groups and people covered.

    The table gives for each model how many groups it covers and how many people they hold, not which. So each model is
    scored with groups of its own: covered ones of one person but for a large one, and likewise the others.
    """
    from dataclasses import replace

    results = []
    for row in rows:
        n_groups, n_people = int(row["n_clusters"]), int(row["n_participants_inferred"])
        covered, reached = int(row["covered_clusters"]), int(row["covered_participants_inferred"])
        sizes = [*with_sum(covered, reached), *with_sum(n_groups - covered, n_people - reached)]
        source = NAMES.get(row["model"], row["model"])
        results.append(coverage_of(question, [1] * covered + [0] * (n_groups - covered), sizes=sizes, source=source))
    return replace(
        results[0],
        sources=tuple(r.sources[0] for r in results),
        coverage=np.concatenate([r.coverage for r in results]),
        coverage_weighted=np.concatenate([r.coverage_weighted for r in results]),
    )


def with_sum(count, total):
    assert (count == 0) == (total == 0)
    return [total - count + 1, *[1] * (count - 1)] if count else []
