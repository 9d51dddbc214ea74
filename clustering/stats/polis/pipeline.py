"""From votes to groups, statements and priorities, as Pol.is computes them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustering.stats.distances import UNASSIGNED
from clustering.stats.matrix import BoolArray, FloatArray, IntArray
from clustering.stats.polis.axes import Axes, find_axes, places_of_people
from clustering.stats.polis.candidates import (
    BaseClusters,
    Candidate,
    best_candidate,
    find_base_clusters,
    group_base_clusters,
)
from clustering.stats.polis.groups import METHOD_VERSION, PolisGroups, PolisSettings, StatementMap
from clustering.stats.polis.people import Clustered, who_is_clustered
from clustering.stats.polis.portraits import portraits
from clustering.stats.polis.priorities import statement_priorities
from clustering.stats.polis.reasons import NO_CANDIDATE, ONE_PLACE, cannot_be_grouped, cautions
from clustering.stats.polis.state import PolisState, smooth
from clustering.stats.polis.votes import SparseVotes
from clustering.stats.profiles import OpinionProfiles
from clustering.stats.projection import statement_coordinates

__all__ = ["METHOD_VERSION", "cluster_polis"]


def cluster_polis(
    votes: SparseVotes,
    *,
    seed: int = 0,
    authors: Mapping[str, str] | None = None,
    order: Sequence[str] | None = None,
    previous: PolisState | None = None,
    hidden: Collection[str] = (),
    meta: Collection[str] = (),
    settings: PolisSettings | None = None,
) -> PolisGroups:
    """Opinion groups and what goes with them, by Pol.is' mathematics.

    Parameters
    ----------
    votes : SparseVotes
    seed : int, default 0
        Stored with the result, at least 0; nothing is drawn.
    authors : mapping of statement key to participant key, optional
        Who wrote what; needed to leave out votes on one's own statement.
    order : sequence of str, optional
        Participants in the order of their first vote. Base clusters start from the first places in this
        order, so groups depend on it. Keys without votes here are passed over; participants it does not
        name follow in the order of keys. Without it the order of keys is used.
    previous : PolisState, optional
        State of the run before: who was clustered stays in, and the number of groups is smoothed.
    hidden : collection of str, optional
        Statements moderated out: counted, but without part in the map or in the lists.
    meta : collection of str, optional
        Statements about the people themselves; hidden too, as in Pol.is, with a fixed priority.
    settings : PolisSettings, optional

    Returns
    -------
    PolisGroups
        With ``undefined`` set where the votes cannot be grouped.

    Raises
    ------
    ValueError
        If the seed is negative or `order` names somebody twice.

    Notes
    -----
    The result is the same whatever order the votes come in. Groups and lists are the same if an axis is
    mirrored. Steps: :func:`who_is_clustered`, :func:`find_axes`, :func:`places_of_people`,
    :func:`find_base_clusters`, :func:`group_base_clusters`, :func:`smooth`, :func:`portraits`,
    :func:`statement_priorities`; each states its rule and source.
    """
    settings, previous = settings or PolisSettings(), previous or PolisState()
    if seed < 0:
        raise ValueError("seed is at least 0")
    rank = _rank(votes.participants, order)
    rated = votes
    if settings.own_votes == "exclude" and authors:
        rated = votes.only(~votes.own_votes(authors))
    away = {*hidden, *meta}
    is_hidden = np.array([key in away for key in votes.statements], dtype=bool)
    taken = _taken(rated, is_hidden, rank, previous, settings)
    found = _find(rated, is_hidden, taken, rank, previous, settings)
    labels, bases = _numbered(found, taken.rows, rank)
    profiles = portraits(rated, labels, ~is_hidden, limit=settings.limit)
    return PolisGroups(
        participants=votes.participants,
        labels=labels,
        coordinates=_read_only(found.places),
        sizes=tuple(np.bincount(labels[labels != UNASSIGNED]).tolist()),
        silhouette=float("nan") if found.chosen is None else found.rows[found.chosen].silhouette,
        chosen=found.chosen,
        best=found.best,
        rows=found.rows,
        exclusions=taken.exclusions,
        n_statements=int((~np.isnan(found.axes.means)).sum()),
        n_own_votes=votes.n_votes - rated.n_votes,
        n_kept=taken.n_kept,
        n_filled=taken.n_filled,
        minimum_votes=taken.minimum,
        bases=bases,
        map=_statement_map(votes.statements, found.axes, profiles, meta),
        profiles=profiles,
        hidden=tuple(sorted(set(hidden))),
        meta=tuple(sorted(set(meta))),
        settings=settings,
        seed=seed,
        state=found.state,
        matrix_sha256=votes.sha256(),
        order_sha256=_order_sha256(votes.participants, rank),
        caution=cautions(found.axes, taken, bases),
        undefined=found.undefined,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """Map and search: places, base clusters of the clustered in order, candidates, or a reason."""

    axes: Axes
    places: FloatArray
    base_labels: IntArray
    centres: FloatArray
    groups: IntArray
    rows: tuple[Candidate, ...]
    best: int | None
    chosen: int | None
    state: PolisState
    undefined: str | None


def _rank(participants: tuple[str, ...], order: Sequence[str] | None) -> IntArray:
    """Place of each participant in the order of first votes; those not named follow by key."""
    if order is None:
        return np.arange(len(participants))
    named = {key: place for place, key in enumerate(order)}
    if len(named) < len(order):
        raise ValueError("the order of first votes names somebody twice")
    places = np.array([named.get(key, len(named)) for key in participants], dtype=np.int64)
    rank = np.empty(len(places), dtype=np.int64)
    rank[np.argsort(places, kind="stable")] = np.arange(len(places))
    return rank


def _taken(
    votes: SparseVotes, hidden: BoolArray, rank: IntArray, previous: PolisState, settings: PolisSettings
) -> Clustered:
    """Who is clustered. Votes on hidden statements help only where these count as passed, as in Pol.is."""
    counted = votes if settings.moderation == "zero" else votes.only(~hidden[votes.columns])
    before = set(previous.clustered)
    return who_is_clustered(
        votes.participants,
        counted.votes_each(),
        int((counted.votes_on() > 0).sum()),
        rank,
        np.array([key in before for key in votes.participants], dtype=bool),
        minimum_votes=settings.minimum_votes,
        fewest_people=settings.fewest_people,
    )


def _find(
    votes: SparseVotes,
    hidden: BoolArray,
    taken: Clustered,
    rank: IntArray,
    previous: PolisState,
    settings: PolisSettings,
) -> _Found:
    """The map, and groups on it if there are any."""
    zeroed = settings.moderation == "zero"
    axes = find_axes(votes, hidden, zeroed=zeroed)
    places = places_of_people(votes, axes, hidden, zeroed=zeroed)
    inside = _in_order(taken.rows, rank)
    keys = tuple(np.array(votes.participants, dtype=object)[np.sort(inside)].tolist())
    state = PolisState(keys, previous.last_best, previous.last_best_runs, previous.chosen)
    undefined = cannot_be_grouped(votes, hidden, taken.rows) or axes.undefined
    base_labels, centres = np.zeros(0, dtype=np.int64), np.zeros((0, 2))
    if undefined is None:
        base_labels, centres = find_base_clusters(places[inside], max_base=settings.max_base)
        undefined = ONE_PLACE if len(centres) < 2 else None
    groups = np.full(len(centres), UNASSIGNED)
    if undefined is not None:
        return _Found(axes, places, base_labels, centres, groups, (), None, None, state, undefined)
    rows, partitions = group_base_clusters(centres, np.bincount(base_labels), max_groups=settings.max_groups)
    best = best_candidate(rows)
    if best is None:
        return _Found(axes, places, base_labels, centres, groups, rows, None, None, state, NO_CANDIDATE)
    index_of = {row.k: index for index, row in enumerate(rows) if row.reason is None}
    state = smooth(previous, rows[best].k, index_of, keys, buffer=settings.buffer)
    chosen = index_of[rows[best].k if state.chosen is None else state.chosen]
    return _Found(axes, places, base_labels, centres, partitions[chosen], rows, best, chosen, state, None)


def _in_order(rows: BoolArray, rank: IntArray) -> IntArray:
    """The rows marked true, in the order of first votes."""
    inside = np.flatnonzero(rows)
    return inside[np.argsort(rank[inside], kind="stable")]


def _numbered(found: _Found, rows: BoolArray, rank: IntArray) -> tuple[IntArray, BaseClusters]:
    """Groups by size, equal sizes by whose first member voted first; and base clusters likewise labelled."""
    base_of = np.full(len(rows), UNASSIGNED, dtype=np.int64)
    labels = base_of.copy()
    groups = found.groups
    if len(found.base_labels):
        inside = _in_order(rows, rank)
        base_of[inside] = found.base_labels
        if found.chosen is not None:
            ordered = groups[found.base_labels]
            _, first = np.unique(ordered, return_index=True)
            new = np.empty(len(first), dtype=np.int64)
            new[np.lexsort((first, -np.bincount(ordered)))] = np.arange(len(first))
            groups = new[groups]
            labels[inside] = new[ordered]
    sizes = np.bincount(found.base_labels, minlength=len(found.centres))
    return _read_only(labels), BaseClusters(_read_only(base_of), found.centres, sizes, groups)


def _statement_map(
    statements: tuple[str, ...], axes: Axes, profiles: OpinionProfiles, meta: Collection[str]
) -> StatementMap:
    coordinates = statement_coordinates(axes.means, axes.components)
    if axes.undefined is not None:
        coordinates = np.full_like(coordinates, np.nan)
    extremity = np.hypot(coordinates[:, 0], coordinates[:, 1])
    priorities = np.full(len(statements), np.nan)
    if profiles.undefined is None:
        counts = profiles.counts
        agree, neutral, seen = (part.sum(axis=0) for part in (counts.agree, counts.neutral, counts.seen))
        is_meta = np.array([key in meta for key in statements], dtype=bool)
        priorities = statement_priorities(agree, neutral, seen, extremity, is_meta)
    return StatementMap(statements, axes.means, axes.components, coordinates, extremity, axes.explained, priorities)


def _order_sha256(participants: tuple[str, ...], rank: IntArray) -> str:
    in_order = [participants[row] for row in np.argsort(rank, kind="stable").tolist()]
    return hashlib.sha256(json.dumps(in_order, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array
