"""Several dimensions taken together: each item on each dimension is one thing judged, and items are resampled whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from annotation.stats.codes import SPECIAL, Judgements
from annotation.stats.material import Material
from annotation.stats.scales import Scale

__all__ = ["METHOD_VERSION", "pooled_material"]

METHOD_VERSION = "1"

SEPARATOR = "\x1f"
"""Between item and dimension in the key of what is judged; no key holds it."""


def pooled_material(material: Material) -> Material:
    """Material whose dimensions are the pooled ones: one for each scale that several share, one for matches.

    Dimensions with the same labels are pooled as they are. All that declare matches are pooled as match or no match,
    where "cannot judge" stays what it is. The unit of resampling is that of the item, and the item itself if it has
    none, since its dimensions belong together.
    """
    pools: list[Judgements] = []
    scales: dict[tuple[str, ...], list[Judgements]] = {}
    for judgements in material.dimensions:
        if judgements.knows_raters:
            scales.setdefault(judgements.scale.labels, []).append(judgements)
    for labels, some in scales.items():
        if len(some) > 1:
            pools.append(_pooled(f"pooled: {' / '.join(labels)}", some, some[0].scale))
    matching = [each for each in material.dimensions if each.matches and each.knows_raters]
    if len(matching) > 1:
        strict = Scale(("no match", "match"))
        pools.append(_pooled("pooled: strict match", [_strict(each, strict) for each in matching], strict))
    items = {item for pool in pools for item in pool.items}
    of = {item: item.split(SEPARATOR)[0] for item in sorted(items)}
    return replace(
        material,
        dimensions=tuple(pools),
        stratum={item: material.stratum.get(base, "") for item, base in of.items()} if material.stratum else {},
        unit={item: _unit(base, material) for item, base in of.items()},
        unit_name=material.unit_name if material.unit else "items",
        covered={item: material.covered[base] for item, base in of.items() if base in material.covered},
        numbers={},
        weights={},
        set_weights={},
        scorers=(),
        adjudicated={},
        repeats={},
        shown={},
        swaps={},
        groups={},
        conditions={},
    )


def _unit(item: str, material: Material) -> str:
    known = material.unit.get(item)
    return f"unit {known}" if known else f"item {item}"


def _strict(judgements: Judgements, scale: Scale) -> Judgements:
    hit = np.isin(np.asarray(judgements.scale.labels), judgements.matches).astype(np.int64)
    becomes = np.concatenate([np.arange(-SPECIAL, 0), hit])
    return replace(judgements, scale=scale, code=becomes[judgements.code + SPECIAL], matches=("match",))


def _pooled(name: str, dimensions: Sequence[Judgements], scale: Scale) -> Judgements:
    raters = tuple(sorted({rater for each in dimensions for rater in each.raters}))
    place_of = {rater: place for place, rater in enumerate(raters)}
    items: list[str] = []
    parts = []
    for each in dimensions:
        rater = np.array([place_of[key] for key in each.raters], np.int64)
        parts.append((each.item + len(items), rater[each.rater], each.code))
        items += [f"{item}{SEPARATOR}{each.dimension}" for item in each.items]
    item, rater, code = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = sorted(range(len(items)), key=items.__getitem__)
    place = np.empty(len(items), np.int64)
    place[order] = np.arange(len(items))
    first = dimensions[0]
    counts_as = "category" if all(each.cannot_judge == "category" for each in dimensions) else "missing"
    return Judgements(
        name,
        tuple(items[index] for index in order),
        raters,
        scale,
        place[item],
        rater,
        code,
        first.matches if all(each.matches == first.matches for each in dimensions) else (),
        counts_as,
        first.cannot_judge_label,
    )
