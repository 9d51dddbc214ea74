"""Both clusterers are asked alike and answer alike."""

import json

import numpy as np
import pytest

from benchmarks.groups import planted_votes
from clustering.stats.clusterers import METHODS, Grouping, cluster
from clustering.stats.dynamic import Grid, cluster_opinions
from clustering.stats.matrix import VoteMatrix
from clustering.stats.polis.pipeline import cluster_polis
from clustering.stats.polis.state import PolisState
from clustering.stats.polis.votes import SparseVotes

SMALL = {"dynamic": {"grid": Grid(n_seeds=1)}, "polis": {}}
ATTRIBUTES = [name for name in Grouping.__dict__ if not name.startswith("_")]


@pytest.fixture(scope="module")
def matrix():
    return planted_votes(votes_each=20, seed=0)[0]


@pytest.mark.parametrize("method", METHODS)
def test_every_clusterer_answers_in_the_same_terms(matrix, method):
    found = cluster(matrix, method=method, seed=3, **SMALL[method])

    assert len(ATTRIBUTES) >= 15
    for name in ATTRIBUTES:
        assert hasattr(found, name), name
    assert found.method == method
    assert found.participants == matrix.participants
    assert found.labels.shape == (60,)
    assert found.coordinates.shape == (60, 2)
    assert found.n_groups == len(found.sizes) >= 2
    assert list(found.sizes) == np.bincount(found.labels[found.labels >= 0]).tolist() == sorted(found.sizes)[::-1]
    assert found.matrix_sha256 == matrix.sha256()
    assert found.silhouette == found.rows[found.chosen].silhouette
    assert {"n_groups", "silhouette", "reason", "n_singletons"} <= set(dir(found.rows[0]))
    assert len(found.members()) + len(found.exclusions) == 60
    stored = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (stored["method"], stored["seed"], stored["n_groups"]) == (method, 3, found.n_groups)


@pytest.mark.parametrize("method", METHODS)
def test_either_form_of_votes_gives_the_same_bytes(matrix, method):
    dense, sparse = (
        cluster(votes, method=method, seed=0, **SMALL[method]).to_dict()
        for votes in (matrix, SparseVotes.from_matrix(matrix))
    )

    assert json.dumps(dense) == json.dumps(sparse)


@pytest.mark.parametrize("method", METHODS)
def test_no_votes_are_no_groups(method):
    found = cluster(VoteMatrix.from_votes([]), method=method, seed=0)

    assert found.undefined == "no votes"
    assert found.n_groups == 0


def test_the_method_named_is_the_one_that_runs(matrix):
    order = list(reversed(matrix.participants))

    assert (
        cluster(matrix, method="dynamic", seed=1, **SMALL["dynamic"]).to_dict()
        == cluster_opinions(matrix, seed=1, **SMALL["dynamic"]).to_dict()
    )
    assert (
        cluster(matrix, method="polis", seed=1, order=order).to_dict()
        == cluster_polis(SparseVotes.from_matrix(matrix), seed=1, order=order).to_dict()
    )


def test_what_a_method_does_not_know_is_refused(matrix):
    with pytest.raises(ValueError, match="method is one of dynamic, polis"):
        cluster(matrix, method="other", seed=0)
    with pytest.raises(ValueError, match="continues no state"):
        cluster(matrix, method="dynamic", seed=0, previous=PolisState())
    with pytest.raises(TypeError, match="grid"):
        cluster(matrix, method="polis", seed=0, grid=Grid())
