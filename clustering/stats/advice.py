"""What to collect next when opinion groups are poor: reasons by code, with the cut-offs that called them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import comb
from typing import Any

import numpy as np

from clustering.stats.chance import ChanceSilhouette
from clustering.stats.matrix import VoteMatrix
from clustering.stats.needs import Link, PersonNeed, StatementNeed, links, people_in_need, statements_in_need
from clustering.stats.plain import plain
from clustering.stats.quality import GroupQuality
from clustering.stats.stability import BootstrapStability, SeedStability

__all__ = ["CODES", "METHOD_VERSION", "Advice", "Cutoffs", "Finding", "votes_for_overlap", "what_to_collect"]

METHOD_VERSION = "1"

CODES = (
    "no_groups",
    "few_people",
    "few_votes_each",
    "under_voted",
    "little_overlap",
    "many_ungrouped",
    "many_singletons",
    "unstable_groups",
    "seed_dependent",
    "no_better_than_chance",
    "no_endorsement",
)
"""Everything that can be found, in the order in which it is listed."""


@dataclass(frozen=True, slots=True)
class Cutoffs:
    """From where a figure is called poor. Conventions, not laws: declare others where there are reasons.

    Attributes
    ----------
    people : int
        Fewer grouped participants are few.
    votes_each : int
        A smaller median of votes a person is small: at 15 of 70 planted groups are found (docs/methods.md).
    votes_on_each : int
        A statement with fewer votes is under-voted.
    share_under_voted : float
        More under-voted statements than this share are too many.
    share_without_common : float
        More pairs without a common statement than this share are too many.
    share_ungrouped, share_singletons : float
        More people in no group, or more groups of one among the groups, are too many.
    jaccard : float
        A group with a smaller mean Jaccard index over bootstrap replicates is unstable (Hennig's .6).
    seed_agreement : float
        A smaller mean adjusted Rand index over seeds is small.
    p_value : float
        A larger one, beside shuffled votes, is large.
    endorsement : float
        The approval of statements from one's own group should exceed that of others by this much.
    """

    people: int = 30
    votes_each: int = 15
    votes_on_each: int = 5
    share_under_voted: float = 0.2
    share_without_common: float = 0.05
    share_ungrouped: float = 0.1
    share_singletons: float = 0.25
    jaccard: float = 0.6
    seed_agreement: float = 0.8
    p_value: float = 0.05
    endorsement: float = 0.1


@dataclass(frozen=True, slots=True)
class Finding:
    """One figure that is poor.

    Attributes
    ----------
    code : str
        One of `CODES`.
    value : float
        The figure; ``nan`` for `no_groups`.
    cutoff : float
        What it missed; ``nan`` for `no_groups`.
    n : int
        How many people, statements, pairs or groups it concerns.
    reason : str or None
        Why there are no groups, for `no_groups`.
    """

    code: str
    value: float
    cutoff: float
    n: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Advice:
    """What is poor, and what to collect.

    Attributes
    ----------
    findings : tuple of Finding
        In the order of `CODES`; empty if nothing is poor among what was given.
    statements : tuple of StatementNeed
        Under-voted statements, those with the fewest votes first.
    people : tuple of PersonNeed
        Participants with too few votes or without a common statement with somebody, the neediest first.
    links : tuple of Link
        Single votes that would give the most pairs a common statement, each the best after those before it.
    votes_for_overlap : int or None
        Votes a person, on statements drawn uniformly, from which the expected share of pairs without a common
        statement keeps its cut-off; None without statements.
    not_asked : tuple of str
        Codes that could not be looked at because their figures were not given.
    cutoffs : Cutoffs
    """

    findings: tuple[Finding, ...]
    statements: tuple[StatementNeed, ...]
    people: tuple[PersonNeed, ...]
    links: tuple[Link, ...]
    votes_for_overlap: int | None
    not_asked: tuple[str, ...]
    cutoffs: Cutoffs = field(default_factory=Cutoffs)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy; ``nan`` as ``None``."""
        result: dict[str, Any] = plain(self)
        return result | {"method_version": METHOD_VERSION}


def what_to_collect(
    matrix: VoteMatrix,
    quality: GroupQuality,
    *,
    authors: Mapping[str, str] | None = None,
    bootstrap: BootstrapStability | None = None,
    seeds: SeedStability | None = None,
    chance: ChanceSilhouette | None = None,
    cutoffs: Cutoffs | None = None,
) -> Advice:
    """What is poor about the groups of a question, and which votes would help.

    Parameters
    ----------
    matrix : VoteMatrix
        The matrix the groups were made from.
    quality : GroupQuality
    authors : mapping of statement key to participant key, optional
        Votes on one's own statement do not count, and nobody is advised to vote on their own.
    bootstrap, seeds, chance : optional
        Further figures; what rests on one that is not given is listed in `not_asked`.
    cutoffs : Cutoffs, optional

    Returns
    -------
    Advice
    """
    limits = cutoffs or Cutoffs()
    rated = matrix.without(matrix.own_votes(authors or {}))
    found = {
        **_of_votes(rated, quality, limits),
        **_of_groups(quality, limits),
        **_of_stability(bootstrap, seeds, chance, limits),
    }
    return Advice(
        findings=tuple(finding for code in CODES if (finding := found.get(code)) is not None),
        statements=statements_in_need(rated, limits.votes_on_each),
        people=people_in_need(rated, limits.votes_each, pairs=quality.pairs_undefined is None),
        links=links(rated, authors or {}) if quality.pairs_undefined is None else (),
        votes_for_overlap=votes_for_overlap(int(rated.seen.any(axis=0).sum()), limits.share_without_common),
        not_asked=tuple(code for code in CODES if code not in found),
        cutoffs=limits,
    )


def votes_for_overlap(n_statements: int, share: float) -> int | None:
    r"""Votes a person from which few pairs are expected to share no statement.

    Parameters
    ----------
    n_statements : int
        Statements `S` of which everybody gets `m` at random.
    share : float
        Largest share in [0, 1] of pairs without a common one.

    Returns
    -------
    int or None
        The smallest `m` with :math:`\binom{S-m}{m}/\binom{S}{m}` at most `share`; None without statements.
    """
    for m in range(1, n_statements + 1):
        if comb(n_statements - m, m) <= share * comb(n_statements, m):
            return m
    return None


def _of_votes(rated: VoteMatrix, quality: GroupQuality, limits: Cutoffs) -> dict[str, Finding | None]:
    seen = rated.seen
    each, on_each = seen.sum(axis=1), seen.sum(axis=0)
    median = float(np.median(each[each > 0])) if each.any() else 0.0
    n_under = int((on_each < limits.votes_on_each).sum())
    share_under = n_under / len(on_each) if len(on_each) else 0.0
    n_few = int(((each > 0) & (each < limits.votes_each)).sum())
    found: dict[str, Finding | None] = {
        "few_votes_each": _below("few_votes_each", median, limits.votes_each, n_few),
        "under_voted": _above("under_voted", share_under, limits.share_under_voted, n_under),
    }
    if quality.pairs_undefined is None:
        n_voters = int((each > 0).sum())
        pairs = round(np.nan_to_num(quality.share_without_common) * n_voters * (n_voters - 1) / 2)
        share = quality.share_without_common
        found["little_overlap"] = _above("little_overlap", share, limits.share_without_common, pairs)
    return found


def _of_groups(quality: GroupQuality, limits: Cutoffs) -> dict[str, Finding | None]:
    nan = float("nan")
    if quality.undefined is not None:
        return {"no_groups": Finding("no_groups", nan, nan, quality.n_ungrouped, quality.undefined)}
    everybody = quality.n_grouped + quality.n_ungrouped
    n_singletons = round(quality.singleton_share * quality.n_groups)
    share_ungrouped = quality.n_ungrouped / everybody
    found: dict[str, Finding | None] = {
        "no_groups": None,
        "few_people": _below("few_people", quality.n_grouped, limits.people, quality.n_grouped),
        "many_ungrouped": _above("many_ungrouped", share_ungrouped, limits.share_ungrouped, quality.n_ungrouped),
        "many_singletons": _above("many_singletons", quality.singleton_share, limits.share_singletons, n_singletons),
    }
    if quality.peers is not None and quality.peers.n_groups_within and quality.peers.n_groups_outside:
        gap = float(quality.peers.mean_within[0] - quality.peers.mean_outside[0])
        found["no_endorsement"] = _below("no_endorsement", gap, limits.endorsement, quality.peers.n_groups_within)
    return found


def _of_stability(
    bootstrap: BootstrapStability | None, seeds: SeedStability | None, chance: ChanceSilhouette | None, limits: Cutoffs
) -> dict[str, Finding | None]:
    found: dict[str, Finding | None] = {}
    if bootstrap is not None and bootstrap.undefined is None:
        indices = bootstrap.jaccard[np.isfinite(bootstrap.jaccard)]
        n_unstable = int((indices < limits.jaccard).sum())
        lowest = float(indices.min(initial=1.0))
        found["unstable_groups"] = _below("unstable_groups", lowest, limits.jaccard, n_unstable)
    if seeds is not None and seeds.undefined is None:
        found["seed_dependent"] = _below("seed_dependent", seeds.mean, limits.seed_agreement, seeds.n_partitions)
    if chance is not None and chance.undefined is None:
        n_reached = chance.n_shuffles - chance.n_undefined
        found["no_better_than_chance"] = _above("no_better_than_chance", chance.p_value, limits.p_value, n_reached)
    return found


def _below(code: str, value: float, cutoff: float, n: int) -> Finding | None:
    return Finding(code, float(value), float(cutoff), n) if value < cutoff else None


def _above(code: str, value: float, cutoff: float, n: int) -> Finding | None:
    return Finding(code, float(value), float(cutoff), n) if value > cutoff else None
