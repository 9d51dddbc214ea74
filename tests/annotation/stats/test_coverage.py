"""Nominal 95 % intervals cover the truth in 92 to 97 % of simulated audits."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.stats.cells import Resampling, agreement_cell
from annotation.stats.codes import Codes
from annotation.stats.scales import Scale

pytestmark = pytest.mark.slow

SCALE = Scale(("not", "partly", "clearly"))
SHARES, COPIED = np.array([0.5, 0.3, 0.2]), 0.6
KAPPA = COPIED**2  # two raters agree beyond chance if both copy the latent label
N_SIMULATIONS = 1500
NAMES = {"fleiss_kappa": KAPPA, "krippendorff_alpha[nominal]": KAPPA, "conger_kappa": KAPPA}


def drawn(rng, n_items, n_raters=4):
    latent = rng.choice(3, n_items, p=SHARES)
    own = rng.choice(3, (n_items, n_raters), p=SHARES)
    return np.where(rng.random((n_items, n_raters)) < COPIED, latent[:, None], own)


def covered(intervals, truth):
    return np.mean([low <= truth <= high for low, high in intervals])


@pytest.mark.parametrize("n_items", [50, 200])
def test_intervals_cover_what_they_claim(n_items) -> None:
    rng = np.random.default_rng(n_items)
    found = {(name, kind): [] for name in NAMES for kind in ("analytic", "bootstrap")}
    for number in range(N_SIMULATIONS):
        codes = Codes.from_matrix(drawn(rng, n_items), SCALE, raters=list("abcd"))
        cell = agreement_cell(codes, Resampling(replicates=400, seed=number))
        for name in NAMES:
            for kind in ("analytic", "bootstrap"):
                interval = getattr(cell[name], kind)
                found[name, kind].append((interval.low, interval.high))
    rates = {key: covered(intervals, NAMES[key[0]]) for key, intervals in found.items()}
    assert all(0.92 <= rate <= 0.97 for rate in rates.values()), rates


def test_units_must_be_drawn_whole() -> None:
    """Five dimensions of a pair share an effect: drawing rows covers too little, drawing pairs does not."""
    rng = np.random.default_rng(11)
    n_pairs, rows, pairs = 60, [], []
    for number in range(800):
        shared = rng.random(n_pairs) < 0.5
        latent = np.repeat(rng.choice(3, n_pairs, p=SHARES), 5)
        copies = np.repeat(np.where(shared, 0.9, 0.2), 5)
        own = rng.choice(3, (5 * n_pairs, 4), p=SHARES)
        matrix = np.where(rng.random((5 * n_pairs, 4)) < copies[:, None], latent[:, None], own)
        codes = Codes.from_matrix(matrix, SCALE, raters=list("abcd"))
        truth = (0.9**2 + 0.2**2) / 2
        for unit, into in ((None, rows), (np.repeat(np.arange(n_pairs), 5), pairs)):
            interval = agreement_cell(codes, Resampling(unit=unit, replicates=300, seed=number))[
                "fleiss_kappa"
            ].bootstrap
            into.append(interval.low <= truth <= interval.high)
    assert np.mean(rows) < 0.9
    assert 0.91 <= np.mean(pairs) <= 0.97
