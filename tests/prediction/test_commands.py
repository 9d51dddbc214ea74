"""`predict_ratings`: from a file, by a baseline, and the report on both."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from clustering.inclusion import Inclusion
from core.errors import Conflict, DomainError, Invalid
from core.models import Run
from prediction.models import Prediction
from studies.models import Study
from tests.prediction.conftest import points

pytestmark = pytest.mark.django_db


def printed(*arguments: str) -> str:
    out = StringIO()
    call_command("predict_ratings", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def document(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(printed(*arguments, "--json"))
    return found


def test_a_file_then_a_baseline_then_the_report(rated: Study, as_csv: Callable[..., bytes], tmp_path: Path) -> None:
    file = tmp_path / "oracle.csv"
    file.write_bytes(as_csv(points(rated)))

    assert "added 72 predictions of oracle" in printed("--study", rated.slug, "--file", str(file))
    baseline = document("--study", rated.slug, "--baseline", "mean_of_others")
    report = document("--study", rated.slug, "--replicates", "200", "--permutations", "99")

    assert baseline["result"]["n_points"] == 72
    lines = {line["method"]: line for line in report["result"]["accuracy"]["common"]}
    assert lines["oracle"]["mae"]["value"] == 0
    assert lines["oracle"]["accuracy"]["value"] == 1
    assert lines["mean of others"]["mae"] == baseline["result"]["accuracy"]["mae"] | {
        name: lines["mean of others"]["mae"][name] for name in ("low", "high", "n_replicates")
    }
    text = printed("--study", rated.slug, "--replicates", "200", "--permutations", "99")
    assert "oracle beats mean of others: 1.000" in text
    assert "form: sex, mae" in text


def test_by_command_and_again_the_bytes_are_the_same(rated: Study) -> None:
    first = document("--study", rated.slug, "--baseline", "mean_of_others")
    again = document("--study", rated.slug, "--baseline", "mean_of_others")
    assert first["result_sha256"] == again["result_sha256"]
    assert Prediction.objects.count() == 72


def test_a_subset_is_the_same_every_time_and_part_of_the_whole(rated: Study) -> None:
    found = document("--study", rated.slug, "--baseline", "mean_of_others", "--subset", "10")
    assert found["result"]["n_points"] == 10
    assert found["result"]["subset"] == {"size": 10, "seed": 1}
    document("--study", rated.slug, "--baseline", "mean_of_others", "--subset", "20")
    assert Prediction.objects.count() == 20


def test_a_dry_run_writes_nothing(rated: Study, as_csv: Callable[..., bytes], tmp_path: Path) -> None:
    file = tmp_path / "oracle.csv"
    file.write_bytes(as_csv(points(rated)))
    assert "would add 72" in printed("--study", rated.slug, "--file", str(file), "--dry-run")
    assert not Prediction.objects.exists()


def test_without_predictions_there_is_nothing_to_report(rated: Study) -> None:
    with pytest.raises(Conflict, match="no predictions yet"):
        printed("--study", rated.slug)


def test_without_ratings_there_is_nothing_to_predict(study: Study) -> None:
    with pytest.raises(Conflict, match="nothing to predict"):
        printed("--study", study.slug, "--baseline", "mean_of_others")
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--baseline", "mean_of_others", "--variant", "FS"), "not allowed with"),
        (("--endpoint", "somewhere"), "needs --variant"),
        (("--variant", "XX"), "invalid choice"),
        (("--variant", "FS", "--parameters", "[1]"), "JSON object"),
        (("--variant", "FS", "--input-price", "-1"), "price"),
    ],
)
def test_options_that_make_no_sense_are_refused(rated: Study, arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        printed("--study", rated.slug, *arguments)


def test_a_judge_without_an_endpoint_or_an_unknown_one_is_refused(rated: Study) -> None:
    with pytest.raises(Invalid):
        printed("--study", rated.slug, "--variant", "FS")
    with pytest.raises(DomainError, match="nowhere"):
        printed("--study", rated.slug, "--variant", "FS", "--endpoint", "nowhere")
    with pytest.raises(Invalid, match="costs nothing"):
        printed("--study", rated.slug, "--baseline", "mean_of_others", "--estimate")


def test_the_default_takes_in_whom_the_scores_take_in(rated: Study) -> None:
    document("--study", rated.slug, "--baseline", "mean_of_others")
    assert Run.objects.get().parameters["inclusion"] == Inclusion(("live", "imported")).to_dict()


def test_candidates_are_added_by_a_command(closed: Study, as_csv: Callable[..., bytes], tmp_path: Path) -> None:
    file = tmp_path / "new.csv"
    file.write_bytes(as_csv([("q1", "new", "What new says.")], "question,source,text"))
    out = StringIO()
    call_command("add_candidates", str(file), "--study", closed.slug, stdout=out)
    assert "added 1 answers of new" in out.getvalue()
