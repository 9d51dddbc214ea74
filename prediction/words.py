"""Results as commands print them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from core.models import Run
from prediction.judging.planning import Estimate
from prediction.services.files import ImportedPredictions

METRICS = (("mae", "MAE"), ("mse", "MSE"), ("spearman", "Spearman"), ("accuracy", "exact"))
MISSING = "\N{EN DASH}"


def number(value: float | None, digits: int = 3) -> str:
    """A number for people, or a dash where it is undefined."""
    return MISSING if value is None else f"{value:.{digits}f}"


def with_interval(estimate: Mapping[str, Any], digits: int = 3) -> str:
    """A figure with its interval."""
    if estimate["value"] is None:
        return MISSING
    ends = "" if estimate["low"] is None else f" [{estimate['low']:.{digits}f}, {estimate['high']:.{digits}f}]"
    return f"{estimate['value']:.{digits}f}{ends}"


def imported(done: ImportedPredictions) -> str:
    """What the import of a file did."""
    verb = "would add" if done.is_dry_run else "added"
    lines = [f"{done.file}: {done.n_rows} rows, {verb} {done.n_new} predictions of {', '.join(done.methods)}"]
    if done.n_unmeasured:
        lines.append(f"  {done.n_unmeasured} are of ratings that nobody gave, and cannot be judged")
    return "\n".join(lines)


def estimated(found: Estimate) -> str:
    """Calls, tokens and cost before a run."""
    cost = "unknown, since a price is not set" if found.cost is None else f"{found.cost:.4f} {found.currency}"
    lines = [
        (
            f"{found.n_calls} calls of {found.model} ({found.endpoint}) about {found.n_points} points, "
            f"{found.n_made} made before and not repeated"
        ),
        f"  about {found.prompt_tokens} tokens of prompts and {found.completion_tokens} of replies; cost {cost}",
        *(f"  {n} points left out: {reason}" for reason, n in found.left_out.items()),
    ]
    return "\n".join(lines)


def predicted(run: Run) -> str:
    """What a run predicted and how near it came."""
    result = run.result or {}
    lines = [f"{result['batch']['name']}: {result['n_points']} points"]
    if calls := result.get("calls"):
        outcomes = ", ".join(f"{n} {outcome}" for outcome, n in calls["outcomes"].items())
        lines.append(f"  {calls['n_answered']} of {calls['n']} calls answered ({outcomes}), {calls['n_failed']} failed")
    lines += [f"  {n} points without: {reason}" for reason, n in result["left_out"].items()]
    lines.append("  " + _figures(result["accuracy"]))
    return "\n".join([*lines, f"run {run.public_id}, result SHA-256 {run.result_sha256}"])


def _figures(line: Mapping[str, Any]) -> str:
    figures = ", ".join(f"{label} {with_interval(line[metric])}" for metric, label in METRICS)
    return f"{figures} over {line['n_predicted']} of {line['n_points']} ratings"


def reported(run: Run) -> str:
    """A report as text."""
    result = run.result or {}
    accuracy = result["accuracy"]
    lines = [
        (
            f"{accuracy['n_points']} measured ratings; {accuracy['level']:.0%} intervals by {accuracy['replicates']} "
            f"bootstrap replicates over {accuracy['n_units']} {accuracy['unit']}s, seed {accuracy['seed']}"
        ),
        *(f"  {line['method']}: {_figures(line)}" for line in accuracy["own"]),
        f"over the {accuracy['n_common']} points that all predicted:",
        *(f"  {line['method']}: {_figures(line)}" for line in accuracy["common"]),
        *(
            f"  {duel['method']} beats {duel['other']}: {with_interval(duel['win_rate'])} without ties, "
            f"ties {with_interval(duel['tie_rate'])}"
            for duel in accuracy["duels"]
        ),
        *_parity(result["parity"]),
        *_scores(result["scores"]),
        f"run {run.public_id}, result SHA-256 {run.result_sha256}",
    ]
    return "\n".join(lines)


def _parity(reports: list[dict[str, Any]]) -> Iterator[str]:
    for report in reports:
        yield f"errors of {report['method']} by subgroup:"
        for line in report["lines"]:
            rows, people = line["rows"], line["people"]
            if rows["undefined"]:
                yield f"  {line['category']}, {line['metric']}: undefined, because {rows['undefined']}"
                continue
            whole = number(people["p"]) if not people["undefined"] else f"undefined, because {people['undefined']}"
            yield (
                f"  {line['category']}, {line['metric']}: F {rows['f']:.2f}, p by rows {rows['p']:.4f}, "
                f"p by people {whole}, eta squared {rows['eta_squared']:.4f}, {len(rows['groups'])} groups"
            )


def _scores(scores: list[dict[str, Any]]) -> Iterator[str]:
    for line in scores:
        if line["undefined"]:
            yield f"scores by {line['method']}: undefined, because {line['undefined']}"
            continue
        found = line["lomo"]["unweighted"]["ordinary"]
        if found["undefined"]:
            yield f"scores by {line['method']}: undefined, because {found['undefined']}"
        else:
            yield (
                f"leave one model out by {line['method']}: mean Spearman {number(found['mean_spearman'])}, "
                f"same side of the mean {number(found['direction']['share'])}, "
                f"same verdict {number(found['significance']['share'])}"
            )
        for row in line["leaderboard"]["unweighted"]["rows"]:
            mark = "predicted" if row["is_predicted"] else "measured"
            yield f"  {row['code']} ({mark}): {number(row['adjusted'])}"
