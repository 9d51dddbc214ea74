"""Whether two definitions say the same, apart from what a file need not say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studies.definition.contradictions import KEYS
from studies.definition.keys import OUTCOMES


def says_the_same(given: Mapping[str, Any], frozen: Mapping[str, Any]) -> bool:
    """Whether the complete definition `given` says what `frozen`, a version's, says.

    Codes that a file leaves out are those there are, and the order of answers and seeds is that of their questions.
    """
    codes = {outcome: given["codes"].get(outcome) or frozen["codes"][outcome] for outcome in OUTCOMES}
    return _comparable({**given, "codes": codes}) == _comparable(frozen)


def _comparable(definition: Mapping[str, Any]) -> dict[str, Any]:
    ordered = {
        name: sorted(definition[name], key=lambda row: tuple(row[column] for column in columns))
        for name, columns in KEYS.items()
        if len(columns) > 1 and name in definition
    }
    return {**definition, **ordered, "revisions": None}
