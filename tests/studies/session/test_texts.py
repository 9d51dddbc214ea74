"""What people type is stored as they typed it, and its length is counted once and for all."""

from __future__ import annotations

import unicodedata

import pytest

from studies.models import Answer, Draft, FreeResponse, LateSubmission
from tests.factories import published_study
from tests.walking import TEXT, Walker, read_form, read_text

PLAIN = "a" * 75


@pytest.fixture(params=[False, True], ids=["without scripts", "htmx"])
def writer(request: pytest.FixtureRequest, study) -> Walker:
    walker = Walker(study.slug, htmx=request.param)
    walker.start()
    walker.walk(until="write")
    return walker


def is_refused(walker: Walker, text: str) -> bool:
    response = walker.send(text=text)
    assert response.status_code in {200, 422}
    return response.status_code == 422


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("a" * 75, 75),
        ("a" * 300, 300),
        ("\U0001f600" * 75, 75),
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467" * 60, 300),
        ("e\u0301" * 75, 75),
        ("e\u0301" * 300, 300),
        ("\u0628" * 75, 75),
        ("\u202eabc\u202c" + "\u05d0" * 71, 76),
        (("a" * 24 + "\r\n") * 3, 75),
        (("a" * 59 + "\r\n") * 5, 300),
        ("=cmd()|' /C calc'!A0 " + "x" * 75, 96),
        ("<script>alert('x')</script>" + "y" * 75, 102),
        ("\ufeff\u200b" + "z" * 75, 77),
        ("  \n " + "w" * 75 + " \n", 81),
    ],
    ids=[
        "75",
        "300",
        "75 emoji",
        "joined emoji",
        "75 combining",
        "300 combining",
        "right to left",
        "direction marks",
        "75 with CRLF",
        "300 with CRLF",
        "formula",
        "script",
        "zero width",
        "blanks around",
    ],
)
def test_a_text_within_the_limits_is_stored_as_it_was_typed(writer: Walker, text: str, length: int) -> None:
    assert not is_refused(writer, text)

    response = FreeResponse.objects.get()
    assert response.text == text.replace("\r\n", "\n")
    assert response.n_characters == length


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a" * 74, "at least 75"),
        ("a" * 301, "at most 300"),
        ("\U0001f600" * 74, "at least 75"),
        ("\U0001f600" * 301, "at most 300"),
        ("e\u0301" * 74, "at least 75"),
        (("a" * 24 + "\r\n") * 2 + "a" * 24, "at least 75"),
        (("a" * 59 + "\r\n") * 5 + "a", "at most 300"),
        ("", "write what you think"),
        (" \r\n\t" * 40, "write what you think"),
        ("\u200b" * 100, "write what you think"),
        ("\u2800\u3164\ufe0f" * 40, "write what you think"),
        (PLAIN + "\0", "NUL"),
        ("\0" * 100, "NUL"),
    ],
    ids=[
        "74",
        "301",
        "74 emoji",
        "301 emoji",
        "74 combining",
        "74 with CRLF",
        "301 with CRLF",
        "empty",
        "blank",
        "zero width",
        "invisible",
        "NUL",
        "only NUL",
    ],
)
def test_a_text_outside_the_limits_is_refused_kindly_and_kept_on_the_page(writer: Walker, text: str, said: str) -> None:
    assert is_refused(writer, text)

    error = writer.page.context["page"]["errors"][0]
    assert (error["field"], said in error["message"]) == ("text", True), error
    assert not FreeResponse.objects.exists()
    kept = Draft.objects.get().payload["text"][0]
    assert kept == text.replace("\0", "\ufffd")


def test_half_a_surrogate_pair_from_a_program_is_refused(writer: Walker) -> None:
    step = read_form(writer.page).step
    body = f"step={step}&stance=neutral&importance=3&text=".encode() + b"a" * 75 + b"%ED%A0%80"

    response = writer.client.post(
        writer.address, body, content_type="application/x-www-form-urlencoded", headers={"HX-Request": "true"}
    )

    # A browser cannot send one; what a program sends in its place arrives as replacement characters, which are text.
    assert response.status_code in {200, 422}
    assert not FreeResponse.objects.filter(text__contains="\ud800".encode("utf-8", "replace").decode()).exclude(
        text__contains="\ufffd"
    )


def test_markup_in_an_own_text_is_shown_as_text(writer: Walker) -> None:
    writer.send(text="<script>alert(1)</script> & <b>bold</b> " + TEXT)
    writer.walk(until="rate")

    html = writer.page.content.decode()
    assert "<script>alert(1)" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;b&gt;bold&lt;/b&gt;" in html


def test_a_late_post_with_nul_is_kept_aside(writer: Walker) -> None:
    step = read_form(writer.page).step
    writer.send()

    writer.post({"step": step, "text": "late\0text", "na\0me": "x"})

    assert LateSubmission.objects.get().payload == {"text": ["late\ufffdtext"], "na\ufffdme": ["x"]}
    assert "kept aside" in read_text(writer.page)


@pytest.mark.parametrize(
    ("changed", "field"),
    [({"stance": None}, "stance"), ({"stance": "anarchist"}, "stance"), ({"importance": "6"}, "importance")],
)
def test_stance_and_importance_come_from_the_study_s_lists(writer: Walker, changed: dict, field: str) -> None:
    assert writer.send(**changed).status_code == 422
    assert [error["field"] for error in writer.page.context["page"]["errors"]] == [field]


def test_stance_and_importance_are_stored(writer: Walker) -> None:
    writer.send(stance="conservative", importance="5")

    assert FreeResponse.objects.values_list("stance", "importance").get() == ("conservative", 5)


def test_a_study_may_do_without_stances(db) -> None:
    study = published_study(stance_options=[], n_questions=1)
    walker = Walker(study.slug)
    walker.start()

    walker.walk()

    assert FreeResponse.objects.get().stance == ""


def test_a_text_item_keeps_line_breaks_and_form(db) -> None:
    study = published_study(form=({"code": "remarks", "kind": "text", "label": "Remarks", "maximum": 10},))
    walker = Walker(study.slug)
    walker.start()
    walker.walk(until="form")

    walker.send(item__remarks="e\u0301\r\n\U0001f600")

    assert Answer.objects.get().value_text == "e\u0301\n\U0001f600"
    assert unicodedata.normalize("NFC", Answer.objects.get().value_text) != Answer.objects.get().value_text
