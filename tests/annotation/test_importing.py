"""Judgements and scores from files."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotation.models import Assignment, Item, ItemScore, Judgement, Packet, Rater, Scorer
from annotation.selectors.completeness import completeness
from annotation.services import closing, importing
from annotation.services import scores as scoring
from annotation.services.imported import ImportReport
from core.errors import BadInput, Conflict
from tests.annotation.audits import frozen, jsonl, new_campaign, pair
from tests.factories import NOW

pytestmark = pytest.mark.django_db


def take_in(packet: Packet, rows: list[dict[str, Any]], **options: Any) -> ImportReport:
    return importing.import_judgements(
        campaign=packet.campaign, source=jsonl(rows), name="answers.jsonl", by=None, now=NOW, **options
    )


def row(item: str = "aut-0", rater: str = "ann", label: str | None = "clearly", **more: Any) -> dict[str, Any]:
    return {"item": item, "rater": rater, "label": label, **more}


def test_answers_become_judgements_of_raters_from_files() -> None:
    packet = frozen(n=2)
    rows = [
        row(f"aut-{i}", rater, kind="model" if rater == "bot" else "person") for i in (0, 1) for rater in ("ann", "bot")
    ]
    rows[0] = row(label=None, missing="cannot_judge", evidence="No idea.\r\n", kind="person")

    report = take_in(packet, rows)

    assert report.to_dict() == {"rows": 4, "created": 4, "updated": 0, "unchanged": 0, "dry_run": False}
    assert dict(Rater.objects.values_list("code", "kind")) == {"ann": "person", "bot": "model"}
    assert Judgement.objects.counted().count() == 4
    assert Judgement.objects.get(missing="cannot_judge").evidence == "No idea.\r\n"
    assert set(Assignment.objects.values_list("rank", flat=True)) == {None}
    assert completeness(packet).n_of_models == 0


def test_keys_name_items_too() -> None:
    packet = frozen(n=1)
    take_in(packet, [row(Item.objects.get().key)])

    assert Judgement.objects.count() == 1


def test_the_same_file_again_changes_nothing_and_another_answer_supersedes() -> None:
    packet = frozen(n=2)
    rows = [row("aut-0"), row("aut-1")]
    take_in(packet, rows)

    assert take_in(packet, rows).n_unchanged == 2
    report = take_in(packet, [row("aut-0", label="not"), row("aut-1")])

    assert (report.n_created, report.n_updated, report.n_unchanged) == (0, 1, 1)
    assert Judgement.objects.count() == 3
    assert Judgement.objects.current().get(assignment__item__hidden__external_id="aut-0").label.code == "not"


def test_a_dry_run_stores_nothing() -> None:
    packet = frozen(n=1)

    assert take_in(packet, [row()], dry_run=True).n_created == 1
    assert not Judgement.objects.exists()
    assert not Rater.objects.exists()


@pytest.mark.parametrize(
    ("rows", "place", "says"),
    [
        ([row(), row(label="very")], "answers.jsonl:2", "no label"),
        ([row(), row(label="not")], "answers.jsonl:2", "already"),
        ([row("aut-9")], "answers.jsonl:1", "no item"),
        ([row(dimension="taste")], "answers.jsonl:1", "no such dimension"),
        ([row(label=None)], "answers.jsonl:1", "why it is missing"),
        ([row(missing="skipped")], "answers.jsonl:1", "why it is missing"),
        ([row(label=None, missing="tired")], "answers.jsonl:1", "not possible"),
        ([row(label=None, labels=["not"])], "answers.jsonl:1", "why it is missing"),
        ([row(kind="person"), row("aut-1", kind="model")], "answers.jsonl:2", "another kind"),
    ],
)
def test_errors_name_the_row_and_nothing_is_kept(rows: list[dict[str, Any]], place: str, says: str) -> None:
    packet = frozen(n=2)

    with pytest.raises(BadInput) as caught:
        take_in(packet, rows)

    text = "\n".join(caught.value.lines())
    assert place in text
    assert says in text
    assert not Judgement.objects.exists()


def test_the_dimension_must_be_said_if_there_are_several() -> None:
    packet = frozen(rows=[pair(1, kind="story")])
    with pytest.raises(BadInput, match="which dimension"):
        take_in(packet, [row("story-1")])
    take_in(packet, [row("story-1", dimension="theme")])

    assert Judgement.objects.get().dimension.code == "theme"


def test_several_labels() -> None:
    packet = frozen("label_check", [{"external_id": "a", "text": "x"}])
    take_in(packet, [{"item": "a", "rater": "machine", "kind": "model", "labels": ["ideas", "creative"]}])

    assert Judgement.objects.get().labels == ["creative", "ideas"]


def test_the_code_of_another_rater_is_refused_and_locked_packets_take_nothing() -> None:
    from tests.annotation.audits import person

    packet = frozen(n=1)
    rater = person(packet)
    with pytest.raises(Conflict):
        take_in(packet, [row(rater=rater.code)])
    with pytest.raises(Conflict):
        scoring.import_scores(campaign=new_campaign(), source=b"", name="s.csv", by=None, now=NOW)
    closing.lock(campaign=packet.campaign, by=None, now=NOW, override_reason="So.")
    with pytest.raises(Conflict):
        take_in(packet, [row()])


def scores(packet: Packet, text: str, **options: Any) -> ImportReport:
    return scoring.import_scores(
        campaign=packet.campaign, source=text.encode(), name="scores.csv", by=None, now=NOW, **options
    )


def test_scores_of_machines() -> None:
    packet = frozen(n=2)
    text = (
        "item,scorer,family,part,score\n"
        "aut-0,gpt,perplexity,first,1.5\naut-0,gpt,perplexity,second,2\naut-1,rm,reward,,-0.5\n"
    )

    assert scores(packet, text).n_created == 3
    report = scores(packet, text.replace("1.5", "1.25"))

    assert (report.n_updated, report.n_unchanged) == (1, 2)
    assert dict(Scorer.objects.values_list("code", "family")) == {"gpt": "perplexity", "rm": "reward"}
    assert set(ItemScore.objects.values_list("part", "value")) == {("first", 1.25), ("second", 2.0), ("", -0.5)}
    assert scores(packet, text, dry_run=True).n_updated == 1
    assert ItemScore.objects.filter(value=1.25).exists()


@pytest.mark.parametrize("line", ["aut-9,gpt,,1", "aut-0,gpt,third,1", "aut-0,gpt,,NaN", "aut-0,gpt,,"])
def test_scores_that_are_refused(line: str) -> None:
    packet = frozen(n=1)
    with pytest.raises(BadInput, match=r"scores\.csv:2"):
        scores(packet, f"item,scorer,part,score\n{line}\n")
    assert not Scorer.objects.exists()


def test_both_from_the_command_line(tmp_path: Path) -> None:
    frozen(n=1, slug="mine")
    (tmp_path / "a.csv").write_text("item,rater,label\naut-0,ann,partly\n")
    (tmp_path / "s.csv").write_text("item,scorer,score\naut-0,rm,0.5\n")
    out = StringIO()
    call_command("audit", "answers", "mine", str(tmp_path / "a.csv"), stdout=out)
    call_command("audit", "scores", "mine", str(tmp_path / "s.csv"), stdout=out)

    assert "1 judgements: 1 new, 0 changed, 0 as before." in out.getvalue()
    assert "1 scores: 1 new" in out.getvalue()
    assert (Judgement.objects.count(), ItemScore.objects.count()) == (1, 1)
