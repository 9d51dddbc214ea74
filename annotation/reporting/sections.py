"""The report as tables of words and numbers for a reader, from the document alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

Document = dict[str, Any]
Row = tuple[str, ...]

_FLEISS = ("fleiss_kappa", "scott_pi", "fleiss_kappa_gwet_generalised")


@dataclass(frozen=True, slots=True)
class Block:
    """A table with its caption and header; the first column names the row."""

    caption: str
    header: Row
    rows: Sequence[Row]
    note: str = ""
    is_long: bool = False


def shown(value: Any, digits: int = 3) -> str:
    """A number for a reader; a dash where there is none."""
    if value is None:
        return "-"
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def with_interval(value: float | None, low: float | None, high: float | None) -> str:
    """A number with the ends of its interval."""
    ends = "" if low is None else f" [{shown(low)}, {shown(high)}]"
    return shown(value) + ends


def blocks_of(dimension: Document, report: Document) -> list[Block]:
    """All tables of one dimension; those without a row are left out."""
    makers: tuple[Callable[[Document, Document], Block | None], ...] = (
        _headline,
        _policies,
        _pairs,
        _rates,
        _directions,
        _numbers,
        _classes,
        _kept,
        _votes,
        _rater_lines,
        _adjudicated,
        _positions,
        _swaps,
        _retests,
        _categories,
    )
    made = (maker(dimension, report) for maker in makers)
    return [block for block in made if block is not None and block.rows]


def estimate_shown(estimate: Document | None, reasons: Document) -> str:
    """Value with the better interval, or why there is none."""
    if estimate is None:
        return "-"
    if estimate["value"] is None:
        return _("undefined: %(reason)s") % {"reason": reasons[estimate["reason"]]}
    for key in ("analytic", "bootstrap"):
        interval = estimate[key]
        if interval is not None and interval["low"] is not None:
            return with_interval(estimate["value"], interval["low"], interval["high"])
    return shown(estimate["value"])


def bootstrap_shown(estimate: Document | None, reasons: Document) -> str:
    """The bootstrap interval of an estimate, or why there is none."""
    interval = estimate and estimate["bootstrap"]
    if not interval:
        return "-"
    if interval["low"] is None:
        return str(reasons[interval["reason"]])
    return f"[{shown(interval['low'])}, {shown(interval['high'])}]"


def stratum_name(stratum: str | None) -> str:
    """The name of a stratum for a reader."""
    return _("all items") if stratum is None else stratum or _("no stratum")


def _first(cell: Document, names: Sequence[str]) -> Document | None:
    by_name = {estimate["name"]: estimate for estimate in cell["estimates"]}
    return next((by_name[name] for name in names if name in by_name), None)


def _alpha(dimension: Document) -> str:
    order = ("nominal", "ordinal", "interval", "ratio")
    return f"krippendorff_alpha[{order[order.index(dimension['scale']['level'])]}]"


def _columns(dimension: Document) -> list[tuple[str, Sequence[str]]]:
    """The coefficients of the headline table."""
    alpha = _alpha(dimension)
    columns: list[tuple[str, Sequence[str]]] = [
        (_("raw agreement"), ("percent_agreement",)),
        (_("kappa (Fleiss' formula)"), _FLEISS),
        ("AC1", ("gwet_ac1",)),
        (alpha.replace("krippendorff_", ""), (alpha, "krippendorff_alpha[nominal]")),
        ("Conger", ("conger_kappa",)),
        ("Randolph", ("randolph_kappa",)),
    ]
    if dimension["scale"]["level"] != "nominal":
        columns.append((_("AC2, quadratic"), ("gwet_ac2[quadratic]",)))
    return columns


def _headline(dimension: Document, report: Document) -> Block:
    reasons = report["reasons"]
    columns = _columns(dimension)
    rows = [
        (
            f"{stratum_name(cell['stratum'])}; {cell['raters']['name']}",
            str(cell["n_items"]),
            str(cell["n_pairable"]),
            str(cell["n_ratings"]),
            str(cell["n_raters"]),
            shown(cell["cannot_judge_rate"]),
            *(estimate_shown(_first(cell, names), reasons) for _title, names in columns),
            bootstrap_shown(_first(cell, _FLEISS), reasons),
        )
        for cell in dimension["cells"]
        if cell["policy"] == dimension["primary_policy"] and cell["raters"]["kind"] != "pair"
    ]
    header = (
        _("Items; raters"), _("items"), _("pairable"), _("labels"), _("raters"), _("cannot judge"),
        *(title for title, _names in columns), _("kappa, bootstrap"),
    )  # fmt: skip
    return Block(_("Agreement, policy %(name)s (primary)") % {"name": dimension["primary_policy"]}, header, rows)


def _policies(dimension: Document, report: Document) -> Block | None:
    """All rules for cannot judge and missing answers side by side, on all items."""
    reasons, policies = report["reasons"], dimension["policies"]
    if len(policies) < 2:
        return None
    rows = []
    for kind, names in (("kappa", _FLEISS), ("AC1", ("gwet_ac1",)), (_("raw"), ("percent_agreement",))):
        for raters in ("all", "humans", "models"):
            cells = {
                cell["policy"]: cell
                for cell in dimension["cells"]
                if cell["stratum"] is None and cell["raters"]["name"] == raters
            }
            if cells:
                values = [
                    f"{estimate_shown(_first(cells[name], names), reasons)}; n {cells[name]['n_pairable']}"
                    if name in cells
                    else "-"
                    for name in policies
                ]
                rows.append((f"{kind}; {raters}", *values))
    return Block(_("Policies side by side, all items"), (_("Statistic; raters"), *policies), rows)


def _pairs(dimension: Document, report: Document) -> Block:
    reasons = report["reasons"]
    is_ordered = dimension["scale"]["level"] != "nominal"
    names = ["cohen_kappa", *(["cohen_kappa[linear]", "cohen_kappa[quadratic]"] if is_ordered else [])]
    rows = [
        (
            f"{cell['raters']['name']}; {stratum_name(cell['stratum'])}",
            str(cell["n_pairable"]),
            estimate_shown(_first(cell, ("percent_agreement",)), reasons),
            *(estimate_shown(_first(cell, (name,)), reasons) for name in names),
            bootstrap_shown(_first(cell, ("cohen_kappa",)), reasons),
            shown(cell["bias_index"]),
            "; ".join(f"{rater}: {_marginals(cell, counts)}" for rater, counts in cell["counts"].items()),
        )
        for cell in dimension["cells"]
        if cell["policy"] == dimension["primary_policy"] and cell["raters"]["kind"] == "pair"
    ]
    header = (
        _("Pair; items"), _("pairable"), _("raw agreement"), *names, _("bootstrap"), _("bias index"), _("marginals"),
    )  # fmt: skip
    return Block(_("Pairs of raters"), header, rows, is_long=True)


def _marginals(cell: Document, counts: Sequence[int]) -> str:
    return ", ".join(f"{label} {n}" for label, n in zip(cell["labels"], counts, strict=True))


def _rates(dimension: Document, report: Document) -> Block:
    rows = []
    for line in dimension["beside"]["rates"]:
        rule = _("cannot judge is no match") if line["counts_cannot_judge"] else _("cannot judge left out")
        for stratum, rate in line["strata"].items():
            ends = rate["interval"]
            value = with_interval(rate["value"], ends["low"], ends["high"])
            rows.append(
                (f"{line['raters']}; {stratum or _('all items')}; {rule}", f"{rate['hits']}/{rate['n']}", value, "")
            )
        difference = line["difference"]
        if difference is not None:
            ends = difference["interval"]
            value = with_interval(difference["value"], ends["low"], ends["high"])
            test = f"p = {shown(difference['p_value'], 4)} ({difference['test']})"
            rows.append((f"{line['raters']}; {_('covered minus uncovered')}; {rule}", "", value, test))
    return Block(_("Strict matches"), (_("Raters; items"), _("matches"), _("share"), _("test")), rows)


def _directions(dimension: Document, report: Document) -> Block:
    answers = {True: _("yes"), False: _("no"), None: _("undefined")}
    rows = [
        (
            each["raters"],
            f"{shown(each['covered'])} ({each['n_covered']})",
            f"{shown(each['uncovered'])} ({each['n_uncovered']})",
            with_interval(each["difference"], each["low"], each["high"]),
            answers[each["holds"]],
        )
        for each in dimension["beside"]["directions"]
    ]
    header = (_("Raters"), _("covered (items)"), _("uncovered (items)"), _("difference"), _("covered is higher"))
    return Block(_("Direction check: mean value of labels"), header, rows)


def _numbers(dimension: Document, report: Document) -> Block:
    rows = [
        (f"{name}; {raters}", _correlation(found, report), str(found["n"]), str(found["n_excluded"]))
        for name, by_raters in dimension["beside"]["numbers"].items()
        for raters, found in by_raters.items()
    ]
    header = (_("Number; raters"), _("Spearman"), _("items"), _("left out"))
    return Block(_("Mean value of labels against hidden numbers"), header, rows)


def _correlation(found: Document, report: Document) -> str:
    if found["value"] is None:
        return _("undefined: %(reason)s") % {"reason": report["reasons"][found["reason"]]}
    return with_interval(found["value"], found["interval"]["low"], found["interval"]["high"])


def _classes(dimension: Document, report: Document) -> Block:
    classes = dimension["beside"]["classes"]
    families = list(dict.fromkeys(each["family"] for each in classes))
    by_place = {(each["family"], each["subset"]): each for each in classes}
    subsets = list(dict.fromkeys(each["subset"] for each in classes))
    rows = [
        (subset, *(f"{shown(by_place[f, subset]['value'])} ({by_place[f, subset]['n_scorers']})" for f in families))
        for subset in subsets
    ]
    caption = _("Pearson's correlation of scores with people, mean over a class (scorers)")
    return Block(caption, (_("Items"), *families), rows)


def _kept(dimension: Document, report: Document) -> Block:
    rows = [(name, str(n)) for name, n in dimension["beside"]["subsets"].items()]
    return Block(_("Items in each subset"), (_("Subset"), _("items")), rows, is_long=True)


def _votes(dimension: Document, report: Document) -> Block:
    votes = dimension["beside"]["votes"]
    rows = [
        (label, str(votes["majority"][label]), str(votes["inclusive"][label])) for label in dimension["scale"]["labels"]
    ]
    rows.append((_("no majority"), str(votes["n_without"]), ""))
    return Block(_("Decided by vote"), (_("Label"), _("majority"), _("chosen by anybody")), rows)


def _rater_lines(dimension: Document, report: Document) -> Block:
    labels = dimension["scale"]["labels"]
    rows = [
        (
            line["rater"],
            line["kind"],
            *map(str, line["counts"]),
            str(line["cannot_judge"]),
            str(line["not_applicable"]),
            *(shown(line[name]) for name in ("mean", "entropy", "agreement", "accuracy")),
        )
        for line in dimension["beside"]["raters"]
    ]
    header = (
        _("Rater"), _("kind"), *labels, _("cannot judge"), _("not applicable"), _("mean"), _("entropy"),
        _("agrees with others"), _("right by the rater model"),
    )  # fmt: skip
    return Block(_("Raters"), header, rows)


def _adjudicated(dimension: Document, report: Document) -> Block:
    rows = [
        (
            f"{line['rater']}; {line['source'] or _('all items')}",
            str(line["n"]),
            "-" if line["accuracy"] is None else shown(line["accuracy"]["value"]),
            shown(line["kappa"]),
            "-" if line["auc"] is None else with_interval(line["auc"]["value"], *_ends(line["auc"])),
            "; ".join(
                f"{truth}: {_counts(line['labels'], row)}"
                for truth, row in zip(line["labels"], line["confusion"], strict=False)
            ),
        )
        for line in dimension["beside"]["adjudicated"]
    ]
    header = (_("Rater or score; source"), _("items"), _("accuracy"), "kappa", "AUC", _("confusion (truth: said)"))
    return Block(_("Against adjudicated labels"), header, rows)


def _ends(found: Document) -> tuple[float | None, float | None]:
    return found["interval"]["low"], found["interval"]["high"]


def _counts(labels: Sequence[str], row: Sequence[int]) -> str:
    return ", ".join(f"{label} {n}" for label, n in zip(labels, row, strict=True))


def _positions(dimension: Document, report: Document) -> Block:
    rows = [
        (
            each["raters"],
            *(str(each[name]) for name in ("first", "second", "neither")),
            with_interval(each["share"]["value"], *_ends(each["share"])),
            shown(each["p_value"], 4),
        )
        for each in dimension["beside"]["positions"]
    ]
    header = (_("Raters"), _("first preferred"), _("second"), _("neither"), _("share of first"), _("sign test p"))
    return Block(_("Preferences by position"), header, rows)


def _swaps(dimension: Document, report: Document) -> Block:
    rows = [
        (
            each["rater"],
            f"{each['same']['hits']}/{each['same']['n']}",
            shown(each["same"]["value"]),
            str(each["n_without"]),
        )
        for each in dimension["beside"]["swaps"]
    ]
    return Block(_("Models asked both ways"), (_("Rater"), _("same"), _("share"), _("without a label")), rows)


def _retests(dimension: Document, report: Document) -> Block:
    rows = [
        (
            each["rater"] or _("all raters"),
            f"{each['same']['hits']}/{each['same']['n']}",
            with_interval(each["same"]["value"], *_ends(each["same"])),
            ", ".join(f"{name} {shown(value)}" for name, value in each["kappa"].items()),
        )
        for each in dimension["beside"]["retests"]
    ]
    return Block(_("Blind repetitions"), (_("Rater"), _("same"), _("share"), "kappa"), rows)


def _categories(dimension: Document, report: Document) -> Block:
    rows = [
        (each["name"].partition("[")[2].rstrip("]"), estimate_shown(each, report["reasons"]))
        for each in dimension["categories"]
    ]
    return Block(_("Fleiss' kappa of each label against the others"), (_("Label"), "kappa"), rows)


def facts_of(report: Document) -> Iterator[tuple[str, str]]:
    """Every setting, version and hash, for the head of the report."""
    source = report["source"]
    yield _("Source"), f"{source['kind']} {source['name']}"
    yield _("SHA-256 of the source"), source["sha256"]
    for name, value in _flat(source["facts"]):
        yield name, value
    for name, value in _flat(report["settings"]):
        yield name, value
    for name, value in _flat(report["method_versions"]):
        yield f"method {name}", value
    for name, value in _flat(report["versions"]):
        yield f"version {name}", value
    yield _("SHA-256 of this report"), report["sha256"]


def _flat(values: Document, before: str = "") -> Iterator[tuple[str, str]]:
    for name, value in sorted(values.items()):
        key = f"{before}{name}".replace("_", " ")
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}: ")
        elif name == "raters" and isinstance(value, list) and value and isinstance(value[0], dict):
            for each in value:
                words = [
                    f"{key}: {word}" for key, word in sorted(each.items()) if key != "code" and word not in ("", None)
                ]
                yield f"{_('rater')} {each['code']}", ", ".join(words)
        else:
            yield key, ", ".join(map(str, value)) if isinstance(value, list) else str(value)
