"""`cluster FILE` and `overton FILE` give the numbers that a study with the same data gives."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from clustering.models import GroupMember, Score
from core.errors import BadInput, Invalid, NotThere
from core.models import Run
from studies.models import RepresentationRating, Study
from tests.factories import published_study

PARTS = ("n_votes", "groups", "profiles", "quality", "stability", "advice", "flow")


def printed(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def document(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(printed(*arguments, "--json"))
    return found


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("method", ["dynamic", "polis"])
def test_an_exported_study_gives_the_groups_of_its_runs(planted: Study, tmp_path: Path, method: str) -> None:
    call_command("export_study", planted.slug, out=tmp_path / "out", stdout=StringIO())
    few = ("--method", method, "--stability-replicates", "3", "--stability-seeds", "2", "--seed", "5")

    stored = document("cluster", "--study", planted.slug, *few, "--origin", "live")
    read = document("cluster", str(tmp_path / "out"), *few, "--origin", "live")

    assert read["parameters"] == stored["questions"][0]["parameters"]
    assert read["seed"] == 5
    for mine, theirs in zip(read["questions"], stored["questions"], strict=True):
        assert mine["result"]["question"] == theirs["result"]["question"]
        for part in PARTS:
            assert mine["result"][part] == theirs["result"][part], part
        assert mine["result"]["groups"]["n_groups"] == 3
    assert Run.objects.count() == 4


@pytest.mark.shared
@pytest.mark.django_db
@pytest.mark.parametrize("method", ["dynamic", "polis"])
def test_a_polis_export_gives_the_groups_of_its_import(shared: Path, method: str) -> None:
    folder = shared / "data" / "polis" / "london.youth.policing"
    study = published_study()
    files = ("--statements", str(folder / "comments.csv"), "--votes", str(folder / "votes.csv"))
    printed("import_conversation", "--study", study.slug, "--question", "q1", *files, "--import-only")
    few = ("--method", method, "--stability-replicates", "3", "--stability-seeds", "2")

    stored = document("cluster", "--study", study.slug, "--question", "q1", *few)["questions"][0]["result"]
    read = document("cluster", str(folder), *few)["questions"][0]["result"]

    names = {"participants": [code.removeprefix("q1:") for code in stored["groups"]["participants"]]}
    assert read["groups"]["participants"] == names["participants"]
    for name in ("labels", "sizes", "silhouette", "coordinates", "rows", "chosen"):
        assert read["groups"][name] == stored["groups"][name], name
    assert read["quality"] == stored["quality"]
    assert read["n_votes"] == stored["n_votes"]
    assert read["published"]["n_groups"] == 3
    assert -1 <= read["published"]["adjusted_rand"] <= 1


@pytest.mark.django_db
def test_the_text_names_settings_n_method_and_seed(tmp_path: Path) -> None:
    rows = [f"p{i},s{j},{1 if (i < 6) == (j % 2 == 0) else -1}" for i in range(12) for j in range(8)]
    (tmp_path / "mine.csv").write_text("participant,statement,vote\n" + "\n".join(rows) + "\n")

    options = ("--seed", "3", "--reading", "axes=3", "--minimum-size", "2", "--stability-shuffles", "19")
    text = printed("cluster", str(tmp_path / "mine.csv"), *options)

    assert "mine.csv (long table, 96 rows)" in text
    assert "method dynamic (space projection, unit spread, axes 3, published grid, minimum size 2; own votes" in text
    assert "seed 3" in text
    assert "12 at least 1 current vote; 96 votes" in text
    assert "2 groups of 12 people, mean silhouette 1.000" in text
    assert "group A: 6 people" in text
    assert "agrees (6 of 6) s0\n" in text
    assert "cohesion and votes on each other's statements: undefined, because" in text
    assert "over 5 seeds: adjusted Rand index 1.000" in text
    assert "beside 19 shuffles of the votes: silhouette 0." in text
    assert "p 0.050" in text
    assert "advice: In a group are 12 people; from 30 on" in text


@pytest.mark.django_db
def test_a_file_without_groups_says_why(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("participant,statement,vote\na,s,1\nb,s,1\n")

    text = printed("cluster", str(tmp_path / "mine.csv"))
    found = document("cluster", str(tmp_path / "mine.csv"))

    assert "no groups: only two participants can be compared" in text
    assert found["questions"][0]["result"]["advice"]["findings"][0]["code"] == "no_groups"


@pytest.mark.django_db
def test_ratings_with_the_groups_of_a_run_give_its_scores(planted: Study, tmp_path: Path) -> None:
    quick = ("--replicates", "200", "--seed", "2")
    stored = document(
        "overton", "--study", planted.slug, *quick, "--stability-seeds", "0", "--stability-replicates", "0"
    )
    members = GroupMember.objects.filter(grouping__run__parent__public_id=stored["run"]).select_related("group")
    group_of = {(member.grouping.question_id, member.enrolment_id): member.group for member in members}
    with (tmp_path / "ratings.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["participant", "question", "source", "rating", "group", "domain"])
        for rating in RepresentationRating.objects.select_related("answer__question", "answer__source", "enrolment"):
            question, group = rating.answer.question, group_of[rating.answer.question_id, rating.enrolment_id]
            row = [rating.enrolment.public_code, question.code, rating.answer.source.code, rating.value]
            writer.writerow([*row, "" if group is None else group.letter, question.domain])

    found = document("overton", str(tmp_path / "ratings.csv"), *quick)
    text = printed("overton", str(tmp_path / "ratings.csv"), *quick, "--weighted")

    assert found["kind"] == "ratings"
    stored_scores = {score["source"]: score for score in stored["result"]["overton"]["scores"]}
    for score in found["result"]["overton"]["scores"]:
        for variant in ("unweighted", "weighted"):
            theirs = stored_scores[score["source"]][variant]
            assert score[variant] == pytest.approx(theirs), (score["source"], variant)
    row = Score.objects.get(source__code="s1", is_weighted=False)
    assert f"{row.value:.3f} [{row.low:.3f}, {row.high:.3f}]" in text
    assert "4 questions, 96 members of groups over all of them" in text
    assert "adjusted, weighted (mode paper" in text


@pytest.mark.shared
@pytest.mark.django_db
def test_the_papers_table_of_coverages_gives_its_scores(shared: Path) -> None:
    """Raw and adjusted columns of tables 5 and 7, printed to three digits."""
    folder = shared / "vectors" / "overton"
    found = document("overton", str(folder / "002_table12.csv"), "--replicates", "200")

    assert found["kind"] == "coverages"
    scores = {score["source"]: score for score in found["result"]["overton"]["scores"]}
    assert len(scores) == 8
    # Table 5 and table 7: o4-mini and Claude 3.7 Sonnet, raw.
    assert scores["o4-mini"]["unweighted"]["value"] == pytest.approx(0.374, abs=0.0006)
    assert scores["o4-mini"]["weighted"]["value"] == pytest.approx(0.540, abs=0.0006)
    assert scores["Claude 3.7 Sonnet"]["unweighted"]["value"] == pytest.approx(0.207, abs=0.0006)
    table = found["result"]["report"]["overall"]["adjusted"][0]
    assert (table["mode"], table["variant"]) == ("paper", "unweighted")
    adjusted = {score["source"]: score["adjusted"] for score in table["scores"]}
    assert adjusted["o4-mini"] == pytest.approx(0.358, abs=0.0006)
    assert found["result"]["report"]["not_computed"]["thresholds"]
    # A table does not tell by which rule and threshold its coverages came about.
    assert sorted(found["parameters"]) == ["external", "interval", "level", "replicates"]


@pytest.mark.django_db
def test_why_a_score_is_undefined_stands_below_the_table(tmp_path: Path) -> None:
    rows = "".join(f"q{q},{model},0.5,4\n" for q in range(3) for model in ("m", "n"))
    (tmp_path / "table.csv").write_text("question,model,coverage,n_groups\n" + rows)

    lines = printed("overton", str(tmp_path / "table.csv"), "--replicates", "100").splitlines()

    head = next(index for index, line in enumerate(lines) if line.startswith("source"))
    table = lines[head : head + 4]
    assert {len(line) for line in table} == {len(table[0])}
    reasons = lines[head + 4 : head + 7]
    assert reasons[0].startswith("m, weighted: undefined, because ")
    assert reasons[2].startswith("best across models: undefined, because a table of coverages does not say")


@pytest.mark.django_db
def test_what_does_not_fit_together_is_refused(planted: Study, tmp_path: Path) -> None:
    votes, table = tmp_path / "votes.csv", tmp_path / "table.csv"
    votes.write_text("participant,statement,vote\na,s,1\n")
    table.write_text("question,model,coverage,n_groups\nq,m,1,3\n")

    with pytest.raises(CommandError, match="one of the arguments --study FILE is required"):
        call_command("cluster", stderr=StringIO())
    with pytest.raises(CommandError, match="not allowed with argument"):
        call_command("cluster", str(votes), "--study", planted.slug, stderr=StringIO())
    with pytest.raises(NotThere, match=r"no question q9 in votes\.csv"):
        call_command("cluster", str(votes), "--question", "q9", stderr=StringIO())
    with pytest.raises(BadInput, match="no such file"):
        call_command("overton", str(tmp_path / "nowhere.csv"), stderr=StringIO())
    with pytest.raises(Invalid, match="made with a threshold already"):
        call_command("overton", str(table), "--threshold", "4", stderr=StringIO())
    with pytest.raises(CommandError, match="a reading is NAME=VALUE"):
        call_command("cluster", str(votes), "--reading", "axes", stderr=StringIO())
    with pytest.raises(Invalid) as caught:
        call_command("cluster", str(votes), "--reading", "axis=3", stderr=StringIO())
    assert "readings" in caught.value.fields


@pytest.mark.django_db
def test_scores_go_along_with_other_scores_of_the_same_models(tmp_path: Path) -> None:
    coverage = {"m": (0.25, 0.5), "n": (0.5, 0.75), "o": (0.75, 1.0)}
    rows = "".join(f"q{q},{model},{shares[q]},4\n" for model, shares in coverage.items() for q in (0, 1))
    (tmp_path / "table.csv").write_text("question,model,coverage,n_groups\n" + rows)
    (tmp_path / "slant.csv").write_text("model,slant,size\nm,3,1\nn,2,\no,1,\n")
    arguments = ("overton", str(tmp_path / "table.csv"), "--replicates", "100")

    text = printed(*arguments, "--external", str(tmp_path / "slant.csv"))
    found = document(*arguments, "--external", str(tmp_path / "slant.csv"))

    assert "beside slant, raw, unweighted: pearson -1.000, spearman -1.000, kendall -1.000, n 3" in text
    assert "beside size, raw, unweighted: pearson undefined (" in text
    assert found["parameters"]["external"] == {"slant": {"m": 3.0, "n": 2.0, "o": 1.0}, "size": {"m": 1.0}}
    (tmp_path / "bad.csv").write_text("model\nm\n")
    with pytest.raises(BadInput, match="no table of other scores"):
        printed(*arguments, "--external", str(tmp_path / "bad.csv"))
