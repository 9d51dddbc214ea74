"""What is exported comes back by an import into an empty clone, and gives the same groups and scores."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from clustering.models import Score
from clustering.parameters import OVERTON
from core.canonical import content_sha256
from core.models import AuditEvent, Run
from studies import services
from studies.models import Enrolment, RepresentationRating, Study
from tests.factories import NOW, UserFactory
from tests.studies.data.rich import rich_study
from voting.models import Statement, Vote

PARTS = ("groups", "profiles", "quality")


def document(*arguments: str) -> dict[str, Any]:
    out = StringIO()
    call_command(*arguments, "--json", stdout=out, stderr=StringIO())
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def scored(study: Study) -> tuple[str, list[dict[str, str]]]:
    """The hash of the scores of `study`, and those of the parts of each question's grouping."""
    found = document("overton", "--study", study.slug, "--replicates", "200", "--seed", "7")
    run = Run.objects.get(kind=OVERTON, public_id=found["run"])
    results = [part.result or {} for part in run.parts.order_by("pk")]
    assert [result["groups"]["n_groups"] for result in results] == [3, 3], "the loop must be about real groups"
    assert Score.objects.filter(run=run, value__gt=0).exists()
    hashes = [{name: content_sha256(result[name]) for name in PARTS} for result in results]
    coverages = [content_sha256(line["coverage"]) for line in found["result"]["questions"]]
    return content_sha256([found["result"]["overton"], coverages]), hashes


def clone_of(study: Study) -> Study:
    return services.clone_study(study=study, slug="the-clone", by=UserFactory(), now=NOW)


def history(study: Study) -> dict[str, list[tuple[Any, ...]]]:
    votes = Vote.objects.filter(statement__question__study=study).order_by("cast_at", "pk")
    ratings = RepresentationRating.objects.filter(enrolment__study=study).order_by("rated_at", "pk")
    return {
        "votes": sorted(
            votes.values_list("enrolment__public_code", "statement__code", "value", "cast_at", "superseded_at"), key=str
        ),
        "ratings": sorted(
            ratings.values_list("enrolment__public_code", "answer__source__code", "value", "rated_at", "superseded_at"),
            key=str,
        ),
    }


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_export_then_import_gives_the_same_scores(tmp_path: Path, form: str) -> None:
    study = rich_study()
    call_command("export_study", study.slug, out=tmp_path / "out", formats=[form], stdout=StringIO())
    clone = clone_of(study)

    done = document("import_responses", "--study", clone.slug, str(tmp_path / "out"))

    assert done["n_new"]["participants"] == study.enrolments.counted().count()
    assert history(clone) == history(study)
    assert scored(clone) == scored(study)
    again = document("import_responses", "--study", clone.slug, str(tmp_path / "out"))
    assert again["is_unchanged"]
    assert AuditEvent.objects.filter(event="study.responses_imported").count() == 1


@pytest.mark.django_db
def test_a_spreadsheet_safe_export_comes_back_as_it_was(tmp_path: Path) -> None:
    study = rich_study()
    call_command(
        "export_study", study.slug, out=tmp_path / "out", formats=["csv"], spreadsheet_safe=True, stdout=StringIO()
    )
    clone = clone_of(study)

    document("import_responses", "--study", clone.slug, str(tmp_path / "out"))

    def texts(of: Study) -> list[tuple[str, str]]:
        return sorted(Statement.objects.filter(question__study=of).values_list("code", "text"))

    assert texts(clone) == texts(study)


@pytest.mark.django_db
def test_an_export_of_the_clone_imports_again(tmp_path: Path) -> None:
    study = rich_study()
    call_command("export_study", study.slug, out=tmp_path / "one", formats=["jsonl"], stdout=StringIO())
    clone = clone_of(study)
    document("import_responses", "--study", clone.slug, str(tmp_path / "one"))
    call_command("export_study", clone.slug, out=tmp_path / "two", formats=["jsonl"], stdout=StringIO())

    for name in ("responses", "ratings", "votes"):
        one, two = (sorted((tmp_path / which / f"{name}.jsonl").read_text().splitlines()) for which in ("one", "two"))
        if name == "votes":
            one, two = ([json.loads(line) | {"exposure_rank": None} for line in lines] for lines in (one, two))
        assert one == two


@pytest.mark.django_db
def test_importing_a_study_into_itself_changes_nothing(tmp_path: Path) -> None:
    study = rich_study()
    call_command("export_study", study.slug, out=tmp_path / "out", formats=["csv"], stdout=StringIO())

    done = document("import_responses", "--study", study.slug, str(tmp_path / "out"))

    assert done["is_unchanged"]


@pytest.mark.django_db
def test_simulated_people_stay_simulated_and_others_are_imported(tmp_path: Path) -> None:
    study = rich_study(origin="simulated")
    call_command("export_study", study.slug, out=tmp_path / "out", formats=["csv"], stdout=StringIO())
    clone = clone_of(study)

    document("import_responses", "--study", clone.slug, str(tmp_path / "out"))

    origins = dict(clone.enrolments.values_list("public_code", "origin"))
    assert origins["P000"] == Enrolment.Origin.SIMULATED
    assert origins["X-timed_out"] == Enrolment.Origin.IMPORTED
    assert "PREVIEW" not in origins
    assert not clone.enrolments.holding_a_place().exists()
