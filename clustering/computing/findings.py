"""What is found in the votes of a question, whether they come from the database or from a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from clustering.computing.clusterers import Clusterer
from clustering.loading import QuestionVotes
from clustering.parameters import GroupingSettings
from clustering.stats.advice import what_to_collect
from clustering.stats.chance import ChanceSilhouette, chance_silhouette
from clustering.stats.clusterers import POLIS, Grouping
from clustering.stats.matrix import VoteMatrix
from clustering.stats.profiles import OpinionProfiles, profile_groups
from clustering.stats.quality import group_quality
from clustering.stats.stability import BootstrapStability, SeedStability, bootstrap_stability, seed_stability

MOST_PEOPLE = 2_000
"""More people are not clustered again and again to see how stable their groups are."""
MOST_PAIRS_OF = 200
"""Of more people the shares of pairs are not kept: their number grows with the square."""


@dataclass(frozen=True, slots=True)
class Findings:
    """Groups, the votes that counted for them, what they stand for, and the parts of the result by name."""

    found: Grouping
    rated: VoteMatrix
    profiles: OpinionProfiles
    matrix: VoteMatrix
    stability: dict[str, Any]
    parts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Stability:
    """Over seeds, over participants drawn anew, beside shuffled votes; None where not computed, or `undefined`."""

    undefined: str | None = None
    seeds: SeedStability | None = None
    bootstrap: BootstrapStability | None = None
    chance: ChanceSilhouette | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy."""
        if self.undefined is not None:
            return {"undefined": self.undefined}
        parts = {"seeds": self.seeds, "bootstrap": self.bootstrap, "chance": self.chance}
        return {"undefined": None} | {name: part and part.to_dict() for name, part in parts.items()}


def findings_of(
    loaded: QuestionVotes,
    clusterer: Clusterer,
    settings: GroupingSettings,
    seed: int,
    *,
    on_step: Callable[[int], None] = lambda _step: None,
) -> Findings:
    """Opinion groups of a question with everything that is said of them; `on_step` hears of three steps."""
    on_step(0)
    matrix = loaded.matrix()
    found = clusterer.find(matrix, seed)
    on_step(1)
    rated = matrix.without(matrix.own_votes(loaded.authors)) if settings.own_votes == "exclude" else matrix
    profiles = profile_groups(rated, found.labels, hidden=loaded.rejected)
    # What was moderated out may shape the map (as in Pol.is), but nobody is judged or advised by it.
    shown = matrix.subset(
        np.ones(len(matrix.participants), dtype=bool), ~np.isin(matrix.statements, sorted(loaded.rejected))
    )
    quality = group_quality(found, shown, authors=loaded.authors)
    stability = stability_of(clusterer, rated, found, settings, seed, lambda: on_step(1))
    on_step(2)
    advice = what_to_collect(
        shown,
        quality,
        authors=loaded.authors,
        bootstrap=stability.bootstrap,
        seeds=stability.seeds,
        chance=stability.chance,
    )
    stable = stability.to_dict()
    parts = {
        "n_votes": rated.n_votes,
        "groups": found.to_dict(),
        "profiles": profile_dict(profiles),
        "quality": quality.to_dict(),
        "stability": stable,
        "advice": advice.to_dict(),
    }
    return Findings(found, rated, profiles, matrix, stable, parts)


def profile_dict(profiles: OpinionProfiles) -> dict[str, Any]:
    """What the groups stand for; counts and shares follow from the votes, the selection does not."""
    whole = profiles.to_dict()
    return {key: whole[key] for key in ("characteristic", "consensus_agree", "consensus_disagree", "method_version")}


def stability_of(
    clusterer: Clusterer,
    rated: VoteMatrix,
    found: Grouping,
    settings: GroupingSettings,
    seed: int,
    heartbeat: Callable[[], None],
) -> Stability:
    """How far the groups depend on chance: each part that the settings ask for, or why none is given."""
    heartbeat()
    if found.undefined is not None:
        return Stability(undefined=found.undefined)
    if len(rated.participants) > MOST_PEOPLE:
        return Stability(undefined="too many people to be clustered again and again")
    seeds = bootstrap = chance = None
    # Nothing is drawn by polis, so every seed gives the same groups.
    if settings.stability_seeds >= 2 and settings.method != POLIS:
        seeds = seed_stability(clusterer.find, rated, seeds=range(seed, seed + settings.stability_seeds))
    heartbeat()
    if settings.stability_replicates:
        bootstrap = bootstrap_stability(
            clusterer.find,
            rated,
            found,
            seed=seed,
            replicates=settings.stability_replicates,
            keep_pairs=len(rated.participants) <= MOST_PAIRS_OF,
        )
    heartbeat()
    if settings.stability_shuffles:
        chance = chance_silhouette(clusterer.find, rated, found, seed=seed, shuffles=settings.stability_shuffles)
    return Stability(seeds=seeds, bootstrap=bootstrap, chance=chance)
