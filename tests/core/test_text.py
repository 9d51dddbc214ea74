"""Lengths, blankness, what is refused, and what spreadsheets may see."""

from __future__ import annotations

import json
import subprocess
import time
import unicodedata
from pathlib import Path

import playwright
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import text as rules
from core.errors import Invalid

WOMAN_TECHNOLOGIST = "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{PERSONAL COMPUTER}"
NODE = Path(playwright.__file__).parent / "driver" / "node"  # the engine that Playwright brings along
anything = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("", 0),
        ("abc", 3),
        ("a\r\nb", 3),
        ("a\rb", 3),
        ("e\N{COMBINING ACUTE ACCENT}", 1),
        ("\N{GRINNING FACE}", 1),
        (WOMAN_TECHNOLOGIST, 3),
        ("\N{ARABIC LETTER ALEF}\N{RIGHT-TO-LEFT MARK}", 2),
        ("a\N{ZERO WIDTH SPACE}b", 3),
        ("\N{DEVANAGARI LETTER QA}", 2),
    ],
    ids=["empty", "ascii", "crlf", "cr", "combining", "emoji", "zwj", "rtl-mark", "zero-width", "excluded"],
)
def test_characters_are_code_points_after_nfc(text: str, n: int) -> None:
    assert rules.count_characters(text) == n


@given(anything)
def test_normalising_typed_text_changes_line_ends_and_nothing_else(text: str) -> None:
    clean = text.replace("\0", "")

    typed = rules.normalise_typed(clean)

    assert "\r" not in typed
    assert typed == clean.replace("\r\n", "\n").replace("\r", "\n")
    assert rules.count_characters(typed) == rules.count_characters(clean)


@given(anything)
def test_imported_text_is_unchanged(text: str) -> None:
    clean = text.replace("\0", "")

    assert rules.check_imported(clean) == clean


@pytest.mark.parametrize("check", [rules.normalise_typed, rules.check_imported])
@pytest.mark.parametrize(
    ("text", "code"),
    [("a\0b", "nul_character"), ("a\ud83d", "unpaired_surrogate"), ("\udc00", "unpaired_surrogate")],
)
def test_what_no_database_can_keep_is_refused(check, text: str, code: str) -> None:
    with pytest.raises(Invalid) as caught:
        check(text)

    assert caught.value.code == code
    assert caught.value.http_status == 422


@pytest.mark.parametrize("filler", ["x", "\N{GRINNING FACE}", "e\N{COMBINING ACUTE ACCENT}", "中", "\r\n"])
def test_exactly_the_limits_are_within_them(filler: str) -> None:
    assert rules.check_length(filler * 75, minimum=75, maximum=300) == filler * 75
    assert rules.check_length(filler * 300, minimum=75, maximum=300) == filler * 300
    with pytest.raises(Invalid, match=r"at least 75 characters\. You have written 74 so far"):
        rules.check_length(filler * 74, minimum=75, maximum=300)
    with pytest.raises(Invalid, match=r"at most 300 characters\. You have written 301"):
        rules.check_length(filler * 301, minimum=75, maximum=300)


def test_a_limit_of_nought_is_a_limit_and_none_is_not() -> None:
    assert rules.check_length("", minimum=0, maximum=0) == ""
    assert rules.check_length("x" * 1000) == "x" * 1000
    with pytest.raises(Invalid) as caught:
        rules.check_length("x", maximum=0)
    assert caught.value.code == "too_long"


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \t\n",
        "\N{NO-BREAK SPACE}",
        "\N{ZERO WIDTH SPACE}",
        "\N{ZERO WIDTH NO-BREAK SPACE}\N{RIGHT-TO-LEFT MARK}",
        "\N{HANGUL FILLER}",
        "\N{BRAILLE PATTERN BLANK}",
        "\N{VARIATION SELECTOR-16}",
        "\N{LINE SEPARATOR}",
    ],
)
def test_what_cannot_be_seen_is_blank(text: str) -> None:
    assert rules.is_blank(text)


@pytest.mark.parametrize(
    "text", [".", " 0 ", "\N{ZERO WIDTH SPACE}a", "\N{GRINNING FACE}", "\N{COMBINING ACUTE ACCENT}", "<b></b>"]
)
def test_what_can_be_seen_is_not_blank(text: str) -> None:
    assert not rules.is_blank(text)


@pytest.mark.parametrize(
    "cell",
    [
        "=cmd()",
        "+1+1",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "-",
        "=",
        "'=1",
        "\N{FULLWIDTH EQUALS SIGN}1",
        "-5 degrees",
        "+49 30 1",
    ],
)
def test_what_a_spreadsheet_would_run_gets_an_apostrophe(cell: str) -> None:
    assert rules.spreadsheet_safe(cell) == "'" + cell
    assert rules.spreadsheet_raw("'" + cell) == cell


@pytest.mark.parametrize("cell", ["", "abc", "-5", "+3.5", "-.5e-3", "-1E+5", "'quoted'", " =1", "a=b"])
def test_numbers_and_plain_text_get_no_apostrophe(cell: str) -> None:
    assert rules.spreadsheet_safe(cell) == cell
    assert rules.spreadsheet_raw(cell) == cell


@given(st.text("'=+-@\t\r\n5.a", max_size=8))
def test_the_safe_form_can_be_undone(cell: str) -> None:
    assert rules.spreadsheet_raw(rules.spreadsheet_safe(cell)) == cell


def test_the_counter_in_the_browser_counts_the_same() -> None:
    jamo = "\N{HANGUL CHOSEONG KIYEOK}\N{HANGUL JUNGSEONG A}"
    texts = ["a\r\nb\rc", "e\N{COMBINING ACUTE ACCENT}", WOMAN_TECHNOLOGIST, "\N{DEVANAGARI LETTER QA}", jamo]
    script = (
        'const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));'
        'const count = (s) => [...s.replace(/\\r\\n?/g, "\\n").normalize("NFC")].length;'
        "console.log(JSON.stringify(texts.map(count)));"
    )

    answer = subprocess.run([NODE, "-e", script], input=json.dumps(texts), capture_output=True, text=True, check=True)

    assert json.loads(answer.stdout) == [rules.count_characters(text) for text in texts]


@pytest.mark.parametrize("marks", ["\u0315\u0300", "\u0f73", "\u0315", "\u0315\u0323\u0300"])
def test_marks_in_the_worst_order_are_counted_in_time(marks: str) -> None:
    text = "a" + "".join(sorted(marks * 100_000, reverse=True))
    started = time.process_time()

    rules.count_characters(text)

    assert time.process_time() - started < 10, "by insertion it takes minutes"


@given(st.text("ae\u0300\u0301\u0315\u0323\u0344\u0f73\u1e69\uac00\u11a8\u0958", min_size=1, max_size=40))
def test_a_long_text_is_counted_as_a_short_one(text: str) -> None:
    long = text + "y" * 1001

    assert rules.count_characters(long) == len(unicodedata.normalize("NFC", long))
