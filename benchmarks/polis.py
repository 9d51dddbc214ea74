"""The polis pipeline, beside red-dwarf and beside plain loops; and how it grows.

Run ``python -m benchmarks.polis --peer-python path/to/python``, a Python with the packages of
``benchmarks/requirements.txt``; without it red-dwarf is not compared. Every measurement is a process of its own on one
thread, from votes in memory to groups, representative statements, consensus and priorities: processor seconds of that
call, and the peak of resident memory of the whole process. Ways take turns; printed is the median of the repeats.
Votes are synthetic: planted groups of half, three tenths and two tenths of the people, who vote on statements drawn at
random, people in mixed order.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
SHARES = (0.5, 0.3, 0.2)
# People, statements, votes; how many times as fast as red-dwarf at least; the most of its memory; plain loops too.
CASES = (
    ("one question of a study", 60, 70, 1_290, 5.0, None, True),
    ("bowling-green-size", 2_000, 900, 225_000, 5.0, None, True),
    ("large", 10_000, 500, 397_000, 20.0, 0.25, False),
)
GROWTH = ((25_000, 1_000, 1_250_000), (50_000, 1_000, 2_500_000), (100_000, 1_000, 5_000_000))
LIMIT_S, LIMIT_MB = 60.0, 2_000.0
# A vote may cost so much more in the largest case than in the smallest.
LIMIT_GROWTH = 1.5


def planted_votes(n: int, m: int, n_votes: int, *, seed: int = 0) -> dict[str, np.ndarray]:
    """Votes of planted groups as integer arrays, and a mixed order of people."""
    rng = np.random.default_rng(seed)
    cells = np.unique(rng.integers(0, n * m, n_votes + n_votes // 3))
    cells = np.sort(rng.permutation(cells)[:n_votes])
    rows, columns = np.divmod(cells, m)
    camp = rng.choice(len(SHARES), size=n, p=SHARES)
    agree = np.where(rng.random((len(SHARES), m)) < 0.5, 0.85, 0.15)
    values = np.where(rng.random(len(cells)) < agree[camp[rows], columns], 1, -1)
    values[rng.random(len(cells)) < 0.1] = 0
    mixed = rng.permutation(len(cells))
    return {
        "rows": rows[mixed].astype(np.int32),
        "columns": columns[mixed].astype(np.int32),
        "values": values[mixed].astype(np.int8),
        "order": rng.permutation(n),
        "shape": np.array([n, m]),
    }


def run_ours(file: str) -> dict[str, object]:
    """Our pipeline from integer arrays."""
    from benchmarks.polis_peer import peak_mb
    from clustering.stats.clusterers import cluster
    from clustering.stats.polis.votes import SparseVotes

    with np.load(file) as data:
        arrays = {name: data[name] for name in data.files}
    n, m = arrays["shape"].tolist()
    people, statements = [f"p{row:06d}" for row in range(n)], [f"s{column:05d}" for column in range(m)]
    order = [people[row] for row in arrays["order"]]
    small = SparseVotes.from_arrays(people[:3], statements[:2], [0, 0, 1, 1, 2, 2], [0, 1] * 3, [1, 1, 1, -1, -1, -1])
    cluster(small, method="polis", seed=0)  # the first call loads the parts of scipy it needs
    wall, cpu = time.perf_counter(), time.process_time()
    votes = SparseVotes.from_arrays(people, statements, arrays["rows"], arrays["columns"], arrays["values"])
    groups = cluster(votes, method="polis", seed=0, order=order)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {"wall": wall, "cpu": cpu, "mb": peak_mb(), "sizes": groups.sizes, "labels": groups.labels.tolist()}


def run_loop(file: str) -> dict[str, object]:
    """Plain loops."""
    from benchmarks.polis_loop import groups_of
    from benchmarks.polis_peer import peak_mb

    with np.load(file) as data:
        votes = list(zip(*(data[name].tolist() for name in ("rows", "columns", "values")), strict=True))
        order, m = data["order"].tolist(), int(data["shape"][1])
    wall, cpu = time.perf_counter(), time.process_time()
    labels = groups_of(votes, order, m)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    sizes = sorted(np.bincount([label for label in labels if label >= 0]).tolist(), reverse=True)
    return {"wall": wall, "cpu": cpu, "mb": peak_mb(), "sizes": sizes, "labels": labels}


WAYS = {"ours": run_ours, "loops": run_loop}


def measured(command: list[str]) -> dict:
    """Result of one process on one thread."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(
        command, env=os.environ | threads, cwd=HERE.parent, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def median_of(runs: list[dict]) -> dict:
    """Medians of the runs of one way."""
    return runs[0] | {name: statistics.median(run[name] for run in runs) for name in ("wall", "cpu", "mb")}


def command_of(way: str, file: str, peer: str | None) -> list[str]:
    """What to run for one way."""
    if way == "red-dwarf":
        return [str(peer), str(HERE / "polis_peer.py"), file]
    return [sys.executable, "-m", "benchmarks.polis", "--way", way, "--file", file]


def compare(case: tuple, folder: Path, peer: str | None, repeats: int) -> bool:
    """Measure one case by every way, print it, and say whether its targets were reached."""
    name, n, m, n_votes, faster, memory, loops = case
    file = str(folder / "votes.npz")
    np.savez(file, **planted_votes(n, m, n_votes))
    ways = ["ours", *(["red-dwarf"] if peer else []), *(["loops"] if loops else [])]
    runs: dict[str, list[dict]] = {way: [] for way in ways}
    for turn in range(repeats):
        for way in ways:
            # Loops take minutes on the larger case: once is enough to see the order of magnitude.
            if way != "loops" or not turn:
                runs[way].append(measured(command_of(way, file, peer)))
    found = {way: median_of(parts) for way, parts in runs.items()}
    ours = found["ours"]
    print(f"{name}: {n:,} x {m:,}, {n_votes:,} votes")
    for way, run in found.items():
        ratio = f"{run['cpu'] / ours['cpu']:8.1f} x" if way != "ours" else " " * 10
        print(f"  {way:10} {run['cpu']:9.3f} s processor {ratio} {run['mb']:8.0f} MB   groups {run['sizes']}")
    if loops:
        pairs = set(zip(ours["labels"], found["loops"]["labels"], strict=True))
        same = len(pairs) == len(set(ours["labels"])) == len(set(found["loops"]["labels"]))
        assert same, "plain loops find other groups"
    if not peer:
        print("  red-dwarf: not compared (--peer-python)")
        return True
    theirs = found["red-dwarf"]
    kept = [theirs["cpu"] >= faster * ours["cpu"]]
    print(f"  at least {faster:g} times as fast: {'kept' if kept[0] else 'MISSED'}")
    if memory is not None:
        kept.append(ours["mb"] <= memory * theirs["mb"])
        print(
            f"  under {memory:.0%} of its memory ({ours['mb'] / theirs['mb']:.1%}): {'kept' if kept[1] else 'MISSED'}"
        )
    return all(kept)


def grow(folder: Path) -> bool:
    """Measure ever larger questions, print the cost of a vote, and say whether the targets were reached."""
    print("growth, 50 votes a person")
    each, last = [], {}
    for n, m, n_votes in GROWTH:
        file = str(folder / "votes.npz")
        np.savez(file, **planted_votes(n, m, n_votes))
        last = measured(command_of("ours", file, None))
        each.append(last["cpu"] / n_votes * 1e6)
        print(
            f"  {n:9,} x {m:,}, {n_votes:9,} votes: {last['cpu']:6.2f} s processor, {each[-1]:.2f} s a million votes,"
        )
        print(f"      {last['mb']:5.0f} MB, groups {last['sizes']}")
    kept = (last["cpu"] < LIMIT_S, last["mb"] < LIMIT_MB, each[-1] < LIMIT_GROWTH * each[0])
    print(f"  under {LIMIT_S:g} s and {LIMIT_MB:,.0f} MB: {'kept' if all(kept[:2]) else 'MISSED'}")
    print(f"  a vote costs at most {LIMIT_GROWTH:g} times as much in the largest: {'kept' if kept[2] else 'MISSED'}")
    return all(kept)


def main() -> None:
    """Compare, grow, and fail if a target was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer-python", help="a Python with benchmarks/requirements.txt")
    parser.add_argument("--repeats", type=int, default=3, help="runs whose median is taken")
    parser.add_argument("--way", choices=sorted(WAYS), help=argparse.SUPPRESS)
    parser.add_argument("--file", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        print(json.dumps(WAYS[options.way](options.file)))
        return
    with tempfile.TemporaryDirectory() as name:
        kept = [compare(case, Path(name), options.peer_python, options.repeats) for case in CASES]
        kept.append(grow(Path(name)))
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    print(f"median of {options.repeats}; one thread; load average {load} on {os.cpu_count()} processors")
    raise SystemExit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
