"""Figures of a run: plain rows in, an Altair chart out. Computed by the worker and stored as a specification.

No row holds a text or a name of a person: pages and files put the texts of statements in when they show a figure.
"""

from __future__ import annotations

from clustering.figures.groups import agreement_heat_map, rating_distributions
from clustering.figures.maps import opinion_map, statement_loadings
from clustering.figures.parts import specification, unweighted, weighted
from clustering.figures.quality import co_membership, seed_agreement, silhouette_grid
from clustering.figures.scores import coverage_matrix, score_intervals, threshold_sensitivity

__all__ = [
    "agreement_heat_map",
    "co_membership",
    "coverage_matrix",
    "opinion_map",
    "rating_distributions",
    "score_intervals",
    "seed_agreement",
    "silhouette_grid",
    "specification",
    "statement_loadings",
    "threshold_sensitivity",
    "unweighted",
    "weighted",
]
