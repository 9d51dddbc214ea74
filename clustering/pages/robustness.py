"""What the scores hang on: rule, threshold, smallest group, and the size of the study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from clustering.pages.numbers import number
from clustering.pages.sections import Part, Section, captioned, reasons, section, variant_in_words
from clustering.showing.tables import MISSING


def sensitivity(report: Part, names: Mapping[str, str]) -> Section:
    """The scores at other settings, and how much of their order stays."""
    parts = [(part, "") for part in (*report["rules"], *report["thresholds"], *report["sizes"])]
    parts += [(part, domain) for domain, found in report.get("thresholds_by_domain", {}).items() for part in found]
    tables = [table for part, domain in parts for table in _settings_of(part, domain, names)]
    means = _(
        "The scores if another rule, another threshold or another smallest group had been chosen. Kendall's tau near 1 "
        "means that the order of the sources stays; so does a share near 1 of settings with the same best ones."
    )
    return section("sensitivity", _("Sensitivity"), means, tables, report["not_computed"].get("thresholds"))


def _settings_of(part: Part, domain: str, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Scores by setting; and how often the best stay the best and one source is above another."""
    titles = {"rule": _("Rule"), "threshold": _("Threshold"), "minimum_size": _("Smallest group")}
    caption = ", ".join(filter(None, (titles[part["choice"]], domain, variant_in_words(part))))
    rows = [
        [name, *(number(row["scores"][part["sources"].index(code)]) for row in part["rows"])]
        for code, name in names.items()
        if code in part["sources"]
    ]
    rows.append([_("Kendall's tau with %(setting)s") % {"setting": part["reference"]}, *map(_tau, part["rows"])])
    rows.append([_("Questions"), *(row["n_questions"] for row in part["rows"])])
    rows.append([_("Groups"), *(row["n_groups"] for row in part["rows"])])
    columns = [_("Source"), *(str(row["setting"]) for row in part["rows"])]
    notes = [_("Median of Kendall's tau over the settings: %(tau)s.") % {"tau": number(part["median_kendall"], 2)}]
    notes += [
        _("The best %(k)d (%(sources)s) are the same in %(share)d %% of the settings.")
        % {
            "k": top["k"],
            "sources": ", ".join(names[code] for code in top["sources"]),
            "share": round(100 * top["share"]),
        }
        for top in part["top"]
        if top["share"] is not None and top["k"] < len(part["sources"])
    ]
    notes += reasons([{"undefined": part["undefined"]}, *({"kendall": row["kendall"]} for row in part["rows"])], names)
    tables = [captioned(caption, columns, rows, notes)]
    if len(part["sources"]) > 1 and len(part["rows"]) > 1:
        tables.append(_wins(part, caption, names))
    return tables


def _tau(row: Part) -> str:
    return number(row["kendall"]["value"], 2)


def _wins(part: Part, caption: str, names: Mapping[str, str]) -> dict[str, Any]:
    """The share of settings at which the source of the line is above that of the column."""
    codes = [code for code in names if code in part["sources"]]
    place = {code: part["sources"].index(code) for code in codes}
    rows = [
        [names[row], *(number(part["win_rate"][place[row]][place[column]], 2) for column in codes)] for row in codes
    ]
    title = _("%(choice)s: share of the settings at which the source of the line is above that of the column")
    return captioned(title % {"choice": caption}, [_("Source"), *(names[code] for code in codes)], rows)


def planning(report: Part) -> Section:
    """How wide intervals would be in a larger or smaller study."""
    plans = report["planning"]["plans"]
    over = {
        "width": _("interval over questions and people"),
        "people_width": _("interval over people, for these questions alone"),
    }
    tables = [
        table
        for variant in ("unweighted", "weighted")
        for key, title in over.items()
        if (table := _widths([plan for plan in plans if plan["variant"] == variant], key, title))
    ]
    means = _(
        "How wide the interval of a score would be with so many questions and so many people each, as a mean over the "
        "sources; from how coverages vary in these data."
    )
    why = next((plan["undefined"] for plan in plans if plan["undefined"]), None)
    return section("planning", _("How large a next study must be"), means, tables, None if tables else why)


def _widths(plans: list[Part], key: str, title: str) -> dict[str, Any] | None:
    """Mean width by number of questions and of people; None if nothing can be planned."""
    why = {"width": "undefined", "people_width": "people_undefined"}[key]
    known = [plan for plan in plans if plan[key] is not None]
    if not known:
        return None
    people = sorted({plan["n_people"] for plan in known}, key=lambda n: (n is None, n or 0))
    widths: dict[tuple[int, int | None], list[float]] = {}
    for plan in known:
        widths.setdefault((plan["n_questions"], plan["n_people"]), []).append(plan[key])
    columns = [
        _("Questions"),
        *(_("as many people") if n is None else _("%(n)d people") % {"n": n} for n in people),
    ]
    rows = [
        [n, *(_mean_of(widths.get((n, m))) for m in people)] for n in sorted({plan["n_questions"] for plan in known})
    ]
    notes = reasons([{"undefined": plan[why]} for plan in plans], {})
    return captioned(f"{variant_in_words(plans[0])}, {title}", columns, rows, notes)


def _mean_of(widths: list[float] | None) -> str:
    return number(sum(widths) / len(widths)) if widths else MISSING
