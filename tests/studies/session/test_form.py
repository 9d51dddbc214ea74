"""Items about the person: each may be left out, and leaving out is not declining."""

from __future__ import annotations

from typing import Any

import pytest

from studies.models import Answer, Enrolment, Slot
from tests.factories import CODES, published_study
from tests.walking import Walker, read_form, read_text

COLUMNS = ("value_choice", "value_choices", "value_integer", "value_text", "missing")
NOTHING = {"item-age": "", "item-remarks": ""}


@pytest.fixture
def reader(study) -> Walker:
    walker = Walker(study.slug, htmx=True)
    walker.start()
    walker.walk(until="form")
    return walker


def send(reader: Walker, **items: Any) -> Any:
    sent = {"step": read_form(reader.page).step} | NOTHING | {f"item-{code}": value for code, value in items.items()}
    return reader.post(sent)


def stored(code: str) -> dict[str, Any]:
    row = Answer.objects.values(*COLUMNS).get(item_code=code)
    return {name: value for name, value in row.items() if value is not None}


def test_every_item_may_be_left_out_and_is_then_skipped(reader: Walker) -> None:
    assert send(reader).status_code == 200

    assert Answer.objects.count() == 4
    assert set(Answer.objects.values_list("missing", flat=True)) == {"skipped"}


def test_declining_is_not_skipping(reader: Walker) -> None:
    send(reader, sex="__declined__")

    assert stored("sex") == {"missing": "declined"}
    assert stored("age") == {"missing": "skipped"}


def test_each_kind_fills_its_column(reader: Walker) -> None:
    send(reader, age="44", sex="female", ethnicity=["white", "asian"], remarks="None.")

    assert stored("age") == {"value_integer": 44}
    assert stored("sex") == {"value_choice": "female"}
    assert stored("ethnicity") == {"value_choices": ["asian", "white"]}
    assert stored("remarks") == {"value_text": "None."}


@pytest.mark.parametrize(
    ("typed", "number"),
    [(" 44 ", 44), ("４４", 44), ("18", 18), ("120", 120), ("+44", 44), ("044", 44)],  # noqa: RUF001
)
def test_a_number_may_be_written_in_several_ways(reader: Walker, typed: str, number: int) -> None:
    send(reader, age=typed)

    assert stored("age") == {"value_integer": number}


@pytest.mark.parametrize("typed", ["17", "121", "-44", "44.5", "1e2", "4 4", "forty", "1_8", "9" * 50, "\u0664\u0664"])
def test_what_is_no_number_within_the_limits_is_refused_by_name(reader: Walker, typed: str) -> None:
    response = send(reader, age=typed, sex="male")

    assert response.status_code == 422
    assert [error["field"] for error in response.context["page"]["errors"]] == ["item-age"]
    assert "from 18 to 120" in read_text(response)
    assert not Answer.objects.exists()
    form = read_form(response)
    assert form.fields["item-age"] == [typed]
    assert form.fields["item-sex"] == ["male"], "what was chosen elsewhere is still chosen"


@pytest.mark.parametrize(
    ("minimum", "maximum", "said"),
    [(0, None, "at least 0"), (None, 0, "at most 0"), (None, None, "a whole number, or")],
)
def test_zero_is_a_limit_like_any_other(db, minimum: int | None, maximum: int | None, said: str) -> None:
    item = {"code": "n", "kind": "integer", "label": "How many?", "minimum": minimum, "maximum": maximum}
    walker = Walker(published_study(form=(item,)).slug, htmx=True)
    walker.start()
    walker.walk(until="form")

    assert said in read_text(walker.send(item__n="-1" if minimum == 0 else "1" if maximum == 0 else "x"))
    walker.send(item__n="0")
    assert Answer.objects.get().value_integer == 0


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("sex", "unknown"),
        ("sex", ["female", "male"]),
        ("ethnicity", ["white", "unknown"]),
        ("sex", ["female", "__declined__"]),
        ("ethnicity", ["asian", "__declined__"]),
        ("remarks", "x" * 301),
    ],
)
def test_what_the_page_does_not_offer_is_refused(reader: Walker, code: str, value: Any) -> None:
    response = send(reader, **{code: value})

    assert response.status_code == 422
    assert [error["field"] for error in response.context["page"]["errors"]] == [f"item-{code}"]
    assert not Answer.objects.exists()


@pytest.mark.parametrize("code", ["age", "sex", "ethnicity", "remarks"])
def test_nul_is_refused_in_every_item(reader: Walker, code: str) -> None:
    assert send(reader, **{code: "a\0"}).status_code == 422
    assert not Answer.objects.exists()


@pytest.mark.parametrize("prolific", [False, True])
@pytest.mark.parametrize("kind", ["single", "multiple"])
def test_an_option_that_screens_out_ends_the_session_politely(db, kind: str, prolific: bool) -> None:
    options = [{"value": "yes", "label": "Yes"}, {"value": "no", "label": "No", "screens_out": True}]
    study = published_study(form=({"code": "adult", "kind": kind, "label": "Adult?", "options": options},))
    walker = Walker(study.slug)
    walker.start(**({"PROLIFIC_PID": "1" * 24, "SESSION_ID": "2" * 24} if prolific else {}))
    walker.walk(until="form")

    walker.send(item__adult="no")

    assert walker.kind == "screened_out"
    assert CODES["screened_out"] in read_text(walker.page)
    assert (f"cc={CODES['screened_out']}" in walker.page.content.decode()) is prolific
    assert Enrolment.objects.get().status == "screened_out"
    assert Answer.objects.count() == 1
    assert set(Slot.objects.values_list("status", flat=True)) == {"released"}


def test_the_other_options_go_on(db) -> None:
    options = [{"value": "yes", "label": "Yes"}, {"value": "no", "label": "No", "screens_out": True}]
    study = published_study(form=({"code": "adult", "kind": "single", "label": "Adult?", "options": options},))
    walker = Walker(study.slug)
    walker.start()
    walker.walk(until="form")

    walker.send(item__adult="yes")

    assert walker.kind == "write"


@pytest.mark.parametrize("typed", ["4" * 101, "44" + " " * 120 + "5", "4" + "\u0315" * 200_000 + "\u0300" * 200_000])
def test_a_number_that_is_none_is_refused_however_long_it_is(reader: Walker, typed: str) -> None:
    assert send(reader, age=typed).status_code == 422
    assert not Answer.objects.exists()
