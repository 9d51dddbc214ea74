"""OvertonScore statistics: the regression beside statsmodels, bootstraps beside plain loops, and the whole report.

Run ``python -m benchmarks.overton``. Each pair computes the same numbers from the same study of 60 questions, 8 models
and 60 people a question, which is checked before a time is printed. Times are medians of repeats taken in turn in one
run, with one thread of linear algebra on both sides; the load of the machine is printed, since wall time depends on it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from clustering.stats.adjusted import adjusted_bootstrap, adjusted_scores
from clustering.stats.inputs import QuestionInput, panel_of_inputs
from clustering.stats.intervals import mean_over_questions
from clustering.stats.matrix import VoteMatrix
from clustering.stats.panel import CoveragePanel
from clustering.stats.ratings import RatingMatrix
from clustering.stats.report import overton_report
from clustering.stats.viewpoints import ViewpointInput, viewpoint_block

N_QUESTIONS, N_MODELS, N_PEOPLE, REPLICATES = 60, 8, 60, 2000
# What each way is held to, as a ratio of wall times in one run.
TARGETS = {"regression": 20.0, "bootstrap of means": 10.0, "bootstrap of the regression": 20.0}
REPORT_LIMIT_S = 10.0


def study(seed: int = 0) -> list[QuestionInput]:
    """Questions of 3 to 11 groups that rate answers around means of their own."""
    rng = np.random.default_rng(seed)
    people = [f"p{index:02d}" for index in range(N_PEOPLE)]
    questions = []
    for number in range(N_QUESTIONS):
        n_groups = int(rng.integers(3, 12))
        groups = rng.integers(0, n_groups, N_PEOPLE)
        means = rng.normal(3.7, 0.7, (n_groups, N_MODELS))
        ratings = np.clip(np.rint(means[groups] + rng.normal(0, 0.8, (N_PEOPLE, N_MODELS))), 1, 5)
        cells = [(person, f"m{j}", float(ratings[i, j])) for i, person in enumerate(people) for j in range(N_MODELS)]
        questions.append(
            QuestionInput(
                code=f"q{number:02d}",
                domain="slant" if number < 15 else "prism",
                ratings=RatingMatrix.from_ratings(cells),
                members=dict(zip(people, groups.tolist(), strict=True)),
                attributes={"party": {person: "DRI"[i % 3] for i, person in enumerate(people)}},
            )
        )
    return questions


def by_statsmodels(panel: CoveragePanel) -> np.ndarray:
    """Deviations, errors and p values of mode *paper* by statsmodels on (question, group, model) rows."""
    import pandas as pd
    import statsmodels.formula.api as smf

    rows = []
    for row, question in enumerate(panel.questions):
        for column, source in enumerate(panel.sources):
            n = int(panel.n_groups[row, column])
            covered = round(panel.coverage[row, column] * n)
            rows += [(question, source, float(group < covered)) for group in range(n)]
    data = pd.DataFrame(rows, columns=["question", "model", "y"])
    groups = pd.factorize(data["question"])[0]
    fit = smf.ols("y ~ 0 + C(model) + C(question)", data).fit(cov_type="cluster", cov_kwds={"groups": groups})
    n = len(panel.sources)
    contrasts = np.zeros((n, len(fit.params)))
    contrasts[:, :n] = np.eye(n) - 1 / n
    test = fit.t_test(contrasts)
    return np.column_stack([test.effect, test.sd.ravel(), test.pvalue])


def by_us(panel: CoveragePanel) -> np.ndarray:
    """The same in closed form."""
    table = adjusted_scores(panel, variant="unweighted", mode="paper")
    return np.array([(score.deviation, score.standard_error, score.p_value) for score in table.scores])


def loop_of_means(panel: CoveragePanel) -> np.ndarray:
    """Percentile intervals of mean coverages by a loop over replicates and models."""
    rng = np.random.default_rng(1)
    n = len(panel.questions)
    draws: list[list[float]] = [[] for _ in panel.sources]
    for _ in range(REPLICATES):
        picked = [int(question) for question in rng.integers(0, n, n)]
        for column in range(len(panel.sources)):
            draws[column].append(sum(panel.coverage[question, column] for question in picked) / n)
    return np.array([np.quantile(column, [0.025, 0.975]) for column in draws])


def our_means(panel: CoveragePanel) -> np.ndarray:
    """The same by one product of matrices; the draws differ."""
    return np.array([(e.low, e.high) for e in mean_over_questions(panel.coverage, seed=1, replicates=REPLICATES)])


def loop_of_regressions(panel: CoveragePanel) -> np.ndarray:
    """Percentile intervals of adjusted scores: least squares with a design matrix in every replicate."""
    rng = np.random.default_rng(1)
    n, m = panel.coverage.shape
    draws = np.empty((REPLICATES, m))
    for replicate in range(REPLICATES):
        picked = rng.integers(0, n, n)
        design = np.zeros((n * m, m + n))
        design[np.arange(n * m), np.tile(np.arange(m), n)] = 1
        design[np.arange(n * m), m + np.repeat(np.arange(n), m)] = 1
        root = np.sqrt(panel.n_groups[picked].ravel())
        solution = np.linalg.lstsq(design * root[:, None], panel.coverage[picked].ravel() * root, rcond=None)[0]
        draws[replicate] = solution[:m] + solution[m:].mean()
    return np.quantile(draws, [0.025, 0.975], axis=0).T


def our_regressions(panel: CoveragePanel) -> np.ndarray:
    """The same in closed form for all replicates at once; the draws differ."""
    estimates = adjusted_bootstrap(panel, variant="unweighted", mode="paper", seed=1, replicates=REPLICATES)
    return np.array([(estimate.low, estimate.high) for estimate in estimates])


def timed(task: Callable[[], object]) -> tuple[float, object]:
    """Wall seconds and the result."""
    start = time.perf_counter()
    result = task()
    return time.perf_counter() - start, result


def processor_seconds(questions: list[QuestionInput]) -> float:
    """Processor seconds of the whole report, which other work on the machine hardly changes."""
    start = time.process_time()
    overton_report(questions, seed=0)
    return time.process_time() - start


def compare(
    name: str, ours: Callable[[], np.ndarray], theirs: Callable[[], np.ndarray], tolerance: float, repeats: int
) -> bool:
    """Time both in turn, check that they agree, and say whether the target was reached."""
    ours()  # the first call pays for numpy's own start
    runs = [(timed(ours), timed(theirs)) for _ in range(repeats)]
    assert np.allclose(runs[0][0][1], runs[0][1][1], rtol=0, atol=tolerance), f"{name}: the ways differ"
    fast, slow = (statistics.median(run[side][0] for run in runs) for side in (0, 1))
    reached = slow / fast >= TARGETS[name]
    print(
        f"{name:28} ours {fast * 1e3:9.2f} ms   other {slow * 1e3:9.1f} ms   ratio {slow / fast:6.0f}"
        f"   target {TARGETS[name]:.0f} {'reached' if reached else 'MISSED'}"
    )
    return reached


def viewpoint_milliseconds(replicates: int = 200) -> float:
    """Milliseconds a replicate of the participants costs beside the clusterer."""
    question = study()[0]
    people = question.ratings.participants
    votes = VoteMatrix.from_arrays(people, ["s0"], np.ones((len(people), 1)))
    asked = ViewpointInput(question.code, votes, question.ratings)
    members = dict(question.members)

    def fixed(drawn: VoteMatrix, seed: int) -> dict[str, int]:
        return {person: members[person] for person in drawn.participants}

    seconds, _ = timed(lambda: viewpoint_block(asked, fixed, seed=0, first=1, count=replicates))
    return seconds / replicates * 1e3


def main() -> None:
    """Compare, time the whole report; fail if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3, help="runs whose median is taken")
    repeats = parser.parse_args().repeats
    questions = study()
    panel = panel_of_inputs(questions)
    with threadpool_limits(limits=1, user_api="blas"):
        reached = [
            compare("regression", lambda: by_us(panel), lambda: by_statsmodels(panel), 1e-9, repeats),
            # Other draws: quantiles of 2,000 replicates differ by some thousandths.
            compare("bootstrap of means", lambda: our_means(panel), lambda: loop_of_means(panel), 0.01, repeats),
            compare(
                "bootstrap of the regression",
                lambda: our_regressions(panel),
                lambda: loop_of_regressions(panel),
                0.01,
                1,
            ),
        ]
        seconds = statistics.median(processor_seconds(questions) for _ in range(repeats))
    fits = seconds < REPORT_LIMIT_S
    print(
        f"whole report of {N_QUESTIONS} questions, {N_MODELS} models, {N_PEOPLE} people, {REPLICATES} replicates: "
        f"{seconds:.2f} s of processor, limit {REPORT_LIMIT_S:g} s {'kept' if fits else 'MISSED'}"
    )
    print(f"a replicate of the participants of a question, beside the clusterer: {viewpoint_milliseconds():.2f} ms")
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    print(f"median of {repeats}; load average {load} on {os.cpu_count()} processors; numpy {np.__version__}")
    raise SystemExit(0 if all(reached) and fits else 1)


if __name__ == "__main__":
    main()
