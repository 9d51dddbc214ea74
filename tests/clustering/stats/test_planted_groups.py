"""The planted simulation: does the clusterer find groups that we know to be there?

60 people in 3 groups of 20 and 70 statements; each group agrees with each statement with probability .95 or .05, drawn
anew in each of 20 worlds; everybody votes on statements drawn uniformly. The figures are in docs/methods.md.
"""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from benchmarks.groups import planted_votes
from clustering.stats.dynamic import Grid, cluster_opinions
from clustering.stats.matrix import VoteMatrix

SEEDS = range(20)
PUBLISHED, AT_LEAST_SIX = Grid(), Grid(minimum_size=(6,))


def agreement(votes_each, **options):
    """Adjusted Rand index of each world, silhouette and number of groups."""
    found = []
    for seed in SEEDS:
        matrix, truth, _ = planted_votes(votes_each=votes_each, seed=seed)
        groups = cluster_opinions(matrix, seed=seed, **options)
        found.append((adjusted_rand_score(truth, groups.labels), groups.silhouette, groups.n_groups))
    return np.array(found)


def ceiling(votes_each):
    """Adjusted Rand index of putting everybody into the likeliest group, all probabilities known."""
    scores = []
    for seed in SEEDS:
        matrix, truth, agree = planted_votes(votes_each=votes_each, seed=seed)
        yes, no = (matrix.values == value for value in (1.0, -1.0))
        likelihood = yes @ np.log(agree).T + no @ np.log(1 - agree).T
        scores.append(adjusted_rand_score(truth, likelihood.argmax(axis=1)))
    return np.array(scores)


def said(name, scores):
    error = scores.std(ddof=1) / np.sqrt(len(scores))
    return f"{name}: mean adjusted Rand index {scores.mean():.3f} (Monte-Carlo error {error:.3f})"


@pytest.mark.slow
def test_planted_groups_are_found_at_20_votes_with_the_published_grid():
    found = agreement(20, grid=PUBLISHED)[:, 0]

    print(said("20 votes, published grid, projection", found))
    print(said("20 votes, published grid, votes space", agreement(20, grid=PUBLISHED, space="votes")[:, 0]))
    print(said("20 votes, published grid, thresholds in coordinates", agreement(20, unit="coordinate")[:, 0]))
    print(said("20 votes, Bayes ceiling", ceiling(20)))
    assert found.mean() >= 0.9


@pytest.mark.slow
def test_planted_groups_are_found_at_10_votes_with_groups_of_at_least_six():
    found = agreement(10, grid=AT_LEAST_SIX)[:, 0]

    print(said("10 votes, minimum size 6, projection", found))
    print(said("10 votes, published grid, projection", agreement(10, grid=PUBLISHED)[:, 0]))
    for grid, name in ((AT_LEAST_SIX, "minimum size 6"), (PUBLISHED, "published grid")):
        print(said(f"10 votes, {name}, votes space", agreement(10, grid=grid, space="votes")[:, 0]))
        print(said(f"10 votes, {name}, thresholds in coordinates", agreement(10, grid=grid, unit="coordinate")[:, 0]))
    print(said("10 votes, Bayes ceiling", ceiling(10)))
    assert found.mean() >= 0.65
    assert ceiling(10).mean() >= found.mean()


@pytest.mark.slow
def test_at_10_votes_the_silhouette_favours_small_groups_where_growth_offers_no_large_ones():
    published, at_least_six = (agreement(10, grid=grid, unit="coordinate") for grid in (PUBLISHED, AT_LEAST_SIX))

    print("10 votes, thresholds in coordinates: groups, published grid and minimum size 6:")
    print(published[:, 2].mean(), at_least_six[:, 2].mean())
    assert (published[:, 1] >= at_least_six[:, 1] - 1e-12).mean() > 0.5
    assert published[:, 2].mean() > at_least_six[:, 2].mean()
    assert published[:, 0].mean() < at_least_six[:, 0].mean()


@pytest.mark.slow
def test_coin_tosses_reach_the_silhouette_that_is_called_moderate():
    """Why a silhouette on the map is no proof of groups: here are none, whatever the number of votes."""
    for votes_each in (10, 70):
        scores = []
        for seed in range(8):
            matrix, _, _ = planted_votes(votes_each=votes_each, seed=seed)
            coins = np.random.default_rng(seed).choice([1.0, -1.0], size=matrix.values.shape)
            noise = VoteMatrix(matrix.participants, matrix.statements, np.where(matrix.seen, coins, np.nan))
            scores.append(cluster_opinions(noise, seed=seed).silhouette)

        print(f"coin tosses, {votes_each} votes: silhouette {np.mean(scores):.3f} ({np.std(scores) / 8**0.5:.3f})")
        assert 0.35 < np.mean(scores) < 0.47
