"""Opinion groups: the whole published grid of one question beside a plain loop, and a study of sixty questions.

Run ``python -m benchmarks.groups``. Both ways compute the same 270 rows from the same votes of 60 people on 70
statements; the plain way runs every fit on its own with a Python loop over people, as the text reads. Times are
medians of 5 in one run, taken in turn. The load of the machine is printed, since wall time depends on it; limits are of
processor seconds. Votes of 20 a person make groups that are plain to see; with 10 a person and thresholds in
coordinates, growth runs to its bound.

The study has sixty such questions of 15 votes a person, on one processor: groups alone, with the first of them also by
plain loops, and groups with everything a run says of them (portraits, quality, five other seeds, ten replicates over
participants, advice).
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import time
from collections.abc import Callable
from itertools import product

import numpy as np

from benchmarks.planted import planted_votes
from clustering.stats.advice import what_to_collect
from clustering.stats.dynamic import Grid, OpinionGroups, cluster_opinions
from clustering.stats.matrix import VoteMatrix
from clustering.stats.profiles import profile_groups
from clustering.stats.projection import project
from clustering.stats.quality import group_quality
from clustering.stats.stability import bootstrap_stability, seed_stability

N_PEOPLE, N_STATEMENTS = 60, 70
LIMIT_CPU_S = 1.0
N_QUESTIONS, N_PLAIN = 60, 3
# Sixty questions on two processors within a minute.
STUDY_LIMIT_CPU_S = 120.0


def plain_rows(
    matrix: VoteMatrix, grid: Grid, *, seed: int, unit: str = "spread", max_rounds: int = 60
) -> list[tuple[int, float]]:
    """Number of groups and silhouette of every fit, by loops over fits, people and groups."""
    places = project(matrix).coordinates
    middle = [sum(place[axis] for place in places) / len(places) for axis in (0, 1)]
    spread = math.sqrt(sum(math.dist(place, middle) ** 2 for place in places) / len(places))
    spread = spread if unit == "spread" else 1.0
    points = [(float(x) / spread, float(y) / spread) for x, y in places]
    rows = []
    for k_max, split, merge, minimum in product(
        grid.k_max, grid.distance_threshold, grid.outlier_threshold, grid.minimum_size
    ):
        for start in range(grid.n_seeds):
            rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(start,)))
            first = [points[index] for index in rng.choice(len(points), size=2, replace=False)]
            groups = dissolve(points, grow(points, first, k_max, split, merge, max_rounds), minimum)
            rows.append((len(groups), silhouette(points, groups)))
    return rows


def grow(points: list, centres: list, k_max: int, split: float, merge: float, max_rounds: int) -> list[list[int]]:
    """Groups (lists of people) at the end of growth."""
    groups: list[list[int]] = []
    seen = []
    for spent in range(1, max_rounds + 1):
        groups = settle(points, centres)
        close = closest_pair(points, groups)
        if close and close[0] < merge and spent < max_rounds:
            while close and close[0] < merge:
                _, low, high = close
                groups[low] = sorted(groups[low] + groups.pop(high))
                close = closest_pair(points, groups)
            centres = [mean(points, group) for group in groups]
            continue
        groups = sorted(groups)
        centres = [mean(points, group) for group in groups]
        far, person = max((min(apart(point, c) for c in centres), -index) for index, point in enumerate(points))
        if groups in seen or far <= max(split, merge) or len(groups) >= k_max:
            break
        seen.append(groups)
        groups = [[member for member in group if member != -person] for group in groups]
        centres = [mean(points, group) for group in groups if group] + [points[-person]]
    return groups


def settle(points: list, centres: list) -> list[list[int]]:
    """Groups after assigning and averaging until nobody moves."""
    before: list[list[int]] = []
    while True:
        groups: list[list[int]] = [[] for _ in centres]
        for index, point in enumerate(points):
            groups[nearest(point, centres)].append(index)
        groups = [group for group in groups if group]
        if groups == before:
            return groups
        before = groups
        centres = [mean(points, group) for group in groups]


def dissolve(points: list, groups: list[list[int]], minimum: int) -> list[list[int]]:
    """Groups after those below the minimum size were dissolved, the smallest first."""
    groups = sorted(groups)
    while len(groups) > 1 and min(map(len, groups)) < minimum:
        homeless = groups.pop(min(range(len(groups)), key=lambda index: len(groups[index])))
        centres = [mean(points, group) for group in groups]
        for person in homeless:
            groups[nearest(points[person], centres)].append(person)
        groups = sorted(sorted(group) for group in groups)
    return groups


def silhouette(points: list, groups: list[list[int]]) -> float:
    """Mean silhouette; nan where it cannot be chosen."""
    if len(groups) in (1, len(points)):
        return math.nan
    total = 0.0
    for own in groups:
        for person in own:
            if len(own) == 1:
                continue
            inner = sum(math.dist(points[person], points[other]) for other in own) / (len(own) - 1)
            outer = min(
                sum(math.dist(points[person], points[other]) for other in group) / len(group)
                for group in groups
                if group is not own
            )
            total += (outer - inner) / max(inner, outer) if max(inner, outer) > 0 else 0.0
    return total / len(points)


def apart(one: tuple, other: tuple) -> float:
    """Distance to nine digits, as decisions are taken."""
    return round(math.dist(one, other), 9)


def nearest(point: tuple, centres: list) -> int:
    """Index of the nearest centre, the first of equals."""
    distances = [apart(point, centre) for centre in centres]
    return distances.index(min(distances))


def mean(points: list, group: list[int]) -> tuple[float, float]:
    """Middle of a group."""
    return tuple(sum(points[person][axis] for person in group) / len(group) for axis in (0, 1))  # type: ignore[return-value]


def closest_pair(points: list, groups: list[list[int]]) -> tuple[float, int, int] | None:
    """Smallest distance between two centres, and which."""
    centres = [mean(points, group) for group in groups]
    pairs = [(apart(centres[i], centres[j]), i, j) for i in range(len(centres)) for j in range(i + 1, len(centres))]
    return min(pairs, default=None)


def timed(task: Callable[[], object]) -> tuple[float, float, object]:
    """Wall seconds, processor seconds, and the result."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = task()
    return time.perf_counter() - wall, time.process_time() - cpu, result


def compare(votes_each: int, unit: str, repeats: int) -> bool:
    """Time both ways in turn, print medians and ratio; whether the limit was kept."""
    grid = Grid()
    matrix, _, _ = planted_votes(votes_each=votes_each, seed=0)
    cluster_opinions(matrix, seed=0)  # the first call pays for numpy's own start
    ours, loops = [], []
    for _ in range(repeats):
        ours.append(timed(lambda: cluster_opinions(matrix, seed=0, unit=unit)))
        loops.append(timed(lambda: plain_rows(matrix, grid, seed=0, unit=unit)))
    insist_on_equal_rows(ours[0][2], loops[0][2])
    wall, cpu = (statistics.median(run[column] for run in ours) for column in (0, 1))
    loop_wall, loop_cpu = (statistics.median(run[column] for run in loops) for column in (0, 1))
    kept = cpu < LIMIT_CPU_S
    print(f"{N_PEOPLE} x {N_STATEMENTS}, {votes_each} votes each, unit {unit}, {grid.n_fits} fits, same rows")
    print(f"  shared paths, matrix products: {cpu:7.3f} s processor, {wall:7.3f} s wall")
    print(f"  plain loops over every fit:    {loop_cpu:7.3f} s processor, {loop_wall:7.3f} s wall")
    print(f"  ratio {loop_cpu / cpu:.0f} to 1; limit {LIMIT_CPU_S:g} s processor {'kept' if kept else 'MISSED'}")
    return kept


def study() -> bool:
    """Time the groups of sixty questions, some also by plain loops, and everything a run says of them."""
    questions = [planted_votes(votes_each=15, seed=seed)[0] for seed in range(N_QUESTIONS)]
    wall, cpu, found = timed(lambda: [cluster_opinions(matrix, seed=1) for matrix in questions])
    _, loop_cpu, rows = timed(lambda: [plain_rows(matrix, Grid(), seed=1) for matrix in questions[:N_PLAIN]])
    for groups, plain in zip(found, rows, strict=False):
        insist_on_equal_rows(groups, plain)
    whole_wall, whole_cpu, _ = timed(lambda: [everything(matrix) for matrix in questions])
    kept = whole_cpu < STUDY_LIMIT_CPU_S
    print(f"a study of {N_QUESTIONS} questions of {N_PEOPLE} x {N_STATEMENTS}, 15 votes each, one processor")
    print(f"  groups:                        {cpu:7.3f} s processor, {wall:7.3f} s wall")
    print(f"  plain loops ({N_PLAIN} of {N_QUESTIONS}):         {loop_cpu:7.3f} s processor")
    print(f"  ratio a question {loop_cpu / N_PLAIN / (cpu / N_QUESTIONS):.0f} to 1")
    print(f"  with portraits, quality, stability, advice: {whole_cpu:.3f} s processor, {whole_wall:.3f} s wall")
    print(f"  limit {STUDY_LIMIT_CPU_S:g} s processor {'kept' if kept else 'MISSED'}")
    return kept


def everything(matrix: VoteMatrix) -> None:
    """What a run says of a question."""
    groups = cluster_opinions(matrix, seed=1)
    profile_groups(matrix, groups.labels)
    quality = group_quality(groups, matrix, authors={})

    def again(votes: VoteMatrix, seed: int) -> OpinionGroups:
        return cluster_opinions(votes, seed=seed)

    seeds = seed_stability(again, matrix, seeds=range(1, 6))
    bootstrap = bootstrap_stability(again, matrix, groups, seed=1, replicates=10)
    what_to_collect(matrix, quality, bootstrap=bootstrap, seeds=seeds)


def insist_on_equal_rows(groups: OpinionGroups, plain: list[tuple[int, float]]) -> None:
    """Stop if the two ways did not compute the same."""
    rows = [(row.n_groups, row.silhouette) for row in groups.rows]
    assert np.allclose(np.array(rows), np.array(plain), rtol=0, atol=1e-9, equal_nan=True), "the ways differ"


def main() -> None:
    """Compare an easy and a hard case, and time a study; fail if a limit was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5, help="runs whose median is taken")
    repeats = parser.parse_args().repeats
    kept = [compare(20, "spread", repeats), compare(10, "coordinate", repeats), study()]
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    print(f"median of {repeats}; load average {load} on {os.cpu_count()} processors; numpy {np.__version__}")
    raise SystemExit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
