"""Opinion groups of one question: the whole published grid, beside a plain loop over its fits.

Run ``python -m benchmarks.groups``. Both ways compute the same 270 rows from the same votes of 60 people on 70
statements; the plain way runs every fit on its own with a Python loop over people, as the text reads. Times are
medians of 5 in one run, taken in turn, and the load of the machine is printed, since wall time depends on it. Votes of
20 a person make groups that are plain to see; with 10 a person and thresholds in coordinates, growth runs to its bound.
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
from clustering.stats.dynamic import Grid, cluster_opinions
from clustering.stats.matrix import VoteMatrix
from clustering.stats.projection import project

N_PEOPLE, N_STATEMENTS = 60, 70
LIMIT_S = 2.0


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


def compare(votes_each: int, unit: str, repeats: int) -> float:
    """Time both ways in turn, print medians and ratio, and return our wall seconds."""
    grid = Grid()
    matrix, _, _ = planted_votes(votes_each=votes_each, seed=0)
    cluster_opinions(matrix, seed=0)  # the first call pays for numpy's own start
    ours, loops = [], []
    for _ in range(repeats):
        ours.append(timed(lambda: cluster_opinions(matrix, seed=0, unit=unit)))
        loops.append(timed(lambda: plain_rows(matrix, grid, seed=0, unit=unit)))
    rows = [(row.n_groups, row.silhouette) for row in ours[0][2].rows]
    assert np.allclose(np.array(rows), np.array(loops[0][2]), rtol=0, atol=1e-9, equal_nan=True), "the ways differ"
    wall, cpu = (statistics.median(run[column] for run in ours) for column in (0, 1))
    loop_wall, loop_cpu = (statistics.median(run[column] for run in loops) for column in (0, 1))
    print(f"{N_PEOPLE} x {N_STATEMENTS}, {votes_each} votes each, unit {unit}, {grid.n_fits} fits, same rows")
    print(f"  shared paths, matrix products: {wall:7.3f} s wall, {cpu:7.3f} s processor")
    print(f"  plain loops over every fit:    {loop_wall:7.3f} s wall, {loop_cpu:7.3f} s processor")
    print(f"  ratio {loop_wall / wall:.0f} to 1; limit {LIMIT_S:g} s {'kept' if wall < LIMIT_S else 'MISSED'}")
    return wall


def main() -> None:
    """Compare an easy and a hard case; fail if one takes longer than the limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5, help="runs whose median is taken")
    repeats = parser.parse_args().repeats
    walls = [compare(20, "spread", repeats), compare(10, "coordinate", repeats)]
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    print(f"median of {repeats}; load average {load} on {os.cpu_count()} processors; numpy {np.__version__}")
    raise SystemExit(0 if max(walls) < LIMIT_S else 1)


if __name__ == "__main__":
    main()
