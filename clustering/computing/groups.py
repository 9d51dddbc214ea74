"""Opinion groups of one question: clusters, their profiles, how good and how stable the grouping is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clustering import storing
from clustering.computing.clusterers import Clusterer, loaded_question
from clustering.computing.identities import identities_of
from clustering.inclusion import flow_of_n
from clustering.parameters import GroupingSettings, Parameters
from clustering.stats.clusterers import POLIS, Grouping
from clustering.stats.matrix import VoteMatrix
from clustering.stats.profiles import OpinionProfiles, profile_groups
from clustering.stats.quality import group_quality
from clustering.stats.stability import bootstrap_stability, seed_stability
from core.canonical import content_sha256
from core.runs import Computed, RunningRun
from studies.models import Question

MOST_PEOPLE = 2_000
"""More people are not clustered again and again to see how stable their groups are."""
MOST_PAIRS_OF = 200
"""Of more people the shares of pairs are not kept: their number grows with the square."""


def groups(running: RunningRun) -> Computed:
    """Opinion groups of one question."""
    run = running.run
    question = Question.objects.select_related("study").get(public_id=run.subject_id)
    settings = Parameters.from_dict(run.parameters)
    running.progress(0, 3, question.code)
    loaded, clusterer = loaded_question(question, settings)
    flow = flow_of_n(question, settings.inclusion, len(loaded.enrolments))
    matrix = loaded.matrix()
    found = clusterer.find(matrix, run.seed)
    running.progress(1, 3, question.code)
    rated = matrix.without(matrix.own_votes(loaded.authors)) if settings.own_votes == "exclude" else matrix
    profiles = profile_groups(rated, found.labels, hidden=loaded.rejected)
    stability = stability_of(clusterer, rated, found, settings, run.seed, running.heartbeat)
    running.progress(2, 3, question.code)
    result = {
        "question": question.code,
        "revision": question.revision,
        "flow": flow,
        "n_votes": rated.n_votes,
        "groups": found.to_dict(),
        "profiles": profile_dict(profiles),
        "quality": group_quality(found, matrix, authors=loaded.authors).to_dict(),
        "stability": stability,
    }
    identities = identities_of(question, settings.method, found)
    rows = storing.GroupingRows(question, loaded, rated, found, profiles, settings.method, identities)
    # Drawn here, not in the transaction that stores it: on SQLite nobody could write meanwhile.
    figures = rows.drawn(stability)
    digest = content_sha256(
        {
            "parameters": settings.grouping(),
            "seed": run.seed,
            "votes": matrix.sha256(),
            # Of polis alone: its groups depend on who came first.
            "order": list(clusterer.order),
        }
    )
    return Computed(digest, result, lambda finished: rows.store(finished, figures))


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
) -> dict[str, Any]:
    """How alike the groups are over seeds, and over participants drawn anew: each part, or why it is not given."""
    heartbeat()
    if found.undefined is not None:
        return {"undefined": found.undefined}
    if len(rated.participants) > MOST_PEOPLE:
        return {"undefined": "too many people to be clustered again and again"}
    parts: dict[str, Any] = {"undefined": None, "seeds": None, "bootstrap": None}
    # Nothing is drawn by polis, so every seed gives the same groups.
    if settings.stability_seeds >= 2 and settings.method != POLIS:
        seeds = range(seed, seed + settings.stability_seeds)
        parts["seeds"] = seed_stability(clusterer.find, rated, seeds=seeds).to_dict()
    heartbeat()
    if settings.stability_replicates:
        parts["bootstrap"] = bootstrap_stability(
            clusterer.find,
            rated,
            found,
            seed=seed,
            replicates=settings.stability_replicates,
            keep_pairs=len(rated.participants) <= MOST_PAIRS_OF,
        ).to_dict()
    return parts
