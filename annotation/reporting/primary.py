"""The analysis that was declared before anything was unblinded, found among all others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Document = dict[str, Any]

SETS = {"people": "humans", "models": "models", "all": "all"}
_FLEISS = ("fleiss_kappa", "scott_pi", "fleiss_kappa_gwet_generalised")
_SYNONYMS = dict.fromkeys(_FLEISS, _FLEISS)


def primary_results(report: Document, declared: Mapping[str, Any]) -> list[Document]:
    """The declared statistic of each declared dimension on all items; empty if none was declared.

    A set of raters that is the same as all raters has the name of all. Where the declared statistic is not among those
    of a cell, what is given has no estimate, so that a reader sees that it is missing.
    """
    if not declared.get("statistic"):
        return []
    wanted = declared.get("dimensions") or [each["dimension"] for each in report["dimensions"]]
    found = []
    for dimension in [*report["dimensions"], *report["pooled"]]:
        if dimension["dimension"] in wanted:
            found += _of_dimension(dimension, declared)
    return found


def _of_dimension(dimension: Document, declared: Mapping[str, Any]) -> list[Document]:
    policy = _policy(dimension, declared)
    wanted = SETS[declared.get("raters") or "all"]
    names = {cell["raters"]["name"] for cell in dimension["cells"]}
    raters = wanted if wanted in names else "all"
    cells = [
        cell
        for cell in dimension["cells"]
        if cell["policy"] == policy and cell["stratum"] is None and _is_of(cell, raters, declared["statistic"])
    ]
    return [
        {
            "dimension": dimension["dimension"],
            "raters": cell["raters"]["name"],
            "policy": policy,
            "n_items": cell["n_items"],
            "n_pairable": cell["n_pairable"],
            "estimate": _estimate(cell, declared),
        }
        for cell in cells
    ]


def _is_of(cell: Document, raters: str, statistic: str) -> bool:
    """Cohen's kappa is of pairs: of all that lie within the set."""
    if statistic != "cohen_kappa":
        return bool(cell["raters"]["name"] == raters)
    return bool(cell["raters"]["kind"] == "pair")


def _policy(dimension: Document, declared: Mapping[str, Any]) -> str:
    wanted = declared.get("cannot_judge") or "missing"
    if declared.get("labels") == "strict":
        names = ["strict_or_not", "strict"] if wanted == "category" else ["strict"]
    else:
        names = [wanted]
    return next((name for name in names if name in dimension["policies"]), str(dimension["primary_policy"]))


def _estimate(cell: Document, declared: Mapping[str, Any]) -> Document | None:
    statistic, weights = declared["statistic"], declared.get("weights") or "none"
    names = [_weighted(name, weights) for name in _SYNONYMS.get(statistic, (statistic,))]
    if statistic == "krippendorff_alpha":
        names = [name for level in ("ratio", "interval", "ordinal", "nominal") if (name := f"{statistic}[{level}]")]
    by_name = {estimate["name"]: estimate for estimate in cell["estimates"]}
    return next((by_name[name] for name in names if name in by_name), None)


def _weighted(name: str, weights: str) -> str:
    if weights == "none":
        return name
    return f"gwet_ac2[{weights}]" if name.startswith("gwet_ac") else f"{name}[{weights}]"
