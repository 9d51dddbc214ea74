"""What stands beside the coefficients, against numbers by hand and by other libraries."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from annotation.stats.adjudicated import against_adjudicated, scores_against_adjudicated
from annotation.stats.association import auc, mid_ranks, pearson, spearman
from annotation.stats.codes import CANNOT_JUDGE, NOT_APPLICABLE, Codes, Judgements
from annotation.stats.designs import Resampling
from annotation.stats.labelsets import jaccard, masi, set_judgements
from annotation.stats.matches import direction, match_rates
from annotation.stats.material import Material, Settings, Shown
from annotation.stats.pooled import pooled_material
from annotation.stats.positions import position_bias, sign_test, swap_consistency
from annotation.stats.ratersets import rater_sets
from annotation.stats.ratertable import rater_table
from annotation.stats.report import agreement_report
from annotation.stats.retest import retests
from annotation.stats.scales import Scale
from annotation.stats.scorers import Scorer, scorer_correlations, standardised
from annotation.stats.subsets import RULES_OF_PREFERENCES, RULES_OF_RATINGS, Rated, Rule, similar_pairs, tukey_rule
from annotation.stats.votes import any_of, majority_shares

SCALE = Scale(("not", "partly", "clearly"), "ordinal", (0.0, 1.0, 2.0))
FEW = Settings(replicates=50)


def answers(matrix, *, scale=SCALE, dimension="d", matches=("clearly",), raters="abcdefgh"):
    matrix = np.asarray(matrix)
    item, rater = np.nonzero(matrix != -1)
    items = tuple(f"i{number:02d}" for number in range(len(matrix)))
    code = matrix[item, rater].astype(np.int64)
    return Judgements(dimension, items, tuple(raters[: matrix.shape[1]]), scale, item, rater, code, matches=matches)


def test_correlations_agree_with_scipy() -> None:
    rng = np.random.default_rng(0)
    left = np.round(rng.normal(size=40), 1)
    right = np.round(left + rng.normal(size=40), 1)
    left[3], right[7] = np.nan, np.nan
    known = np.isfinite(left) & np.isfinite(right)
    assert pearson(left, right).value == pytest.approx(stats.pearsonr(left[known], right[known]).statistic)
    assert spearman(left, right).value == pytest.approx(stats.spearmanr(left[known], right[known]).statistic)
    interval = stats.pearsonr(left[known], right[known]).confidence_interval()
    found = pearson(left, right)
    assert (found.interval.low, found.interval.high) == pytest.approx((interval.low, interval.high))
    assert (found.n, found.n_excluded) == (38, 2)


def test_correlations_without_variance_or_items_have_a_reason() -> None:
    assert spearman(np.ones(5), np.arange(5.0)).reason == "zero_variance"
    assert pearson(np.full(3, np.nan), np.arange(3.0)).reason == "no_items"
    assert mid_ranks(np.array([2.0, 1.0, 2.0, 5.0])).tolist() == [2.5, 1.0, 2.5, 4.0]


def test_area_under_the_curve_agrees_with_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    truth = rng.random(60) < 0.4
    scores = np.round(truth + rng.normal(size=60), 1)
    found = auc(scores, truth)
    assert found.value == pytest.approx(roc_auc_score(truth, scores))
    assert found.interval.low < found.value < found.interval.high
    assert auc(scores, np.ones(60, bool)).reason == "single_category"


def test_match_rates_have_both_rules_and_the_difference() -> None:
    judgements = answers([[2, 2], [2, CANNOT_JUDGE], [0, 1], [0, 2]])
    covered = {"i00": True, "i01": True, "i02": False, "i03": False}
    strata = np.array([0, 0, 1, 1])
    resampling = Resampling(strata=strata, stratum_names=("near", "far"), replicates=100)
    lines = match_rates(judgements, rater_sets(judgements.raters, {}), resampling, covered)
    first, other = (
        next(x for x in lines if x.raters == "all" and x.counts_cannot_judge is rule) for rule in (False, True)
    )
    assert (first.strata[""].hits, first.strata[""].n, first.strata["near"].n) == (4, 7, 3)
    assert (other.strata[""].n, other.strata["near"].value) == (8, 0.75)
    assert first.difference.value == pytest.approx(1 - 1 / 4)
    assert first.difference.test == "Fisher exact"


def test_the_direction_is_that_of_the_means() -> None:
    judgements = answers([[2, 2], [2, 1], [0, 1], [0, 0]])
    covered = {"i00": True, "i01": True, "i02": False, "i03": False}
    means = np.array([2.0, 1.5, 0.5, 0.0])
    (everybody, *_) = rater_sets(judgements.raters, {})
    found = direction(judgements, everybody, means, Resampling(replicates=200), covered)
    assert (found.covered, found.uncovered, found.difference, found.holds) == (1.75, 0.25, 1.5, True)
    assert direction(judgements, everybody, means, Resampling(), {}) is None
    one_side = direction(judgements, everybody, means, Resampling(), {"i00": True})
    assert (one_side.holds, one_side.reason) == (None, "no_items")


def test_rules_are_those_of_the_paper_and_others_can_be_given() -> None:
    assert [rule.parameter for rule in RULES_OF_RATINGS if rule.kind == "similar"] == [0.5, 1.0, 1.5, 2.0, 2.5, 3.0]
    assert [rule.parameter for rule in RULES_OF_RATINGS if rule.kind == "disagreed"] == pytest.approx(
        [0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.14, 0.16]
    )
    shares = pytest.approx([0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95])
    assert [rule.parameter for rule in RULES_OF_PREFERENCES if rule.kind == "similar"] == shares
    values = np.array([1, 2, 2, 3, 3, 3, 4, 4, 5, 12.0])
    rated = Rated(np.zeros((10, 2), np.int64), values)
    assert [int(tukey_rule(k).keep(rated).sum()) for k in (0.5, 1.0, 1.5)] == [7, 9, 9]
    assert similar_pairs(np.array([[1, 1, 6, 1, 1], [5, 0, 0, 0, 5]])).tolist() == [0.6, 0.0]
    assert similar_pairs(np.array([[1, 2, 3, 4]])).tolist() == [0.5]
    judgements = answers(np.random.default_rng(0).integers(0, 3, (20, 3)))
    rule = Rule("first ten", "similar", 10.0, lambda rated: np.arange(len(rated.means)) < 10)
    report = agreement_report(Material((judgements,)), FEW, rules=[rule])
    assert report.dimensions[0].beside.subsets == {"first ten": 10}


def test_scorers_are_turned_round_and_compared_on_subsets() -> None:
    items = [f"i{n:02d}" for n in range(12)]
    human = np.arange(12.0)
    scorers = [
        Scorer("good", "reward", scores=dict(zip(items, human * 2, strict=True))),
        Scorer("perplexity", "perplexity", higher_is_better=False, scores=dict(zip(items, -human, strict=True))),
        Scorer("pairs", "judge", pairs={item: (value, 1.0) for item, value in zip(items, human, strict=True)}),
        Scorer("constant", "reward", scores=dict.fromkeys(items, 1.0)),
    ]
    rated = Rated(np.ones((12, 3), np.int64), human)
    found, means = scorer_correlations(scorers, items, human, rated, [tukey_rule(0.5)])
    assert [each.subsets["all"].value for each in found[:3]] == pytest.approx([1.0, 1.0, 1.0])
    assert found[3].subsets["all"].reason == "zero_variance"
    reward = next(each for each in means if (each.family, each.subset) == ("reward", "all"))
    assert (reward.value, reward.n_scorers, reward.n_undefined) == (pytest.approx(1.0), 1, 1)
    assert standardised(np.array([1.0, 2.0, 3.0, np.nan]))[:3].tolist() == [-1.0, 0.0, 1.0]


def test_votes_by_majority_and_by_anybody() -> None:
    counts = np.array([[2, 1], [1, 1], [0, 3], [0, 0]])
    found = majority_shares(counts, ("yes", "no"))
    assert (found.n_items, found.majority, found.n_without) == (3, {"yes": 1, "no": 1}, 1)
    assert found.inclusive == {"yes": 2, "no": 3}
    assert any_of(counts, ("yes", "no"), {"yes"}) == (True, True, False, None)


def test_raters_are_confused_with_the_truth_by_source() -> None:
    judgements = answers([[2, 2], [0, 1], [2, 0], [1, 1]])
    truth = {"i00": "clearly", "i01": "not", "i02": "not", "i03": "partly"}
    source = {"i00": "s", "i01": "s", "i02": "t", "i03": "t"}
    found = against_adjudicated(judgements, truth, source)
    whole = next(x for x in found if (x.rater, x.source) == ("a", ""))
    assert whole.confusion == [[1, 0, 1], [0, 1, 0], [0, 0, 1]]
    assert (whole.accuracy.hits, whole.n) == (3, 4)
    assert whole.auc.value == pytest.approx(roc_auc_score([1, 0, 0, 0], [2, 0, 2, 1]))
    scores = scores_against_adjudicated(judgements, truth, source, {"p": np.array([0.9, 0.1, 0.2, np.nan])})
    assert (scores[0].auc.value, scores[0].n, scores[0].n_without) == (1.0, 3, 1)


def test_the_sign_test_is_exact() -> None:
    assert sign_test(8, 2) == pytest.approx(stats.binomtest(8, 10).pvalue)
    assert sign_test(5, 5) == 1.0
    assert np.isnan(sign_test(0, 0))


def test_a_preference_is_read_by_the_position_shown() -> None:
    scale = Scale(("left", "same", "right"), "ordinal")
    judgements = answers([[0, 2], [0, 2], [1, 0]], scale=scale, matches=())
    swapped = np.array([False, True, False, True, False, True])
    found = position_bias(judgements, np.array([2, 1, 0]), swapped, (0, 1), "all")
    # Stored "left" as shown is first; stored "right" of swapped texts was shown first as well.
    assert (found.first, found.second, found.neither) == (4, 1, 1)
    report = agreement_report(Material((judgements,), shown={"d": Shown(np.array([2, 1, 0]), swapped)}), FEW)
    beside = report.dimensions[0].beside
    assert beside.positions[0] == found
    assert beside.disagreement.tolist() == [0.5, 0.5, 0.25]


def test_consistency_counts_what_has_a_label_both_ways() -> None:
    found = swap_consistency("m", np.array([0, 1, 2, -2]), np.array([0, 2, 2, 1]))
    assert (found.same.hits, found.same.n, found.n_without) == (2, 3, 1)


def test_repetitions_count_for_test_retest_alone() -> None:
    judgements = answers([[2, 2], [0, 1], [2, 0], [0, 1]])
    repeats = {"i02": "i00", "i03": "i01"}
    whole, first, second = retests(judgements, repeats)
    assert (whole.same.hits, whole.same.n) == (3, 4)
    assert (first.same.value, second.same.value) == (1.0, 0.5)
    report = agreement_report(Material((judgements,), repeats=repeats), FEW)
    assert report.n_repeated == 2
    assert report.dimensions[0].cell().n_items == 2


def test_sets_of_labels_agree_in_part() -> None:
    a, b, c = frozenset("xy"), frozenset("x"), frozenset("yz")
    assert (jaccard(a, b), jaccard(a, c), jaccard(b, c)) == pytest.approx((1 / 2, 1 / 3, 0.0))
    assert (masi(a, b), masi(a, c), masi(a, a)) == pytest.approx((1 / 3, 1 / 9, 1.0))
    assert masi(frozenset(), frozenset()) == 1.0
    item, rater = ["1", "1", "2", "2", "3", "3"], ["a", "b"] * 3
    judgements, weights = set_judgements("d", item, rater, [a, a, b, a, c, c], ("x", "y", "z"))
    report = agreement_report(Material((judgements,), set_weights={"d": weights}), FEW)
    cell = report.dimensions[0].cell()
    # Krippendorff's alpha by hand: observed distance over 6 values, expected over all pairs of values.
    sets = [a, a, b, a, c, c]
    for name, similarity in (("masi", masi), ("jaccard", jaccard)):
        observed = sum(2 * (1 - similarity(x, y)) for x, y in ((a, a), (b, a), (c, c))) / 6
        expected = sum(1 - similarity(x, y) for i, x in enumerate(sets) for j, y in enumerate(sets) if i != j) / 30
        assert cell[f"krippendorff_alpha_weighted[{name}]"].value == pytest.approx(1 - observed / expected)


def test_pooled_dimensions_are_items_by_dimension_with_items_as_units() -> None:
    material = Material((answers([[2, 2], [0, 1]], dimension="x"), answers([[1, 1], [2, 2]], dimension="y")))
    pooled = pooled_material(material)
    assert [each.dimension for each in pooled.dimensions] == ["pooled: not / partly / clearly", "pooled: strict match"]
    assert [len(each.items) for each in pooled.dimensions] == [4, 4]
    report = agreement_report(material, FEW)
    cell = report.pooled[0].cell()
    assert (cell.n_items, cell.n_units, report.pooled[0].resampling.unit_name) == (4, 2, "items")
    assert report.pooled[1].judgements.scale.labels == ("no match", "match")


def test_conditional_dimensions_report_their_n() -> None:
    judgements = answers([[2, NOT_APPLICABLE], [0, 1], [NOT_APPLICABLE, NOT_APPLICABLE]])
    report = agreement_report(Material((judgements,), conditions={"d": "open: yes"}), FEW)
    found = report.dimensions[0].beside.conditional
    assert (found.condition, found.n_asked, found.n_not_applicable) == ("open: yes", 3, 3)
    assert report.dimensions[0].cell().n_items == 2


def test_the_rater_table_knows_who_is_constant() -> None:
    judgements = answers([[2, 2], [2, 0], [2, 1], [2, CANNOT_JUDGE]])
    constant, other = rater_table(judgements, {"b": "model"}, None)
    assert (constant.entropy, constant.n, constant.agreement) == (0.0, 4, pytest.approx(1 / 3))
    assert (other.kind, other.cannot_judge, other.counts) == ("model", 1, [1, 1, 1])


def test_the_only_tables_that_give_a_printed_kappa_disagree_in_their_margins() -> None:
    both, only_first, only_second, neither = 517, 125, 233, 525
    pairs = [(1, 1)] * both + [(1, 0)] * only_first + [(0, 1)] * only_second + [(0, 0)] * neither
    codes = Codes.from_matrix(np.array(pairs), Scale(("no", "yes")), raters=["a", "b"])
    report = agreement_report(Material((Judgements.of(codes, "d"),)), Settings(replicates=0))
    cell = report.dimensions[0].cell(raters="a & b")
    assert cell["percent_agreement"].value == pytest.approx(0.744, abs=5e-4)
    assert cell["cohen_kappa"].value == pytest.approx(0.492, abs=5e-4)
    assert cell.bias_index == pytest.approx((only_second - only_first) / 1400)
