"""A folder that appears whole or not at all, verifies, and says where its numbers come from."""

from __future__ import annotations

import csv
import json
import stat
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.management import CommandError, call_command

from core.canonical import content_sha256
from core.errors import BadInput, Conflict, Invalid, NotAllowed, NotThere
from core.models import AuditEvent, Run
from core.tables import check_manifest
from core.textfiles import BOM
from studies import services as studies
from studies.data import folder as folders
from studies.data.services import export_study
from studies.definition import canonical, load_bytes
from studies.models import Study
from tests.factories import NOW, UserFactory
from tests.studies.data.rich import TEXTS

pytestmark = pytest.mark.django_db

SECRETS = ("5f3e8c1a9b2d4e6f7a8b9c0d", "a late secret")


def export(study: Study, folder: Path, **how: Any) -> dict[str, Any]:
    return export_study(study=study, folder=folder, **({"by": None, "now": NOW, "formats": ["csv"]} | how))


def everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def test_the_folder_holds_every_table_in_every_format(rich: Study, tmp_path: Path) -> None:
    content = export(rich, tmp_path / "out", formats=["csv", "parquet", "jsonl"])

    names = {path.name for path in (tmp_path / "out").iterdir()}
    for table in ("participants", "responses", "votes", "groups", "scores"):
        assert {f"{table}.csv", f"{table}.parquet", f"{table}.jsonl"} <= names
    assert {"manifest.json", "data_dictionary.csv", "data_dictionary.md", "definition-v1.json"} <= names
    listed = {entry["file"] for entry in content["tables"]} | {entry["file"] for entry in content["about"]["files"]}
    listed |= {entry["file"] for entry in content["about"]["definitions"]} | {"manifest.json"}
    assert names == listed


def test_the_manifest_verifies_and_a_changed_file_does_not(rich: Study, tmp_path: Path) -> None:
    content = export(rich, tmp_path / "out")

    assert check_manifest(tmp_path / "out") == content
    rows = {entry["name"]: entry["rows"] for entry in content["tables"]}
    assert rows["participants"] == 29
    assert rows["responses"] == 18
    with (tmp_path / "out" / "votes.csv").open("a") as file:
        file.write("x")
    with pytest.raises(BadInput, match=r"votes\.csv"):
        check_manifest(tmp_path / "out")


def test_the_manifest_says_where_the_numbers_come_from(rich: Study, tmp_path: Path) -> None:
    call_command("overton", study=rich.slug, replicates=200, stdout=StringIO(), stderr=StringIO())
    run = Run.objects.get(kind="overton")

    about = export(rich, tmp_path / "out")["about"]

    assert about["study"]["version_sha256"] == rich.current_version.sha256
    reported = about["reported_run"]
    assert (reported["run"], reported["result_sha256"], reported["seed"]) == (str(run.public_id), run.result_sha256, 1)
    assert reported["parameters"] == run.parameters
    assert {"overton", "coverage", "groups", "profiles"} <= reported["method_versions"].keys()
    assert [part["kind"] for part in reported["groupings"]] == ["groups", "groups"]
    assert {"numpy", "polyphony", "python"} <= about["program"].keys()
    assert about["conventions"]["votes.value"]["-1"] == "disagree"
    assert any("fewer than 5" in note for note in about["notes"])
    assert {"groups", "scores"} <= {
        entry["name"] for entry in check_manifest(tmp_path / "out")["tables"] if entry["rows"]
    }


def test_each_definition_is_the_canonical_json_of_its_hash(rich: Study, tmp_path: Path) -> None:
    studies.amend(
        study=rich,
        definition=load_bytes(json.dumps(changed(rich)).encode(), "study.yaml"),
        reason="A word was wrong.",
        by=None,
        now=NOW,
    )

    entries = export(rich, tmp_path / "out")["about"]["definitions"]

    assert [(entry["version"], entry["reason"]) for entry in entries] == [(1, ""), (2, "A word was wrong.")]
    for entry in entries:
        definition = json.loads((tmp_path / "out" / entry["file"]).read_text("utf-8"))
        assert content_sha256(definition) == entry["version_sha256"] == entry["sha256"]


def changed(study: Study) -> dict[str, Any]:
    definition = canonical(study)
    definition["questions"][0]["text"] += " Really?"
    return {key: value for key, value in definition.items() if key != "revisions"}


def test_the_same_data_give_the_same_files(rich: Study, tmp_path: Path) -> None:
    for name in ("one", "two"):
        export(rich, tmp_path / name, formats=["csv", "jsonl", "parquet"])

    assert everything_in(tmp_path / "one") == everything_in(tmp_path / "two")


def test_personal_data_stay_behind(rich: Study, tmp_path: Path) -> None:
    content = export(rich, tmp_path / "out", formats=["csv", "jsonl"])

    found = everything_in(tmp_path / "out")
    assert not [secret for secret in SECRETS if secret.encode() in found]
    assert not (tmp_path / "out" / "external_ids.csv").exists()
    assert not content["includes_personal_data"]
    assert b"Personal data, not in this export." in (tmp_path / "out" / "data_dictionary.md").read_bytes()


def test_personal_data_leave_with_the_permission(rich: Study, tmp_path: Path) -> None:
    olga = UserFactory()
    with pytest.raises(NotAllowed, match="permission"):
        export(rich, tmp_path / "out", by=olga, include_external_ids=True)
    assert not (tmp_path / "out").exists()

    olga.user_permissions.add(Permission.objects.get(codename="export_externalidentity"))
    olga = type(olga).objects.get(pk=olga.pk)
    content = export(rich, tmp_path / "out", by=olga, include_external_ids=True)

    found = everything_in(tmp_path / "out")
    assert all(secret.encode() in found for secret in SECRETS)
    assert content["includes_personal_data"]


def test_only_the_owner_of_the_folder_may_look(rich: Study, tmp_path: Path) -> None:
    export(rich, tmp_path / "out")

    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o700


def test_the_spreadsheet_safe_form_runs_no_formula(rich: Study, tmp_path: Path) -> None:
    export(rich, tmp_path / "raw")
    export(rich, tmp_path / "safe", spreadsheet_safe=True)

    def texts(folder: str) -> list[str]:
        with (tmp_path / folder / "responses.csv").open(newline="", encoding="utf-8-sig") as file:
            return [row["text"] for row in csv.DictReader(file)]

    assert (tmp_path / "safe" / "responses.csv").read_bytes().startswith(BOM)
    assert not [text for text in texts("safe") if text.startswith("=")]
    assert [text for text in texts("raw") if text.startswith(TEXTS[1])]


def test_a_folder_with_something_in_it_is_refused(rich: Study, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(Conflict, match="Name a new or empty one"):
        export(rich, tmp_path / "out")
    with pytest.raises(Conflict, match="is no folder"):
        export(rich, tmp_path / "out" / "mine.txt")

    assert [path.name for path in tmp_path.rglob("*")] == ["out", "mine.txt"]


def test_an_empty_folder_is_filled_and_missing_parents_are_made(rich: Study, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    export(rich, tmp_path / "empty")
    export(rich, tmp_path / "a" / "b" / "out")

    assert check_manifest(tmp_path / "empty")["tables"] == check_manifest(tmp_path / "a" / "b" / "out")["tables"]


def test_a_folder_that_cannot_be_made_is_named(rich: Study, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(Conflict, match="cannot be written"):
        export(rich, tmp_path / "file" / "out")


def test_what_fails_half_way_leaves_nothing(rich: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any, **options: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folders, "write_content", fail)

    with pytest.raises(OSError, match="No space"):
        export(rich, tmp_path / "out")

    assert list(tmp_path.iterdir()) == []
    assert not AuditEvent.objects.exists()


def test_an_export_is_noted(rich: Study, tmp_path: Path) -> None:
    olga = UserFactory()

    export(rich, tmp_path / "out", by=olga)

    event = AuditEvent.objects.get()
    assert (event.event, event.by, event.study_id) == ("study.exported", olga, str(rich.public_id))
    assert event.detail["rows"]["participants"] == 29
    assert event.detail["include_external_ids"] is False


def test_no_format_is_no_export(rich: Study, tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="format"):
        export(rich, tmp_path / "out", formats=[])


def test_a_study_without_data_exports_empty_tables(study: Study, tmp_path: Path) -> None:
    content = export(study, tmp_path / "out")

    assert {entry["rows"] for entry in content["tables"] if entry["name"] in {"participants", "votes", "scores"}} == {0}
    assert content["about"]["reported_run"] is None


# --- The command ----------------------------------------------------------------------------------------------------


def test_the_command_writes_csv_and_parquet(rich: Study, tmp_path: Path) -> None:
    out = StringIO()

    call_command("export_study", rich.slug, "--out", str(tmp_path / "out"), stdout=out)

    assert "participants" in out.getvalue()
    assert (tmp_path / "out" / "votes.csv").exists()
    assert (tmp_path / "out" / "votes.parquet").exists()


def test_the_command_prints_the_manifest_as_one_document(rich: Study, tmp_path: Path) -> None:
    out = StringIO()

    options = ["--format", "jsonl", "csv", "--format", "parquet", "--spreadsheet-safe", "--json"]
    call_command("export_study", rich.slug, "--out", str(tmp_path / "out"), *options, stdout=out)

    found = json.loads(out.getvalue())
    assert found["about"]["choice"] == {
        "formats": ["csv", "jsonl", "parquet"],
        "spreadsheet_safe": True,
        "include_external_ids": False,
    }


def test_the_command_names_what_is_wrong(rich: Study, tmp_path: Path) -> None:
    with pytest.raises(NotThere, match="nowhere"):
        call_command("export_study", "nowhere", "--out", str(tmp_path / "out"))
    with pytest.raises(CommandError, match="xlsx"):
        call_command("export_study", rich.slug, "--out", str(tmp_path / "out"), "--format", "xlsx")
