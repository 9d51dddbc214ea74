"""Votes, ratings and coverages from files: each kind is recognised, and what is wrong is named with its place."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clustering.files import CoverageFile, RatingsFile, read_scores, read_votes
from clustering.inclusion import Inclusion
from core.errors import BadInput

COMMENTS = """timestamp,comment-id,author-id,agrees,disagrees,moderated,is-meta,is-seed,comment-body
1000,0,9,1,0,1,false,true,A seed
2000,1,a,1,0,0,false,false,"One, by a"
3000,2,b,1,0,-1,false,false,Rejected
4000,3,b,1,0,0,true,false,About me
"""
VOTES = """timestamp,datetime,comment-id,voter-id,vote
5000,x,0,b,1
4000,x,0,a,1
6000,x,1,a,-1
7000,x,1,a,1
7000,x,2,a,0
8000,x,3,b,1
9000,x,0,a,1
"""
WIDE = "participant,group-id,n-comments,n-votes,n-agree,n-disagree,0,1,2\na,0,1,3,1,1,1,,-1\nb,,0,1,0,0,,0,\n"
LONG = "participant,statement,vote\nann,s1,1\nben,s1,-1\nann,s2,0\n"
EVERYBODY = Inclusion(("live", "imported", "simulated"))


def written(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name.replace('_', '-')}.csv").write_text(text)
    return folder


def problems_of(path: Path, read: Any = read_votes) -> str:
    with pytest.raises(BadInput) as caught:
        read(path)
    return "\n".join(caught.value.lines())


def test_an_export_of_polis_is_a_folder_or_a_zip(tmp_path: Path) -> None:
    folder = written(tmp_path, comments=COMMENTS, votes=VOTES, participants_votes=WIDE)
    (found,) = read_votes(folder)

    assert found.kind == "polis export"
    assert found.votes == {("b", "0"): 1, ("a", "0"): 1, ("a", "1"): 1, ("a", "2"): 0, ("b", "3"): 1}
    assert list(found.order) == ["a", "b"]
    assert found.authors == {"1": "a", "2": "b", "3": "b"}
    assert found.rejected == {"2", "3"}
    assert found.texts["1"] == "One, by a"
    assert found.published == {"a": "0"}
    assert (found.n_rows, found.n_changes) == (7, 1)

    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        for name in ("comments.csv", "votes.csv", "participants-votes.csv"):
            archive.write(folder / name, f"some/{name}")
            archive.writestr(f"__MACOSX/some/{name}", b"\x00")
    (packed,) = read_votes(tmp_path / "export.zip")
    assert packed == found


def test_rejected_statements_are_left_out_unless_asked_for(tmp_path: Path) -> None:
    (found,) = read_votes(written(tmp_path, comments=COMMENTS, votes=VOTES))

    counted, everything = (found.loaded(EVERYBODY, with_rejected=asked) for asked in (False, True))
    assert counted.statements == ("0", "1")
    assert counted.n_votes == 3
    assert everything.statements == ("0", "1", "2", "3")
    assert everything.rejected == ("2", "3")
    assert found.loaded(Inclusion(("imported",), minimum_votes=2)).participants == ("a",)


def test_the_log_alone_knows_no_authors_and_the_matrix_no_times(tmp_path: Path) -> None:
    written(tmp_path, votes=VOTES, participants_votes=WIDE)
    (log,) = read_votes(tmp_path / "votes.csv")
    (wide,) = read_votes(tmp_path / "participants-votes.csv")

    assert log.votes["a", "1"] == 1
    assert (log.authors, log.n_changes, log.n_rows) == ({}, 1, 7)
    assert wide.kind == "polis matrix"
    assert wide.votes == {("a", "0"): 1, ("a", "2"): -1, ("b", "1"): 0}
    assert wide.published == {"a": "0"}
    assert list(wide.statements) == ["0", "1", "2"]


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_long_table_of_votes_in_any_format(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"mine.{form}"
    rows = [
        {"participant": "ann", "question": "q2", "statement": "s1", "value": 1, "extra": "x"},
        {"participant": "ben", "question": "q2", "statement": "s1", "value": -1, "extra": "x"},
        {"participant": "ann", "question": "q1", "statement": "s1", "value": 0, "extra": "x"},
    ]
    if form == "csv":
        path.write_text("\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]) + "\n")
    elif form == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)

    one, two = read_votes(path)
    assert [one.question, two.question] == ["q1", "q2"]
    assert one.votes == {("ann", "s1"): 0}
    assert two.votes == {("ann", "s1"): 1, ("ben", "s1"): -1}


def test_the_vote_may_be_called_vote_and_the_question_be_missing(tmp_path: Path) -> None:
    (found,) = read_votes(written(tmp_path, mine=LONG) / "mine.csv")

    assert found.question == ""
    assert found.votes == {("ann", "s1"): 1, ("ben", "s1"): -1, ("ann", "s2"): 0}
    assert list(found.order) == ["ann", "ben"]


def test_of_several_votes_with_times_the_last_counts(tmp_path: Path) -> None:
    written(
        tmp_path,
        mine="participant,statement,vote,cast_at\n"
        "ben,s1,1,2026-01-03T00:00:00Z\nann,s1,-1,2026-01-02T00:00:00Z\nben,s1,-1,2026-01-01T00:00:00Z\n",
    )
    (found,) = read_votes(tmp_path / "mine.csv")

    assert found.votes == {("ben", "s1"): 1, ("ann", "s1"): -1}
    assert list(found.order) == ["ben", "ann"]
    assert found.n_changes == 1


def test_statements_and_people_of_an_export_are_read_beside_the_votes(tmp_path: Path) -> None:
    written(
        tmp_path,
        votes="participant,question,question_revision,statement,value\nann,q,2,s1,1\nben,q,2,s2,-1\nann,q,1,s1,-1\n"
        "cat,q,2,s1,1\n",
        statements="question,question_revision,statement,text,author,status\nq,2,s1,One,ben,approved\n"
        "q,2,s2,Two,,rejected\nq,2,s3,Three,,pending\nq,1,s1,Old,,approved\n",
        participants="participant,origin,status\nann,live,complete\nben,live,complete\ncat,live,timed_out\n",
    )
    new, old = read_votes(tmp_path)

    assert (new.question, old.question) == ("q", "q (revision 1)")
    assert new.texts == {"s1": "One", "s2": "Two", "s3": "Three"}
    assert new.authors == {"s1": "ben"}
    assert list(new.statements) == ["s1", "s2"]
    assert new.rejected == {"s2"}
    loaded = new.loaded(EVERYBODY)
    assert loaded.participants == ("ann",)
    assert [row["n"] for row in new.flow(EVERYBODY, 1)] == [3, 3, 2, 1]
    assert new.loaded(Inclusion(("live",), statuses=("timed_out",))).participants == ("cat",)


RATINGS = (
    "participant,question,model,rating,group,domain\n"
    "a,q1,M\u00a01,5,x,d\na,q1,M2,1,x,d\nb,q1,M 1,4,x,d\nc,q1,M2,,y,d\nd,q1,M2,3,,d\n"
)
COVERAGES = (
    "topic,qid,n_clusters,model,coverage,coverage_w,n_participants_inferred\n"
    "T,1,4,DeepSeek\u00a0R1,0.5,0.25,40\nT,1,4,GPT-4.1,0.25,,40\n"
)


def test_ratings_with_groups(tmp_path: Path) -> None:
    found = read_scores(written(tmp_path, ratings=RATINGS) / "ratings.csv")

    assert isinstance(found, RatingsFile)
    (question,) = found.questions
    assert question.ratings == [("a", "M 1", 5.0), ("a", "M2", 1.0), ("b", "M 1", 4.0), ("d", "M2", 3.0)]
    assert question.groups == ("x", "y")
    assert question.members == {"a": 0, "b": 0, "c": 1}
    assert (question.domain, question.sources) == ("d", ["M 1", "M2"])


def test_coverages_with_the_columns_of_the_paper(tmp_path: Path) -> None:
    found = read_scores(written(tmp_path, table=COVERAGES) / "table.csv")

    assert isinstance(found, CoverageFile)
    first, second = found.rows
    assert (first.question, first.source, first.coverage, first.n_groups) == ("1", "DeepSeek R1", 0.5, 4)
    assert (first.coverage_weighted, first.n_people, second.coverage_weighted) == (0.25, 40, None)


BAD_VOTES = {
    "no table": ({"readme": ""}, "readme.csv"),
    "other columns": ({"mine": "a,b\n1,2\n"}, "mine.csv:1: The columns do not tell what this file holds: a, b."),
    "a vote of 2": ({"mine": LONG + "cat,s1,2\n"}, "mine.csv:5:3 (vote): “2” is not possible here."),
    "twice without a time": ({"mine": LONG + "ann,s1,-1\n"}, "(cast_at): There are several about the same"),
    "no rows": ({"mine": "participant,statement,vote\n"}, "mine.csv: The table has no rows."),
    "an empty log": ({"votes": VOTES.split("\n")[0] + "\n"}, "votes.csv: The table has no rows."),
    "no comment": ({"wide": "participant,n-votes\na,0\n"}, "wide.csv:1: There is no column for a comment."),
    "two logs": ({"votes": VOTES, "more": VOTES}, "There are two tables of votes: more.csv and votes.csv."),
    "comments of another export": ({"votes": VOTES, "comments": COMMENTS.split("3000")[0]}, "There is no such comment"),
    "a matrix with comments": ({"comments": COMMENTS, "wide": WIDE}, "comments.csv: Beside wide.csv the votes"),
    "two tables of comments": ({"votes": VOTES, "c1": COMMENTS, "c2": COMMENTS}, "two tables of comments"),
    "a participant twice": ({"wide": WIDE + "a,,0,0,0,0,,,\n"}, "wide.csv:4:1 (participant): “a” is there a second"),
    "two tables of statements": (
        {"mine": LONG, "s1": "statement,text\ns1,x\n", "s2": "statement,text\ns1,x\n"},
        "There are two tables of statements",
    ),
    "a statement twice": ({"mine": LONG, "s": "statement,text\ns1,x\ns1,y\n"}, "s.csv:3:1 (statement): This statement"),
}


@pytest.mark.parametrize(("files", "message"), BAD_VOTES.values(), ids=BAD_VOTES)
def test_votes_that_cannot_be_read_are_named(tmp_path: Path, files: dict[str, str], message: str) -> None:
    written(tmp_path, **files)
    path = tmp_path if len(files) > 1 else next(tmp_path.iterdir())

    assert message in problems_of(path)


BAD_SCORES = {
    "other columns": ("a,b\n1,2\n", "mine.csv:1: The columns do not tell what this file holds: a, b."),
    "a rating of 6": (RATINGS + "e,q1,M2,6,y,d\n", "mine.csv:7:4 (rating): 6.0 is above 5."),
    "rated twice": (RATINGS + "a,q1,M 1,3,x,d\n", "mine.csv:7:3 (model): This participant rated this answer before"),
    "two groups": (RATINGS + "a,q1,M3,3,y,d\n", "mine.csv:7:5 (group): This participant is in another group"),
    "two domains": (RATINGS + "a,q1,M3,3,x,e\n", "mine.csv:7:6 (domain): The question is of another domain"),
    "no rating": ("participant,question,model,group\n", "mine.csv:1: There is no column rating or value."),
    "two names": ("participant,question,qid,model,rating,group\n", "The columns question, qid mean the same."),
    "no ratings": (RATINGS.split("\n")[0] + "\n", "mine.csv: The table has no rows."),
    "a coverage of 2": (COVERAGES + "T,2,4,M,2,,40\n", "mine.csv:4:5 (coverage): 2.0 is above 1."),
    "a coverage twice": (COVERAGES + "T,1,4,GPT-4.1,0,,40\n", "mine.csv:4:4 (model): This question and model"),
    "more groups than people": (
        COVERAGES + "T,2,4,M,0,,3\n",
        "mine.csv:4:7 (n_participants_inferred): There are fewer",
    ),
    "no coverages": (COVERAGES.split("\n")[0] + "\n", "mine.csv: The table has no rows."),
}


@pytest.mark.parametrize(("text", "message"), BAD_SCORES.values(), ids=BAD_SCORES)
def test_scores_that_cannot_be_read_are_named(tmp_path: Path, text: str, message: str) -> None:
    assert message in problems_of(written(tmp_path, mine=text) / "mine.csv", read_scores)


def test_paths_that_are_no_file_or_no_archive_are_named(tmp_path: Path) -> None:
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 no more")
    (tmp_path / "empty").mkdir()
    with zipfile.ZipFile(tmp_path / "twice.zip", "w") as archive:
        archive.writestr("a/votes.csv", VOTES)
        archive.writestr("b/votes.csv", VOTES)

    assert "There is no such file or folder." in problems_of(tmp_path / "nowhere.csv")
    assert "This is no whole zip archive." in problems_of(tmp_path / "broken.zip")
    assert "There is no table in it." in problems_of(tmp_path / "empty")
    assert "The archive holds votes.csv twice." in problems_of(tmp_path / "twice.zip")
    assert "There are several tables: ratings.csv, table.csv." in problems_of(
        written(tmp_path / "empty", ratings=RATINGS, table=COVERAGES), read_scores
    )


def test_an_archive_larger_than_what_is_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clustering.files.bundles.MAXIMUM_BYTES", 100)
    with zipfile.ZipFile(tmp_path / "large.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("votes.csv", VOTES)

    assert "The tables in it have" in problems_of(tmp_path / "large.zip")


def test_many_small_tables_of_an_archive_are_too_large_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clustering.files.bundles.MAXIMUM_BYTES", 1000)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"votes{number}.csv", LONG + "x" * 400)
    monkeypatch.setattr(zipfile.ZipFile, "read", None)  # nothing is unpacked before that is known

    assert "bomb.zip: The tables in it have 1365 bytes; at most 1000 are read." in problems_of(tmp_path / "bomb.zip")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_broken_data_inside_a_whole_archive_is_told(tmp_path: Path, method: int) -> None:
    path = tmp_path / "broken.zip"
    lines = "".join(f"p{n},s{n * n % 97},1\n" for n in range(500))
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("votes.csv", "participant,statement,vote\n" + lines)
    raw = bytearray(path.read_bytes())
    raw[60:160] = bytes(byte ^ 0x5A for byte in raw[60:160])
    path.write_bytes(raw)

    assert problems_of(path) == "broken.zip: This is no whole zip archive. Download or pack it anew."


def test_a_name_in_an_archive_that_is_no_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "name.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("votes.csv", LONG)
    raw = bytearray(path.read_bytes())
    directory = raw.find(b"PK\x01\x02")
    raw[directory + 9] |= 8  # the bit that says UTF-8
    raw[directory + 46 : directory + 48] = b"\xff\xfe"
    path.write_bytes(raw)

    assert "This is no whole zip archive." in problems_of(path)


def test_an_archive_that_leads_out_of_itself_is_read_in_place(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "out.zip", "w") as archive:
        archive.writestr("../../etc/votes.csv", LONG)

    (found,) = read_votes(tmp_path / "out.zip")
    assert found.file == "votes.csv"
    assert [path.name for path in tmp_path.iterdir()] == ["out.zip"]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    for name in ("pipe.zip", "pipe.csv"):
        os.mkfifo(tmp_path / name)
        assert "This is a pipe or a device, not a file." in problems_of(tmp_path / name)


def test_a_path_that_the_system_refuses_is_told(tmp_path: Path) -> None:
    assert "The file cannot be read: File name too long." in problems_of(tmp_path / ("a" * 300 + ".csv"))
