"""Every table of studies: what is in it, and that previews are in none."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core import registry
from studies import exports
from studies.data.folder import all_tables, conventions
from studies.data.withdrawal import withdraw_enrolment
from studies.models import Enrolment, Study
from tests.factories import BLOCKS_WITH_VOTES, NOW, StudyFactory, published_study
from tests.studies.data.rich import TEXTS, rich_study
from tests.walking import Walker

pytestmark = pytest.mark.django_db

Rows = Callable[..., list[dict[str, Any]]]
NEEDED = {
    "participants",
    "answers",
    "responses",
    "ratings",
    "statements",
    "votes",
    "exposures",
    "page_views",
    "groups",
    "scores",
}


def test_every_table_that_was_promised_is_there() -> None:
    assert {table.name for table in all_tables()} >= NEEDED


def test_the_tables_are_registered() -> None:
    module = next(module for module in registry.modules() if module.slug == "studies")

    assert module.tables() == exports.tables()


def test_names_of_tables_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    twice = (*exports.tables(), exports.tables()[0])
    monkeypatch.setattr("core.registry.StudyModule.tables", property(lambda module: lambda: twice))

    with pytest.raises(ValueError, match="participants"):
        all_tables()


def test_participants_carry_status_version_and_durations(rich: Study, exported: Rows) -> None:
    rows = {row["participant"]: row for row in exported(rich, "participants")}

    first = rows["P000"]
    assert (first["origin"], first["status"], first["recruiter"]) == ("live", "complete", "open")
    assert (first["version"], first["version_sha256"]) == (1, rich.current_version.sha256)
    assert (first["consent_s"], first["duration_s"]) == (5.0, 600.25)
    assert first["started_at"] == NOW
    assert first["import_batch"] is None
    assert rows["X-active"]["finished_at"] is None
    assert rows["X-active"]["duration_s"] is None
    assert "PREVIEW" not in rows
    assert len(rows) == 29


def test_answers_fill_one_column_or_say_why_none(rich: Study, exported: Rows) -> None:
    rows = {row["item"]: row for row in exported(rich, "answers")}

    assert rows["age"]["value_integer"] == 44
    assert rows["ethnicity"]["value_choices"] == ["asian", "other"]
    assert rows["remarks"]["value_text"] == TEXTS[0]
    assert rows["sex"]["missing"] == "declined"
    assert rows["sex"]["value_choice"] is None


def test_responses_are_exactly_what_was_written(rich: Study, exported: Rows) -> None:
    rows = exported(rich, "responses")

    assert {row["text"] for row in rows} == {
        f"{TEXTS[n % len(TEXTS)]} {code} {n}" for n in range(9) for code in ("q1", "q2")
    }
    assert {(row["stance"], row["importance"]) for row in rows} == {("neutral", 3)}


def test_ratings_keep_their_history(rich: Study, exported: Rows) -> None:
    rows = exported(rich, "ratings")

    of_one = [row for row in rows if (row["participant"], row["question"], row["source"]) == ("P003", "q1", "s1")]
    assert [row["superseded_at"] for row in of_one] == [NOW + timedelta(seconds=4), None]
    assert (of_one[0]["question_revision"], of_one[0]["answer_revision"], of_one[0]["rank"]) == (1, 1, 1)


def test_page_views_name_sources_rather_than_rows(rich: Study, exported: Rows) -> None:
    rows = exported(rich, "page_views")

    assert [(row["participant"], row["kind"], row["question"], row["source"]) for row in rows] == [
        ("P000", "rate", "q1", "s1")
    ]
    assert rows[0]["shown"] == {"rank": 1}


def test_what_came_too_late_is_without_content_unless_it_is_asked_for(rich: Study, exported: Rows) -> None:
    assert exported(rich, "late_submissions")[0]["payload"] is None

    late = exported(rich, "late_submissions", include_personal=True)
    assert late[0]["payload"]["text"] == ["a late secret"]


def test_recruiters_ids_are_in_a_table_of_their_own(rich: Study, exported: Rows) -> None:
    rows = exported(rich, "external_ids", include_personal=True)
    assert [(row["participant"], row["external_id"]) for row in rows] == [("P000", "5f3e8c1a9b2d4e6f7a8b9c0d")]

    others = [table for table in all_tables() if table.name != "external_ids"]
    assert not any(column.name in {"external_id", "session_id"} for table in others for column in table.columns)


def test_tombstones_say_who_withdrew_and_what_went(rich: Study, exported: Rows) -> None:
    assert [(row["participant"], row["erased"]) for row in exported(rich, "tombstones")] == [
        ("X-withdrawn", {"studies": 4})
    ]


def test_content_is_there_in_every_revision(rich: Study, exported: Rows) -> None:
    assert [(row["question"], row["is_frozen"]) for row in exported(rich, "questions")] == [("q1", True), ("q2", True)]
    assert [row["source"] for row in exported(rich, "sources")] == ["s1", "s2", "s3"]
    assert len(exported(rich, "model_answers")) == 6


@pytest.mark.parametrize("name", [table.name for table in all_tables()])
def test_previews_are_in_no_table(rich: Study, exported: Rows, name: str) -> None:
    preview = rich.enrolments.get(origin=Enrolment.Origin.PREVIEW)
    rows = exported(rich, name, include_personal=True)

    assert not [row for row in rows if preview.public_code in map(str, row.values())]
    assert not [row for row in rows if "Only a preview." in map(str, row.values())]


@pytest.mark.parametrize("name", [table.name for table in all_tables()])
def test_another_study_is_in_no_table(rich: Study, exported: Rows, name: str) -> None:
    other = StudyFactory()

    assert exported(other, name, include_personal=True) == []


@pytest.mark.parametrize("table", exports.tables(), ids=lambda table: table.name)
def test_more_rows_take_no_more_queries(rich: Study, table: Any) -> None:
    def n_queries(study: Study) -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            list(table.rows(study))
        return len(queries)

    few = n_queries(published_study(n_questions=1, n_answers=1))

    assert n_queries(rich) == few == 1


def test_who_walks_through_is_in_every_table(db: None, exported: Rows) -> None:
    study = published_study(blocks=BLOCKS_WITH_VOTES, n_questions=1, n_seeds=3, vote={"minimum": 2})
    walker = Walker(study.slug)
    walker.start()
    walker.walk()

    person = study.enrolments.get().public_code
    for name in ("participants", "consents", "slots", "answers", "responses", "ratings", "page_views", "votes"):
        assert {row["participant"] for row in exported(study, name)} == {person}, name
    kinds = {row["kind"] for row in exported(study, "page_views")}
    assert kinds >= {"consent", "form", "write", "rate", "vote"}


def test_nothing_of_who_withdrew_is_left_but_that_they_did(exported: Rows) -> None:
    study = rich_study()
    withdraw_enrolment(enrolment=study.enrolments.get(public_code="P000"), by=None, now=NOW + timedelta(days=1))

    for name in ("answers", "responses", "ratings", "page_views", "late_submissions", "votes", "external_ids"):
        assert "P000" not in {row.get("participant") for row in exported(study, name, include_personal=True)}, name
    assert [row["status"] for row in exported(study, "participants") if row["participant"] == "P000"] == ["withdrawn"]
    assert "P000" in {row["participant"] for row in exported(study, "tombstones")}


def test_conventions_say_what_the_signs_of_votes_mean() -> None:
    found = conventions(all_tables())

    assert found["votes.value"] == {"1": "agree", "-1": "disagree", "0": "neutral"}
    assert found["ratings.value"]["1"].startswith("lowest")
