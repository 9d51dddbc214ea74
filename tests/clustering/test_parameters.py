"""Settings of a run: validated, stored, and the same when they say the same."""

from __future__ import annotations

from typing import Any

import pytest

from clustering.inclusion import Inclusion
from clustering.parameters import Parameters
from core.canonical import content_sha256
from core.errors import Invalid

LIVE = Inclusion(("live",))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"method": "guess"}, "method"),
        ({"moderation": "lenient"}, "moderation"),
        ({"enough_votes": 0}, "enough_votes"),
        ({"fewest_people": -1}, "fewest_people"),
        ({"max_base": 1}, "max_base"),
        ({"max_groups": 1}, "max_groups"),
        ({"stability_seeds": -1}, "stability_seeds"),
        ({"stability_replicates": 1001}, "stability_replicates"),
        ({"readings": {"mood": "good"}}, "readings"),
        ({"readings": {"start": "sideways"}}, "readings"),
        ({"readings": {"space": "votes"}}, "readings"),
        ({"readings": {"scaling": "shared"}}, "readings"),
        ({"grid": {"depth": [1]}}, "grid"),
        ({"grid": {"k_max": [1]}}, "grid"),
        ({"grid": {"k_max": []}}, "grid"),
        ({"grid": {"n_seeds": 0}}, "grid"),
        ({"thresholds": (4.0, 6.0)}, "thresholds"),
        ({"interval": "wide"}, "interval"),
        ({"minimum_people": 0}, "minimum_people"),
        ({"minimum_sizes": ()}, "minimum_sizes"),
        ({"minimum_sizes": (0,)}, "minimum_sizes"),
        ({"subgroups": tuple(map(str, range(21)))}, "subgroups"),
        ({"external": {"slant": {"a": float("nan")}}}, "external"),
    ],
)
def test_what_cannot_be_run_is_named(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as caught:
        Parameters(inclusion=LIVE, **changes)
    assert list(caught.value.fields) == [field]


@pytest.mark.parametrize(
    "parameters",
    [
        Parameters(LIVE, readings={"start": "shrink", "max_rounds": 10}, grid={"k_max": (5, 9), "n_seeds": 2}),
        Parameters(LIVE, method="polis", moderation="zero", max_groups=8),
        Parameters(LIVE, subgroups=("party", "age"), external={"slant": {"a": 0.5}}, thresholds=(4.5, 3.5)),
    ],
)
def test_settings_come_back_as_they_were_stored(parameters: Parameters) -> None:
    stored = parameters.to_dict()
    assert Parameters.from_dict(stored).to_dict() == stored


def test_a_default_that_is_written_out_is_the_same_run() -> None:
    plain, written = Parameters(LIVE), Parameters(LIVE, own_votes="exclude", readings={"start": "grow"})
    assert content_sha256(plain.to_dict()) == content_sha256(written.to_dict())


def test_each_method_has_its_habit_with_own_votes_and_its_order_of_rows() -> None:
    dynamic, polis = Parameters(LIVE).grouping(), Parameters(LIVE, method="polis").grouping()
    assert (dynamic["own_votes"], dynamic["row_order"]) == ("exclude", "public code")
    assert (polis["own_votes"], polis["row_order"]) == ("include", "first vote")
    assert "space" not in polis
    assert "max_groups" not in dynamic


def test_runs_that_were_stored_before_there_were_more_settings_can_be_read() -> None:
    old = {"method": "dynamic", "inclusion": LIVE.to_dict(), "space": "votes", "unit": "spread", "minimum_size": 3}
    assert Parameters.from_dict(old) == Parameters(LIVE, space="votes", minimum_size=3)
