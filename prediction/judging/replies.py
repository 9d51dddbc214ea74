"""Reading a judge's reply: a rating if there is exactly one, otherwise none. Nothing is guessed."""

from __future__ import annotations

import json
import re

from core.endpoints import spoken

_ALONE = re.compile(r"[*_`\"']*([1-5])(?:\s*(?:/|out of)\s*5)?[*_`\"']*\.?", re.ASCII)
# "Rating: 4", "**Rating:** 4/5", "Rating: **4**": a whole line or the end of one, the number and nothing behind it.
_NAMED = re.compile(
    r"\brating\b[*_`\"']*\s*[:=]\s*[*_`\"'\s]*(\S+(?:\s*(?:/|out of)\s*5)?)\s*$", re.ASCII | re.IGNORECASE
)


def rating_in(text: str) -> int | None:
    """The rating from 1 to 5 that a reply states; None if it states none, several, or one off the scale.

    Taken are: a number alone; a JSON object whose "rating" is a whole number; lines that end in "Rating: N", if all
    of them say the same. What a reasoning model thinks aloud between its marks is not part of the reply. Half points,
    ranges, words and numbers in other scripts are no rating.
    """
    said = spoken(text)
    if alone := _ALONE.fullmatch(said):
        return int(alone[1])
    if said.startswith("{"):
        return _in_json(said)
    named = [match[1] for line in said.splitlines() if (match := _NAMED.search(line.rstrip()))]
    values = {int(match[1]) if (match := _ALONE.fullmatch(each)) else None for each in named}
    return values.pop() if len(values) == 1 else None


def _in_json(text: str) -> int | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    rating = {str(key).lower(): each for key, each in value.items()}.get("rating") if isinstance(value, dict) else None
    is_whole = isinstance(rating, int) and not isinstance(rating, bool)
    return rating if is_whole and 1 <= rating <= 5 else None
