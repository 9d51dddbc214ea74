"""The vote block: what is shown, what is taken, and when a person may go on."""

from __future__ import annotations

import uuid

import pytest
from django.db.models import F

from studies.session.blocks import Next, PlanContext
from tests.factories import StatementFactory
from tests.voting.booth import NOW, RUNNER, Booth, booth, question_with, write
from voting import services
from voting.models import Exposure, Statement, Vote, VoteBlock

pytestmark = pytest.mark.django_db


def test_a_question_has_one_step() -> None:
    question = question_with(0)
    person = booth(question)

    steps = RUNNER.plan(PlanContext(definition={}, enrolment=person.enrolment, seed="s", question=question))

    assert [(step.kind, step.number) for step in steps] == [("vote", 1)]
    assert (RUNNER.kind, RUNNER.per_question) == ("vote", True)


def test_the_first_look_opens_the_block_and_shows_a_card() -> None:
    person = booth(question_with(5), minimum=3)

    page = person.look()

    exposure = Exposure.objects.get()
    assert page.template == "voting/vote.html"
    assert page.context == {
        "card": {"nonce": exposure.nonce, "text": exposure.statement.text, "number": 1},
        "minimum": 3,
        "required": 3,
        "cast": 0,
        "exhausted": False,
        "may_finish": False,
        "votes": [],
    }
    assert page.shown == {"statement": exposure.statement.code, "rank": 1}
    assert (exposure.rank, exposure.policy, exposure.n_eligible, exposure.shown_at) == (1, "uniform", 5, person.now)
    assert exposure.statement.n_shown == 1


def test_a_reload_and_another_tab_show_the_same_card() -> None:
    person = booth(question_with(5))

    first = person.look().context["card"]
    again = [person.look().context["card"] for _ in range(3)]

    assert again == [first] * 3
    assert Exposure.objects.count() == 1
    assert Statement.objects.get(n_shown__gt=0).n_shown == 1


def test_nobody_sees_a_statement_twice() -> None:
    person = booth(question_with(6))

    assert person.vote_on_all() == 6

    assert sorted(person.shown) == [f"seed-{n}" for n in range(1, 7)]
    assert list(Exposure.objects.order_by("rank").values_list("rank", flat=True)) == [1, 2, 3, 4, 5, 6]


def test_nobody_sees_their_own_statement() -> None:
    question = question_with(2)
    author, reader = booth(question), booth(question)
    own = services.add_peer_statement(free_response=write(author), moderation="after", now=NOW)

    author.vote_on_all()
    reader.vote_on_all()

    assert own.code not in author.shown
    assert own.code in reader.shown


def test_a_statement_of_another_question_is_never_shown() -> None:
    question = question_with(2)
    StatementFactory(question__study=question.study, code="elsewhere")
    person = booth(question)

    person.vote_on_all()

    assert sorted(person.shown) == ["seed-1", "seed-2"]


@pytest.mark.parametrize("status", ["pending", "rejected", "withdrawn"])
def test_a_statement_that_is_not_approved_is_never_shown(status: str) -> None:
    question = question_with(1)
    StatementFactory(question=question, code="hidden", origin="peer", status=status)
    person = booth(question)

    person.vote_on_all()

    assert person.shown == ["seed-1"]


def test_a_vote_is_stored_and_counted_and_the_next_card_comes() -> None:
    person = booth(question_with(3))
    first = person.look().context["card"]

    submitted = person.vote("disagree")

    vote = Vote.objects.get()
    assert submitted.next is Next.STAY
    assert not submitted.errors
    assert (vote.value, vote.exposure.nonce, vote.cast_at, vote.superseded_at) == (-1, first["nonce"], person.now, None)
    assert person.card is not None
    assert person.card["number"] == 2
    assert person.page is not None
    assert person.page.context["cast"] == 1
    assert person.page.context["votes"] == [{"nonce": first["nonce"], "text": first["text"], "value": "disagree"}]
    vote.statement.refresh_from_db()
    assert (vote.statement.n_agree, vote.statement.n_disagree, vote.statement.n_neutral) == (0, 1, 0)


def test_the_same_vote_again_changes_nothing() -> None:
    person = booth(question_with(3))
    nonce = person.look().context["card"]["nonce"]
    person.vote("agree")
    shown = person.page

    submitted = person.vote("agree", nonce=nonce)

    assert submitted.next is Next.STAY
    assert Vote.objects.count() == 1
    assert person.page == shown
    assert person.block.n_cast == 1


def test_a_changed_vote_supersedes_and_keeps_the_history() -> None:
    person = booth(question_with(3))
    nonce = person.look().context["card"]["nonce"]
    for value in ("agree", "neutral", "agree"):
        person.vote(value, nonce=nonce)

    votes = list(Vote.objects.order_by("pk"))
    assert [vote.value for vote in votes] == [1, 0, 1]
    assert [vote.superseded_at for vote in votes] == [votes[1].cast_at, votes[2].cast_at, None]
    statement = votes[0].statement
    statement.refresh_from_db()
    assert (statement.n_agree, statement.n_disagree, statement.n_neutral) == (1, 0, 0)
    assert person.block.n_cast == 1
    assert person.page is not None
    assert [vote["value"] for vote in person.page.context["votes"]] == ["agree"]


def test_a_vote_is_changed_up_to_a_limit_and_the_last_one_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voting.services.votes.VOTES_KEPT", 3)
    person = booth(question_with(3))
    nonce = person.look().context["card"]["nonce"]
    for value in ("agree", "neutral", "disagree"):
        assert not person.vote(value, nonce=nonce).notice

    refused = person.vote("agree", nonce=nonce)

    assert "your last vote counts" in refused.notice
    assert not refused.errors
    assert (Vote.objects.count(), Vote.objects.current().get().value) == (3, -1)
    statement = Statement.objects.get(n_disagree=1)
    assert (statement.n_agree, statement.n_neutral) == (0, 0)
    # The same again is no change, and other statements have their own votes.
    assert not person.vote("disagree", nonce=nonce).notice
    assert not person.vote("agree").notice
    assert Vote.objects.count() == 4


def test_a_changed_vote_does_not_turn_the_open_card() -> None:
    person = booth(question_with(4))
    nonce = person.look().context["card"]["nonce"]
    person.vote("agree")
    open_card = person.card

    person.vote("disagree", nonce=nonce)

    assert person.card == open_card
    assert Exposure.objects.count() == 2


def test_a_change_at_a_clock_that_is_behind_supersedes_at_the_time_of_the_vote() -> None:
    person = booth(question_with(2))
    nonce = person.look().context["card"]["nonce"]
    person.vote("agree")
    person.now = NOW

    person.vote("neutral", nonce=nonce)

    old, new = Vote.objects.order_by("pk")
    assert old.superseded_at == old.cast_at == new.cast_at


@pytest.mark.parametrize("value", ["", "maybe", "1", "AGREE"])
def test_a_vote_that_is_none_is_refused(value: str) -> None:
    person = booth(question_with(2))
    person.look()

    submitted = person.vote(value)

    assert submitted.errors == {"value": "Choose agree, disagree or neutral."}
    assert not Vote.objects.exists()


@pytest.mark.parametrize("nonce", ["", "x", str(uuid.UUID(int=0))])
def test_a_vote_on_an_unknown_card_stores_nothing_and_says_so(nonce: str) -> None:
    person = booth(question_with(2))
    person.look()

    submitted = person.post(action="vote", value="agree", exposure=nonce)

    assert submitted.next is Next.STAY
    assert "no longer there" in submitted.notice
    assert not Vote.objects.exists()


@pytest.mark.parametrize("change", ["", " agree", "x agree", f"{uuid.UUID(int=0)} agree"])
def test_a_change_of_an_unknown_vote_stores_nothing(change: str) -> None:
    person = booth(question_with(2))
    person.look()

    submitted = person.post(action="vote", change=change)

    assert submitted.next is Next.STAY
    assert submitted.errors or "no longer there" in submitted.notice
    assert not Vote.objects.exists()


def test_nobody_votes_with_the_card_of_somebody_else() -> None:
    question = question_with(2)
    person, other = booth(question), booth(question)
    person.look()
    other.look()

    person.vote("agree", nonce=other.card and other.card["nonce"])

    assert not Vote.objects.exists()


def test_a_vote_before_anything_was_shown_shows_the_first_card() -> None:
    person = booth(question_with(2))

    submitted = person.post(action="finish")

    assert submitted.next is Next.STAY
    assert person.card is not None
    assert person.block.closed_at is None


def test_going_on_before_the_minimum_says_how_many_are_missing() -> None:
    person = booth(question_with(5), minimum=3)
    person.look()
    person.vote()

    submitted = person.finish()

    assert submitted.next is Next.STAY
    assert submitted.errors == {"value": "Please vote on 2 more statements before you go on."}
    assert person.block.closed_at is None


def test_the_last_missing_vote_is_named_in_the_singular() -> None:
    person = booth(question_with(5), minimum=2)
    person.look()
    person.vote()

    assert person.finish().errors == {"value": "Please vote on 1 more statement before you go on."}


def test_after_the_minimum_one_may_go_on_or_vote_on_more() -> None:
    person = booth(question_with(5), minimum=2)
    person.vote_on_all(maximum=2)
    assert person.page is not None
    assert person.page.context["may_finish"]
    assert person.card is not None

    person.vote()
    submitted = person.finish()

    assert submitted.next is Next.ADVANCE
    assert (person.block.n_cast, person.block.closed_at) == (3, person.now)


def test_with_fewer_statements_than_the_minimum_what_there_is_is_required() -> None:
    person = booth(question_with(2), minimum=10)
    page = person.look()
    assert (page.context["minimum"], page.context["required"]) == (10, 2)

    person.vote_on_all()

    assert person.page is not None
    assert person.page.context["exhausted"]
    assert person.page.context["may_finish"]
    assert person.finish().next is Next.ADVANCE
    assert (person.block.minimum, person.block.required) == (10, 2)


def test_what_is_required_does_not_grow_while_the_block_is_open() -> None:
    question = question_with(2)
    person = booth(question, minimum=10)
    person.look()
    for n in range(8):
        StatementFactory(question=question, code=f"late-{n}")

    person.vote()
    assert person.page is not None
    assert (person.page.context["required"], person.page.context["may_finish"]) == (2, False)
    person.vote()

    assert person.page.context["may_finish"]
    assert person.card is not None, "more may be voted on"


def test_without_any_statement_one_goes_on_at_once() -> None:
    person = booth(question_with(0), minimum=10)

    page = person.look()

    assert (page.context["card"], page.context["required"], page.context["may_finish"]) == (None, 0, True)
    assert page.shown == {"statement": None, "rank": None}
    assert person.finish().next is Next.ADVANCE


def test_statements_that_come_in_meanwhile_are_shown() -> None:
    question = question_with(1)
    person, writer = booth(question), booth(question)
    person.vote_on_all()
    assert person.card is None

    services.add_peer_statement(free_response=write(writer, "A new view."), moderation="after", now=NOW)
    person.look()

    assert person.card is not None
    assert person.card["text"] == "A new view."


def test_a_card_rejected_meanwhile_gives_way_to_another() -> None:
    question = question_with(2)
    person = booth(question, minimum=2)
    person.look()
    first = person.shown[0]
    Statement.objects.filter(code=first).update(status="rejected")

    person.look()

    assert len(person.shown) == 2
    assert person.shown[1] != first


def test_a_vote_on_a_card_rejected_meanwhile_still_counts_for_the_person() -> None:
    person = booth(question_with(2), minimum=2)
    nonce = person.look().context["card"]["nonce"]
    Statement.objects.filter(exposures__nonce=nonce).update(status="rejected")

    person.vote("agree", nonce=nonce)

    assert person.block.n_cast == 1
    assert person.page is not None
    assert person.page.context["votes"] == [], "its text is not shown any more"


def test_one_may_go_on_when_rejections_leave_too_few() -> None:
    person = booth(question_with(3), minimum=3)
    person.look()
    Statement.objects.update(status="rejected")

    page = person.look()

    assert (page.context["card"], page.context["may_finish"]) == (None, True)
    assert person.finish().next is Next.ADVANCE


def finished(n_seeds: int = 3) -> tuple[Booth, uuid.UUID]:
    person = booth(question_with(n_seeds), minimum=1)
    nonce = person.look().context["card"]["nonce"]
    person.vote("agree")
    person.finish()
    return person, nonce


def test_a_vote_after_the_block_was_finished_is_late() -> None:
    person, nonce = finished()

    submitted = person.vote("disagree", nonce=nonce)

    assert submitted.late
    assert list(Vote.objects.values_list("value", flat=True)) == [1]


def test_a_vote_for_a_finished_question_is_late_on_another_one() -> None:
    person, nonce = finished()
    elsewhere = booth(question_with(2, study=person.question.study))
    elsewhere.enrolment = person.enrolment
    elsewhere.look()

    submitted = elsewhere.vote("disagree", nonce=nonce)

    assert submitted.late
    assert list(Vote.objects.values_list("value", flat=True)) == [1]


def test_what_repeats_is_told_from_what_differs() -> None:
    person, nonce = finished()

    def repeats(**fields: str) -> bool:
        return RUNNER.is_repeat(person.context, {name: [value] for name, value in fields.items()})

    assert repeats(action="finish")
    assert repeats(action="vote", value="agree", exposure=str(nonce))
    assert not repeats(action="vote", value="neutral", exposure=str(nonce))
    assert not repeats(action="vote", value="agree", exposure=str(uuid.uuid4()))
    assert not repeats(action="vote", value="agree", exposure="x")


def test_a_session_lacks_the_blocks_that_were_not_finished() -> None:
    person, _nonce = finished()
    other = booth(question_with(2, study=person.question.study))
    other.enrolment = person.enrolment
    other.look()

    assert RUNNER.lacks(person.enrolment, [person.step]) == 0
    assert RUNNER.lacks(person.enrolment, [person.step, other.step]) == 1


def test_a_preview_sees_seeds_and_previews_and_counts_for_nothing() -> None:
    question = question_with(1)
    StatementFactory(question=question, code="draft", status="pending")
    live, preview, other = booth(question), booth(question, origin="preview"), booth(question, origin="preview")
    services.add_peer_statement(free_response=write(live), moderation="after", now=NOW)
    previewed = services.add_peer_statement(free_response=write(other), moderation="after", now=NOW)

    preview.vote_on_all()
    live.vote_on_all()

    assert sorted(preview.shown) == sorted(["seed-1", "draft", previewed.code])
    assert live.shown == ["seed-1"]
    tallies = dict(Statement.objects.values_list("code", F("n_shown") * 10 + F("n_agree")))
    assert tallies["seed-1"] == 11, "the live person's, not the preview's"
    assert tallies["draft"] == 0
    assert tallies[previewed.code] == 11


def test_simulated_people_take_part_as_live_ones_do() -> None:
    question = question_with(1)
    robot, person = booth(question, origin="simulated"), booth(question)
    statement = services.add_peer_statement(free_response=write(robot), moderation="after", now=NOW)

    person.vote_on_all()

    assert statement.code in person.shown
    assert not statement.is_preview


def test_a_block_is_opened_once() -> None:
    person = booth(question_with(3))
    person.look()
    person.look()

    assert VoteBlock.objects.count() == 1
