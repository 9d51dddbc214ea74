"""What axe cannot see of the style sheet, because it does not hover."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

SHEET = (Path(__file__).resolve().parents[2] / "static" / "app.css").read_text(encoding="utf-8")
RULES = re.findall(r"([^{}]*button[^{}]*)\{([^{}]*)\}", SHEET)


@pytest.mark.parametrize(("selector", "body"), [rule for rule in RULES if "background:" in rule[1]])
def test_a_rule_that_paints_a_button_says_the_colour_of_its_label(selector: str, body: str) -> None:
    assert re.search(r"(?<!-)color:", body), selector.strip()


def test_there_are_such_rules() -> None:
    assert any(".secondary:hover" in selector for selector, _body in RULES)
