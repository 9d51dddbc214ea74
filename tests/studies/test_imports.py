from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.errors import BadInput, Conflict, Invalid
from core.models import AuditEvent
from studies import imports
from studies.definition import canonical
from studies.models import Enrolment, Study
from tests import factories

NOW = datetime(2026, 11, 2, 12, tzinfo=UTC)


@pytest.fixture
def draft(db: None) -> Study:
    study = factories.StudyFactory(slug="parks")
    factories.QuestionFactory(study=study, code="q1", text="Close at night?")
    factories.SourceFactory(study=study, code="s1")
    return study


def take(study: Study, kind: str, content: str | bytes, name: str = "table.csv", **how: bool) -> imports.Imported:
    source = content.encode() if isinstance(content, str) else content
    return imports.import_rows(study=study, kind=kind, source=source, name=name, by=None, now=NOW, **how)


def problems_of(study: Study, kind: str, content: str | bytes, name: str = "table.csv") -> list[str]:
    with pytest.raises(BadInput) as caught:
        take(study, kind, content, name)
    return caught.value.lines()


def test_questions_are_added_and_changed_by_their_codes(draft: Study) -> None:
    done = take(draft, "questions", "code,domain,text\nq1,,Close at noon?\nq2,paths,Who pays?\n")

    assert ([row["code"] for row in done.new], [row["code"] for row in done.changed]) == (["q2"], ["q1"])
    assert canonical(draft)["questions"] == [
        {"code": "q1", "domain": "", "text": "Close at noon?"},
        {"code": "q2", "domain": "paths", "text": "Who pays?"},
    ]


def test_the_same_table_again_changes_nothing(draft: Study) -> None:
    table = "question,source,text\nq1,s1,Yes.\n"
    take(draft, "answers", table)

    again = take(draft, "answers", table)

    assert (again.new, again.changed, again.n_unchanged) == ((), (), 1)


def test_json_lines_are_read_too(draft: Study) -> None:
    take(draft, "sources", '{"code": "s2", "name": "Two", "settings": {"temperature": 0.5}}\n', "sources.jsonl")

    assert canonical(draft)["sources"][1] == {"code": "s2", "name": "Two", "settings": {"temperature": 0.5}}


def test_a_byte_order_mark_and_line_breaks_inside_cells_are_no_problem(draft: Study) -> None:
    take(draft, "questions", '\ufeffcode,text\r\nq2,"One\r\ntwo, ""three"""\r\n'.encode())

    assert draft.questions.get(code="q2").text == 'One\r\ntwo, "three"'


def test_a_dry_run_writes_nothing(draft: Study) -> None:
    done = take(draft, "questions", "code,text\nq2,Who pays?\n", dry_run=True)

    assert (done.n_rows, done.is_dry_run) == (1, True)
    assert draft.questions.count() == 1
    assert not AuditEvent.objects.exists()


def test_an_unknown_model_is_named_with_line_and_column(draft: Study) -> None:
    lines = problems_of(draft, "answers", "question,source,text\nq1,s1,Yes.\nq1,gpt,No.\n")

    assert len(lines) == 1
    assert lines[0].startswith("table.csv:3:2")
    assert "“gpt”" in lines[0]


def test_all_problems_are_told_and_nothing_is_written(draft: Study) -> None:
    lines = problems_of(draft, "questions", "code,text\nq 2,Who?\nq3,\nq4,Fine?\nq4,Twice?\n")

    assert [line.split(" ")[0].rstrip(":") for line in lines] == ["table.csv:3:2", "table.csv:2:1", "table.csv:5:1"]
    assert draft.questions.count() == 1


def test_a_seed_cannot_have_the_code_of_a_participants_statement(draft: Study) -> None:
    lines = problems_of(draft, "seeds", "question,code,text\nq1,peer-1,Yes.\n")

    assert lines[0].startswith("table.csv:2:2")
    assert "do not begin with “peer-”" in lines[0]


def test_two_answers_of_one_source_to_one_question_are_refused(draft: Study) -> None:
    assert problems_of(draft, "answers", "question,source,text\nq1,s1,Yes.\nq1,s1,No.\n")[0].startswith("table.csv:3")


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"code,text\nq2,one,two\n", "table.csv:2:3"),
        (b"code,text\nq2\n", "table.csv:2:2"),
        ("code,text\nq2,Für wen?\n".encode("latin-1"), "table.csv:2:5"),
        ("code,text\nq2,Who?\n".encode("utf-16"), "table.csv:1"),
        (b"code;text\nq2;Who?\n", "table.csv:1:1"),
        (b"code,text\nq2,a\x00b\n", "table.csv:2:5"),
        (b"code,title\nq2,Who?\n", "table.csv:1:2"),
        (b"", "table.csv:1"),
        (b"code,text\n", "table.csv:1"),
    ],
    ids=["a cell too many", "a cell too few", "Latin-1", "UTF-16", "semicolons", "NUL", "column", "empty", "no rows"],
)
def test_broken_tables_are_refused_with_their_place(draft: Study, content: bytes, place: str) -> None:
    assert problems_of(draft, "questions", content)[0].startswith(place)


def test_a_published_study_takes_nothing_in(study: Study) -> None:
    with pytest.raises(Conflict, match="frozen"):
        take(study, "questions", "code,text\nq9,New?\n")


def test_questions_answers_and_seeds_are_taken_in(draft: Study) -> None:
    take(draft, "questions", "code,text\nq2,Who pays?\n")
    take(draft, "answers", "question,source,text\nq2,s1,All.\n")
    take(draft, "seeds", "question,code,text\nq2,seed-1,The town.\n")

    definition = canonical(draft)
    assert definition["answers"] == [{"question": "q2", "source": "s1", "text": "All."}]
    assert definition["seeds"] == [{"question": "q2", "code": "seed-1", "text": "The town."}]


def test_what_one_imports_is_on_record(draft: Study) -> None:
    take(draft, "questions", "code,text\nq2,Who pays?\n")

    event = AuditEvent.objects.get()
    assert (event.event, event.detail) == (
        "study.imported_questions",
        {"n_new": 1, "n_changed": 0, "file": "table.csv"},
    )


def test_seeds_come_from_live_and_complete_people_only(draft: Study, study: Study) -> None:
    question = study.questions.get(code="q1")
    people = [
        {},
        {"origin": Enrolment.Origin.SIMULATED},
        {"origin": Enrolment.Origin.PREVIEW},
        {"status": Enrolment.Status.ACTIVE},
        {"status": Enrolment.Status.WITHDRAWN},
    ]
    responses = [
        factories.FreeResponseFactory(enrolment=factories.EnrolmentFactory(study=study, **columns), question=question)
        for columns in people
    ]

    imports.seeds_from_study(study=draft, other=study, by=None, now=NOW)

    assert [seed["text"] for seed in canonical(draft)["seeds"]] == [responses[0].text]


def test_at_most_so_many_seeds_are_drawn_and_the_same_ones_again(draft: Study, study: Study) -> None:
    for _n in range(6):
        factories.FreeResponseFactory(enrolment__study=study, question=study.questions.get(code="q1"))

    first = imports.seeds_from_study(study=draft, other=study, maximum=2, by=None, now=NOW)
    again = imports.seeds_from_study(study=draft, other=study, maximum=2, by=None, now=NOW)

    assert (len(first.new), again.new, again.n_unchanged) == (2, (), 2)


def test_more_responses_take_no_more_queries(draft: Study, study: Study) -> None:
    needed = []
    for n_more in (2, 8):
        factories.FreeResponseFactory.create_batch(
            n_more, enrolment__study=study, question=study.questions.get(code="q1")
        )
        with CaptureQueriesContext(connection) as queries:
            imports.seeds_from_study(study=draft, other=study, by=None, now=NOW, dry_run=True)
        needed.append(len(queries))

    assert needed[0] == needed[1]


def test_without_free_responses_there_is_nothing_to_take(draft: Study, study: Study) -> None:
    with pytest.raises(Invalid, match="no free responses"):
        imports.seeds_from_study(study=draft, other=study, by=None, now=NOW)
