"""Real people's votes: exports of public Pol.is conversations go in, groups with their portraits come out."""

import csv
import json

import numpy as np
import pytest

from clustering.stats.dynamic import cluster_opinions
from clustering.stats.matrix import VoteMatrix
from clustering.stats.profiles import profile_groups
from clustering.stats.quality import group_quality

pytestmark = pytest.mark.shared


def read(folder):
    """Votes (the last one of each pair wins) and authors of an export."""
    latest = {}
    with (folder / "votes.csv").open(encoding="utf-8", newline="") as file:
        for row in sorted(csv.DictReader(file), key=lambda row: int(row["timestamp"])):
            latest[row["voter-id"], row["comment-id"]] = float(row["vote"])
    with (folder / "comments.csv").open(encoding="utf-8", newline="") as file:
        authors = {row["comment-id"]: row["author-id"] for row in csv.DictReader(file)}
    return VoteMatrix.from_votes((person, statement, vote) for (person, statement), vote in latest.items()), authors


@pytest.mark.parametrize(
    ("name", "shape"),
    [("london.youth.policing", (26, 36)), ("bg2050-volunteers", (126, 371))],
)
@pytest.mark.parametrize("space", ["projection", "votes"])
def test_a_real_conversation_is_clustered(shared, name, shape, space):
    matrix, authors = read(shared / "data" / "polis" / name)

    groups = cluster_opinions(matrix, seed=0, space=space, authors=authors)
    profiles = profile_groups(matrix, groups.labels)
    quality = group_quality(groups, matrix, authors=authors)

    assert matrix.values.shape == shape
    assert groups.undefined is None
    assert groups.n_groups >= 2
    assert sum(groups.sizes) + len(groups.exclusions) == shape[0]
    assert groups.n_own_votes > 0
    assert all(profiles.characteristic)
    assert quality.peers.undefined is None
    json.dumps([groups.to_dict(), profiles.to_dict(), quality.to_dict()], allow_nan=False)


@pytest.mark.slow
def test_a_large_conversation_in_chinese_is_clustered(shared):
    matrix, authors = read(shared / "data" / "polis" / "vtaiwan.uberx")

    groups = cluster_opinions(matrix, seed=0, authors=authors)

    assert matrix.values.shape == (1921, 197)
    assert groups.undefined is None
    assert {e.reason for e in groups.exclusions} <= {"no vote", "shares no voted statement with anybody"}
    assert np.isfinite(groups.coordinates[groups.labels >= 0]).all()
