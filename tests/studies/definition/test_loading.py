from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import BadInput
from studies.definition import load_bytes, load_file, tables

SMALL = 'slug: parks\ntitle: "Parks"\nquestions:\n  - {code: q1, text: "Should parks close at night?"}\n'


def problems_of(text: str, name: str = "study.yaml") -> list[str]:
    with pytest.raises(BadInput) as caught:
        load_bytes(text.encode(), name)
    return caught.value.lines()


def test_slug_title_and_one_question_are_a_definition() -> None:
    definition = load_bytes(SMALL.encode(), "study.yaml")

    assert definition.slug == "parks"
    assert definition.data["questions"] == [{"code": "q1", "domain": "", "text": "Should parks close at night?"}]
    assert definition.data["blocks"] == ["consent", "form", "write", "rate", "vote", "debrief"]
    assert definition.data["write"]["minimum"] == 75


def test_an_unknown_key_is_named_with_its_line_and_the_nearest_known_one() -> None:
    lines = problems_of(SMALL + "consnet: hello there\n")

    assert len(lines) == 1
    assert lines[0].startswith("study.yaml:5:1 (consnet)")
    assert "“consent”" in lines[0]


def test_a_duplicate_key_is_named_with_both_lines() -> None:
    lines = problems_of(SMALL + 'title: "Again"\n')

    assert len(lines) == 1
    assert lines[0].startswith("study.yaml:5:1")
    assert "line 2" in lines[0]


@pytest.mark.parametrize("word", ["yes", "010", "1.0", "2026-11-02", "null", "true"])
def test_what_programs_take_for_something_else_is_no_text_without_quotes(word: str) -> None:
    lines = problems_of(f"slug: parks\ntitle: {word}\n")

    assert lines[0].startswith("study.yaml:2:8 (title)")


def test_pay_without_quotes_is_refused_since_its_zeros_would_be_lost() -> None:
    lines = problems_of(SMALL + "pay: {amount: 4.50}\n")

    assert "(pay.amount)" in lines[0]
    assert '"4.50"' in lines[0]


def test_every_problem_is_told_at_once() -> None:
    lines = problems_of("slug: Parks!\ntitle: yes\nlanguage: 12\nquestions:\n  - {code: q1}\n")

    assert [line.split()[0] for line in lines] == [
        "study.yaml:1:7",
        "study.yaml:2:8",
        "study.yaml:3:11",
        "study.yaml:5:5",
    ]


def test_an_answer_of_an_unknown_model_is_refused_with_its_place() -> None:
    text = SMALL + 'sources:\n  - {code: s1, name: One}\nanswers:\n  - {question: q1, source: s9, text: "Yes."}\n'

    lines = problems_of(text)

    assert len(lines) == 1
    assert lines[0].startswith("study.yaml:8:28 (answers[1].source)")
    assert "“s9”" in lines[0]


def test_two_answers_of_one_source_to_one_question_are_refused() -> None:
    text = SMALL + "sources: [{code: s1, name: One}]\nanswers:\n"
    text += '  - {question: q1, source: s1, text: "Yes."}\n' * 2

    assert problems_of(text)[0].startswith("study.yaml:8:5 (answers[2])")


def test_questions_with_the_same_code_are_refused() -> None:
    lines = problems_of(SMALL + '  - {code: q1, text: "Another?"}\n')

    assert lines[0].startswith("study.yaml:5:12 (questions[2].code)")


def test_fewest_characters_above_the_most_are_refused() -> None:
    assert problems_of(SMALL + "write: {minimum: 400}\n")[0].startswith("study.yaml:5:18 (write.minimum)")


def test_a_time_zone_that_nobody_knows_is_refused() -> None:
    assert problems_of(SMALL + "time_zone: Europe/Atlantis\n")[0].startswith("study.yaml:5:12 (time_zone)")


def test_a_label_with_a_space_at_its_end_is_refused() -> None:
    assert "Remove it" in problems_of('slug: parks\ntitle: "Parks "\n')[0]


def test_a_text_of_combining_marks_must_fit_its_column() -> None:
    # 150 letters to a reader, 300 code points to the database.
    title = "e\u0301" * 150

    assert "code points" in problems_of(f'slug: parks\ntitle: "{title}"\n')[0]


def test_a_later_schema_is_refused() -> None:
    assert "(schema_version)" in problems_of("schema_version: 2\n" + SMALL)[0]


def test_a_file_in_another_encoding_is_refused_with_its_line() -> None:
    with pytest.raises(BadInput) as caught:
        load_bytes(SMALL.replace("parks close", "Pärke").encode("latin-1"), "study.yaml")

    assert caught.value.lines()[0].startswith("study.yaml:4:")


def with_tables(folder: Path, tables: dict[str, bytes], keys: str) -> Path:
    for name, content in tables.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    path = folder / "study.yaml"
    path.write_text('slug: parks\ntitle: "Parks"\n' + keys, encoding="utf-8")
    return path


def test_lists_may_stand_in_tables_beside_the_file(folder: Path) -> None:
    tables = {
        "q.csv": '\ufeffcode,domain,text\r\nq1,,"Close at night?"\r\nq2,paths,"One\r\ntwo"\r\n'.encode(),
        "deep/a.jsonl": b'{"question": "q1", "source": "s1", "text": "Yes."}\n',
    }
    path = with_tables(folder, tables, "questions: q.csv\nsources: [{code: s1, name: One}]\nanswers: deep/a.jsonl\n")

    data = load_file(path).data

    assert data["questions"] == [
        {"code": "q1", "domain": "", "text": "Close at night?"},
        {"code": "q2", "domain": "paths", "text": "One\r\ntwo"},
    ]
    assert data["answers"] == [{"question": "q1", "source": "s1", "text": "Yes."}]


def test_problems_in_a_table_carry_its_name_and_line(folder: Path) -> None:
    content = b'code,text\nq1,"One\ntwo"\nq1,Three\n,Four\n'

    with pytest.raises(BadInput) as caught:
        load_file(with_tables(folder, {"q.csv": content}, "questions: q.csv\n"))

    lines = caught.value.lines()
    assert lines[0].startswith("q.csv:5:1")
    assert lines[1].startswith("q.csv:4:1")


@pytest.mark.parametrize(
    "name", ["../secret.csv", "/etc/passwd.csv", "a/../../secret.csv", "..\\secret.csv", "link.csv"]
)
def test_a_table_outside_the_folder_is_refused(folder: Path, name: str) -> None:
    (folder / "secret.csv").write_text("code,text\nq1,Hello\n")
    inner = folder / "inner"
    inner.mkdir()
    (inner / "link.csv").symlink_to(folder / "secret.csv")
    path = with_tables(inner, {}, f'questions: "{name}"\n'.replace("\\", "\\\\"))

    with pytest.raises(BadInput) as caught:
        load_file(path)

    assert "outside the folder" in caught.value.lines()[0]
    assert caught.value.lines()[0].startswith("study.yaml:3:12")


def test_a_missing_table_is_said_at_the_line_that_names_it(folder: Path) -> None:
    with pytest.raises(BadInput) as caught:
        load_file(with_tables(folder, {}, "questions: q.csv\n"))

    assert caught.value.lines()[0].startswith("study.yaml:3:12")


def test_a_definition_that_was_sent_cannot_name_tables() -> None:
    assert "sent alone" in problems_of('slug: parks\ntitle: "Parks"\nquestions: q.csv\n')[0]


@pytest.mark.parametrize("name", ["circle.csv", '"a\\0b.csv"'])
def test_a_name_that_no_file_can_have_is_said_at_its_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "circle.csv").symlink_to("circle.csv")
    (tmp_path / "study.yaml").write_text(f'slug: parks\ntitle: "Parks"\nquestions: {name}\n', "utf-8")

    with pytest.raises(BadInput) as caught:
        load_file(tmp_path / "study.yaml")

    assert caught.value.lines()[0].startswith("study.yaml:3:12")


def test_a_table_longer_than_any_definition_is_not_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MAXIMUM_ROWS", 2)
    (tmp_path / "q.csv").write_text("code,text\nq1,a\nq2,b\nq3,c\n", "utf-8")
    (tmp_path / "study.yaml").write_text('slug: parks\ntitle: "Parks"\nquestions: q.csv\n', "utf-8")

    with pytest.raises(BadInput, match=r"q\.csv:4: The table has more than 2 rows"):
        load_file(tmp_path / "study.yaml")


def test_a_hundred_thousand_unknown_keys_are_told_within_seconds() -> None:
    text = SMALL + "".join(f"k{n}: v\n" for n in range(20_000))

    lines = problems_of(text)

    assert len(lines) == 101
    assert lines[-1] == "… and at least 9900 more problems; the rest was not read."
