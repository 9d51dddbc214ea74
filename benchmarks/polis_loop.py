"""The polis pipeline in plain loops over people and votes, as its description reads: the naive way beside ours."""

from __future__ import annotations

import math


def groups_of(votes: list[tuple[int, int, int]], order: list[int], n_statements: int) -> list[int]:
    """Group of each participant (-1 for none), from (participant, statement, value) triples."""
    cast: dict[int, dict[int, int]] = {person: {} for person in order}
    for person, statement, value in votes:
        cast[person][statement] = value
    means = column_means(cast, n_statements)
    axes: list[list[float]] = []
    for _ in range(2):
        axes.append(axis(cast, means, axes))
    n_columns = sum(mean is not None for mean in means)
    places = {person: place(row, means, axes, n_columns) for person, row in cast.items()}
    inside = [person for person in order if len(cast[person]) >= min(7, n_columns)]
    points = [places[person] for person in inside]
    base, centres = k_means(points, [1.0] * len(points), first(points, 100), 100)
    weights = [float(base.count(number)) for number in range(len(centres))]
    found = []
    for k in range(2, min(5, 2 + len(centres) // 12) + 1):
        labels, _ = k_means(centres, weights, first(centres, k), 20)
        found.append((round(silhouette(centres, labels), 12), k, labels))
    _, _, chosen = max(found)
    label_of = {person: chosen[number] for person, number in zip(inside, base, strict=True)}
    labels_in_order = [label_of.get(person, -1) for person in sorted(cast)]
    representative(cast, dict(zip(sorted(cast), labels_in_order, strict=True)), n_statements)
    return labels_in_order


def column_means(cast: dict, n_statements: int) -> list[float | None]:
    """Mean vote on each statement among those who voted on it."""
    sums, counts = [0.0] * n_statements, [0] * n_statements
    for row in cast.values():
        for statement, value in row.items():
            sums[statement] += value
            counts[statement] += 1
    return [total / count if count else None for total, count in zip(sums, counts, strict=True)]


def axis(cast: dict, means: list, before: list[list[float]]) -> list[float]:
    """Next principal component by power iteration until it stands still."""
    axis = [1.0 + (statement * math.sqrt(2.0)) % 1.0 for statement in range(len(means))]
    for _ in range(2000):
        image = [0.0] * len(means)
        for row in cast.values():
            score = sum((value - means[statement]) * axis[statement] for statement, value in row.items())
            for statement, value in row.items():
                image[statement] += (value - means[statement]) * score
        for other in before:
            overlap = sum(a * b for a, b in zip(image, other, strict=True))
            image = [a - overlap * b for a, b in zip(image, other, strict=True)]
        length = math.sqrt(sum(a * a for a in image))
        image = [a / length for a in image]
        moved = max(abs(a - b) for a, b in zip(image, axis, strict=True))
        axis = image
        if moved < 1e-11:
            break
    return axis


def place(row: dict, means: list, axes: list, n_columns: int) -> tuple[float, float]:
    """Place of one participant on the map."""
    scale = math.sqrt(n_columns / max(len(row), 1))
    x, y = (scale * sum((value - means[s]) * axis[s] for s, value in row.items()) for axis in axes)
    return x, y


def first(points: list, n: int) -> list:
    """First n different places."""
    seen: dict[tuple[float, float], tuple[float, float]] = {}
    for x, y in points:
        seen.setdefault((round(x, 9), round(y, 9)), (x, y))
    return list(seen.values())[:n]


def k_means(points: list, weights: list[float], centres: list, rounds: int) -> tuple[list[int], list]:
    """Lloyd's iterations."""
    labels: list[int] = []
    for _ in range(rounds):
        labels = [nearest(point, centres) for point in points]
        used = sorted(set(labels))
        labels = [used.index(label) for label in labels]
        new = []
        for number in range(len(used)):
            members = [index for index, label in enumerate(labels) if label == number]
            total = sum(weights[index] for index in members)
            new.append(tuple(sum(weights[i] * points[i][part] for i in members) / total for part in (0, 1)))
        settled = len(new) == len(centres) and max(map(math.dist, new, centres)) < 0.01
        centres = new
        if settled:
            break
    return labels, centres


def nearest(point: tuple, centres: list) -> int:
    """Number of the nearest centre, the last of equals."""
    distances = [(point[0] - x) ** 2 + (point[1] - y) ** 2 for x, y in centres]
    least = min(distances) + 1e-9
    return max(number for number, distance in enumerate(distances) if distance <= least)


def silhouette(points: list, labels: list[int]) -> float:
    """Mean silhouette."""
    total = 0.0
    for one, label in zip(points, labels, strict=True):
        sums: dict[int, list[float]] = {}
        for other, other_label in zip(points, labels, strict=True):
            sums.setdefault(other_label, []).append(math.dist(one, other))
        if len(sums[label]) > 1:
            inner = sum(sums[label]) / (len(sums[label]) - 1)
            outer = min(sum(part) / len(part) for number, part in sums.items() if number != label)
            total += (outer - inner) / max(outer, inner) if max(outer, inner) > 0 else 0.0
    return total / len(points)


def representative(cast: dict, label_of: dict[int, int], n_statements: int) -> list[list[tuple[float, int]]]:
    """Significant statements of each group by their metric."""
    n_groups = max(label_of.values()) + 1
    table = [[[0, 0, 0] for _ in range(n_statements)] for _ in range(n_groups)]
    for person, row in cast.items():
        for statement, value in row.items():
            if label_of[person] >= 0:
                table[label_of[person]][statement][value] += 1
    return [
        sorted(((metric(table, group, statement), statement) for statement in range(n_statements)), reverse=True)[:5]
        for group in range(n_groups)
    ]


def metric(table: list, group: int, statement: int) -> float:
    """Product of ratio, its test, share and its test, in the direction that stands out; 0 if not significant."""
    best = 0.0
    for value in (1, -1):
        trials, successes = sum(table[group][statement]), table[group][statement][value]
        rest = [sum(row[statement][part] for row in table) - table[group][statement][part] for part in (0, 1, 2)]
        others, their = sum(rest), rest[value]
        share, share_rest = (successes + 1) / (trials + 2), (their + 1) / (others + 2)
        test = 2 * math.sqrt(trials + 1) * ((successes + 1) / (trials + 1) - 0.5)
        p1, p2 = (successes + 1) / (trials + 1), (their + 1) / (others + 1)
        pooled = (successes + their + 2) / (trials + others + 2)
        spread = pooled * (1 - pooled) * (1 / (trials + 1) + 1 / (others + 1))
        ratio_test = (p1 - p2) / math.sqrt(spread) if spread > 0 else 0.0
        if test > 1.2816 and ratio_test > 1.2816:
            best = max(best, share / share_rest * ratio_test * share * test)
    return best
