"""Rules for texts of people: what is stored, how long it is, and what a spreadsheet may see.

Typed text is stored as sent after CRLF to LF, imported text unchanged. Lengths count Unicode code points after NFC
in one function, :func:`count_characters`, for the server, the counter on the page and the export.
"""

from __future__ import annotations

import re
import unicodedata

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.errors import Invalid

_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_END = re.compile("\r\n?")
# Up to so many characters the worst order of combining marks costs milliseconds.
_SHORT = 1000
# Seen as nothing, yet neither white space nor of a format or control category: the grapheme joiner,
# the fillers of Hangul and Mongolian, the empty Braille cell and the variation selectors.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})
# What makes spreadsheets run a cell as a formula; the wide forms do so in East Asian settings.
_FORMULA = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)


def check_imported(text: str) -> str:
    """Return `text` unchanged; raise `Invalid` if it holds NUL or half a surrogate pair, which cannot be stored."""
    if "\0" in text:
        raise Invalid(_("The text contains a NUL character (U+0000)."), code="nul_character")
    if _SURROGATE.search(text):
        message = _("The text contains half of a surrogate pair, which is not a character.")
        raise Invalid(message, code="unpaired_surrogate")
    return text


def normalise_typed(text: str) -> str:
    """Return `text` with CRLF and CR turned into LF and nothing else changed; refuse what `check_imported` refuses.

    Forms send CRLF for a line break whatever the person's machine uses (HTML standard, form submission).
    """
    return check_imported(_LINE_END.sub("\n", text))


def count_characters(text: str) -> int:
    r"""Count the characters of `text`: Unicode code points after NFC, a line break counting as one.

    The one definition of length. The counter in the browser computes the same by
    ``[...text.replace(/\r\n?/g, "\n").normalize("NFC")].length``: spreading a string yields code points,
    ``.length`` alone would count UTF-16 units and so an emoji as two.
    """
    return len(unicodedata.normalize("NFC", _in_canonical_order(_LINE_END.sub("\n", text))))


def _in_canonical_order(text: str) -> str:
    """`text`, or if it is long, an equivalent text whose combining marks are in their canonical order already.

    `unicodedata` orders the marks on one letter by insertion: a post of nothing but marks would take it hours. Here
    they are sorted, which leaves it nothing to move.
    """
    if len(text) <= _SHORT or text.isascii():
        return text
    ordered: list[str] = []
    marks: list[str] = []
    for character in (part for each in text for part in unicodedata.normalize("NFD", each)):
        if unicodedata.combining(character):
            marks.append(character)
            continue
        ordered += sorted(marks, key=unicodedata.combining)
        marks.clear()
        ordered.append(character)
    return "".join(ordered + sorted(marks, key=unicodedata.combining))


def check_length(text: str, *, minimum: int | None = None, maximum: int | None = None) -> str:
    """Return `text` unchanged; raise `Invalid` if it has fewer than `minimum` or more than `maximum` characters."""
    n = count_characters(text)
    if minimum is not None and n < minimum:
        message = ngettext(
            "Please write at least %(limit)d character. You have written %(n)d so far.",
            "Please write at least %(limit)d characters. You have written %(n)d so far.",
            minimum,
        )
        raise Invalid(message % {"limit": minimum, "n": n}, code="too_short")
    if maximum is not None and n > maximum:
        message = ngettext(
            "Please write at most %(limit)d character. You have written %(n)d.",
            "Please write at most %(limit)d characters. You have written %(n)d.",
            maximum,
        )
        raise Invalid(message % {"limit": maximum, "n": n}, code="too_long")
    return text


def is_blank(text: str) -> bool:
    """Tell whether nothing of `text` can be seen: empty, white space, zero-width and other invisible characters."""
    if text[:1].isalnum() and not _INVISIBLE.match(text):  # spares a look at each character of nearly every text
        return False
    return all(
        character.isspace() or unicodedata.category(character) in _INVISIBLE_CATEGORIES or _INVISIBLE.match(character)
        for character in text
    )


def spreadsheet_safe(cell: str) -> str:
    """Put an apostrophe before `cell` if a spreadsheet would take it for a formula.

    For text cells and headers alike. Numbers are left alone, also those that came as text: ``-5`` is no formula and
    would be damaged. A cell with an apostrophe before such a start gets another one, so that :func:`spreadsheet_raw`
    gives back exactly what was there.
    """
    return "'" + cell if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def spreadsheet_raw(cell: str) -> str:
    """Return the text of which :func:`spreadsheet_safe` made `cell`."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
