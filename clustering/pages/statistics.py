"""The further statistics of a run of scores: ranks, adjusted scores, differences, sensitivity, and what to collect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from clustering.pages.numbers import number, table
from clustering.showing.tables import MISSING
from clustering.words import in_words
from core.models import Run
from studies.models import Study

Part = Mapping[str, Any]
Section = dict[str, Any]


def statistics_context(study: Study, run: Run) -> list[Section]:
    """The sections of the page, as far as the run has them; each with what it means and its tables."""
    report = (run.result or {}).get("report")
    if not report:
        return []
    overall = report["overall"]
    names = _by_score(dict(study.sources.values_list("code", "name")), overall)
    sections = [
        _ranks(overall, names),
        _adjusted(overall, names),
        _differences(overall, names),
        _domains(report, names),
        _sensitivity(report, names),
        _subgroups(report, names),
        _correlates(report, names),
        _external(report),
        _planning(report, names),
    ]
    return [section for section in sections if section["tables"] or section["undefined"]]


def _by_score(names: Mapping[str, str], overall: Part) -> dict[str, str]:
    """The names of the sources by code, the highest score first; tables keep this order."""
    value = {row["source"]: row["unweighted"]["value"] for row in overall["scores"]["scores"]}
    order = sorted(value, key=lambda code: (value[code] is None, -(value[code] or 0.0), code))
    return {code: names[code] for code in order}


def _ordered(rows: Iterable[Part], names: Mapping[str, str]) -> list[Part]:
    place = {code: index for index, code in enumerate(names)}
    return sorted(rows, key=lambda row: place[row["source"]])


def _section(
    anchor: str, title: str, means: str, tables: Iterable[dict[str, Any]], undefined: str | None = None
) -> Section:
    return {
        "anchor": anchor,
        "title": title,
        "means": means,
        "tables": list(tables),
        "undefined": in_words(undefined),
    }


def _captioned(caption: str, columns: list[str], rows: list[list[Any]]) -> dict[str, Any]:
    return {"caption": caption, "table": table(columns, rows)}


def _variant(part: Part) -> str:
    return _("weighted by size") if part["variant"] == "weighted" else _("unweighted")


def _range(low: float | None, high: float | None, digits: int = 3) -> str:
    if low is None or high is None:
        return MISSING
    return _("%(low)s to %(high)s") % {"low": number(low, digits), "high": number(high, digits)}


def _p(value: float | None) -> str:
    if value is None:
        return MISSING
    return "< 0.001" if value < 0.001 else number(value)


def _ranks(overall: Part, names: Mapping[str, str]) -> Section:
    columns = [_("Source"), _("Rank"), _("Interval"), _("Share of draws in which it is first")]
    tables = [
        _captioned(
            _variant(part),
            columns,
            [
                [
                    names[row["source"]],
                    number(row["rank"], 1),
                    _range(row["low"], row["high"], 0),
                    number(row["p_first"], 2),
                ]
                for row in sorted(part["rows"], key=lambda row: (row["rank"] is None, row["rank"] or 0))
            ],
        )
        for part in overall["ranks"]
    ]
    means = _("How sure the order of the sources is when the questions are drawn anew. 1 is the highest score.")
    return _section("ranks", _("Ranks"), means, tables)


def _adjusted(overall: Part, names: Mapping[str, str]) -> Section:
    columns = [_("Source"), _("Raw"), _("Adjusted"), _("Against the mean"), _("Interval"), _("p"), _("p, Holm")]
    modes = {"paper": _("as in the paper's tables"), "ordinary": _("on question means")}
    tables = [
        _captioned(
            f"{modes[part['mode']]}, {_variant(part)}",
            columns,
            [
                [
                    names[row["source"]],
                    number(row["raw"]),
                    number(row["adjusted"]),
                    number(row["deviation"]),
                    _range(row["low"], row["high"]),
                    _p(row["p_value"]),
                    _p(row["p_holm"]),
                ]
                for row in _ordered(part["scores"], names)
            ],
        )
        for part in overall["adjusted"]
    ]
    means = _(
        "Scores from a linear probability model with effects of question and source, clustered by question. The "
        "interval is that of the deviation from the mean over all sources."
    )
    undefined = next((part["undefined"] for part in overall["adjusted"] if part["undefined"]), None)
    return _section("adjusted", _("Adjusted scores"), means, tables, undefined)


def _differences(overall: Part, names: Mapping[str, str]) -> Section:
    columns = [
        _("Sources"),
        _("Difference"),
        _("Interval"),
        _("Simultaneous interval"),
        _("p"),
        _("p, Holm"),
        _("Questions"),
    ]
    tables = [
        _captioned(
            _variant(part),
            columns,
            [
                [
                    _("%(left)s minus %(right)s") % {"left": names[row["left"]], "right": names[row["right"]]},
                    number(row["difference"]),
                    _range(row["low"], row["high"]),
                    _range(row["simultaneous_low"], row["simultaneous_high"]),
                    _p(row["p_value"]),
                    _p(row["p_holm"]),
                    row["n_questions"],
                ]
                for row in part["pairs"]
            ],
        )
        for part in overall["differences"]
    ]
    means = _(
        "Paired over questions. Simultaneous intervals hold for all pairs at once; p by Holm counts how many pairs "
        "were compared."
    )
    return _section("differences", _("Differences between sources"), means, tables)


def _domains(report: Part, names: Mapping[str, str]) -> Section:
    domains = report["domains"]
    tables = []
    for variant in ("unweighted", "weighted"):
        columns = [_("Source"), *(_domain(part) for part in domains)]
        scores = [{row["source"]: row[variant] for row in part["scores"]["scores"]} for part in domains]
        rows = [
            [name, *(_with_interval(found.get(code)) for found in scores)]
            for code, name in names.items()
            if any(code in found for found in scores)
        ]
        if domains:
            tables.append(_captioned(_variant({"variant": variant}), columns, rows))
    means = _("The OvertonScore over the questions of each domain, with its interval over them.")
    return _section("domains", _("By domain"), means, tables, report["not_computed"].get("domains"))


def _domain(part: Part) -> str:
    n = len(part["scores"]["questions"])
    return _("%(domain)s (%(n)d questions)") % {"domain": part["domain"] or _("none"), "n": n}


def _with_interval(estimate: Part | None) -> str:
    if estimate is None or estimate["value"] is None:
        return MISSING
    interval = _range(estimate["low"], estimate["high"], 2)
    return number(estimate["value"], 2) + ("" if interval == MISSING else f" ({interval})")


def _sensitivity(report: Part, names: Mapping[str, str]) -> Section:
    titles = {
        "rule": _("Rule"),
        "threshold": _("Threshold"),
        "minimum_size": _("Smallest group"),
    }
    tables = []
    for part in (*report["rules"], *report["thresholds"], *report["sizes"]):
        columns = [_("Source"), *(str(row["setting"]) for row in part["rows"])]
        rows = [
            [name, *(number(row["scores"][part["sources"].index(code)]) for row in part["rows"])]
            for code, name in names.items()
        ]
        rows.append([_("Kendall's tau with %(setting)s") % {"setting": part["reference"]}, *map(_tau, part["rows"])])
        rows.append([_("Groups"), *(row["n_groups"] for row in part["rows"])])
        tables.append(_captioned(f"{titles[part['choice']]}, {_variant(part)}", columns, rows))
    means = _(
        "The scores if another rule, another threshold or another smallest group had been chosen. Kendall's tau near 1 "
        "means that the order of the sources stays."
    )
    return _section("sensitivity", _("Sensitivity"), means, tables, report["not_computed"].get("thresholds"))


def _tau(row: Part) -> str:
    return number(row["kendall"]["value"], 2)


def _subgroups(report: Part, names: Mapping[str, str]) -> Section:
    columns = [_("Source"), _("People"), _("Ratings"), _("Mean rating"), _("OvertonScore"), _("Weighted score")]
    tables = [
        _captioned(f"{part['attribute']}: {value}", columns, list(_subgroup_rows(part, value, names)))
        for part in report["subgroups"]
        for value in dict.fromkeys(row["value"] for row in part["rows"])
    ]
    means = _("What the ratings of one part of the people alone would give. Too small parts are not shown.")
    return _section("subgroups", _("Subgroups"), means, tables)


def _subgroup_rows(part: Part, value: str, names: Mapping[str, str]) -> Iterator[list[Any]]:
    for row in _ordered(part["rows"], names):
        if row["value"] != value:
            continue
        if row["undefined"]:
            yield [names[row["source"]], MISSING, MISSING, MISSING, in_words(row["undefined"]), MISSING]
        else:
            scores = (_with_interval(row["unweighted"]), _with_interval(row["weighted"]))
            yield [names[row["source"]], row["n_people"], row["n_ratings"], number(row["mean_rating"], 2), *scores]


def _correlates(report: Part, names: Mapping[str, str]) -> Section:
    parts = [
        (_("Coverage and the number of groups"), report["overall"]["by_number_of_groups"]),
        (_("Weighted coverage and the number of groups"), report["overall"].get("by_number_of_groups_weighted")),
        (_("Being covered and the size of the group"), report.get("by_group_size")),
    ]
    tables = []
    for caption, part in parts:
        if part:
            rows = [[names[row["source"]], *_correlation(row["correlation"])] for row in _ordered(part["rows"], names)]
            rows.append([_("all sources"), *_correlation(part["pooled"])])
            tables.append(_captioned(caption, [_("Source"), _("Correlation"), _("n")], rows))
    means = _("Whether scores go with how many groups a question has, or with how large a group is (Pearson).")
    return _section("correlates", _("Number and size of groups"), means, tables)


def _correlation(part: Part) -> tuple[str, int]:
    return number(part["value"], 2), part["n"]


def _external(report: Part) -> Section:
    columns = [_("Score"), _("Pearson"), _("Spearman"), _("Kendall"), _("Sources")]
    tables = [
        _captioned(
            name,
            columns,
            [
                [
                    row["score"],
                    *(number(row[kind]["value"], 2) for kind in ("pearson", "spearman", "kendall")),
                    len(row["sources"]),
                ]
                for row in report["external"]
                if row["name"] == name
            ],
        )
        for name in dict.fromkeys(row["name"] for row in report["external"])
    ]
    means = _("Correlation over the sources with scores from elsewhere that were given with the run.")
    return _section("external", _("Other scores"), means, tables)


def _planning(report: Part, names: Mapping[str, str]) -> Section:
    planning = report["planning"]
    tables = []
    for variant in ("unweighted", "weighted"):
        plans = [plan for plan in planning["plans"] if plan["variant"] == variant and plan["undefined"] is None]
        people = sorted({plan["n_people"] for plan in plans}, key=lambda n: (n is None, n or 0))
        widths: dict[tuple[int, int | None], list[float]] = {}
        for plan in plans:
            widths.setdefault((plan["n_questions"], plan["n_people"]), []).append(plan["width"])
        columns = [
            _("Questions"),
            *(_("as many people") if n is None else _("%(n)d people") % {"n": n} for n in people),
        ]
        rows = [
            [n, *(_mean_width(widths.get((n, m))) for m in people)]
            for n in sorted({plan["n_questions"] for plan in plans})
        ]
        if rows:
            tables.append(_captioned(_variant({"variant": variant}), columns, rows))
    means = _(
        "How wide the interval of a score would be with so many questions and so many people each, as a mean over the "
        "sources; from how coverages vary in these data."
    )
    reasons = [plan["undefined"] for plan in planning["plans"] if plan["undefined"]]
    return _section(
        "planning", _("How large a next study must be"), means, tables, reasons[0] if reasons and not tables else None
    )


def _mean_width(widths: list[float] | None) -> str:
    known = [width for width in widths or () if width is not None]
    return number(sum(known) / len(known)) if known else MISSING
