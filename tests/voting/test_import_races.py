"""Imports beside imports, votes and withdrawals at the same moment."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from core.errors import Conflict
from studies.data.withdrawal import withdraw_enrolment
from studies.models import Question
from tests.factories import NOW, QuestionFactory, StatementFactory
from tests.racing import at_once
from tests.voting.booth import booth
from voting.models import Statement, Vote
from voting.services import responses, verify_tallies
from voting.services.conversation import import_conversation
from voting.services.responses import ImportedResponses, import_responses

pytestmark = [pytest.mark.races, pytest.mark.django_db(transaction=True)]

N_PEOPLE = 40


@pytest.fixture
def question() -> Question:
    question = QuestionFactory(code="q1")
    StatementFactory(question=question, code="seed", text="A seed.")
    return question


def files(folder: Path) -> list[Path]:
    """A file of statements, a seed among them, and one of votes."""
    statements, votes = folder / "statements.csv", folder / "votes.csv"
    statements.write_text("question,statement,text\nq1,seed,A seed.\nq1,other,Another.\n")
    rows = "".join(f"p{n},q1,{code},{(-1) ** n}\n" for n in range(N_PEOPLE) for code in ("seed", "other"))
    votes.write_text("participant,question,statement,value\n" + rows)
    return [statements, votes]


def take(question: Question, paths: list[Path]) -> ImportedResponses:
    return import_responses(study=question.study, files=paths, by=None, now=NOW)


@pytest.mark.parametrize("again", range(3))
def test_the_same_import_at_once_writes_once(question: Question, tmp_path: Path, again: int) -> None:
    paths = files(tmp_path)

    done = at_once(lambda _n: take(question, paths), range(4))

    assert sorted(each.n_new["votes"] for each in done) == [0, 0, 0, 2 * N_PEOPLE]
    assert Vote.objects.current().count() == Vote.objects.count() == 2 * N_PEOPLE
    assert verify_tallies(study=question.study).differences == ()


@pytest.mark.parametrize("again", range(3))
def test_people_vote_while_votes_are_imported(question: Question, tmp_path: Path, again: int) -> None:
    paths = files(tmp_path)
    people = [booth(question) for _ in range(3)]
    acts = [partial(take, question, paths), *(partial(person.vote_on_all, ("agree",)) for person in people)]

    at_once(lambda act: act(), acts)

    assert Statement.objects.get(code="seed").n_agree == N_PEOPLE // 2 + 3
    assert verify_tallies(study=question.study).differences == ()


def test_two_kinds_of_import_wait_for_each_other(question: Question, tmp_path: Path) -> None:
    comments = b"timestamp,comment-id,author-id,moderated,comment-body\n1726860676,1,p1,1,Text\n"
    votes = b"timestamp,comment-id,voter-id,vote\n1726860677,1,p2,1\n"
    conversation = partial(import_conversation, question=question, statements=comments, votes=votes, by=None, now=NOW)
    paths = files(tmp_path)

    at_once(lambda act: act(), [conversation, partial(take, question, paths), conversation])

    assert Vote.objects.count() == 2 * N_PEOPLE + 1


def test_who_withdraws_while_files_are_read_is_not_brought_back(
    question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = files(tmp_path)
    take(question, paths)
    person = question.study.enrolments.get(public_code="p1")
    lock = responses.lock_imports

    def late(study: object) -> None:
        at_once(lambda who: withdraw_enrolment(enrolment=who, by=None, now=NOW), [person])
        lock(question.study)

    monkeypatch.setattr(responses, "lock_imports", late)

    with pytest.raises(Conflict, match="Import them again"):
        take(question, paths)

    assert not Vote.objects.filter(enrolment=person).exists()


def test_a_statement_that_is_erased_meanwhile_ends_the_import(
    question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    author = booth(question).enrolment
    Statement.objects.filter(code="seed").update(author=author, origin="peer")
    paths = files(tmp_path)
    write_votes = responses.write_votes

    def late(**given: object) -> int:
        at_once(lambda who: withdraw_enrolment(enrolment=who, by=None, now=NOW), [author])
        return write_votes(**given)  # type: ignore[arg-type]

    monkeypatch.setattr(responses, "write_votes", late)

    with pytest.raises(Conflict, match="Import them again"):
        take(question, paths)

    assert not Vote.objects.exists()
    assert not Statement.objects.filter(code="other").exists()
