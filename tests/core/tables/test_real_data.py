"""Exports of real conversations are read whole, with the text that Python's own reader sees."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from core.tables import InputColumn, TableSpec, stream_table

CONVERSATIONS = ["bg2050-volunteers", "london.youth.policing", "scoop-hivemind.biodiversity", "vtaiwan.uberx"]

pytestmark = pytest.mark.shared


@pytest.mark.parametrize("conversation", CONVERSATIONS)
def test_comments_are_read_whole(conversation: str, shared: Path) -> None:
    path = shared / "data" / "polis" / conversation / "comments.csv"
    columns = (
        InputColumn("comment-id"),
        InputColumn("timestamp", "integer"),
        InputColumn("moderated", "integer", minimum=-1, maximum=1),
        InputColumn("comment-body"),
    )

    rows = list(stream_table(path, path.name, TableSpec(columns, unique=(("comment-id",),), ignore_others=True)))

    with path.open(newline="", encoding="utf-8-sig") as file:
        expected = list(csv.DictReader(file))
    assert [row["comment-body"] for row in rows] == [row["comment-body"] for row in expected]
    assert [row["comment-id"] for row in rows] == [row["comment-id"] for row in expected]


@pytest.mark.parametrize("conversation", CONVERSATIONS)
def test_votes_are_read_whole(conversation: str, shared: Path) -> None:
    path = shared / "data" / "polis" / conversation / "votes.csv"
    columns = (InputColumn("comment-id"), InputColumn("voter-id"), InputColumn("vote", "integer", values=(-1, 0, 1)))

    rows = list(stream_table(path, path.name, TableSpec(columns, ignore_others=True)))

    with path.open(newline="", encoding="utf-8-sig") as file:
        expected = list(csv.DictReader(file))
    assert [str(row["vote"]) for row in rows] == [row["vote"] for row in expected]
