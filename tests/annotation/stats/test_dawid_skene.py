from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from annotation.stats.dawid_skene import dawid_skene
from annotation.stats.scales import Scale

SCALE = Scale(("1", "2", "3", "4"))


@pytest.mark.shared
def test_the_anaesthetists_of_1979(shared):
    folder = shared / "data" / "dawid_skene_1979"
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    with (folder / "anaesthetists.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    patient, observer, label = (
        np.array([int(row[name]) for row in rows]) - 1 for name in ("patient", "observer", "label")
    )
    model = dawid_skene(patient, observer, label, SCALE, n_items=45, n_raters=5)
    assert model.log_likelihood == pytest.approx(expected["log_likelihood"], abs=1e-6)
    assert model.prevalence == pytest.approx(expected["class_marginals"], abs=1e-5)
    assert model.error_rates[0] == pytest.approx(np.array(expected["observer1_error_rates"]), abs=6e-5)
    assert (model.most_likely + 1).tolist() == expected["map_labels"]
    assert model.converged


def test_without_judgements_there_is_a_reason():
    nothing = np.zeros(0, np.int64)
    model = dawid_skene(nothing, nothing, nothing, SCALE, n_items=2, n_raters=1)
    assert model.undefined == "no item was judged"
    assert model.to_dict()["undefined"]


def test_an_item_that_nobody_judged_gets_no_label():
    model = dawid_skene(np.array([0, 0]), np.array([0, 1]), np.array([1, 1]), SCALE, n_items=2, n_raters=2)
    assert model.most_likely.tolist() == [1, -1]
    assert np.isnan(model.posterior[1]).all()
