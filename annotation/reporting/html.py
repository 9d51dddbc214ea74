"""The report as one HTML page: inside the site, or as a file that needs no other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.template.loader import render_to_string
from django.utils import translation
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from annotation.figures import figures_of
from annotation.reporting.sections import blocks_of, estimate_shown, facts_of

STYLE = Path(__file__).with_name("report.css")
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
Document = dict[str, Any]


def body_context(report: Document) -> dict[str, Any]:
    """What the template of the body takes."""
    reasons = report["reasons"]
    return {
        "report": report,
        "source": report["source"],
        "facts": list(facts_of(report)),
        "policies": report["policies"].items(),
        "primary": [
            (each["dimension"], each["raters"], each["policy"], each["n_pairable"], _named(each["estimate"], reasons))
            for each in report["primary"]
        ],
        "dimensions": [_dimension(each, report, place) for place, each in enumerate(_all(report), start=1)],
    }


def _all(report: Document) -> list[Document]:
    return [*report["dimensions"], *report["pooled"]]


def _named(estimate: Document | None, reasons: Document) -> str:
    return _("not among the results") if estimate is None else f"{estimate['name']} {estimate_shown(estimate, reasons)}"


def _dimension(dimension: Document, report: Document, place: int) -> dict[str, Any]:
    scale = dimension["scale"]
    return {
        "anchor": f"dimension-{place}",
        "title": dimension["dimension"] or _("All judgements"),
        "labels": (", " if scale["level"] == "nominal" else " < ").join(scale["labels"]),
        "level": scale["level"],
        "matches": ", ".join(dimension["matches"]),
        "cannot_judge": dimension["cannot_judge"],
        "conditional": dimension["beside"]["conditional"],
        "unit": dimension["unit"],
        "within_strata": dimension["draws_within_strata"],
        "policies": dimension["policies"],
        "primary_policy": dimension["primary_policy"],
        "blocks": blocks_of(dimension, report),
        "figures": [
            {"title": each.title, "svg": mark_safe(each.svg), "header": each.header, "rows": each.rows}  # noqa: S308  ours, which escapes
            for each in figures_of(dimension)
        ],
    }


def body(report: Document) -> SafeString:
    """The report without the page around it."""
    return mark_safe(render_to_string("annotation/report/body.html", body_context(report)))  # noqa: S308  a template, which escapes


def whole_page(report: Document) -> str:
    """The whole file, with its style inside and no request to anywhere."""
    style = mark_safe(STYLE.read_text(encoding="utf-8"))  # noqa: S308  our own style sheet
    return str(
        format_html(
            '<!doctype html>\n<html lang="{}">\n<head>\n<meta charset="utf-8">\n'
            '<meta http-equiv="Content-Security-Policy" content="{}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{}</title>\n'
            "<style>\n{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
            translation.get_language() or "en",
            POLICY,
            _("Agreement: %(name)s") % {"name": report["source"]["name"]},
            style,
            body(report),
        )
    )
