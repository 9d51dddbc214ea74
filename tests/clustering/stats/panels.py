"""Small studies for tests of scores: panels of coverages, and questions with ratings and groups."""

from __future__ import annotations

import numpy as np

from clustering.stats.inputs import QuestionInput
from clustering.stats.panel import CoveragePanel, CoverageRow, panel_of_rows
from clustering.stats.ratings import RatingMatrix

Cell = tuple[str, str, list[int], list[int]]


def random_cells(seed: int, *, n_questions: int = 12, n_sources: int = 4, missing: float = 0.0) -> list[Cell]:
    """Question, source, covered (0/1) and size of each of its groups; some cells missing."""
    rng = np.random.default_rng(seed)
    effects = rng.normal(0, 0.15, n_sources)
    cells = []
    for question in range(n_questions):
        sizes = rng.integers(1, 20, rng.integers(2, 12)).tolist()
        base = rng.uniform(0.2, 0.7)
        for source in range(n_sources):
            covered = (rng.random(len(sizes)) < np.clip(base + effects[source], 0.02, 0.98)).astype(int).tolist()
            if rng.random() >= missing:
                cells.append((f"q{question:02d}", f"m{source}", covered, sizes))
    return cells


def panel_of(cells: list[Cell]) -> CoveragePanel:
    """The panel of such cells, as a table of coverages gives it."""
    return panel_of_rows(
        [
            CoverageRow(
                question=question,
                source=source,
                coverage=float(np.mean(covered)),
                n_groups=len(sizes),
                coverage_weighted=float(np.dot(covered, sizes) / sum(sizes)),
                n_people=sum(sizes),
            )
            for question, source, covered, sizes in cells
        ]
    )


def plain_panel(values: np.ndarray, n_groups: int = 20) -> CoveragePanel:
    """Panel of coverages as given, shape (n_questions, n_sources); nan for a missing cell."""
    return panel_of_rows(
        [
            CoverageRow(f"q{row:03d}", f"m{column}", float(values[row, column]), n_groups)
            for row in range(values.shape[0])
            for column in range(values.shape[1])
            if not np.isnan(values[row, column])
        ],
        recover=False,
    )


def planted_questions(
    seed: int,
    *,
    n_questions: int = 6,
    n_people: int = 40,
    n_sources: int = 3,
    n_groups: int = 4,
    noise: float = 0.8,
    missing: float = 0.1,
) -> list[QuestionInput]:
    """Questions whose groups rate answers around means of their own; every third person of party C."""
    rng = np.random.default_rng(seed)
    people = [f"p{index:03d}" for index in range(n_people)]
    questions = []
    for number in range(n_questions):
        groups = rng.integers(0, n_groups, n_people)
        means = rng.normal(3.8, 0.8, (n_groups, n_sources))
        ratings = np.clip(np.rint(means[groups] + rng.normal(0, noise, (n_people, n_sources))), 1, 5)
        cells = [
            (person, f"m{source}", float(ratings[row, source]))
            for row, person in enumerate(people)
            for source in range(n_sources)
            if rng.random() >= missing
        ]
        questions.append(
            QuestionInput(
                code=f"q{number:02d}",
                domain="values" if number % 2 else "politics",
                ratings=RatingMatrix.from_ratings(cells, sources=[f"m{source}" for source in range(n_sources)]),
                members={person: int(group) for person, group in zip(people, groups, strict=True)},
                attributes={"party": {person: "ABC"[row % 3] for row, person in enumerate(people)}},
            )
        )
    return questions
