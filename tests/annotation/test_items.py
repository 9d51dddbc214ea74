"""Items come in byte for byte, or are refused with line and column, all or nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.models import GoldLabel, HiddenFields, Item, ItemText
from annotation.services import items, packets
from core.errors import BadInput, Conflict
from core.tables import Column, Table, write_table
from tests.annotation.audits import add_items, jsonl, new_campaign, pair
from tests.factories import NOW

pytestmark = pytest.mark.django_db

TEXTS = {
    "literals": ["NA", "None", "null", "nan", "1e5", "007", "TRUE", "yes", "-", "2024-01-01"],
    "line ends": ["a\nb", "a\r\nb", "a\rb", "a\u2028b", "a\u0085b", " a ", "\ta"],
    "quotes": ['say "hi"', "a,b", "a;b", "'=1+1", '"'],
    "scripts": ["مرحبا بالعالم", "שלום", "👩‍👩‍👧‍👦", "e\u0301", "é", "\u200bhidden\u200b!", "\ufeffmark"],
    "attacks": ['=HYPERLINK("http://x")', "@SUM(1)", "<img src=x onerror=alert(1)>", "{{ 7*7 }}", "+1", "-1"],
}
EVERY = [text for texts in TEXTS.values() for text in texts]


def load(source: bytes, name: str, kind: str = "openness", **options: Any) -> items.ItemReport:
    campaign = options.pop("campaign", None) or new_campaign(kind)
    return items.import_items(campaign=campaign, source=source, name=name, by=None, now=NOW, **options)


def stored() -> list[str]:
    rows = ItemText.objects.order_by("item__hidden__external_id")
    return list(rows.values_list("text", flat=True))


def the_problem(source: bytes, name: str = "items.csv") -> str:
    with pytest.raises(BadInput) as caught:
        load(source, name)
    assert not Item.objects.exists()
    return "\n".join(caught.value.lines())


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_texts_come_out_as_they_went_in(form: str, tmp_path: Path) -> None:
    rows = [(f"{i:03}", text) for i, text in enumerate(EVERY)]
    table = Table(
        "items",
        "Items.",
        (Column("external_id", "text", "Id.", nullable=False), Column("request", "text", "Text.", nullable=False)),
        lambda: rows,
    )
    written = write_table(table, rows, tmp_path, format=form)

    load(written.path.read_bytes(), written.path.name)

    assert stored() == EVERY
    again = write_table(table, list(zip([row[0] for row in rows], stored(), strict=True)), tmp_path / "2", format=form)
    assert again.sha256 == written.sha256


def test_ids_stay_as_they_are() -> None:
    ids = ["007", "9007199254740993", "NA", "null", "1e5", "Ünïcode", "a b"]
    load(jsonl([{"external_id": each, "request": "x"} for each in ids]), "items.jsonl")

    assert set(HiddenFields.objects.values_list("external_id", flat=True)) == set(ids)


def test_large_numbers_in_json_stay_exact() -> None:
    load(b'{"external_id": 9007199254740993, "request": "x"}\n', "items.jsonl")

    assert HiddenFields.objects.get().external_id == "9007199254740993"


def test_a_field_longer_than_the_csv_module_reads() -> None:
    text = "x" * 131_073
    load(f"external_id,request\na,{text}\n".encode(), "items.csv")

    assert stored() == [text]


def test_a_byte_order_mark_is_no_part_of_the_header() -> None:
    load(b"\xef\xbb\xbfexternal_id,request\na,b\n", "items.csv")

    assert stored() == ["b"]


@pytest.mark.parametrize(
    ("source", "name", "says"),
    [
        (b"external_id,request\na,b\na,c\n", "items.csv", "items.csv:3:1"),
        (b"external_id,request\na,b,c\n", "items.csv", "items.csv:2:3"),
        (b"external_id,request\na\n", "items.csv", "items.csv:2:2"),
        (b'external_id,request\na,"b\n', "items.csv", "items.csv:2"),
        (b"external_id;request\na;b\n", "items.csv", "semicolons"),
        (b"external_id,request,request\na,b,c\n", "items.csv", "items.csv:1:3"),
        (b"external_id,request\na,caf\xe9\n", "items.csv", "items.csv:2:6"),
        ("external_id,request\na,b\n".encode("utf-16"), "items.csv", "UTF-16"),
        (b"external_id,request\na,b\x00c\n", "items.csv", "NUL"),
        (b"external_id,request\n,b\n", "items.csv", "items.csv:2:1"),
        (b"external_id,request\na,\n", "items.csv", "items.csv:2:2"),
        (b"external_id,request\na, \n", "items.csv", "items.csv:2:2"),
        (b"external_id,request,mood\na,b,c\n", "items.csv", "items.csv:1:3"),
        (b"request\nb\n", "items.csv", "external_id"),
        (b"", "items.csv", "no header"),
        (b"external_id,request,distance\na,b,NaN\n", "items.csv", "items.csv:2:3"),
        (b'external_id,request,distance\na,b,"1,5"\n', "items.csv", "point"),
        (b"external_id,request,covered\na,b,maybe\n", "items.csv", "items.csv:2:3"),
        (b'{"external_id": "a", "request": NaN}\n', "items.jsonl", "items.jsonl:1"),
        (b'{"external_id": "a", "request": "\\ud800"}\n', "items.jsonl", "items.jsonl:1"),
        (b'{"external_id": "a", "external_id": "b", "request": "x"}\n', "items.jsonl", "items.jsonl:1"),
        (b'{"external_id": "a", "request": {"en": "x"}}\n', "items.jsonl", "items.jsonl:1"),
        (b'{"external_id": "a", "request": "x"}\n["b", "y"]\n', "items.jsonl", "items.jsonl:2"),
        (b"PAR1 is not enough", "items.parquet", "Parquet"),
        (b"external_id,request\na,b\n", "items.xlsx", "format"),
        (b"external_id,request,sequence\na,b,s\n", "items.csv", "place"),
        (b"external_id,request,repeats\na,b,z\n", "items.csv", "items.csv:2:3"),
        (b"external_id,request,repeats\na,b,a\n", "items.csv", "itself"),
        (b"external_id,request,purpose\na,b,gold\n", "items.csv", "right answer"),
        (b'external_id,request,gold\na,b,"{""open_ended"": ""yes""}"\n', "items.csv", "no right answer"),
        (b'external_id,request,purpose,gold\na,b,gold,"{""open"": ""yes""}"\n', "items.csv", "no such dimension"),
        (b'external_id,request,purpose,gold\na,b,gold,"{""open_ended"": ""y""}"\n', "items.csv", "no such label"),
        (b'external_id,request,purpose,gold\na,b,gold,"[1]"\n', "items.csv", "Labels by dimension"),
    ],
)
def test_what_cannot_be_taken_in_is_refused_with_its_place(source: bytes, name: str, says: str) -> None:
    assert says in the_problem(source, name)


def test_everything_wrong_is_told_at_once_and_nothing_is_stored() -> None:
    rows = [pair(1), pair(2, kind="taste"), pair(3, first=""), {**pair(4), "mood": "x"}]
    campaign = new_campaign()

    with pytest.raises(BadInput) as caught:
        add_items(campaign, rows)

    assert {problem.line for problem in caught.value.problems} == {2, 3, 4}
    assert not Item.objects.exists()


def test_texts_must_be_those_of_the_kind() -> None:
    campaign = new_campaign()
    with pytest.raises(BadInput) as caught:
        add_items(campaign, [pair(1, question="Why?"), pair(2, kind="views")])

    assert {(each.line, each.name) for each in caught.value.problems} == {(1, "question"), (2, "question")}


def test_the_same_file_again_changes_nothing_and_says_so() -> None:
    campaign = new_campaign()
    rows = [pair(1), pair(2, covered=True, distance=0.5, repeats="aut-1")]
    first = add_items(campaign, rows)
    before = list(Item.objects.values("key", "sha256", "salt"))

    again = add_items(campaign, rows)

    assert (first.n_created, again.n_created, again.n_updated, again.n_unchanged) == (2, 0, 0, 2)
    assert list(Item.objects.values("key", "sha256", "salt")) == before


def test_a_changed_row_changes_its_item_in_a_draft() -> None:
    campaign = new_campaign()
    add_items(campaign, [pair(1), pair(2)])
    key = Item.objects.get(hidden__external_id="aut-1").key

    report = add_items(campaign, [pair(1, first="Another text"), pair(2)])

    assert (report.n_updated, report.n_unchanged) == (1, 1)
    item = Item.objects.get(key=key)
    assert item.texts.get(part="first").text == "Another text"
    assert packets.content_hash(item) == item.sha256


def test_an_equal_file_is_no_edit_of_a_frozen_packet() -> None:
    campaign = new_campaign()
    add_items(campaign, [pair(1)])
    packets.freeze(campaign=campaign, by=None, now=NOW)

    assert add_items(campaign, [pair(1)]).n_unchanged == 1


def test_a_dry_run_says_what_would_be_done() -> None:
    campaign = new_campaign()
    report = add_items(campaign, [pair(1), pair(2, stratum="uncovered_far")], dry_run=True)

    assert report.to_dict() == {
        "rows": 2,
        "created": 2,
        "updated": 0,
        "unchanged": 0,
        "by_stratum": {"aut/covered_near": 1, "aut/uncovered_far": 1},
        "dry_run": True,
    }
    assert not Item.objects.exists()


def test_hidden_fields_go_to_their_table_with_their_types() -> None:
    hidden = [{"name": "score", "kind": "number"}, {"name": "note", "kind": "text"}]
    campaign = new_campaign(hidden=hidden)
    row = pair(1, source="model", model="m1", covered=False, distance=0.25, reference="r", score=3, note="=1+1")

    add_items(campaign, [row])

    found = HiddenFields.objects.get()
    assert (found.source, found.model, found.is_covered, found.distance) == ("model", "m1", False, 0.25)
    assert found.values == {"score": 3.0, "note": "=1+1"}
    item = found.item
    assert "aut" not in item.key.lower()
    assert len(item.key) == 12


def test_right_answers_and_labels_to_check() -> None:
    campaign = new_campaign("label_check")
    rows = [
        {"external_id": "a", "text": "x", "proposals": {"categories": ["ideas", "creative"]}},
        {"external_id": "b", "text": "y", "purpose": "gold", "gold": {"categories": ["advice"]}, "explanation": "So."},
    ]
    add_items(campaign, rows)
    assert add_items(campaign, rows).n_unchanged == 2

    assert Item.objects.get(purpose="work").proposals == {"categories": ["creative", "ideas"]}
    assert GoldLabel.objects.get().explanation == "So."


def test_sequences_get_a_code_that_tells_nothing() -> None:
    campaign = new_campaign("surprise")
    rows = [{"external_id": f"t{i}", "segment": f"s{i}", "sequence": "gpt-story", "place": i} for i in range(3)]
    add_items(campaign, rows)
    add_items(campaign, [{"external_id": "t3", "segment": "s3", "sequence": "gpt-story", "place": 3}])

    (code,) = set(Item.objects.values_list("sequence", flat=True))
    assert "gpt" not in code
    assert HiddenFields.objects.first().values == {"sequence": "gpt-story"}


def test_items_need_a_definition_first() -> None:
    from annotation.services import campaigns

    bare = campaigns.create_campaign(slug="bare", title="Bare", kind="rating", by=None, now=NOW)
    with pytest.raises(Conflict):
        load(b"external_id,answer\n", "items.csv", campaign=bare)


def test_items_can_be_taken_out_of_a_draft() -> None:
    campaign = new_campaign()
    add_items(campaign, [pair(1), pair(2)])

    assert items.remove_items(campaign=campaign, external_ids=["aut-1", "aut-9"], by=None, now=NOW) == 1
    assert json.dumps([each.hidden.external_id for each in Item.objects.all()]) == '["aut-2"]'
