"""Every published value of the agreement vectors, at 1e-9, computed the way a report computes it."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from annotation.stats.analytic import fleiss_null_error, gwet_errors, krippendorff_error
from annotation.stats.categories import category_kappas
from annotation.stats.cells import Resampling, agreement_cell, pair_cell
from annotation.stats.codes import Codes, patterns
from annotation.stats.cohen import cohen_kappa, cohen_standard_errors
from annotation.stats.scales import Scale, agreement_weights
from annotation.stats.sums import (
    features,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    percent_agreement,
    randolph_kappa,
    sums_of,
)

pytestmark = pytest.mark.shared

POINT = Resampling(replicates=0)
KEYS = ("item", "group")
VERBAL = Scale(("not", "partly", "clearly"), "ordinal")


@pytest.fixture
def folder(shared):
    return shared / "vectors" / "agreement"


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def table_of(path):
    return np.array([[float(cell) for cell in row[1:]] for row in rows_of(path)[1:]])


def scale_of(labels):
    try:
        return Scale.numeric([float(label) for label in labels], "ratio")
    except ValueError:
        return Scale(tuple(labels))


def raw_codes(path, *, labels=None, group=None):
    head, *body = rows_of(path)
    raters = [name for name in head if name not in KEYS]
    rated = []
    for number, row in enumerate(body):
        cells = dict(zip(head, row, strict=True))
        if group in (None, "ALL", cells.get("group")):
            rated += [(f"{number:03d}", rater, cells[rater]) for rater in raters if cells[rater]]
    observed = {dict(zip(head, row, strict=True))[rater] for row in body for rater in raters} - {""}
    # A label that nobody in the stratum uses is declared all the same.
    scale = labels or (VERBAL if observed <= set(VERBAL.labels) else scale_of(sorted(observed)))
    if scale.values is not None:
        rated = [(item, rater, f"{float(label):g}") for item, rater, label in rated]
    return Codes.from_rows(rated, scale)


def counted(path):
    head, *body = rows_of(path)
    names = [name for name in head if name not in KEYS]
    counts = np.array([[int(dict(zip(head, row, strict=True))[name]) for name in names] for row in body])
    rated = [
        (f"{i:03d}", f"{place:03d}", names[k])
        for i, row in enumerate(counts)
        for place, k in enumerate(np.repeat(np.arange(len(names)), row))
    ]
    return Codes.from_rows(rated, Scale(tuple(names)))


def from_table(path):
    head, *body = rows_of(path)
    labels = head[1:]
    counts = np.array([[int(float(cell)) for cell in row[1:]] for row in body])
    pairs = [(k, other) for k in range(len(labels)) for other in range(len(labels)) for _ in range(counts[k, other])]
    rated = [
        (f"{i:05d}", rater, labels[k]) for i, pair in enumerate(pairs) for rater, k in zip("AB", pair, strict=True)
    ]
    return Codes.from_rows(rated, Scale(tuple(labels)))


def codes_of(path, params):
    if path.name.endswith("_counts.csv"):
        return counted(path)
    if rows_of(path)[0][0] == "A\\B":
        return from_table(path)
    return raw_codes(path, group=params.get("stratum"))


def weights_for(folder, name, size):
    if name in ("none", "None"):
        return agreement_weights("identity", size)
    if name in ("linear", "quadratic", "identity", "ordinal"):
        return agreement_weights(name, size)
    given = table_of(folder / name)
    return 1 - given / given.max() if "disagreement" in name else given


def cohen_of(folder, case):
    path, params = folder / case["file"], case["params"]
    if rows_of(path)[0][0] == "A\\B":
        table = table_of(path)
        table *= 100 if table.sum() < 2 else 1  # Cohen 1960 prints shares of 100 patients
        return table, weights_for(folder, params["weights"], len(table))
    labels = params["labels"]
    scale = VERBAL
    if labels == "1..6":
        scale = Scale.numeric(range(1, 7))
    elif labels.startswith("observed"):
        scale = Scale.numeric([1, 2, 3, 4, 6])
    codes = raw_codes(path, labels=Scale.numeric(range(1, 7)) if "r1" in rows_of(path)[0] else scale)
    matrix = codes.matrix()
    names = params.get("pair", ",".join(codes.raters)).split(",")
    first, second = (matrix[:, codes.raters.index(name)] for name in names)
    table = np.zeros((codes.scale.size, codes.scale.size))
    np.add.at(table, (first, second), 1)
    used = [codes.scale.labels.index(label) for label in scale.labels]
    table = table[np.ix_(used, used)]
    return table, weights_for(folder, params["weights"], len(table))


def computed(folder, case):
    statistic, params = case["statistic"], case["params"]
    if statistic.startswith("cohen"):
        table, weights = cohen_of(folder, case)
        if statistic == "cohen_kappa":
            return float(cohen_kappa(table, weights)[0])
        return cohen_standard_errors(table, weights)[statistic == "cohen_kappa_se0"]
    codes = codes_of(folder / case["file"], params)
    if statistic == "fleiss_kappa_category":
        return next(e.value for e in category_kappas(codes) if e.name.endswith(f"[{params['category']}]"))
    if statistic.startswith("ICC"):
        codes = raw_codes(folder / case["file"], labels=Scale.numeric(range(1, 11)))
        return agreement_cell(codes, POINT)[statistic.replace("ICC(", "icc[").replace(")", "]")].value
    return by_counts(codes, statistic, params.get("weights", "identity"))


def by_counts(codes, statistic, weighting):
    kinds, index = patterns(codes.counts())
    times = np.bincount(index)
    sums = sums_of(times @ features(kinds), codes.scale.size)
    weights = agreement_weights(weighting, codes.scale.size)
    if statistic.startswith("krippendorff_") and not statistic.endswith("_se"):
        return float(krippendorff_alpha(sums, codes.scale, statistic.split("_")[1])[0])
    errors = gwet_errors(kinds, times, sums, weights)
    values = {
        "krippendorff": lambda: krippendorff_alpha(sums, codes.scale, None, weights)[0],
        "krippendorff_se": lambda: krippendorff_error(kinds, times, weights),
        "fleiss_se0_FNL1979": lambda: fleiss_null_error(kinds, times),
        "pa": lambda: percent_agreement(sums, weights),
        "pa_se": lambda: errors["percent_agreement"],
    }
    for name in ("fleiss", "fleiss_kappa", "fleiss_generalised_gwet", "scott_pi(=fleiss 2 raters)"):
        values[name] = lambda: fleiss_kappa(sums, weights)[0]
    for name in ("fleiss_se", "fleiss_se_gwet", "fleiss_generalised_gwet_se"):
        values[name] = lambda: errors["fleiss_kappa"]
    for name, function, key in (("gwet", gwet_ac, "gwet_ac"), ("bp", randolph_kappa, "randolph_kappa")):
        values[name] = lambda function=function: function(sums, weights)[0]
        values[f"{name}_se"] = lambda key=key: errors[key]
    values["gwet_ac1"], values["randolph_free"] = values["gwet"], values["bp"]
    return float(values[statistic]())


def test_every_published_value_is_reproduced(folder):
    cases = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    wrong = {}
    for case in cases:
        got = computed(folder, case)
        if not abs(got - case["value"]) < 1e-9:
            wrong[case["file"], case["statistic"], str(case["params"])] = (got, case["value"])
    assert len(cases) > 100
    assert wrong == {}


def test_the_reports_way_gives_the_published_numbers(folder):
    cell = agreement_cell(counted(folder / "fleiss1971_counts.csv"), Resampling(replicates=200, seed=1))
    assert cell["fleiss_kappa"].value == pytest.approx(0.43024452006014074, abs=1e-9)
    assert cell["fleiss_kappa"].se == pytest.approx(0.05419893551533276, abs=1e-9)
    assert cell["fleiss_kappa"].bootstrap.low < 0.43 < cell["fleiss_kappa"].bootstrap.high
    first, second = "Rater1", "Rater2"
    pair = pair_cell(raw_codes(folder / "gwet_raw_4raters.csv"), first, second, Resampling(replicates=200))
    names = [estimate.name for estimate in pair.estimates if estimate.name.startswith("cohen")]
    assert names[:2] == ["cohen_kappa", "cohen_kappa[linear]"]


def test_unanimity_is_undefined_and_says_why(folder):
    path = folder / "constant_all_agree_5x4.csv"
    codes = raw_codes(path, labels=Scale(("not", "partly", "clearly"), "ordinal"))
    cell = agreement_cell(codes, Resampling(replicates=50))
    assert (cell["fleiss_kappa"].reason, cell["krippendorff_alpha[ordinal]"].reason) == ("single_category",) * 2
    assert cell["percent_agreement"].value == 1.0
    assert cell["gwet_ac1"].value == 1.0
