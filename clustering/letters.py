"""What groups without a name are called."""

from __future__ import annotations

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def group_label(number: int) -> str:
    """A, B, ... Z, AA, AB, ...: the letter of a group by its identity (0 is A)."""
    label = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        label = LETTERS[rest] + label
    return label
