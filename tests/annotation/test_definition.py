"""Campaigns as files: shipped kinds, round trip, every problem with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation import kinds
from annotation.definition import Definition, canonical, dump, load_bytes, load_file
from annotation.models import Campaign, Dimension, Rubric
from annotation.services import campaigns, packets
from core import strictyaml
from core.errors import BadInput, Conflict, NotThere
from tests.annotation.audits import frozen, new_campaign, shipped
from tests.factories import NOW, StudyFactory

pytestmark = pytest.mark.django_db

SMALL = """\
slug: mine
title: Mine
kind: pairwise
hidden: [distance, note]
item_kinds:
  - code: text
    name: Text
    rubric: Read it.
    parts:
      - code: first
        label: First
        role: side
      - code: second
        label: Second
        role: side
    dimensions:
      - code: better
        name: Better
        question: Which one?
        scale: nominal
        labels:
          - code: one
            text: A
            mirror: two
          - code: two
            text: B
            mirror: one
"""


@pytest.mark.parametrize("kind", Campaign.Kind.values)
def test_every_kind_is_shipped_and_comes_back_the_same(kind: str) -> None:
    campaign = new_campaign(kind)
    packet = packets.draft_of(campaign)
    whole = canonical(packet)
    assert whole == {**shipped(kind).data, "slug": campaign.slug}

    text = strictyaml.dump({**dump(packet), "slug": "again"})
    again, is_new = campaigns.apply_definition(definition=load_bytes(text.encode(), "x.yaml"), by=None, now=NOW)

    assert is_new
    assert canonical(packets.draft_of(again)) == {**whole, "slug": "again"}


def test_the_numbers_of_the_papers() -> None:
    rating, openness, pairwise = (shipped(kind).data for kind in ("rating", "openness", "pairwise"))
    assert rating["raters_per_item"] == 25
    assert openness["raters_per_item"] == 3
    n_dimensions = {each["code"]: len(each["dimensions"]) for each in pairwise["item_kinds"]}
    assert n_dimensions == {"aut": 1, "dat": 1, "story": 5, "views": 1}


def test_a_kind_is_copied_to_be_edited(tmp_path: Path) -> None:
    file = kinds.copy("pairwise", tmp_path / "mine")

    assert load_file(file).data == shipped("pairwise").data
    with pytest.raises(Conflict):
        kinds.copy("pairwise", tmp_path / "mine")


def test_another_wording_is_another_version_of_the_rubric() -> None:
    packet = frozen()
    draft = packets.amend(campaign=packet.campaign, reason="Clearer.", by=None, now=NOW)
    data = canonical(draft)
    data["item_kinds"][0]["rubric"] = "Compare the uses."

    campaigns.apply_definition(definition=Definition(data, "x.yaml"), by=None, now=NOW)

    assert [(each.number, each.kinds.count()) for each in Rubric.objects.filter(code="aut")] == [(1, 1), (2, 1)]
    assert packets.discrepancies(packet) == []


def test_loading_again_keeps_rows_and_can_reorder_labels() -> None:
    campaign = new_campaign("openness")
    before = set(Dimension.objects.values_list("pk", flat=True))
    data = canonical(packets.draft_of(campaign))
    data["item_kinds"][0]["dimensions"][0]["labels"].reverse()

    campaigns.apply_definition(definition=Definition(data, "x.yaml"), by=None, now=NOW)

    assert set(Dimension.objects.values_list("pk", flat=True)) == before
    assert canonical(packets.draft_of(campaign)) == data


def test_a_campaign_may_belong_to_a_study() -> None:
    study = StudyFactory()
    assert new_campaign(study=study.slug).study == study
    with pytest.raises(NotThere):
        new_campaign(study="nowhere")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("mirror: two", "mirror: three", "mine.yaml:24:21"),
        ("mirror: one", "", "mirror of the mirror"),
        ("role: side\n    dim", "role: text\n    dim", "two sides or none"),
        ("code: first", "code: stratum", "another meaning"),
        ("[distance, note]", "[distance, distance]", "second time"),
        ("[distance, note]", "[second]", "raters see"),
        ("[distance, note]", "[external_id]", "another meaning"),
        ("scale: nominal", "scale: interval", "need a value"),
        ("scale: nominal", "scale: nominal\n        cannot_judge:\n          counts_as: missing", "needs a label"),
        (
            "scale: nominal",
            "scale: nominal\n        depends_on:\n          dimension: other\n          labels: [one]",
            "no such dimension",
        ),
        ("kind: pairwise", "kind: pairwise\nprimary_analysis:\n  dimensions: [text/worse]", "text/better"),
        ("kind: pairwise", "kind: pairs", "Did you mean"),
        ("title: Mine", "title: Mine\nmood: good", "Unknown key"),
        ("rubric: Read it.", "rubric: missing.md", "alone cannot name"),
        ("kind: pairwise", "kind: pairwise\nqualification:\n  pass_mark: 2", "above"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(old: str, new: str, says: str) -> None:
    assert old in SMALL
    with pytest.raises(BadInput) as caught:
        load_bytes(SMALL.replace(old, new).encode(), "mine.yaml")

    text = "\n".join(caught.value.lines())
    assert says in text
    assert text.startswith("mine.yaml:")


def test_the_small_one_is_right() -> None:
    data = load_bytes(SMALL.encode(), "mine.yaml").data

    assert data["hidden"] == [{"name": "distance", "kind": "number"}, {"name": "note", "kind": "text"}]
    assert data["item_kinds"][0]["dimensions"][0]["cannot_judge"]["counts_as"] == "absent"


@pytest.mark.parametrize("name", ["../outside.md", "gone.md", "empty.md"])
def test_rubrics_lie_beside_the_definition(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (tmp_path / "outside.md").write_text("Outside.")
    (folder / "empty.md").write_text("  \n")
    file = folder / "campaign.yaml"
    file.write_text(SMALL.replace("rubric: Read it.", f"rubric: {name}"))

    with pytest.raises(BadInput, match="rubric"):
        load_file(file)
