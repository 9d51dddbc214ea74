"""Conversations that Pol.is published with its groups: votes, order of first votes, hidden statements, groups."""

import csv
import json
from dataclasses import dataclass, field

from clustering.stats.polis.votes import SparseVotes

FIXTURES = ("below-100-ptpts", "25ptpt-3gp-no-strict-with-meta", "150ptpt-3gp-no-strict-no-meta")


@dataclass
class Published:
    """One conversation; keys are ids with leading zeros, so that their order is that of the ids."""

    votes: SparseVotes
    order: list
    hidden: list
    meta: list
    groups: dict
    blob: dict = field(default_factory=dict)

    def agreement(self, groups):
        """Adjusted Rand index with the published groups, over those who are in both."""
        from sklearn.metrics import adjusted_rand_score

        ours = groups.members()
        common = sorted(set(ours) & set(self.groups))
        assert len(common) >= 0.8 * len(self.groups)
        return adjusted_rand_score([self.groups[key] for key in common], [ours[key] for key in common])


def key(number):
    return f"{int(number):06d}"


def fixture(folder):
    """A conversation with the whole output of Pol.is' mathematics."""
    blob = json.loads((folder / "math-pca2.json").read_text(encoding="utf-8"))
    rows = json.loads((folder / "votes.json").read_text(encoding="utf-8"))
    events = [
        (
            int(float(row["modified"])),
            key(row.get("pid", row.get("participant_id"))),
            key(row.get("tid", row.get("statement_id"))),
            row["vote"],
        )
        for row in rows
    ]
    base = dict(zip(blob["base-clusters"]["id"], blob["base-clusters"]["members"], strict=True))
    groups = {
        key(person): group["id"]
        for group in blob["group-clusters"]
        for member in group["members"]
        for person in base[member]
    }
    votes, order = in_order(events)
    return Published(votes, order, [key(t) for t in blob["mod-out"]], [key(t) for t in blob["meta-tids"]], groups, blob)


def export(folder):
    """An open-data export, whose groups are those of the live conversation."""
    with (folder / "votes.csv").open(encoding="utf-8", newline="") as file:
        events = [
            (int(row["timestamp"]), key(row["voter-id"]), key(row["comment-id"]), int(row["vote"]))
            for row in csv.DictReader(file)
        ]
    with (folder / "comments.csv").open(encoding="utf-8", newline="") as file:
        comments = list(csv.DictReader(file))
    with (folder / "participants-votes.csv").open(encoding="utf-8", newline="") as file:
        groups = {key(row["participant"]): row["group-id"] for row in csv.DictReader(file) if row["group-id"]}
    hidden = [key(row["comment-id"]) for row in comments if row["moderated"] == "-1"]
    meta = [key(row["comment-id"]) for row in comments if row.get("is-meta", "").lower() in {"true", "1"}]
    votes, order = in_order(events)
    return Published(votes, order, hidden, meta, groups)


def in_order(events):
    """The last vote of each pair, and participants in the order of their first vote (ties as in the file)."""
    latest, first = {}, {}
    for _, person, statement, value in sorted(events, key=lambda event: event[0]):
        first.setdefault(person, len(first))
        latest[person, statement] = value
    people, statements = sorted(first), sorted({statement for _, statement in latest})
    row_of = {person: row for row, person in enumerate(people)}
    column_of = {statement: column for column, statement in enumerate(statements)}
    votes = SparseVotes.from_arrays(
        people,
        statements,
        [row_of[person] for person, _ in latest],
        [column_of[statement] for _, statement in latest],
        list(latest.values()),
    )
    return votes, list(first)
