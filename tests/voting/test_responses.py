"""Long-form tables: what few columns do, what is refused and where, and that doing it again changes nothing."""

from __future__ import annotations

import io
import json
import re
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from core.errors import BadInput
from core.models import AuditEvent
from studies.data.withdrawal import withdraw_enrolment
from studies.models import Enrolment, FreeResponse, Question, RepresentationRating, Study
from tests.factories import (
    NOW,
    EnrolmentFactory,
    ModelAnswerFactory,
    QuestionFactory,
    SourceFactory,
    StatementFactory,
    StudyFactory,
    UserFactory,
)
from voting.models import Statement, Vote
from voting.services import verify_tallies
from voting.services.longform.kinds import SPECS, Content, recognise
from voting.services.responses import ImportedResponses, import_responses

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "importing.md"

STATEMENTS = "question,statement,text\nq1,s1,Parks should close at night.\nq1,s2,Everybody should pay for paths.\n"
VOTES = "participant,question,statement,value\nanna,q1,s1,1\nanna,q1,s2,-1\nben,q1,s1,0\n"
RATINGS = "participant,question,source,value\nanna,q1,m1,5\nben,q1,m1,2\n"
RESPONSES = "participant,question,text\nanna,q1,Let people decide.\n"
PEOPLE = """\
participant,status,started_at,finished_at
anna,complete,2024-05-01T10:00:00Z,2024-05-01T10:20:00Z
ben,timed_out,,
"""

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(db: None) -> Study:
    """A draft with a question, and two models that answered it."""
    study = StudyFactory(language="de")
    question = QuestionFactory(study=study, code="q1")
    for code in ("m1", "m2"):
        ModelAnswerFactory(question=question, source=SourceFactory(study=study, code=code))
    return study


class Importer:
    """Writes files and imports them."""

    def __init__(self, study: Study, folder: Path) -> None:
        self.study, self.folder = study, folder

    def __call__(
        self, now: datetime = NOW, by: Any = None, how: dict[str, bool] | None = None, **files: Any
    ) -> ImportedResponses:
        return import_responses(study=self.study, files=self.write(files), by=by, now=now, **(how or {}))

    def write(self, files: dict[str, str | bytes]) -> list[Path]:
        paths = []
        for name, content in files.items():
            path = self.folder / (name.replace("__", ".") if "__" in name else f"{name}.csv")
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            paths.append(path)
        return paths

    def refused(self, **files: Any) -> list[tuple[str, int | None, int | None, str]]:
        """The places and messages of what is wrong, nothing being written."""
        before = stored(self.study)
        with pytest.raises(BadInput) as error:
            self(**files)
        assert stored(self.study) == before
        return [(each.file, each.line, each.column, str(each)) for each in error.value.problems]

    def places(self, **files: Any) -> list[tuple[str, int | None, int | None]]:
        return [place[:3] for place in self.refused(**files)]


@pytest.fixture
def take(study: Study, tmp_path: Path) -> Importer:
    return Importer(study, tmp_path)


def stored(study: Study) -> list[Any]:
    """Every row that an import may write."""
    rows: list[Any] = [
        Enrolment.objects.filter(study=study),
        Statement.objects.filter(question__study=study),
        FreeResponse.objects.filter(question__study=study),
        RepresentationRating.objects.filter(answer__question__study=study),
        Vote.objects.filter(statement__question__study=study),
        AuditEvent.objects.all(),
    ]
    return [list(each.order_by("pk").values_list()) for each in rows]


def votes_of(study: Study) -> list[tuple[str, str, int, bool]]:
    rows = Vote.objects.filter(statement__question__study=study).order_by("cast_at", "pk")
    columns = ("enrolment__public_code", "statement__code", "value", "superseded_at")
    return [(person, code, value, end is None) for person, code, value, end in rows.values_list(*columns)]


# --- What few columns do --------------------------------------------------------------------------------------------


def test_votes_and_statements_are_enough(take: Importer, study: Study) -> None:
    done = take(votes=VOTES, statements=STATEMENTS)

    assert sorted(votes_of(study)) == [("anna", "s1", 1, True), ("anna", "s2", -1, True), ("ben", "s1", 0, True)]
    assert {row.cast_at for row in Vote.objects.all()} == {NOW}
    assert done.n_new == {"participants": 2, "statements": 2, "responses": 0, "ratings": 0, "votes": 3}
    statement = Statement.objects.get(code="s1")
    assert (statement.origin, statement.status, statement.author) == ("import", "approved", None)
    assert (statement.n_agree, statement.n_neutral, statement.n_disagree) == (1, 1, 0)
    assert verify_tallies(study=study).differences == ()


def test_people_who_occur_are_imported_as_complete(take: Importer, study: Study) -> None:
    take(votes=VOTES, statements=STATEMENTS)

    anna = study.enrolments.get(public_code="anna")
    assert (anna.origin, anna.status, anna.version, anna.recruiter) == ("imported", "complete", None, "import")
    assert (anna.started_at, anna.finished_at, anna.language) == (NOW, NOW, "de")
    assert anna.import_batch.startswith("responses:")


def test_their_times_span_what_they_did(take: Importer, study: Study) -> None:
    votes = VOTES.replace("value\n", "value,cast_at\n").replace("s1,1\n", "s1,1,2024-05-01T10:07:00Z\n")
    votes = votes.replace("s2,-1\n", "s2,-1,2024-05-01T12:08:00+02:00\n").replace("s1,0\n", "s1,0,\n")

    take(votes=votes, statements=STATEMENTS)

    anna, ben = (study.enrolments.get(public_code=code) for code in ("anna", "ben"))
    assert anna.started_at == datetime(2024, 5, 1, 10, 7, tzinfo=UTC)
    assert anna.finished_at == anna.last_seen_at == datetime(2024, 5, 1, 10, 8, tzinfo=UTC)
    assert ben.started_at == NOW


def test_declared_people_are_as_declared(take: Importer, study: Study) -> None:
    take(people=PEOPLE, votes=VOTES, statements=STATEMENTS)

    anna, ben = (study.enrolments.get(public_code=code) for code in ("anna", "ben"))
    assert (anna.started_at.minute, anna.finished_at.minute, anna.status) == (0, 20, "complete")
    assert (ben.status, ben.finished_at) == ("timed_out", NOW)


def test_ratings_and_responses_are_stored(take: Importer, study: Study) -> None:
    take(ratings=RATINGS, responses=RESPONSES)

    rows = RepresentationRating.objects.values_list("enrolment__public_code", "answer__source__code", "value", "rank")
    assert sorted(rows) == [("anna", "m1", 5, None), ("ben", "m1", 2, None)]
    response = FreeResponse.objects.get()
    assert (response.text, response.n_characters, response.stance, response.importance) == (
        "Let people decide.",
        18,
        "",
        None,
    )
    assert not Statement.objects.exists()


def test_texts_are_stored_unchanged(take: Importer, study: Study) -> None:
    text = 'Line\r\nline, "quoted" cafe\u0301 \u200b =cmd() 市民'
    quoted = '"' + text.replace('"', '""') + '"'

    take(responses=f"participant,question,text\nanna,q1,{quoted}\n", statements=f"question,code,text\nq1,a,{quoted}\n")

    assert FreeResponse.objects.get().text == Statement.objects.get().text == text


def test_changes_of_mind_are_history(take: Importer, study: Study) -> None:
    votes = "participant,question,statement,value,cast_at\n" + "".join(
        f"anna,q1,s1,{value},2024-05-01T10:0{minute}:00Z\n" for value, minute in ((0, 3), (1, 1), (-1, 2), (0, 4))
    )

    done = take(votes=votes, statements=STATEMENTS)

    assert votes_of(study) == [("anna", "s1", 1, False), ("anna", "s1", -1, False), ("anna", "s1", 0, True)]
    first, second, _third = Vote.objects.order_by("cast_at")
    assert first.superseded_at == second.cast_at
    assert (done.n_changes["votes"], done.n_repeated["votes"]) == (2, 1)
    assert Statement.objects.get(code="s1").n_neutral == 1


def test_changed_ratings_are_history(take: Importer, study: Study) -> None:
    times = ("2024-05-01T10:00:00Z", "2024-05-02T10:00:00Z")
    rows = "".join(f"anna,q1,m1,{value},{at}\n" for value, at in zip((2, 4), times, strict=True))

    take(ratings="participant,question,source,value,rated_at\n" + rows)

    assert list(RepresentationRating.objects.current().values_list("value", flat=True)) == [4]
    assert RepresentationRating.objects.count() == 2


def test_json_lines_may_leave_out_what_is_missing(take: Importer, study: Study) -> None:
    rows = [
        {"participant": "anna", "question": "q1", "statement": "s1", "value": 1},
        {"participant": "ben", "question": "q1", "statement": "s1", "value": -1, "cast_at": "2024-05-01T10:00:00Z"},
    ]

    take(votes__jsonl="".join(json.dumps(row) + "\n" for row in rows), statements=STATEMENTS)

    assert len(votes_of(study)) == 2


def test_parquet_is_read(take: Importer, study: Study) -> None:
    import pandas as pd

    frame = pd.DataFrame({"participant": ["anna"], "question": ["q1"], "source": ["m2"], "value": [3]})
    file = io.BytesIO()
    frame.to_parquet(file, index=False)

    take(ratings__parquet=file.getvalue())

    assert RepresentationRating.objects.get().answer.source.code == "m2"


def test_columns_that_are_not_read_are_named(take: Importer) -> None:
    done = take(
        votes=VOTES.replace("value\n", "value,device\n").replace("1\n", "1,phone\n").replace("0\n", "0,\n"),
        statements=STATEMENTS,
    )

    assert {each.file: each.not_read for each in done.files}["votes.csv"] == ("device",)


def test_a_seed_of_a_draft_is_let_in_by_its_votes(take: Importer, study: Study) -> None:
    seed = StatementFactory(
        question=study.questions.get(), code="s1", status="pending", text="Parks should close at night."
    )

    take(votes=VOTES, statements=STATEMENTS)

    seed.refresh_from_db()
    assert (seed.status, seed.approved_at, seed.origin) == ("approved", NOW, "seed")


def test_authors_and_states_of_statements_are_kept(take: Importer, study: Study) -> None:
    statements = (
        "question,code,text,author,status,created_at,removed_at\n"
        "q1,a,Mine.,anna,approved,2024-05-01T10:00:00Z,\n"
        "q1,b,Bad.,ben,rejected,2024-05-01T10:00:00Z,2024-05-02T10:00:00Z\n"
        'q1,c,"",,withdrawn,,\n'
    )

    take(statements=statements)

    rows = Statement.objects.order_by("code").values_list("code", "author__public_code", "status", "text")
    assert list(rows) == [
        ("a", "anna", "approved", "Mine."),
        ("b", "ben", "rejected", "Bad."),
        ("c", None, "withdrawn", ""),
    ]
    assert Statement.objects.get(code="b").removed_at == datetime(2024, 5, 2, 10, tzinfo=UTC)


# --- Again, and more ------------------------------------------------------------------------------------------------


def test_the_same_files_again_change_nothing(take: Importer, study: Study) -> None:
    files = {"votes": VOTES, "statements": STATEMENTS, "ratings": RATINGS, "responses": RESPONSES, "people": PEOPLE}
    take(**files)
    before = stored(study)

    again = take(now=NOW + timedelta(days=1), **files)

    assert again.is_unchanged
    assert stored(study) == before


def test_longer_files_add_what_is_new(take: Importer, study: Study) -> None:
    head = "participant,question,statement,value,cast_at\n"
    one = "anna,q1,s1,1,2024-05-01T10:00:00Z\n"
    take(votes=head + one, statements=STATEMENTS)

    done = take(
        votes=f"{head}{one}anna,q1,s1,-1,2024-05-02T10:00:00Z\nben,q1,s2,1,2024-05-02T10:00:00Z\n",
        statements=STATEMENTS,
    )

    assert done.n_new["votes"] == 2
    assert votes_of(study) == [("anna", "s1", 1, False), ("anna", "s1", -1, True), ("ben", "s2", 1, True)]
    assert take(votes=head + one).is_unchanged
    assert verify_tallies(study=study).differences == ()


def test_a_dry_run_says_the_same_and_writes_nothing(take: Importer, study: Study) -> None:
    before = stored(study)

    dry = take(how={"dry_run": True}, votes=VOTES, statements=STATEMENTS)

    assert stored(study) == before
    assert dry.to_dict() == take(votes=VOTES, statements=STATEMENTS).to_dict() | {"is_dry_run": True}


def test_who_imported_what_is_noted(take: Importer, study: Study) -> None:
    olga = UserFactory()

    take(by=olga, votes=VOTES, statements=STATEMENTS)

    event = AuditEvent.objects.get()
    assert (event.event, event.by, event.subject_id) == ("study.responses_imported", olga, str(study.public_id))
    assert event.detail["n_new"]["votes"] == 3
    assert "Parks" not in json.dumps(event.detail)


# --- What is refused ------------------------------------------------------------------------------------------------


def test_unknown_references_are_named_by_line_and_column(take: Importer) -> None:
    places = take.places(
        statements=STATEMENTS + "q9,s9,Text.\n",
        votes=VOTES + "anna,Q1,s1,1\n",
        ratings=RATINGS + "anna,q1,m9,3\n",
        responses=RESPONSES + "ben,q2,Text.\n",
    )

    assert places == [
        ("statements.csv", 4, 1),
        ("responses.csv", 3, 2),
        ("ratings.csv", 4, 3),
        ("votes.csv", 5, 2),
    ]


def test_an_unknown_statement_is_named_and_a_near_code_offered(take: Importer) -> None:
    found = take.refused(votes=VOTES + "anna,q1,s77,1\n", statements=STATEMENTS)
    assert found[0][:3] == ("votes.csv", 5, 3)

    assert "“m1”" in take.refused(ratings=RATINGS + "anna,q1,M1,3\n")[0][3]


def test_who_is_not_declared_is_unknown(take: Importer) -> None:
    places = take.places(people=PEOPLE, votes=VOTES + "carl,q1,s1,1\n", statements=STATEMENTS)

    assert places == [("votes.csv", 5, 1)]


@pytest.mark.parametrize(
    ("file", "row"),
    [
        ("votes", "anna,q1,s1,-1"),
        ("ratings", "anna,q1,m1,4"),
        ("responses", "anna,q1,Another."),
        ("statements", "q1,s1,Another."),
        ("people", "anna,complete,,"),
    ],
)
def test_rows_that_stand_twice_are_refused(take: Importer, file: str, row: str) -> None:
    files = {"votes": VOTES, "statements": STATEMENTS, "ratings": RATINGS, "responses": RESPONSES, "people": PEOPLE}
    files[file] += row + "\n"

    found = take.refused(**files)

    assert [place[:2] for place in found] == [(f"{file}.csv", files[file].count("\n"))]
    assert "second time; the first is on line 2" in found[0][3]


def test_rows_that_stand_in_two_files_are_refused(take: Importer) -> None:
    found = take.refused(votes=VOTES, more=VOTES, statements=STATEMENTS)

    assert len(found) == 3
    assert "line 2 of votes.csv" in found[0][3]


@pytest.mark.parametrize(
    ("file", "row", "column"),
    [
        ("votes", "carl,q1,s1,2", 4),
        ("votes", "carl,q1,s1,agree", 4),
        ("votes", "carl,q1,s1,", 4),
        ("votes", f"{'c' * 65},q1,s1,1", 1),
        ("ratings", "carl,q1,m1,6", 4),
        ("ratings", "carl,q1,m1,0", 4),
        ("ratings", "carl,q1,m1,4.5", 4),
        ("responses", "carl,q1,\u200b", 3),
        ("statements", "q1,s9,  ", 3),
        ("people", "carl,finished,,", 2),
        ("people", "carl,active,2024-05-01T10:00:00Z,2024-05-01T11:00:00Z", 4),
        ("people", "carl,complete,2024-05-01T12:00:00Z,2024-05-01T11:00:00Z", 4),
        ("people", "carl,complete,2024-05-01 12:00,", 3),
        ("votes", "carl,q1,s1", 4),
        ("votes", "carl,q1,s1,1,1", 5),
    ],
)
def test_what_cannot_be_is_named_by_line_and_column(take: Importer, file: str, row: str, column: int) -> None:
    files = {"votes": VOTES, "statements": STATEMENTS, "ratings": RATINGS, "responses": RESPONSES, "people": PEOPLE}
    files = {name: files[name] for name in ("votes", "statements")} | {file: files[file]}
    files[file] += row + "\n"

    assert take.places(**files) == [(f"{file}.csv", files[file].count("\n"), column)]


def test_stances_and_importance_out_of_range_are_refused(take: Importer) -> None:
    head = "participant,question,text,stance,importance\n"

    places = take.places(responses=head + "anna,q1,Text.,leftish,3\nben,q1,Text.,neutral,6\n")

    assert places == [("responses.csv", 2, 4), ("responses.csv", 3, 5)]
    take(responses=head + "anna,q1,Text.,neutral,\n")
    assert FreeResponse.objects.get().stance == "neutral"


def test_a_byte_order_mark_is_read_over(take: Importer, study: Study) -> None:
    take(votes="\ufeff" + VOTES, statements="\ufeff" + STATEMENTS.replace("\n", "\r\n"))

    assert len(votes_of(study)) == 3


def test_other_encodings_are_refused(take: Importer) -> None:
    statements = STATEMENTS.replace("Parks", "Gärten")

    assert take.places(votes=VOTES, statements=statements.encode("latin-1")) == [("statements.csv", 2, 8)]
    assert "UTF-16" in take.refused(votes=VOTES.encode("utf-16"), statements=STATEMENTS)[0][3]


def test_one_wrong_statement_makes_one_problem_not_one_for_each_vote(take: Importer) -> None:
    places = take.places(votes=VOTES, statements=STATEMENTS.replace("Parks should close at night.", ""))

    assert places == [("statements.csv", 2, 3)]


@pytest.mark.parametrize(
    ("columns", "match"),
    [
        ("participant;question;statement;value", "semicolons"),
        ("person,question,statement,value", "do not tell"),
        ("participant,question,statement,source,value", "do not tell"),
        ("participant,item,value_choice,value_choices,value_integer,value_text,missing,answered_at", "table answers"),
        ("", "do not tell"),
    ],
)
def test_files_that_are_not_recognised_are_refused(take: Importer, columns: str, match: str) -> None:
    assert match in take.refused(table=columns + "\n")[0][3]


def test_a_file_that_is_not_there_is_named(take: Importer, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nowhere\.csv"):
        import_responses(study=take.study, files=[tmp_path / "nowhere.csv"], by=None, now=NOW)


def test_several_votes_need_times(take: Importer) -> None:
    votes = "participant,question,statement,value,cast_at\nanna,q1,s1,1,2024-05-01T10:00:00Z\nanna,q1,s1,-1,\n"

    assert take.places(votes=votes, statements=STATEMENTS) == [("votes.csv", 3, 5)]


def test_a_history_that_ends_nowhere_is_refused(take: Importer) -> None:
    head = "participant,question,statement,value,cast_at,superseded_at\n"

    row = "anna,q1,s1,1,2024-05-01T10:00:00Z,2024-05-02T10:00:00Z\n"
    assert take.places(votes=head + row, statements=STATEMENTS) == [("votes.csv", 2, 6)]

    backwards = row.replace("2024-05-02", "2024-04-02") + "anna,q1,s1,0,2024-05-03T10:00:00Z,\n"
    assert take.places(votes=head + backwards, statements=STATEMENTS) == [("votes.csv", 2, 6)]


@pytest.mark.parametrize(
    ("file", "old", "new", "column"),
    [
        ("votes", "anna,q1,s1,1", "anna,q1,s1,-1", 4),
        ("ratings", "anna,q1,m1,5", "anna,q1,m1,4", 4),
        ("responses", "Let people decide.", "Let nobody decide.", 3),
        ("statements", "at night.", "at noon.", 3),
        ("people", "anna,complete", "anna,timed_out", 2),
        ("people", "10:20:00Z", "10:21:00Z", 4),
    ],
)
def test_what_contradicts_what_is_stored_is_refused(take: Importer, file: str, old: str, new: str, column: int) -> None:
    files = {"votes": VOTES, "statements": STATEMENTS, "ratings": RATINGS, "responses": RESPONSES, "people": PEOPLE}
    take(**files)

    assert take.places(**(files | {file: files[file].replace(old, new)})) == [(f"{file}.csv", 2, column)]


def test_another_time_of_the_same_vote_is_refused(take: Importer) -> None:
    head = "participant,question,statement,value,cast_at\n"
    take(votes=head + "anna,q1,s1,1,2024-05-01T10:00:00Z\n", statements=STATEMENTS)

    assert take.places(votes=head + "anna,q1,s1,1,2024-05-01T11:00:00Z\n") == [("votes.csv", 2, 5)]


def test_nothing_is_added_to_people_who_took_part_here(take: Importer, study: Study) -> None:
    EnrolmentFactory(study=study, public_code="anna")

    places = take.places(votes=VOTES, statements=STATEMENTS, ratings=RATINGS, responses=RESPONSES)

    assert places == [("responses.csv", 2, 1), ("ratings.csv", 2, 1), ("votes.csv", 2, 1), ("votes.csv", 3, 1)]


def test_the_code_of_a_preview_is_refused(take: Importer, study: Study) -> None:
    EnrolmentFactory(study=study, public_code="anna", origin="preview")

    assert take.places(people=PEOPLE, ratings=RATINGS) == [("people.csv", 2, 1), ("ratings.csv", 2, 1)]


def test_what_was_withdrawn_here_does_not_come_back(take: Importer, study: Study) -> None:
    files = {
        "votes": VOTES + "ben,q1,s3,1\n",
        "statements": STATEMENTS.replace("text\n", "text,author\n").replace(".\n", ".,\n") + "q1,s3,By Anna.,anna\n",
        "ratings": RATINGS,
        "responses": RESPONSES,
    }
    take(**files)
    withdraw_enrolment(enrolment=study.enrolments.get(public_code="anna"), by=None, now=NOW)
    before = stored(study)

    again = take(**files)

    assert again.is_unchanged
    assert again.n_erased == 6
    assert stored(study) == before
    assert votes_of(study) == [("ben", "s1", 0, True)]


def test_other_revisions_are_refused_or_left_out(take: Importer, study: Study) -> None:
    head = "participant,question,question_revision,source,answer_revision,value\n"
    ratings = head + "anna,q1,1,m1,1,5\nben,q1,2,m1,1,3\ncarl,q1,1,m1,7,3\n"

    assert take.places(ratings=ratings) == [("ratings.csv", 3, 3), ("ratings.csv", 4, 5)]

    done = take(how={"skip_other_revisions": True}, ratings=ratings)
    assert done.n_other_revisions == 2
    assert RepresentationRating.objects.count() == 1


def test_rows_without_a_revision_are_about_the_present_one(take: Importer, study: Study) -> None:
    Question.objects.filter(study=study).update(is_current=False, is_frozen=True)
    present = QuestionFactory(study=study, code="q1", revision=2)

    take(votes=VOTES, statements=STATEMENTS)

    assert set(Statement.objects.values_list("question", flat=True)) == {present.pk}


# --- The command, and what is written about it ----------------------------------------------------------------------


def test_the_command_prints_what_it_did(take: Importer, study: Study) -> None:
    paths = list(map(str, take.write({"votes": VOTES, "statements": STATEMENTS})))
    out = StringIO()

    call_command("import_responses", *paths, "--study", study.slug, stdout=out)
    assert "votes: 3 rows, 3 new" in out.getvalue()

    out = StringIO()
    call_command("import_responses", *paths, "--study", study.slug, stdout=out)
    assert out.getvalue().startswith("Nothing is new")


def test_the_command_prints_one_document(take: Importer, study: Study) -> None:
    paths = list(map(str, take.write({"votes": VOTES, "statements": STATEMENTS})))
    out = StringIO()

    call_command("import_responses", *paths, "--study", study.slug, "--dry-run", "--json", stdout=out)

    found = json.loads(out.getvalue())
    assert (found["n_new"]["votes"], found["is_dry_run"], found["study"]) == (3, True, study.slug)


@pytest.mark.parametrize("content", Content)
def test_the_documented_columns_are_those_that_are_read(content: Content) -> None:
    line = next(line for line in DOCUMENT.read_text("utf-8").splitlines() if line.startswith(f"| {content} |"))
    _start, _file, needed, optional, _end = line.split("|")

    columns = {column.name: column.optional for column in SPECS[content].columns}
    assert set(re.findall("`([a-z_]+)`", needed)) - {"code"} == {name for name in columns if not columns[name]}
    assert set(re.findall("`([a-z_]+)`", optional)) == {name for name in columns if columns[name]}


def test_the_documented_example_is_recognised() -> None:
    blocks = re.findall("```csv\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)

    found = [recognise(block.splitlines()[0].split(","), "x.csv").content for block in blocks]

    assert found == [Content.STATEMENTS, Content.VOTES]
