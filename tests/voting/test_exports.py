"""Statements and votes as tables, and that every draw can be made again from them alone."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core import registry
from core.tables import write_table
from studies.models import Question
from tests.factories import NOW, SeedDraftFactory, UserFactory
from tests.voting.booth import booth, question_with, write
from voting import exports, services
from voting.models import Statement
from voting.routing import Route, redraw

pytestmark = pytest.mark.django_db

Rows = list[dict[str, str]]


def exported(question: Question, folder: Path) -> dict[str, Rows]:
    """All tables of the question's study, read back from their files as text."""
    found = {}
    for table in exports.tables():
        written = write_table(table, table.rows(question.study), folder)
        with written.path.open(encoding="utf-8", newline="") as file:
            found[table.name] = list(csv.DictReader(file))
    return found


def populate(question: Question, *, policy: str, people: int = 12) -> None:
    """People come one after another, write, vote, change votes and go; moderation and previews come in between."""
    moderator, now = UserFactory(), NOW
    for n in range(people):
        person = booth(question, policy=policy, origin="preview" if n == 5 else "live", now=now)
        moderation = "before" if n % 3 == 2 else "after"
        statement = services.add_peer_statement(free_response=write(person), moderation=moderation, now=person.now)
        person.vote_on_all(("agree", "neutral", "disagree"), maximum=4)
        assert person.page is not None
        person.vote("agree", nonce=person.page.context["votes"][-1]["nonce"])
        now = person.now
        if n % 3 == 2:
            services.approve_statement(statement=statement, by=moderator, now=now)
        if n == 7:
            services.reject_statement(statement=Statement.objects.get(code="seed-1"), by=moderator, now=now)


def test_the_tables_are_registered() -> None:
    module = next(module for module in registry.modules() if module.slug == "voting")

    assert [table.name for table in module.tables()] == [
        "statements",
        "exposures",
        "votes",
        "vote_blocks",
        "generated_seeds",
    ]


def test_what_happened_is_in_the_tables(tmp_path: Path) -> None:
    question = question_with(2)
    person = booth(question)
    person.vote_on_all(("agree", "disagree"))
    assert person.page is not None
    person.vote("neutral", nonce=person.page.context["votes"][0]["nonce"])
    person.finish()

    tables = exported(question, tmp_path)

    assert [row["value"] for row in tables["votes"]] == ["1", "-1", "0"]
    assert [bool(row["superseded_at"]) for row in tables["votes"]] == [False, True, False]
    assert [row["exposure_rank"] for row in tables["votes"]] == ["1", "2", "2"]
    assert [(row["rank"], row["policy"], row["n_eligible"]) for row in tables["exposures"]] == [
        ("1", "uniform", "2"),
        ("2", "uniform", "1"),
    ]
    block = tables["vote_blocks"][0]
    assert (block["minimum"], block["required"], block["n_cast"]) == ("3", "2", "2")
    assert block["closed_at"]
    assert {row["participant"] for name in ("votes", "exposures") for row in tables[name]} == {
        person.enrolment.public_code
    }


def test_previews_stay_behind(tmp_path: Path) -> None:
    question = question_with(1)
    preview = booth(question, origin="preview")
    services.add_peer_statement(free_response=write(preview), moderation="after", now=NOW)
    preview.vote_on_all()

    tables = exported(question, tmp_path)

    assert [row["statement"] for row in tables["statements"]] == ["seed-1"]
    assert tables["votes"] == tables["exposures"] == tables["vote_blocks"] == []


def test_a_table_is_read_by_one_query() -> None:
    question = question_with(3)
    populate(question, policy="uniform", people=2)
    SeedDraftFactory(question=question)

    for table in exports.tables():
        with CaptureQueriesContext(connection) as captured:
            assert list(table.rows(question.study))
        assert len(captured) == 1


def at(cell: str) -> datetime | None:
    return datetime.fromisoformat(cell) if cell else None


def is_live(statement: dict[str, str], now: datetime) -> bool:
    approved, removed = at(statement["approved_at"]) or at(statement["created_at"]), at(statement["removed_at"])
    assert approved is not None
    return statement["status"] != "pending" and approved <= now and (removed is None or now < removed)


def votes_before(votes: Rows, now: datetime) -> dict[str, int]:
    """How many people had voted on each statement at that moment."""
    people: dict[str, set[str]] = {}
    for vote in votes:
        cast = at(vote["cast_at"])
        assert cast is not None
        if cast <= now:
            people.setdefault(vote["statement"], set()).add(vote["participant"])
    return {code: len(them) for code, them in people.items()}


def redrawn(tables: dict[str, Rows], question: Question, route: Route) -> Iterator[tuple[dict[str, str], Any]]:
    """Each exposure with the draw that its row and the other tables give."""
    shown: dict[str, set[str]] = {}
    for exposure in tables["exposures"]:
        person, now = exposure["participant"], at(exposure["shown_at"])
        assert now is not None
        seen = shown.setdefault(person, set())
        n_votes = votes_before(tables["votes"], now)
        pool = {
            row["statement"]: n_votes.get(row["statement"], 0)
            for row in tables["statements"]
            if is_live(row, now) and row["author"] != person and row["statement"] not in seen
        }
        yield (
            exposure,
            redraw(
                pool,
                route,
                seed=question.study.seed,
                public_code=person,
                question_code=exposure["question"],
                rank=int(exposure["rank"]),
            ),
        )
        seen.add(exposure["statement"])


@pytest.mark.parametrize("policy", ["uniform", "least_voted", "mixed"])
def test_every_draw_can_be_made_again_from_the_exported_tables(tmp_path: Path, policy: str) -> None:
    question = question_with(4)
    populate(question, policy=policy)
    tables = exported(question, tmp_path)

    pairs = list(redrawn(tables, question, Route(policy, 0.5)))

    assert len(pairs) == 11 * 5 - 1, "the first person had nobody's statement but the seeds"
    for exposure, draw in pairs:
        assert (exposure["statement"], exposure["policy"], exposure["n_eligible"]) == (
            draw.code,
            draw.policy,
            str(draw.n_eligible),
        )
