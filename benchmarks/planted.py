"""Votes of groups that are known, and how well anybody could find them again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clustering.stats.matrix import VoteMatrix

WEIGHTS = np.linspace(0.05, 0.45, 9)
"""How much of another group a mixed member has in them; each is as likely."""


@dataclass(frozen=True)
class World:
    """How people vote: sizes of the groups, probability of voting as one's group does, share of mixed members.

    A group agrees with a statement with probability `agree` or ``1 - agree``, drawn for each. A mixed member votes on
    each statement as another group, drawn once, with a probability drawn once from `WEIGHTS`.
    """

    sizes: tuple[int, ...] = (20, 20, 20)
    agree: float = 0.95
    mixed: float = 0.0
    n_statements: int = 70

    def draw(self, *, votes_each: int, seed: int) -> tuple[VoteMatrix, np.ndarray, np.ndarray]:
        """Votes on statements drawn uniformly: matrix, true groups, probability of agreeing by group and statement."""
        rng = np.random.default_rng(seed)
        truth = np.repeat(np.arange(len(self.sizes)), self.sizes)
        likely = rng.random((len(self.sizes), self.n_statements)) < 0.5
        agree = np.where(likely, self.agree, 1 - self.agree)
        own = self._mixing(truth, agree, np.random.default_rng([seed, 1]))
        values = np.full((len(truth), self.n_statements), np.nan)
        for person in range(len(truth)):
            shown = rng.choice(self.n_statements, votes_each, replace=False)
            values[person, shown] = np.where(rng.random(votes_each) < own[person, shown], 1.0, -1.0)
        people = [f"p{index:02d}" for index in range(len(truth))]
        statements = [f"s{index:02d}" for index in range(self.n_statements)]
        return VoteMatrix.from_arrays(people, statements, values), truth, agree

    def _mixing(self, truth: np.ndarray, agree: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Probability of agreeing of each person and statement."""
        own = agree[truth]
        for person in np.flatnonzero(rng.random(len(truth)) < self.mixed):
            others = np.delete(np.arange(len(self.sizes)), truth[person])
            weight = rng.choice(WEIGHTS)
            own[person] = (1 - weight) * own[person] + weight * agree[rng.choice(others)]
        return own

    def likeliest(self, matrix: VoteMatrix, agree: np.ndarray) -> np.ndarray:
        """The likeliest group of each person, everything known but who is in which: the Bayes rule, no one does better.

        (It minimises the share of people in the wrong group; the adjusted Rand index follows that closely.) Groups that
        are as likely to nine digits are tied, and the first is taken.
        """
        yes, no = (matrix.values == value for value in (1.0, -1.0))

        def log_likelihood(probability: np.ndarray) -> np.ndarray:
            return yes @ np.log(probability) + no @ np.log(1 - probability)

        posterior = np.zeros((len(matrix.participants), len(self.sizes)))
        for group, size in enumerate(self.sizes):
            parts = [log_likelihood(agree[group]) + np.log(max(1 - self.mixed, 1e-300))]
            others = [other for other in range(len(self.sizes)) if other != group]
            if self.mixed:
                prior = np.log(self.mixed / len(others) / len(WEIGHTS))
                parts += [
                    log_likelihood((1 - weight) * agree[group] + weight * agree[other]) + prior
                    for other in others
                    for weight in WEIGHTS
                ]
            posterior[:, group] = np.logaddexp.reduce(parts) + np.log(size)
        return np.round(posterior, 9).argmax(axis=1)


def planted_votes(*, votes_each: int, seed: int) -> tuple[VoteMatrix, np.ndarray, np.ndarray]:
    """Votes of three clear groups of twenty: matrix, true groups, probability of agreeing by group and statement."""
    return World().draw(votes_each=votes_each, seed=seed)
