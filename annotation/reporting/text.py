"""The report as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

Document = dict[str, Any]


def as_text(report: Document) -> str:
    """The whole report: every cell with its statistics, intervals and reasons."""
    return "\n".join(_lines(report))


def _lines(report: Document) -> Iterator[str]:
    source, settings = report["source"], report["settings"]
    yield f"{source['name']} ({source['kind']}), SHA-256 {source['sha256']}"
    yield from (f"  {note}" for note in source["notes"])
    yield _("%(level)g %% intervals; bootstrap: %(replicates)d replicates, seed %(seed)d") % {
        "level": 100 * settings["level"],
        "replicates": settings["replicates"],
        "seed": settings["seed"],
    }
    for dimension in report["dimensions"]:
        yield ""
        yield from _of_dimension(dimension, report)
    yield ""
    yield _("report SHA-256 %(sha256)s") % report


def _of_dimension(dimension: Document, report: Document) -> Iterator[str]:
    scale = dimension["scale"]
    if dimension["dimension"]:
        yield f"== {dimension['dimension']} =="
    yield (
        _("labels: %(labels)s (%(level)s)") % {"labels": " < ".join(scale["labels"]), "level": scale["level"]}
        if (scale["level"] != "nominal")
        else _("labels: %(labels)s (without order)") % {"labels": ", ".join(scale["labels"])}
    )
    unit = _("unit of resampling: %(unit)s") % {"unit": dimension["unit"]}
    yield unit + (_(", within strata") if dimension["draws_within_strata"] else "")
    for policy in dimension["policies"]:
        primary = _(" (primary)") if policy == dimension["primary_policy"] else ""
        yield f"policy {policy}{primary}: {report['policies'][policy]}"
    for cell in dimension["cells"]:
        yield ""
        yield from _of_cell(cell, report["reasons"])
    if dimension["categories"]:
        yield ""
        yield from (_line(estimate, report["reasons"]) for estimate in dimension["categories"])


def _of_cell(cell: Document, reasons: Document) -> Iterator[str]:
    stratum = _("all items") if cell["stratum"] is None else _("stratum %(name)s") % {"name": cell["stratum"] or "-"}
    yield f"-- {stratum}; {cell['raters']['name']}; {cell['policy']} --"
    yield (
        _(
            "items %(n_items)d, with two or more labels %(n_pairable)d, labels %(n_ratings)d, raters %(n_raters)d, "
            "units %(n_units)d"
        )
        % cell
    )
    for rater, counts in cell["counts"].items():
        yield f"  {rater}: " + ", ".join(f"{label} {n}" for label, n in zip(cell["labels"], counts, strict=True))
    if any(cell["cannot_judge"].values()):
        yield _("  cannot judge: %(rate).1f %%") % {"rate": 100 * cell["cannot_judge_rate"]}
    if cell["bias_index"] is not None:
        yield _("  bias index: %(value)s") % {"value": number(cell["bias_index"])}
    yield from (_line(estimate, reasons) for estimate in cell["estimates"])


def _line(estimate: Document, reasons: Document) -> str:
    name = f"  {estimate['name']:<40}"
    if estimate["value"] is None:
        return f"{name} undefined: {reasons[estimate['reason']]}"
    parts = [name, f"{number(estimate['value']):>12}"]
    parts += [f"{key} {number(estimate[key])}" for key in ("se", "se_null") if estimate[key] is not None]
    for key in ("analytic", "bootstrap"):
        interval = estimate[key]
        if interval is not None:
            low, high = interval["low"], interval["high"]
            ends = reasons[interval["reason"]] if low is None else f"{number(low)} to {number(high)}"
            parts.append(f"[{ends}; {interval['method']}]")
    return " ".join(parts)


def number(value: float) -> str:
    """A number of a statistic for a person."""
    return f"{value:.6f}"
