"""Agreement: a bootstrapped Fleiss' kappa beside statsmodels, the whole report of an audit, and a million items.

Run ``python -m benchmarks.agreement``. Values are compared before a time is printed. Times are processor seconds of
this process with one thread of linear algebra, medians of repeats taken in turn in one run; peers that are not
installed are named as such.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
from threadpoolctl import threadpool_limits

from annotation.stats.cells import Resampling, agreement_cell, agreement_cells
from annotation.stats.codes import Codes, Judgements
from annotation.stats.material import Material, Settings
from annotation.stats.policies import policies_for
from annotation.stats.ratersets import RaterSet, rater_sets
from annotation.stats.report import agreement_report
from annotation.stats.scales import Scale

SHARES = np.array([0.4, 0.25, 0.25, 0.1])
REPLICATES = 1000
TARGETS = {"statsmodels on resampled count rows": 30.0, "statsmodels from raw": 500.0}
REPORT_LIMIT_S, MILLION_LIMIT_S, MILLION_LIMIT_MB = 1.0, 2.0, 600.0


def matrix_of(n_items: int, n_raters: int, n_labels: int, seed: int) -> np.ndarray:
    """Labels of which 65 % copy a latent one."""
    rng = np.random.default_rng(seed)
    shares = SHARES[:n_labels] / SHARES[:n_labels].sum()
    latent = rng.choice(n_labels, n_items, p=shares)
    own = rng.choice(n_labels, (n_items, n_raters), p=shares)
    return np.where(rng.random((n_items, n_raters)) < 0.65, latent[:, None], own)


def seconds(call: Callable[[], object], repeats: int) -> float:
    """Median processor seconds."""
    taken = []
    for _ in range(repeats):
        begin = time.process_time()
        call()
        taken.append(time.process_time() - begin)
    return statistics.median(taken)


def fleiss_interval(matrix: np.ndarray, seed: int = 1) -> tuple[float, float, float]:
    """Fleiss' kappa and its bootstrap interval, as a report computes them; all other coefficients come with it."""
    estimate = agreement_cell(Codes.from_matrix(matrix, Scale(tuple("abcd"))), Resampling(seed=seed))["fleiss_kappa"]
    assert estimate.bootstrap is not None
    return estimate.value, estimate.bootstrap.low, estimate.bootstrap.high


def of_counts(matrix: np.ndarray, seed: int = 1) -> None:
    """The same from counts of labels, as a peer that knows no raters does it: without Conger's kappa."""
    codes = Codes.from_matrix(matrix, Scale(tuple("abcd")))
    judgements = replace(Judgements.of(codes), knows_raters=False)
    everybody = [RaterSet("all", "all", tuple(range(matrix.shape[1])))]
    agreement_cells(judgements, everybody, policies_for(judgements), Resampling(seed=seed))


def by_statsmodels(counts: np.ndarray, replicates: int, seed: int = 1) -> tuple[float, float]:
    """The same interval by a loop over resampled rows of counts."""
    from statsmodels.stats.inter_rater import fleiss_kappa

    rng = np.random.default_rng(seed)
    values = [fleiss_kappa(counts[rng.integers(0, len(counts), len(counts))]) for _ in range(replicates)]
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def from_raw(matrix: np.ndarray, replicates: int, seed: int = 1) -> None:
    """The loop from raw labels: rows resampled, counted, computed."""
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    rng = np.random.default_rng(seed)
    for _ in range(replicates):
        table, _labels = aggregate_raters(matrix[rng.integers(0, len(matrix), len(matrix))])
        fleiss_kappa(table)


def bootstrap(repeats: int) -> bool:
    """10,000 items, 5 raters, 4 labels, 1,000 replicates."""
    matrix = matrix_of(10_000, 5, 4, seed=0)
    value, low, high = fleiss_interval(matrix)
    with_raters = seconds(lambda: fleiss_interval(matrix), max(3, repeats))
    ours = seconds(lambda: of_counts(matrix), max(5, repeats))
    print(f"10,000 items x 5 raters x 4 labels, {REPLICATES} replicates: kappa {value:.5f} [{low:.5f}, {high:.5f}]")
    print(f"  all coefficients of counts, from raw labels  {ours:8.3f} s")
    print(f"  all coefficients, with those of raters       {with_raters:8.3f} s")
    if find_spec("statsmodels") is None:
        print("  statsmodels: not compared, since it is not installed")
        return True
    counts = Codes.from_matrix(matrix, Scale(tuple("abcd"))).counts()
    other = by_statsmodels(counts, REPLICATES)
    assert np.allclose(other, (low, high), atol=0.002), (other, low, high)
    few = 100
    peers = {
        "statsmodels on resampled count rows": seconds(lambda: by_statsmodels(counts, REPLICATES), repeats),
        "statsmodels from raw": seconds(lambda: from_raw(matrix, few), repeats) * REPLICATES / few,
    }
    reached = True
    for name, taken in peers.items():
        ratio = taken / ours
        reached &= ratio >= TARGETS[name]
        print(f"  {name:<44} {taken:8.3f} s   {ratio:7.1f} x (target {TARGETS[name]:.0f} x)")
    return reached


def audit() -> Material:
    """600 pairs, 5 dimensions, 2 people and 2 models, 4 strata, a reference for every two pairs."""
    raters = ("h1", "h2", "m1", "m2")
    items = [f"{i:04d}" for i in range(600)]
    scale = Scale(("not", "partly", "clearly"), "ordinal")
    dimensions = []
    for number in range(5):
        codes = Codes.from_matrix(matrix_of(600, 4, 3, seed=number), scale, items=items, raters=raters)
        dimensions.append(Judgements.of(codes, f"dimension {number}", matches=("clearly",)))
    return Material(
        tuple(dimensions),
        kinds={"m1": "model", "m2": "model"},
        stratum={item: "abcd"[place // 150] for place, item in enumerate(items)},
        unit={item: f"r{place // 2}" for place, item in enumerate(items)},
        unit_name="references",
    )


def report(repeats: int) -> bool:
    """The 225 cells of the audit with their intervals; then everything that the report has beside them."""
    material = audit()
    first = material.dimensions[0]
    sets = rater_sets(first.raters, material.kinds)

    def intervals() -> int:
        from annotation.stats.material import resampling_for

        n = 0
        for judgements in material.dimensions:
            resampling = resampling_for(judgements, material, Settings())
            n += len(agreement_cells(judgements, sets, policies_for(judgements)[:1], resampling))
        return n

    assert intervals() == 225
    taken = seconds(intervals, repeats)
    whole = seconds(lambda: agreement_report(material), repeats)
    print("600 pairs x 5 dimensions x 4 raters, 4 strata, 9 sets of raters, 1,000 replicates over references")
    print(f"  225 cells, 25 coefficients each, 2 intervals {taken:8.3f} s   (limit {REPORT_LIMIT_S:.0f} s)")
    print(f"  whole report, all policies, pooled as well   {whole:8.3f} s")
    return taken < REPORT_LIMIT_S


def million(repeats: int) -> bool:
    """1,000,000 items and 5 raters from integer arrays to all coefficients, errors and bootstrap intervals."""
    matrix = matrix_of(1_000_000, 5, 4, seed=3)
    item, rater = np.indices(matrix.shape)
    scale, items = Scale(tuple("abcd")), tuple(f"{i:07d}" for i in range(len(matrix)))
    columns = (item.ravel(), rater.ravel(), matrix.ravel())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    def compute() -> None:
        judgements = Judgements("", items, tuple("12345"), scale, *columns)
        everybody = [RaterSet("all", "all", (0, 1, 2, 3, 4))]
        agreement_cells(judgements, everybody, policies_for(judgements), Resampling())

    taken = seconds(compute, repeats)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before
    print("1,000,000 items x 5 raters x 4 labels, all coefficients, 1,000 replicates")
    print(f"  this platform                                {taken:8.3f} s   (limit {MILLION_LIMIT_S:.0f} s)")
    print(f"  memory above the arrays given                {grown:8.0f} MB  (limit {MILLION_LIMIT_MB:.0f} MB)")
    return taken < MILLION_LIMIT_S and grown < MILLION_LIMIT_MB


def main() -> None:
    """Measure, and say whether each target was reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with threadpool_limits(limits=1, user_api="blas"):
        reached = [part(repeats) for part in (bootstrap, report, million)]
    print("all targets reached" if all(reached) else "not all targets reached")


if __name__ == "__main__":
    main()
