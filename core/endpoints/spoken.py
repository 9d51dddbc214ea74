"""What a model says at the end, without what it thinks aloud before."""

from __future__ import annotations

import re

LONGEST_READ = 20_000
"""Of a reply that is longer only the end is read, where the answer belongs; the whole of it is kept by the caller."""

_END_OF_THOUGHTS = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_START_OF_THOUGHTS = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_FENCE = re.compile(r"\A```[a-z]*\s*\n(.*?)\n?\s*```\Z", re.DOTALL)


def spoken(text: str) -> str:
    """The answer in a reply: behind the last thought, out of the one fence around it.

    A thought that never ended is all there is from where it began.
    """
    said = _START_OF_THOUGHTS.split(_END_OF_THOUGHTS.split(text[-LONGEST_READ:])[-1])[0].strip()
    fenced = _FENCE.fullmatch(said)
    return fenced[1].strip() if fenced else said
