"""The further statistics of a run of scores: ranks, adjusted scores, differences, sensitivity, and what to collect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from clustering import selectors
from clustering.pages.numbers import number
from clustering.pages.robustness import planning, sensitivity
from clustering.pages.sections import Part, Section, captioned, p_in_words, reasons, section, spread, variant_in_words
from clustering.pages.viewpoints import viewpoints
from clustering.showing.tables import MISSING
from clustering.words import in_words
from core.models import Run
from studies.models import Study

VARIANTS = ("unweighted", "weighted")


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
        sensitivity(report, names),
        _subgroups(report, names),
        _correlates(report, names),
        _external(report, names),
        viewpoints(selectors.viewpoints_beside(run), names),
        planning(report),
    ]
    return [section for section in sections if section and (section["tables"] or section["undefined"])]


def _by_score(names: Mapping[str, str], overall: Part) -> dict[str, str]:
    """The names of the sources by code, the highest score first; tables keep this order."""
    value = {row["source"]: row["unweighted"]["value"] for row in overall["scores"]["scores"]}
    order = sorted(value, key=lambda code: (value[code] is None, -(value[code] or 0.0), code))
    return {code: names[code] for code in order}


def _ordered(rows: Iterable[Part], names: Mapping[str, str]) -> list[Part]:
    place = {code: index for index, code in enumerate(names)}
    return sorted(rows, key=lambda row: place[row["source"]])


def _ranks(overall: Part, names: Mapping[str, str]) -> Section:
    columns = [_("Source"), _("Rank"), _("Interval"), _("Share of draws in which it is first")]
    tables = [
        captioned(
            variant_in_words(part),
            columns,
            [
                [
                    names[row["source"]],
                    number(row["rank"], 1),
                    spread(row["low"], row["high"], 0),
                    number(row["p_first"], 2),
                ]
                for row in sorted(part["rows"], key=lambda row: (row["rank"] is None, row["rank"] or 0))
            ],
            reasons(part["rows"], names),
        )
        for part in overall["ranks"]
    ]
    means = _("How sure the order of the sources is when the questions are drawn anew. 1 is the highest score.")
    return section("ranks", _("Ranks"), means, tables)


def _adjusted(overall: Part, names: Mapping[str, str]) -> Section:
    columns = [_("Source"), _("Raw"), _("Adjusted"), _("Against the mean"), _("Interval"), _("p"), _("p, Holm")]
    modes = {"paper": _("as in the paper's tables"), "ordinary": _("on question means")}
    kinds = {"normal": _("normal quantiles"), "t": _("t quantiles, for new studies")}
    parts = (*overall["adjusted"], *overall.get("adjusted_t", ()))
    tables = [
        captioned(
            f"{modes[part['mode']]}, {kinds[part['distribution']]}, {variant_in_words(part)}",
            columns,
            [
                [
                    names[row["source"]],
                    number(row["raw"]),
                    number(row["adjusted"]),
                    number(row["deviation"]),
                    spread(row["low"], row["high"]),
                    p_in_words(row["p_value"]),
                    p_in_words(row["p_holm"]),
                ]
                for row in _ordered(part["scores"], names)
            ],
            reasons(part["scores"], names),
        )
        for part in parts
    ]
    tables += [_adjusted_intervals(overall, mode, variant, names) for mode in modes for variant in VARIANTS]
    means = _(
        "Scores from a linear probability model with effects of question and source, clustered by question. The "
        "interval is that of the deviation from the mean over all sources; those of the scores themselves, from "
        "questions drawn anew, stand in the last tables."
    )
    undefined = next((part["undefined"] for part in parts if part["undefined"]), None)
    return section("adjusted", _("Adjusted scores"), means, tables, undefined)


def _adjusted_intervals(overall: Part, mode: str, variant: str, names: Mapping[str, str]) -> dict[str, Any]:
    """Bootstrap intervals of the adjusted scores: proper ones, and those in which repeated draws count once."""
    modes = {"paper": _("as in the paper's tables"), "ordinary": _("on question means")}
    found = {
        part["repeats"]: dict(zip(part["sources"], part["estimates"], strict=True))
        for part in overall["adjusted_intervals"]
        if (part["mode"], part["variant"]) == (mode, variant)
    }
    counted, collapsed = found["counted"], found["collapsed"]
    rows = [
        [
            name,
            number(counted[code]["value"]),
            spread(counted[code]["low"], counted[code]["high"]),
            spread(collapsed[code]["low"], collapsed[code]["high"]),
            counted[code]["n_questions"],
        ]
        for code, name in names.items()
        if code in counted
    ]
    columns = [_("Source"), _("Adjusted"), _("Interval"), _("Interval, repeated draws once (the paper's site)")]
    caption = _("%(mode)s, %(variant)s: intervals of the scores themselves")
    return captioned(
        caption % {"mode": modes[mode], "variant": variant_in_words({"variant": variant})},
        [*columns, _("Questions")],
        rows,
        reasons([{"source": code, **estimate} for code, estimate in counted.items()], names),
    )


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
        captioned(
            variant_in_words(part),
            columns,
            [
                [
                    _("%(left)s minus %(right)s") % {"left": names[row["left"]], "right": names[row["right"]]},
                    number(row["difference"]),
                    spread(row["low"], row["high"]),
                    spread(row["simultaneous_low"], row["simultaneous_high"]),
                    p_in_words(row["p_value"]),
                    p_in_words(row["p_holm"]),
                    row["n_questions"],
                ]
                for row in part["pairs"]
            ],
            reasons(part["pairs"], names),
        )
        for part in overall["differences"]
    ]
    means = _(
        "Paired over questions. Simultaneous intervals hold for all pairs at once; p by Holm counts how many pairs "
        "were compared."
    )
    return section("differences", _("Differences between sources"), means, tables)


def _domains(report: Part, names: Mapping[str, str]) -> Section:
    domains = report["domains"]
    tables = []
    for variant in VARIANTS:
        columns = [_("Source"), *(_domain(part) for part in domains)]
        scores = [{row["source"]: row[variant] for row in part["scores"]["scores"]} for part in domains]
        rows = [
            [name, *(_with_interval(found.get(code)) for found in scores)]
            for code, name in names.items()
            if any(code in found for found in scores)
        ]
        if domains:
            tables.append(captioned(variant_in_words({"variant": variant}), columns, rows))
    means = _("The OvertonScore over the questions of each domain, with its interval over them.")
    return section("domains", _("By domain"), means, tables, report["not_computed"].get("domains"))


def _domain(part: Part) -> str:
    n = len(part["scores"]["questions"])
    return _("%(domain)s (%(n)d questions)") % {"domain": part["domain"] or _("none"), "n": n}


def _with_interval(estimate: Part | None) -> str:
    if estimate is None or estimate["value"] is None:
        return MISSING
    interval = spread(estimate["low"], estimate["high"], 2)
    return number(estimate["value"], 2) + ("" if interval == MISSING else f" ({interval})")


def _subgroups(report: Part, names: Mapping[str, str]) -> Section:
    columns = [_("Source"), _("People"), _("Ratings"), _("Mean rating"), _("OvertonScore"), _("Weighted score")]
    tables = [
        captioned(f"{part['attribute']}: {value}", columns, list(_subgroup_rows(part, value, names)))
        for part in report["subgroups"]
        for value in dict.fromkeys(row["value"] for row in part["rows"])
    ]
    means = _("What the ratings of one part of the people alone would give. Too small parts are not shown.")
    return section("subgroups", _("Subgroups"), means, tables)


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
            rows.append([_("mean over the sources"), number(part["mean"], 2), MISSING])
            rows.append([_("all sources pooled"), *_correlation(part["pooled"])])
            notes = reasons([*part["rows"], {"pooled": part["pooled"]}], names)
            tables.append(captioned(caption, [_("Source"), _("Correlation"), _("n")], rows, notes))
    means = _("Whether scores go with how many groups a question has, or with how large a group is (Pearson).")
    return section("correlates", _("Number and size of groups"), means, tables)


def _correlation(part: Part) -> tuple[str, int]:
    return number(part["value"], 2), part["n"]


def _external(report: Part, names: Mapping[str, str]) -> Section:
    columns = [_("Score"), _("Pearson"), _("Spearman"), _("Kendall"), _("Sources")]
    tables = [
        captioned(
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
            reasons((row for row in report["external"] if row["name"] == name), names),
        )
        for name in dict.fromkeys(row["name"] for row in report["external"])
    ]
    means = _("Correlation over the sources with scores from elsewhere that were given with the run.")
    return section("external", _("Other scores"), means, tables)
