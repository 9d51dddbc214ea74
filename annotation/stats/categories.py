"""Fleiss' kappa of each label against all others."""

from __future__ import annotations

import numpy as np

from annotation.stats.codes import Codes
from annotation.stats.estimates import Estimate, undefined
from annotation.stats.sums import features, fleiss_kappa, sums_of

__all__ = ["METHOD_VERSION", "category_kappas"]

METHOD_VERSION = "1"


def category_kappas(codes: Codes) -> tuple[Estimate, ...]:
    """Fleiss' kappa of each label against all others (Fleiss 1971), in the declared order."""
    counts = codes.counts()
    total = counts.sum(axis=1)
    reason = None
    if not (total >= 2).any():
        reason = "no_pairable_items" if total.any() else "no_items"
    estimates = []
    for index, label in enumerate(codes.scale.labels):
        name = f"fleiss_kappa_category[{label}]"
        if reason:
            estimates.append(undefined(name, reason))
            continue
        rows = features(np.column_stack([counts[:, index], total - counts[:, index]]))
        value, chance = fleiss_kappa(sums_of(rows.sum(axis=0), 2), np.eye(2))
        ok = bool(np.isfinite(value))
        estimates.append(Estimate(name, float(value), None if ok else "single_category", chance=float(chance)))
    return tuple(estimates)
