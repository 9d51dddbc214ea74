"""red-dwarf's pipeline on a file of votes; run by a Python that has it, which need not have this project.

Usage: ``python benchmarks/polis_peer.py votes.npz``. Prints one line of JSON.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np


def peak_mb() -> float:
    """Largest resident memory of this process so far."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def main() -> None:
    """Read, run, print."""
    from reddwarf.implementations.polis import run_pipeline

    with np.load(sys.argv[1]) as data:
        columns = [data[name].tolist() for name in ("rows", "columns", "values")]
    votes = [
        {"participant_id": person, "statement_id": statement, "vote": value, "modified": number}
        for number, (person, statement, value) in enumerate(zip(*columns, strict=True))
    ]
    del columns
    wall, cpu = time.perf_counter(), time.process_time()
    result = run_pipeline(votes=votes, random_state=0)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    labels = result.participants_df["cluster_id"].dropna().astype(int)
    sizes = sorted(labels.value_counts().tolist(), reverse=True)
    print(json.dumps({"wall": wall, "cpu": cpu, "mb": peak_mb(), "sizes": sizes}))


if __name__ == "__main__":
    main()
