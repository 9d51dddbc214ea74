"""Votes of camps that are known."""

import numpy as np

from clustering.stats.matrix import VoteMatrix


def camps(n_people=60, n_statements=40, n_camps=3, *, density=0.7, noise=0.1, seed=0):
    """Planted camps in a mixed order of people, and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(n_people) % n_camps)
    sides = np.where(rng.random((n_camps, n_statements)) < 0.5, 1.0, -1.0)
    values = sides[truth] * np.where(rng.random((n_people, n_statements)) < noise, -1.0, 1.0)
    values[rng.random(values.shape) > density] = np.nan
    people = [f"p{row:03d}" for row in range(n_people)]
    return VoteMatrix.from_arrays(people, [f"s{column:02d}" for column in range(n_statements)], values), truth
