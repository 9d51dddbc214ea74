"""People and tabs at the same moment."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from django.db import connection, connections, transaction
from django.db.models import Count

from studies.models import Question
from tests.factories import NOW
from tests.voting.booth import Booth, booth, question_with, write
from voting import services
from voting.errors import StatementGone
from voting.models import Exposure, Statement, Vote, VoteBlock
from voting.services import erasure
from voting.services.tallies import TallyChanges, lock_statements

pytestmark = [pytest.mark.races, pytest.mark.django_db(transaction=True)]


def at_once(acts: Sequence[Callable[[], Any]]) -> list[Any]:
    """Do all acts at the same moment, each on a connection of its own; what they return, or raise."""
    start = threading.Barrier(len(acts), timeout=30)

    def run(act: Callable[[], Any]) -> Any:
        try:
            start.wait()
            return act()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        return [future.result(timeout=120) for future in [pool.submit(run, act) for act in acts]]


def tabs(person: Booth, n: int) -> list[Booth]:
    """The same person's browser tabs, with the same page on the screen."""
    copies = [replace(person) for _ in range(n)]
    for copy in copies:
        copy.page = person.page
    return copies


def tallies_are_right(question: Question) -> bool:
    return services.verify_tallies(study=question.study).differences == ()


@pytest.mark.parametrize("again", range(5))
def test_two_tabs_voting_on_one_statement_leave_one_current_vote(again: int) -> None:
    person = booth(question_with(3))
    person.look()
    one, other = tabs(person, 2)

    at_once([lambda: one.vote("agree"), lambda: other.vote("disagree")])

    votes = Vote.objects.order_by("pk")
    assert len(votes) == 2
    assert len(votes.current()) == 1
    assert {vote.value for vote in votes} == {1, -1}
    assert person.block.n_cast == 1
    assert Exposure.objects.count() == 2, "the card voted on and the next one"
    assert tallies_are_right(person.question)


@pytest.mark.parametrize("again", range(5))
def test_the_same_vote_many_times_at_once_is_stored_once(again: int) -> None:
    person = booth(question_with(3))
    person.look()

    answers = at_once([tab.vote for tab in tabs(person, 4)])

    assert Vote.objects.count() == 1
    assert person.block.n_cast == 1
    assert len({(answer.next, answer.notice) for answer in answers}) == 1, "all are answered alike"
    assert tallies_are_right(person.question)


@pytest.mark.parametrize("again", range(3))
def test_many_tabs_opened_at_once_show_one_card(again: int) -> None:
    person = booth(question_with(10))

    pages = at_once([tab.look for tab in tabs(person, 6)])

    assert Exposure.objects.count() == VoteBlock.objects.count() == 1
    assert len({page.context["card"]["nonce"] for page in pages}) == 1
    assert Statement.objects.get(n_shown__gt=0).n_shown == 1


def test_twenty_people_voting_on_one_statement_at_once_are_all_counted() -> None:
    question = question_with(1)
    people = [booth(question) for _ in range(20)]
    for person in people:
        person.look()

    values = ["agree"] * 9 + ["disagree"] * 7 + ["neutral"] * 4
    at_once([partial(person.vote, value) for person, value in zip(people, values, strict=True)])

    statement = Statement.objects.get()
    assert (statement.n_agree, statement.n_disagree, statement.n_neutral, statement.n_shown) == (9, 7, 4, 20)
    assert tallies_are_right(question)


def change_votes(person: Booth, n: int) -> None:
    """Change the last votes on the screen."""
    for vote in (person.page.context["votes"] if person.page else [])[:n]:
        person.vote("disagree" if vote["value"] != "disagree" else "agree", nonce=vote["nonce"])


def vote_and_change(person: Booth) -> int:
    n = person.vote_on_all(("agree", "disagree", "neutral"))
    change_votes(person, 5)
    return n


def go_on_in_spite_of_withdrawals(person: Booth) -> None:
    for _ in range(4):
        try:
            person.vote_on_all(("agree", "neutral"), maximum=1)
            change_votes(person, 2)
        except StatementGone:
            continue


def withdraw(person: Booth, policy: str) -> None:
    with transaction.atomic():
        person.lock()
        services.erase_participation(enrolment=person.enrolment, policy=policy, now=NOW)


@pytest.mark.parametrize("policy", ["uniform", "least_voted"])
def test_people_who_vote_on_each_others_statements_never_wait_in_a_circle(policy: str) -> None:
    question = question_with(2)
    people = [booth(question, policy=policy) for _ in range(8)]
    for person in people:
        services.add_peer_statement(free_response=write(person), moderation="after", now=NOW)

    cast = at_once([partial(vote_and_change, person) for person in people])

    assert cast == [9] * 8, "two seeds and seven statements of the others"
    twice = Exposure.objects.values("enrolment", "statement").annotate(n=Count("pk")).filter(n__gt=1)
    assert not twice.exists()
    assert Vote.objects.current().count() == 72
    assert tallies_are_right(question)


@pytest.mark.parametrize("policy", ["delete_all", "keep_votes"])
def test_a_withdrawal_amid_votes_leaves_right_tallies_and_no_errors(policy: str) -> None:
    question = question_with(2)
    people = [booth(question) for _ in range(6)]
    for person in people:
        services.add_peer_statement(free_response=write(person), moderation="after", now=NOW)
    leavers, stayers = people[:2], people[2:]
    for person in leavers:
        person.vote_on_all(maximum=3)
    for person in stayers:
        person.vote_on_all(maximum=2)

    at_once(
        [partial(go_on_in_spite_of_withdrawals, person) for person in stayers]
        + [partial(withdraw, person, policy) for person in leavers]
    )

    gone = [person.enrolment for person in leavers]
    assert not Statement.objects.filter(author__in=gone).exists()
    assert Vote.objects.filter(enrolment__in=gone).exists() == (policy == "keep_votes")
    assert tallies_are_right(question)


def test_a_repair_amid_votes_loses_none() -> None:
    question = question_with(6)
    people = [booth(question) for _ in range(4)]
    Statement.objects.filter(code="seed-1").update(n_agree=50)

    def repair() -> None:
        for _ in range(5):
            services.verify_tallies(study=question.study, repair=True)

    at_once([*(person.vote_on_all for person in people), repair])

    assert tallies_are_right(question)
    assert set(Statement.objects.values_list("n_agree", flat=True)) == {4}


def test_tallies_of_several_statements_are_taken_in_one_order() -> None:
    question = question_with(40)
    ids = list(Statement.objects.order_by("pk").values_list("pk", flat=True))

    def change(order: list[int]) -> None:
        for _ in range(5):
            with transaction.atomic():
                changes = TallyChanges(person.enrolment)
                for pk in order:
                    changes.add(pk, "n_shown")
                assert not changes.write()

    person = booth(question)
    at_once([partial(change, ids), partial(change, ids[::-1])])

    assert set(Statement.objects.values_list("n_shown", flat=True)) == {10}


def wait_until_somebody_waits() -> None:
    """Return when another connection waits for a lock of ours."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))")
            if cursor.fetchone()[0]:
                return
        time.sleep(0.02)
    raise TimeoutError("nobody waits")


def test_a_changed_vote_and_the_erasure_of_its_statement_do_not_wait_for_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    question = question_with(0)
    writer, reader = booth(question), booth(question)
    services.add_peer_statement(free_response=write(writer), moderation="after", now=NOW)
    nonce = reader.look().context["card"]["nonce"]
    reader.vote("agree")
    locked = threading.Event()

    def lock_and_wait(*arguments: Any, **options: Any) -> list[int]:
        ids = lock_statements(*arguments, **options)
        locked.set()
        wait_until_somebody_waits()
        return ids

    def change_vote() -> str:
        locked.wait(timeout=30)
        with pytest.raises(StatementGone) as caught:
            reader.vote("disagree", nonce=nonce)
        return str(caught.value)

    monkeypatch.setattr(erasure, "lock_statements", lock_and_wait)
    message, _ = at_once([change_vote, partial(withdraw, writer, "delete_all")])

    assert "load the page again" in message
    assert not Vote.objects.exists()


def test_a_statement_that_is_erased_while_it_is_drawn_is_not_shown() -> None:
    question = question_with(0)
    writer, reader = booth(question), booth(question)
    services.add_peer_statement(free_response=write(writer), moderation="after", now=NOW)
    drawn, erased = threading.Event(), threading.Event()

    def erase() -> None:
        drawn.wait(timeout=30)
        services.erase_participation(enrolment=writer.enrolment, policy="delete_all", now=NOW)
        erased.set()

    def look() -> str:
        with pytest.MonkeyPatch.context() as patch:
            show = services.show_statement

            def show_later(**arguments: Any) -> Any:
                drawn.set()
                erased.wait(timeout=30)
                return show(**arguments)

            patch.setattr(services, "show_statement", show_later)
            with pytest.raises(StatementGone) as caught:
                reader.look()
        return str(caught.value)

    message, _ = at_once([look, erase])

    assert "load the page again" in message
    assert not Exposure.objects.exists()
    assert reader.look().context["card"] is None
