from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from core.errors import BadInput, Conflict, NotThere
from studies.errors import NotPublishable
from studies.management.commands.load_study import Command
from studies.models import Study

SMALL = 'slug: parks\ntitle: "Parks"\nquestions: [{code: q1, text: "Close at night?"}]\n'
EXAMPLE = Path(__file__).parents[2] / "examples" / "public_life" / "study.yaml"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "study.yaml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def run(path: Path, *arguments: str) -> dict[str, Any]:
    out = io.StringIO()
    call_command("load_study", str(path), *arguments, "--json", stdout=out)
    return json.loads(out.getvalue())


def test_a_small_draft_is_created_and_then_updated(db: None, path: Path) -> None:
    assert run(path)["act"] == "created"
    path.write_text(SMALL.replace("night", "noon"), encoding="utf-8")
    done = run(path)

    assert (done["act"], done["status"], done["version"]) == ("updated", "draft", None)
    assert "consent" in {problem["where"] for problem in done["problems"]}
    assert Study.objects.get().questions.get().text == "Close at noon?"


def test_a_dry_run_writes_nothing(db: None, path: Path) -> None:
    assert run(path, "--dry-run")["dry_run"] is True
    assert not Study.objects.exists()


def test_a_file_with_a_problem_changes_nothing(db: None, path: Path) -> None:
    path.write_text(SMALL + "questions: []\n", encoding="utf-8")

    with pytest.raises(BadInput, match=r"study\.yaml:4:1"):
        run(path)
    assert not Study.objects.exists()


def test_bad_input_ends_with_status_2_and_the_place(db: None, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.write_text("slug: parks\ntitle: 010\n", encoding="utf-8")

    with pytest.raises(SystemExit) as ended:
        Command().run_from_argv(["manage.py", "load_study", str(path)])

    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("study.yaml:2:8 (title)")


def test_publishing_what_cannot_be_published_keeps_not_even_the_draft(db: None, path: Path) -> None:
    with pytest.raises(NotPublishable):
        run(path, "--publish")
    assert not Study.objects.exists()


def test_the_example_is_published_and_loading_it_again_changes_nothing(db: None) -> None:
    done = run(EXAMPLE, "--publish")
    assert (done["act"], done["status"], done["version"], done["problems"]) == ("created", "open", 1, [])

    again = run(EXAMPLE, "--publish")
    assert (again["act"], again["sha256"]) == ("unchanged", done["sha256"])


def test_a_published_study_is_amended_only_with_a_reason(db: None, tmp_path: Path) -> None:
    run(EXAMPLE, "--publish")
    for file in EXAMPLE.parent.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    path = tmp_path / "study.yaml"
    text = re.sub("^title: .*$", 'title: "Another title"', path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    path.write_text(text, encoding="utf-8")

    with pytest.raises(Conflict, match="--amend"):
        run(path)
    done = run(path, "--amend", "A better title")

    assert (done["act"], done["version"]) == ("amended", 2)


def test_an_owner_is_named(db: None, path: Path, django_user_model: Any) -> None:
    olga = django_user_model.objects.create_user("olga")

    run(path, "--owner", "olga")

    assert Study.objects.get().memberships.get().user == olga
    with pytest.raises(NotThere, match="nobody"):
        run(path, "--owner", "nobody")


@pytest.mark.parametrize("key", ["slug", "title"])
def test_a_file_that_names_no_study_is_refused_at_its_place(key: str, tmp_path: Path) -> None:
    lines = [line for line in SMALL.splitlines() if not line.startswith(f"{key}:")]
    file = tmp_path / "study.yaml"
    file.write_text("\n".join(lines), encoding="utf-8")

    with pytest.raises(BadInput, match=rf"study\.yaml:1:1 \({key}\): This key is missing"):
        call_command(Command(), str(file), stdout=io.StringIO(), stderr=io.StringIO())


@pytest.mark.django_db
def test_the_documented_definition_is_one(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "definition.md").read_text(encoding="utf-8")
    file = tmp_path / "study.yaml"
    file.write_text(re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)[0], encoding="utf-8")
    call_command(Command(), str(file), stdout=io.StringIO(), stderr=io.StringIO())
    assert Study.objects.get().questions_each == 3
