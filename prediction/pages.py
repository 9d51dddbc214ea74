"""From results to what a page prints: rounding, labels and words happen here and nowhere below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from core.models import Run
from prediction import selectors
from prediction.parameters import PREDICTION_REPORT
from prediction.words import METRICS, MISSING, number, with_interval
from studies.models import Study

Table = dict[str, Any]


def table_of(columns: list[str], rows: list[list[Any]]) -> Table:
    """A table of numbers with the names of its rows in the first column."""
    return {"columns": [{"label": name, "numeric": index > 0} for index, name in enumerate(columns)], "rows": rows}


def run_context(study: Study, run: Run) -> dict[str, Any]:
    """What identifies a run and what came of it."""
    is_report = run.kind == PREDICTION_REPORT
    finished = run.result is not None
    return {
        "is_report": is_report,
        "settings": sorted(_flat(run.parameters)),
        "versions": sorted(run.versions.items()),
        "withdrawn_data": selectors.contains_withdrawn_data(run, study),
        "result_url": reverse("prediction:result-json", args=[study.slug, run.public_id]) if finished else "",
        **(report_context(study, run) if is_report and finished else {}),
        **(_prediction_context(run.result or {}) if finished and not is_report else {}),
    }


def _prediction_context(result: Mapping[str, Any]) -> dict[str, Any]:
    calls = result.get("calls")
    return {
        "batch_name": result["batch"]["name"],
        "n_points": result["n_points"],
        "calls": calls,
        "outcomes": _rows_of(calls["outcomes"] if calls else {}),
        "left_out": _rows_of(result["left_out"]),
        "accuracy": _accuracy_table([result["accuracy"] | {"method": result["batch"]["name"]}]),
        "accuracy_level": f"{100 * result['accuracy']['level']:g}",
    }


def _rows_of(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items())


def report_context(study: Study, run: Run) -> dict[str, Any]:
    """The tables of a report."""
    result = run.result or {}
    accuracy = result["accuracy"]
    return {
        "accuracy_own": _accuracy_table(accuracy["own"]),
        "accuracy_common": _accuracy_table(accuracy["common"]),
        "n_common": accuracy["n_common"],
        "n_ratings": accuracy["n_points"],
        "unit": _units()[accuracy["unit"]],
        "level": f"{100 * accuracy['level']:g}",
        "replicates": accuracy["replicates"],
        "duels": _duel_table(accuracy["duels"]),
        "parity": [{"method": one["method"], "table": _parity_table(one["lines"])} for one in result["parity"]],
        "scores": [_score_section(line) for line in result["scores"]],
        "report_withdrawn": selectors.contains_withdrawn_data(run, study),
    }


def _units() -> dict[str, str]:
    return {"participant": _("participants"), "rating": _("ratings"), "question": _("questions")}


def _accuracy_table(lines: list[dict[str, Any]]) -> Table:
    columns = [_("Method"), *(label for _metric, label in METRICS), _("Ratings")]
    rows = [
        [
            line["method"],
            *(with_interval(line[metric]) for metric, _label in METRICS),
            _("%(n)d of %(all)d") % {"n": line["n_predicted"], "all": line["n_points"]},
        ]
        for line in lines
    ]
    return table_of(columns, rows)


def _duel_table(duels: list[dict[str, Any]]) -> Table:
    columns = [_("Method"), _("against"), _("Wins without ties"), _("Ties"), _("Ratings of both")]
    rows = [
        [duel["method"], duel["other"], with_interval(duel["win_rate"]), with_interval(duel["tie_rate"]), duel["n"]]
        for duel in duels
    ]
    return table_of(columns, rows)


def _parity_table(lines: list[dict[str, Any]]) -> Table:
    columns = [_("Category"), _("Metric"), "F", _("p by rows"), _("p by people"), _("eta squared"), _("Groups")]
    rows = []
    for line in lines:
        tests, people = line["rows"], line["people"]
        rows.append(
            [
                line["category"],
                line["metric"].upper(),
                number(tests["f"], 2),
                number(tests["p"], 4),
                number(people["p"], 4),
                number(tests["eta_squared"], 4),
                len(tests["groups"]),
            ]
        )
    return table_of(columns, rows)


def _score_section(line: Mapping[str, Any]) -> dict[str, Any]:
    section: dict[str, Any] = {"method": line["method"], "undefined": line["undefined"]}
    if line["undefined"]:
        return section
    found = line["lomo"]["unweighted"]["ordinary"]
    section["undefined"] = found["undefined"]
    if found["undefined"]:
        return section
    share = line["share_predicted"]
    columns = [_("Model"), _("Measured"), _("Predicted"), _("Difference"), _("Share predicted")]
    rows = [
        [
            row["source"],
            number(row["measured"]),
            number(row["predicted"]),
            number(row["difference"]),
            number(share.get(row["source"]), 2),
        ]
        for row in found["targets"]
    ]
    section["targets"] = table_of(columns, rows)
    section["facts"] = [
        (_("Mean Spearman with the measured scores"), number(found["mean_spearman"])),
        (_("Pearson of the deviations"), number(found["pooled_pearson"]["value"])),
        (_("Mean absolute difference of deviations"), number(found["mean_absolute_difference"])),
        (_("Same side of the mean"), number(found["direction"]["share"])),
        (_("Same verdict of the test"), number(found["significance"]["share"])),
        *((_("Precision at %(k)s") % {"k": k}, number(value, 2)) for k, value in found["precision_at"].items()),
    ]
    return section


def leaderboards(run: Run) -> list[dict[str, Any]]:
    """A leaderboard for each method that predicts a candidate, or else for each method."""
    found = []
    for line in (run.result or {})["scores"]:
        if line["undefined"]:
            continue
        board = line["leaderboard"]
        by_code = {row["code"]: row for row in board["weighted"]["rows"]}
        share = line["share_predicted"]
        rows = [
            [
                row["name"],
                _("predicted") if row["is_predicted"] else _("measured"),
                number(row["adjusted"]),
                MISSING if row["low"] is None else f"{number(row['low'])} to {number(row['high'])}",
                number(by_code[row["code"]]["adjusted"]),
                number(share.get(row["code"]), 2) if row["is_predicted"] else MISSING,
            ]
            for row in board["unweighted"]["rows"]
        ]
        columns = [
            _("Model"),
            _("Ratings are"),
            _("Adjusted OvertonScore"),
            _("Deviation from the mean, interval"),
            _("Weighted"),
            _("Share predicted"),
        ]
        found.append(
            {"method": line["method"], "table": table_of(columns, rows), "undefined": board["unweighted"]["undefined"]}
        )
    return found


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{name}.")
        else:
            shown = ", ".join(map(str, value)) if isinstance(value, list) else value
            yield name, MISSING if shown in (None, "", {}) else str(shown)
