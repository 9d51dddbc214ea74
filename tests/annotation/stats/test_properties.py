"""What must hold whatever the data: order, names and copies of items change nothing they should not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.stats.cells import Resampling, agreement_cell, agreement_cells, pair_cell
from annotation.stats.codes import CANNOT_JUDGE, Codes, Judgements
from annotation.stats.material import Material, Settings
from annotation.stats.policies import policies_for, policy_named
from annotation.stats.ratersets import rater_sets
from annotation.stats.report import agreement_report
from annotation.stats.scales import Scale

POINT = Resampling(replicates=0)
SCALE = Scale(("not", "partly", "clearly"), "ordinal", (0.0, 1.0, 2.0))


@st.composite
def matrices(draw, *, least=-1, labels=3, items=(2, 12), raters=(2, 5)):
    n, m = draw(st.integers(*items)), draw(st.integers(*raters))
    return np.array(
        draw(st.lists(st.lists(st.integers(least, labels - 1), min_size=m, max_size=m), min_size=n, max_size=n))
    )


def values(cell):
    return {
        e.name.replace("_gwet_generalised", "").replace("scott_pi", "fleiss_kappa"): e.value for e in cell.estimates
    }


def same(first, second, names=None):
    for name in names or first:
        np.testing.assert_allclose(first[name], second[name], atol=1e-9, equal_nan=True, err_msg=name)


def cell_of(matrix, scale=SCALE):
    return agreement_cell(Codes.from_matrix(matrix, scale), POINT)


@settings(max_examples=60, deadline=None)
@given(matrices(), st.randoms(use_true_random=False))
def test_the_order_of_items_and_raters_does_not_matter(matrix, random) -> None:
    rows, columns = list(range(len(matrix))), list(range(matrix.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    same(values(cell_of(matrix)), values(cell_of(matrix[rows][:, columns])))


@settings(max_examples=40, deadline=None)
@given(matrices(), st.permutations([0, 1, 2]))
def test_names_of_nominal_labels_do_not_matter(matrix, order) -> None:
    scale = Scale(("a", "b", "c"))
    renamed = np.where(matrix >= 0, np.array(order)[np.maximum(matrix, 0)], -1)
    same(values(cell_of(matrix, scale)), values(cell_of(renamed, scale)))


@settings(max_examples=40, deadline=None)
@given(matrices(least=0))
def test_doubling_changes_alpha_alone(matrix) -> None:
    once, twice = values(cell_of(matrix)), values(cell_of(np.concatenate([matrix, matrix])))
    same(once, twice, [n for n in once if not n.startswith("krippendorff")])


@settings(max_examples=40, deadline=None)
@given(matrices(least=0))
def test_alpha_is_fleiss_with_its_correction_for_small_samples(matrix) -> None:
    found = values(cell_of(matrix))
    kappa = found["fleiss_kappa"]
    if np.isfinite(kappa):
        assert found["krippendorff_alpha[nominal]"] == pytest.approx(kappa + (1 - kappa) / matrix.size)


@settings(max_examples=40, deadline=None)
@given(matrices())
def test_a_label_never_used_changes_what_depends_on_the_declaration(matrix) -> None:
    wider = Scale((*SCALE.labels, "surely"), "ordinal")
    before, after = values(cell_of(matrix)), values(cell_of(matrix, wider))
    kept = [
        "percent_agreement",
        "fleiss_kappa",
        "conger_kappa",
        "krippendorff_alpha[nominal]",
        "krippendorff_alpha[ordinal]",
    ]
    same(before, after, kept)
    if np.isfinite(before["randolph_kappa"]) and before["percent_agreement"] < 1:
        assert before["randolph_kappa"] < after["randolph_kappa"]


def test_an_item_of_one_rater_tells_of_chance_and_not_of_agreement() -> None:
    matrix = np.array([[0, 0, 0], [1, 1, 2], [2, 2, 2], [0, 1, 1]])
    more = np.concatenate([matrix, [[2, -1, -1]]])
    before, after = cell_of(matrix), cell_of(more)
    assert before["percent_agreement"].value == after["percent_agreement"].value
    assert before["krippendorff_alpha[nominal]"].value == pytest.approx(after["krippendorff_alpha[nominal]"].value)
    assert before["fleiss_kappa"].chance != after["fleiss_kappa_gwet_generalised"].chance


@settings(max_examples=40, deadline=None)
@given(matrices(least=0, raters=(2, 2)))
def test_conger_of_two_raters_is_cohen(matrix) -> None:
    codes = Codes.from_matrix(matrix, SCALE, raters=["a", "b"])
    everybody, pair = values(agreement_cell(codes, POINT)), values(pair_cell(codes, "a", "b", POINT))
    for weights in ("", "[linear]", "[quadratic]"):
        both = everybody[f"conger_kappa{weights}"], pair[f"cohen_kappa{weights}"]
        np.testing.assert_allclose(*both, equal_nan=True, atol=1e-9)


@pytest.mark.parametrize("n", [20, 100, 1000])
def test_quadratic_kappa_nears_the_intraclass_correlation(n) -> None:
    rng = np.random.default_rng(n)
    truth = rng.integers(0, 5, n)
    matrix = np.clip(truth[:, None] + rng.integers(-1, 2, (n, 2)), 0, 4)
    scale = Scale.numeric(range(5))
    codes = Codes.from_matrix(matrix, scale, raters=["a", "b"])
    kappa = pair_cell(codes, "a", "b", POINT)["cohen_kappa[quadratic]"].value
    assert kappa == pytest.approx(agreement_cell(codes, POINT)["icc[2,1]"].value, abs=1 / n)


def test_a_hole_among_equal_ratings_leaves_agreement_perfect() -> None:
    matrix = np.array([[0, 0, 0], [1, 1, -1], [2, 2, 2], [1, 1, 1]])
    found = values(cell_of(matrix))
    assert all(value == pytest.approx(1.0) for name, value in found.items() if not name.startswith("icc"))


@settings(max_examples=30, deadline=None)
@given(matrices(least=-2), st.integers(0, 2))
def test_what_is_undefined_has_a_reason_and_nothing_else_has(matrix, seed) -> None:
    item, rater = np.nonzero(matrix != -1)
    names = tuple(f"r{i}" for i in range(matrix.shape[1]))
    judgements = Judgements(
        "d", tuple(f"{i:02d}" for i in range(len(matrix))), names, SCALE, item, rater,
        matrix[item, rater].astype(np.int64), matches=("clearly",),
    )  # fmt: skip
    strata = np.arange(len(matrix)) % 2
    resampling = Resampling(strata=strata, stratum_names=("a", "b"), replicates=20, seed=seed)
    sets = rater_sets(names, {names[0]: "model"})
    for cell in agreement_cells(judgements, sets, policies_for(judgements), resampling):
        for estimate in cell.estimates:
            assert np.isfinite(estimate.value) == (estimate.reason is None)
            for interval in (estimate.analytic, estimate.bootstrap):
                assert interval is None or np.isfinite(interval.low) == (interval.reason is None)


def test_an_unanimous_stratum_is_undefined_and_the_others_are_not() -> None:
    matrix = np.array([[2, 2, 2]] * 6 + [[0, 1, 1], [2, 2, 0], [1, 1, 1], [0, 0, 2]])
    codes = Codes.from_matrix(matrix, SCALE, raters=["a", "b", "c"])
    strata = np.array([0] * 6 + [1] * 4)
    judgements = Judgements.of(codes)
    resampling = Resampling(strata=strata, stratum_names=("all clear", "mixed"), replicates=100)
    cells = agreement_cells(judgements, rater_sets(codes.raters, {}), policies_for(judgements), resampling)
    clear = next(c for c in cells if c.stratum == "all clear" and c.raters.kind == "all")
    mixed = next(c for c in cells if c.stratum == "mixed" and c.raters.kind == "all")
    assert clear["fleiss_kappa"].reason == "single_category"
    assert clear["percent_agreement"].value == 1.0
    assert np.isfinite(mixed["fleiss_kappa"].value)


def test_policies_are_what_they_say() -> None:
    matrix = np.array([[0, 0, 0], [2, 2, CANNOT_JUDGE], [1, 1, -1], [2, 0, 0]])
    item, rater = np.nonzero(matrix != -1)
    judgements = Judgements(
        "d",
        tuple("0123"),
        ("a", "b", "c"),
        SCALE,
        item,
        rater,
        matrix[item, rater].astype(np.int64),
        matches=("clearly",),
    )
    (everybody,) = rater_sets(judgements.raters, {}, most_in_pairs=0)
    n = {}
    for policy in policies_for(judgements):
        (cell,) = agreement_cells(judgements, [everybody], [policy], POINT)
        n[policy.name] = (cell.n_items, cell.n_ratings, cell.labels[-1])
    assert n == {
        "missing": (4, 10, "clearly"),
        "category": (4, 11, "cannot judge"),
        "listwise": (2, 6, "clearly"),
        "strict": (4, 10, "match"),
        "strict_or_not": (4, 11, "match"),
    }
    with pytest.raises(ValueError, match="a policy is one of"):
        policy_named("ignore", judgements)


def test_one_seed_gives_one_report_and_another_seed_another() -> None:
    rng = np.random.default_rng(5)
    codes = Codes.from_matrix(rng.integers(0, 3, (30, 3)), SCALE, raters=["a", "b", "c"])
    material = Material((Judgements.of(codes, "d"),))
    reports = [agreement_report(material, Settings(seed=s, replicates=100)).to_dict() for s in (1, 1, 2)]
    assert reports[0] == reports[1]
    assert reports[0]["dimensions"] != reports[2]["dimensions"]


def test_many_distinct_rows_take_the_other_way_to_the_same_numbers(monkeypatch) -> None:
    from annotation.stats import cells

    rng = np.random.default_rng(7)
    codes = Codes.from_matrix(rng.integers(-1, 3, (80, 4)), SCALE, raters=list("abcd"))
    judgements = Judgements.of(codes)
    arguments = (judgements, rater_sets(codes.raters, {}), policies_for(judgements), Resampling(replicates=50))
    together = agreement_cells(*arguments)
    monkeypatch.setattr(cells, "MOST_ROWS_TOGETHER", 1)
    apart = agreement_cells(*arguments)
    for first, second in zip(together, apart, strict=True):
        assert (first.raters, first.policy, first.counts) == (second.raters, second.policy, second.counts)
        found = {each.name: each.value for each in second.estimates}
        for estimate in first.estimates:
            if estimate.name in found:
                np.testing.assert_allclose(estimate.value, found[estimate.name], equal_nan=True, atol=1e-12)
