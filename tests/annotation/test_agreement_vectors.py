"""The command on every published file prints every published number."""

from __future__ import annotations

import io
import json
from functools import cache

import pytest
from django.core.management import call_command

pytestmark = pytest.mark.shared

WEIGHTS = {"cohen1968_disagreement_weights.csv", "fleiss_cohen_everitt1969_agreement_weights.csv"}
TOLD = {
    "weighted_label_order_12x2.csv": ["--labels", "not,partly,clearly"],
    "constant_all_agree_5x4.csv": ["--labels", "not,partly,clearly"],
    "prefs_entropy_disagree.csv": ["--format", "counts"],
}


@pytest.fixture(scope="module")
def report_of(shared):
    folder = shared / "vectors" / "agreement"

    @cache
    def run(name, *more):
        out = io.StringIO()
        options = [*TOLD.get(name, []), *more]
        call_command("agreement", str(folder / name), "--json", "--replicates", "0", *options, stdout=out)
        return json.loads(out.getvalue())

    return run


def options_for(case, folder):
    params = case["params"]
    options = []
    if params.get("weights") in WEIGHTS:
        options += ["--weights", str(folder / params["weights"])]
    if case["file"] == "irr_anxiety_20x3.csv" and "labels" in params:
        options += ["--raters", "r2,r3"]
        if params["labels"] == "1..6":
            options += ["--labels", "1,2,3,4,5,6"]
    return options


def weighted(base, weights):
    return base if weights in (None, "none", "None", "identity") else f"{base}[{weights}]"


def names_for(case):
    """The names that the statistic may have in the report, and the field of the estimate."""
    statistic, weights = case["statistic"], case["params"].get("weights")
    fleiss = [weighted(name, weights) for name in ("fleiss_kappa", "fleiss_kappa_gwet_generalised", "scott_pi")]
    ac = [weighted("gwet_ac1" if weighted("", weights) == "" else "gwet_ac2", weights)]
    if statistic.startswith("cohen_kappa"):
        field = {"cohen_kappa": "value", "cohen_kappa_se_FCE1969": "se", "cohen_kappa_se0": "se_null"}[statistic]
        return [weighted("cohen_kappa", weights)], field
    if statistic == "fleiss_kappa_category":
        return [f"fleiss_kappa_category[{case['params']['category']}]"], "value"
    if statistic.startswith("ICC"):
        return [statistic.lower().replace("(", "[").replace(")", "]")], "value"
    if statistic.startswith("krippendorff"):
        field = "se" if statistic == "krippendorff_se" else "value"
        if weights not in (None, "identity"):
            return [f"krippendorff_alpha_weighted[{weights}]"], field
        level = "nominal" if statistic in ("krippendorff", "krippendorff_se") else statistic.split("_")[1]
        return [f"krippendorff_alpha[{level}]"], field
    field = "se_null" if "FNL" in statistic else "se" if "_se" in statistic else "value"
    if statistic.startswith(("fleiss", "scott")):
        return fleiss, field
    base = {"gwet": ac, "bp": [weighted("randolph_kappa", weights)], "pa": [weighted("percent_agreement", weights)]}
    base["randolph"] = base["bp"]
    return base[statistic.split("_")[0]], field


def estimate_of(report, case, names):
    (dimension,) = report["dimensions"]
    if names[0].startswith("fleiss_kappa_category"):
        return next(each for each in dimension["categories"] if each["name"] in names)
    stratum = case["params"].get("stratum")
    stratum = None if stratum in (None, "ALL") else stratum
    kind = "pair" if names[0].startswith("cohen") else "all"
    cell = next(
        cell
        for cell in dimension["cells"]
        if cell["stratum"] == stratum and cell["raters"]["kind"] == kind and cell["policy"] == "missing"
    )
    return next(each for each in cell["estimates"] if each["name"] in names)


def test_the_command_prints_every_published_number(report_of, shared):
    folder = shared / "vectors" / "agreement"
    cases = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    assert len(cases) > 100
    wrong = {}
    for case in cases:
        names, field = names_for(case)
        estimate = estimate_of(report_of(case["file"], *options_for(case, folder)), case, names)
        if estimate[field] is None or not abs(estimate[field] - case["value"]) < 1e-9:
            wrong[case["file"], case["statistic"], str(case["params"])] = (estimate, case["value"])
    assert wrong == {}


def test_the_command_reads_every_file(report_of, shared):
    for path in sorted((shared / "vectors" / "agreement").glob("*.csv")):
        if path.name in WEIGHTS:
            continue
        report = report_of(path.name)
        cells = [cell for dimension in report["dimensions"] for cell in dimension["cells"]]
        assert cells, path.name
        for estimate in (estimate for cell in cells for estimate in cell["estimates"]):
            assert (estimate["value"] is None) == (estimate["reason"] is not None), (path.name, estimate)
