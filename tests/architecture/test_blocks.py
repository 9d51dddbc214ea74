"""The blocks that a session can have, which no app alone knows."""

from __future__ import annotations

from core.registry import block_kinds, block_runner
from studies.models.study import DEFAULT_BLOCKS
from studies.session.planning import WITHOUT_STEPS


def test_these_blocks_are_offered() -> None:
    assert block_kinds() == ("consent", "form", "write", "rate", "vote", "annotate")


def test_the_usual_session_is_made_of_them() -> None:
    assert set(DEFAULT_BLOCKS) - WITHOUT_STEPS == set(block_kinds()) - {"annotate"}


def test_each_is_found_by_its_kind() -> None:
    assert [block_runner(kind).kind for kind in block_kinds()] == list(block_kinds())
