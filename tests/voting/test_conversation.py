"""Pol.is exports: what is stored, what is refused, and that doing it again changes nothing."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from core.errors import BadInput, Invalid
from core.models import AuditEvent
from studies.data.withdrawal import withdraw_enrolment
from studies.models import Enrolment, Question
from tests.factories import NOW, QuestionFactory, UserFactory
from voting.models import Statement, Vote
from voting.services import verify_tallies
from voting.services.conversation import ImportedConversation, import_conversation, moment, vote_counts

CONVERSATIONS = ["bg2050-volunteers", "london.youth.policing", "scoop-hivemind.biodiversity", "vtaiwan.uberx"]

COMMENTS = """\
timestamp,comment-id,author-id,agrees,disagrees,moderated,is-meta,is-seed,comment-body
1726860676783,0,7,99,0,1,false,true,A seed of the host
1726860676784,1,1,0,0,1,false,false,"Two lines,
and a comma"
1726860676785,2,2,0,0,-1,false,false,Moderated out
1726860676786,3,9,0,0,0,true,false,About the person who votes
1726860676787,4,1,0,0,0,false,false,=cmd()|'/C calc'!A0
"""
VOTES = """\
timestamp,datetime,comment-id,voter-id,vote
1726860700003,x,0,2,-1
1726860700001,x,0,1,1
1726860700002,x,0,1,1
1726860700004,x,0,2,0
1726860700005,x,1,2,1
1726860700006,x,4,2,-1
1726860700007,x,2,1,-1
1726860700008,x,0,2,1
"""

pytestmark = pytest.mark.django_db


@pytest.fixture
def question(db: None) -> Question:
    return QuestionFactory(code="q1")


def take(question: Question, votes: str = VOTES, comments: str = COMMENTS, **how: Any) -> ImportedConversation:
    by = how.pop("by", None)
    return import_conversation(
        question=question, statements=comments.encode(), votes=votes.encode(), by=by, now=NOW, **how
    )


def history(question: Question) -> list[tuple[str, str, int, bool]]:
    rows = Vote.objects.filter(statement__question=question).order_by("cast_at", "pk")
    columns = ("enrolment__public_code", "statement__code", "value", "superseded_at")
    return [(person, code, value, end is None) for person, code, value, end in rows.values_list(*columns)]


def problems_of(error: pytest.ExceptionInfo[BadInput]) -> list[tuple[str, int | None, int | None]]:
    return [(each.file, each.line, each.column) for each in error.value.problems]


def test_each_change_of_mind_is_kept_and_repeats_are_counted(question: Question) -> None:
    done = take(question)

    assert history(question) == [
        ("q1:1", "polis-0", 1, True),
        ("q1:2", "polis-0", -1, False),
        ("q1:2", "polis-0", 0, False),
        ("q1:2", "polis-1", 1, True),
        ("q1:2", "polis-4", -1, True),
        ("q1:1", "polis-2", -1, True),
        ("q1:2", "polis-0", 1, True),
    ]
    assert (done.n_vote_rows, done.n_votes_current, done.n_votes_new) == (8, 5, 7)
    assert (done.n_changes_of_mind, done.n_repeated) == (2, 1)
    superseded = Vote.objects.get(value=0)
    assert (
        superseded.superseded_at
        == Vote.objects.get(enrolment=superseded.enrolment, cast_at=moment(1726860700008)).cast_at
    )


def test_comments_become_statements_of_their_authors(question: Question) -> None:
    take(question)

    rows = {row.code: row for row in Statement.objects.filter(question=question).select_related("author")}
    assert rows["polis-1"].text == "Two lines,\nand a comma"
    assert rows["polis-1"].created_at == datetime(2024, 9, 20, 19, 31, 16, 784_000, tzinfo=UTC)
    assert rows["polis-4"].text == "=cmd()|'/C calc'!A0"
    authors = {code: row.author.public_code if row.author else None for code, row in rows.items()}
    assert authors == {"polis-0": None, "polis-1": "q1:1", "polis-2": "q1:2", "polis-3": "q1:9", "polis-4": "q1:1"}
    assert [code for code, row in rows.items() if row.status == "rejected"] == ["polis-2", "polis-3"]
    assert {row.origin for row in rows.values()} == {"import"}


def test_people_are_imported_without_a_version(question: Question) -> None:
    take(question)

    people = Enrolment.objects.filter(study=question.study)
    assert set(people.values_list("public_code", flat=True)) == {"q1:1", "q1:2", "q1:7", "q1:9"}
    assert set(people.values_list("origin", "status", "version")) == {("imported", "complete", None)}
    voter = people.get(public_code="q1:2")
    assert (voter.started_at, voter.finished_at) == (moment(1726860700003), moment(1726860700008))


def test_tallies_agree_with_the_current_votes(question: Question) -> None:
    take(question)

    seed = Statement.objects.get(question=question, code="polis-0")
    assert (seed.n_agree, seed.n_disagree, seed.n_neutral) == (2, 0, 0)
    assert verify_tallies(study=question.study).differences == ()
    assert vote_counts(question) == {1: 3, -1: 2}


def test_the_same_files_again_change_nothing(question: Question) -> None:
    take(question)
    before = history(question)

    again = take(question)

    assert again.is_unchanged
    assert history(question) == before
    assert AuditEvent.objects.count() == 1


def test_longer_files_add_what_is_new_and_shorter_ones_nothing(question: Question) -> None:
    lines = VOTES.splitlines(keepends=True)
    in_time = [lines[0], *sorted(lines[1:])]
    take(question, "".join(in_time[:5]), "".join(COMMENTS.splitlines(keepends=True)[:4]))
    assert history(question)[-1] == ("q1:2", "polis-0", 0, True)

    done = take(question)

    assert (done.n_statements_new, done.n_votes_new) == (3, 4)
    alone = QuestionFactory(study=question.study, code="q2")
    take(alone)
    assert [row[1:] for row in history(question)] == [row[1:] for row in history(alone)]
    assert take(question, "".join(in_time[:5])).is_unchanged


def test_a_dry_run_says_the_same_and_writes_nothing(question: Question) -> None:
    dry = take(question, dry_run=True)

    assert not Statement.objects.exists()
    assert not Enrolment.objects.exists()
    assert not AuditEvent.objects.exists()
    assert dry.to_dict() == take(question).to_dict() | {"is_dry_run": True}


def test_who_imported_what_is_noted(question: Question) -> None:
    olga = UserFactory()

    take(question, by=olga)

    event = AuditEvent.objects.get()
    assert (event.event, event.by, event.study_id) == (
        "question.conversation_imported",
        olga,
        str(question.study.public_id),
    )
    assert event.detail["n_votes_current"] == 5


def test_who_has_withdrawn_stays_withdrawn(question: Question) -> None:
    take(question)
    withdraw_enrolment(enrolment=Enrolment.objects.get(public_code="q1:1"), by=None, now=NOW)
    left = history(question)

    again = take(question)

    assert history(question) == left
    assert again.is_unchanged
    assert again.n_erased == 4  # two votes of the person, two on their comments
    assert not Statement.objects.filter(code__in=["polis-1", "polis-4"]).exists()


def test_votes_on_unknown_comments_are_named_by_line(question: Question) -> None:
    with pytest.raises(BadInput, match=r"comments\.csv") as error:
        take(question, VOTES + "1726860700009,x,77,1,1\n1726860700009,x,78,1,1\n")

    assert problems_of(error) == [("votes.csv", 10, 3), ("votes.csv", 11, 3)]
    assert not Statement.objects.exists()


def test_everything_wrong_in_both_files_is_said_at_once(question: Question) -> None:
    comments = COMMENTS.replace("A seed of the host", "").replace("1726860676787,4", "1726860676787,2")
    votes = VOTES.replace("700001,x,0,1,1", "700001,x,0,1,2").replace("1726860700005,", "soon,")

    with pytest.raises(BadInput) as error:
        take(question, votes, comments)

    places = [("comments.csv", 2, 9), ("comments.csv", 7, 2), ("votes.csv", 3, 5), ("votes.csv", 6, 1)]
    assert problems_of(error) == places
    assert not Enrolment.objects.exists()


def test_a_comment_with_another_text_is_refused(question: Question) -> None:
    take(question)
    before = history(question)

    with pytest.raises(BadInput, match="another text before") as error:
        take(question, comments=COMMENTS.replace("Moderated out", "Changed since"))

    assert problems_of(error) == [("comments.csv", 5, 9)]
    assert history(question) == before


def test_other_votes_than_before_are_refused_by_line(question: Question) -> None:
    take(question)

    with pytest.raises(BadInput, match="Another vote") as error:
        take(question, VOTES.replace("700005,x,1,2,1", "700005,x,1,2,-1"))

    assert problems_of(error) == [("votes.csv", 6, 5)]
    assert Vote.objects.current().count() == 5


def test_a_byte_order_mark_and_crlf_are_read(question: Question) -> None:
    plain = "\ufeff" + VOTES.replace("\n", "\r\n")

    assert take(question, plain).n_votes_current == 5


@pytest.mark.parametrize(("encoding", "match"), [("utf-16", "UTF-16"), ("latin-1", "is not UTF-8")])
def test_another_encoding_is_refused(question: Question, encoding: str, match: str) -> None:
    comments = COMMENTS.replace("A seed", "Ein früher Samen").encode(encoding)

    with pytest.raises(BadInput, match=match):
        import_conversation(question=question, statements=comments, votes=VOTES.encode(), by=None, now=NOW)


def test_ragged_rows_and_missing_columns_are_refused(question: Question) -> None:
    with pytest.raises(BadInput) as error:
        take(question, VOTES + "1726860700009,x,0,1\n")
    assert problems_of(error) == [("votes.csv", 10, 5)]

    with pytest.raises(BadInput, match="vote"):
        take(question, VOTES.replace(",vote\n", ",value\n"))


def test_an_export_without_comments_is_refused(question: Question) -> None:
    head = "timestamp,comment-id,author-id,moderated,comment-body\n"

    with pytest.raises(BadInput, match="no rows"):
        take(question, "timestamp,datetime,comment-id,voter-id,vote\n", head)


def test_times_in_seconds_are_told_from_milliseconds() -> None:
    assert moment(1726860676) == datetime(2024, 9, 20, 19, 31, 16, tzinfo=UTC)
    assert moment(1726860676000) == moment(1726860676)


def test_a_code_that_leaves_no_room_for_voters_is_refused(db: None) -> None:
    with pytest.raises(Invalid, match="too long"):
        take(QuestionFactory(code="q" * 63))


def test_two_questions_take_two_conversations_of_the_same_voters(question: Question) -> None:
    other = QuestionFactory(study=question.study, code="q2")

    take(question)
    take(other)

    assert question.study.enrolments.count() == 8
    assert [row[1:] for row in history(question)] == [row[1:] for row in history(other)]


def test_the_command_says_what_it_did(question: Question, tmp_path: Path) -> None:
    (tmp_path / "comments.csv").write_text(COMMENTS)
    (tmp_path / "votes.csv").write_text(VOTES)
    out = StringIO()
    arguments = ["--study", question.study.slug, "--question", "q1", "--import-only"]
    files = ["--statements", str(tmp_path / "comments.csv"), "--votes", str(tmp_path / "votes.csv")]

    call_command("import_conversation", *arguments, *files, stdout=out)
    assert "5 current votes imported (7 new rows)" in out.getvalue()

    out = StringIO()
    call_command("import_conversation", *arguments, *files, "--json", stdout=out)
    assert json.loads(out.getvalue())["imported"]["is_unchanged"]


def last_votes(folder: Path) -> dict[tuple[str, str], str]:
    """The cells of the matrix that Pol.is exports, by voter and comment."""
    with (folder / "participants-votes.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    comments = [name for name in rows[0] if name.isdigit()]
    return {(row["participant"], comment): row[comment] for row in rows for comment in comments}


@pytest.mark.shared
@pytest.mark.parametrize("name", CONVERSATIONS)
def test_the_stored_matrix_is_the_exported_one_in_every_cell(question: Question, shared: Path, name: str) -> None:
    folder = shared / "data" / "polis" / name

    done = import_conversation(
        question=question, statements=folder / "comments.csv", votes=folder / "votes.csv", by=None, now=NOW
    )

    rows = Vote.objects.current().filter(statement__question=question)
    stored = {
        (person.partition(":")[2], code.removeprefix("polis-")): str(value)
        for person, code, value in rows.values_list("enrolment__public_code", "statement__code", "value")
    }
    matrix = last_votes(folder)
    assert {cell: stored.get(cell, "") for cell in matrix} == matrix
    assert stored.keys() <= matrix.keys()
    assert done.n_votes_current == len(stored) == sum(value != "" for value in matrix.values())
    assert verify_tallies(study=question.study).differences == ()


@pytest.mark.shared
def test_chinese_text_is_stored_byte_for_byte(question: Question, shared: Path) -> None:
    folder = shared / "data" / "polis" / "vtaiwan.uberx"

    import_conversation(
        question=question, statements=folder / "comments.csv", votes=folder / "votes.csv", by=None, now=NOW
    )

    with (folder / "comments.csv").open(newline="", encoding="utf-8-sig") as file:
        expected = {f"polis-{row['comment-id']}": row["comment-body"] for row in csv.DictReader(file)}
    stored = dict(Statement.objects.filter(question=question).values_list("code", "text"))
    assert {code: text.encode() for code, text in stored.items()} == {
        code: text.encode() for code, text in expected.items()
    }
    assert any("計程車" in text for text in stored.values())


@pytest.mark.shared
def test_a_real_conversation_again_changes_nothing(question: Question, shared: Path) -> None:
    folder = shared / "data" / "polis" / "london.youth.policing"
    files = {"statements": folder / "comments.csv", "votes": folder / "votes.csv"}
    import_conversation(question=question, by=None, now=NOW, **files)
    before = list(Vote.objects.order_by("pk").values_list())

    again = import_conversation(question=question, by=None, now=NOW, **files)

    assert again.is_unchanged
    assert list(Vote.objects.order_by("pk").values_list()) == before
