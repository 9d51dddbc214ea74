"""Results as commands print them: the same lines whether a run or a file gave the numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from clustering.inclusion import described
from clustering.words import advice_in_words, in_words
from core.errors import one_line

MOST_STATEMENTS = 3
NAME_WIDTH = 32
Letter = Callable[[int], str]


def settings_line(parameters: Mapping[str, Any], seed: int) -> str:
    """Method, settings and seed of groups in one line."""
    if parameters["method"] == "polis":
        how = (
            f"moderated statements {parameters['moderation']}, at least {parameters['enough_votes']} votes "
            f"or {parameters['fewest_people']} people, at most {parameters['max_base']} base clusters "
            f"and {parameters['max_groups']} groups"
        )
    else:
        size = parameters["minimum_size"]
        grid = "published grid" if not parameters["grid"] else f"grid {_listed(parameters['grid'])}"
        readings = "".join(f", {name} {value}" for name, value in parameters["readings"].items())
        sizes = "" if size is None else f", minimum size {size}"
        how = f"space {parameters['space']}, unit {parameters['unit']}{readings}, {grid}{sizes}"
    return f"method {parameters['method']} ({how}; own votes {parameters['own_votes']}), seed {seed}"


def groups_lines(
    title: str,
    result: Mapping[str, Any],
    parameters: Mapping[str, Any],
    seed: int,
    *,
    texts: Mapping[str, str],
    letter: Letter,
) -> list[str]:
    """Groups of a question: settings, n, quality, groups with what characterises them, stability, advice."""
    groups = result["groups"]
    lines = [
        title,
        f"  {settings_line(parameters, seed)}",
        f"  taken in: {described(result['flow'])}; {result['n_votes']} votes",
    ]
    if groups["undefined"]:
        return [*lines, f"  no groups: {in_words(groups['undefined'])}"]
    lines += _quality(result)
    for number, size in enumerate(groups["sizes"]):
        lines.append(f"  group {letter(number)}: {size} people")
        for statement in result["profiles"]["characteristic"][number][:MOST_STATEMENTS]:
            share = f"{statement['n_success']} of {statement['n_trials']}"
            code = statement["statement"]
            said = f"{code}: {one_line(texts[code])}" if texts.get(code) else code
            lines.append(f"    {statement['direction']}s ({share}) {said}")
    lines += _stability(result["stability"], letter)
    if groups["exclusions"]:
        lines.append(f"  in no group: {len(groups['exclusions'])} ({groups['exclusions'][0]['reason']}, ...)")
    if groups["caution"]:
        lines.append(f"  mind: {in_words(groups['caution'])}")
    return lines + [f"  advice: {advice_in_words(finding)}" for finding in result["advice"]["findings"]]


def _quality(result: Mapping[str, Any]) -> list[str]:
    groups, quality = result["groups"], result["quality"]
    peers = quality["peers"] or {}
    figures = [
        f"{groups['n_groups']} groups of {quality['n_grouped']} people",
        f"mean silhouette {_number(groups['silhouette'])}",
        f"on the map {_number(quality['map_silhouette'])}",
        f"cohesion {_number(peers.get('cohesion'))}",
        f"singletons {_number(quality['singleton_share'])}",
        f"pairs without a common statement {_number(quality['share_without_common'])}",
    ]
    lines = [f"  {', '.join(figures)}"]
    if peers and not peers["undefined"]:
        within, outside = ("/".join(_number(each) for each in peers[name]) for name in ("mean_within", "mean_outside"))
        lines.append(f"  approve/disapprove/neutral: within groups {within}, outside {outside}")
    elif peers:
        lines.append(
            f"  cohesion and votes on each other's statements: undefined, because {in_words(peers['undefined'])}"
        )
    return lines


def _stability(stability: Mapping[str, Any], letter: Letter) -> list[str]:
    if stability["undefined"]:
        return [f"  stability: not computed, because {in_words(stability['undefined'])}"]
    lines = []
    if (seeds := stability["seeds"]) and not seeds["undefined"]:
        lines.append(
            f"  over {len(seeds['seeds'])} seeds: adjusted Rand index {_number(seeds['mean'])}, "
            f"lowest {_number(seeds['lowest'])}"
        )
    if (boot := stability["bootstrap"]) and not boot["undefined"]:
        each = ", ".join(f"{letter(number)} {_number(value)}" for number, value in enumerate(boot["jaccard"]))
        lines.append(
            f"  participants drawn anew ({boot['n_replicates']} replicates): co-membership {_number(boot['overall'])}, "
            f"Jaccard index {each}"
        )
    if (chance := stability["chance"]) and not chance["undefined"]:
        lines.append(
            f"  beside {chance['n_shuffles']} shuffles of the votes: silhouette {_number(chance['mean'])} on average, "
            f"{_number(chance['highest'])} at most; p {_number(chance['p_value'])}"
        )
    return lines


def published_line(published: Mapping[str, Any] | None) -> list[str]:
    """How far the groups agree with those that the file says."""
    if published is None:
        return []
    index, n = _number(published["adjusted_rand"]), published["n_both"]
    return [
        f"  beside the {published['n_groups']} published groups: adjusted Rand index {index} over {n} people in both"
    ]


def score_lines(
    overton: Mapping[str, Any], parameters: Mapping[str, Any], *, by_weighted: bool, of_table: bool = False
) -> list[str]:
    """The table of OvertonScores, the highest first, undefined ones next, best across models last."""
    how = (
        "coverages as the table gives them" if of_table else f"rule {parameters['rule']} at {parameters['threshold']:g}"
    )
    head = (
        f"OvertonScore, {how}, {parameters['level']:.0%} {parameters['interval']} intervals "
        f"by {parameters['replicates']} bootstrap replicates over {len(overton['questions'])} questions"
    )
    variant = "weighted" if by_weighted else "unweighted"

    def rank(score: Mapping[str, Any]) -> tuple[bool, float, str]:
        value = score[variant]["value"]
        return (value is None, -(value or 0.0), score["source"])

    rows = [f"{'source':<{NAME_WIDTH}} {'unweighted':>28} {'weighted':>28} {'questions':>9}"]
    reasons: dict[str, None] = {}
    for score in [*sorted(overton["scores"], key=rank), {**overton["best"], "source": "best across models"}]:
        cells = f"{_cell(score['unweighted']):>28} {_cell(score['weighted']):>28}"
        rows.append(f"{score['source']:<{NAME_WIDTH}} {cells} {score['unweighted']['n_questions']:>9}")
        reasons |= dict.fromkeys(_why_undefined(score))
    return [head, *rows, *reasons]


def _why_undefined(score: Mapping[str, Any]) -> list[str]:
    """Why a source lacks numbers, below the table: a reason is longer than a column is wide."""
    found = {name: score[name]["undefined"] for name in ("unweighted", "weighted") if score[name]["value"] is None}
    if len(set(found.values())) == 1 and len(found) == 2:
        return [f"{score['source']}: undefined, because {in_words(found['weighted'])}"]
    return [f"{score['source']}, {name}: undefined, because {in_words(reason)}" for name, reason in found.items()]


def adjusted_lines(report: Mapping[str, Any], *, by_weighted: bool) -> list[str]:
    """Adjusted scores as the paper has them, each with the interval of its deviation from the mean."""
    variant = "weighted" if by_weighted else "unweighted"
    tables = report["overall"]["adjusted"]
    table = next(each for each in tables if (each["mode"], each["variant"]) == ("paper", variant))
    if table["undefined"]:
        return [f"no adjusted scores ({variant}): {in_words(table['undefined'])}"]
    lines = [f"adjusted, {variant} (mode paper: rows are groups; the interval is that of the deviation from the mean):"]
    scores = sorted(table["scores"], key=lambda score: (score["adjusted"] is None, -(score["adjusted"] or 0.0)))
    for score in scores:
        if score["adjusted"] is None:
            lines.append(f"  {score['source']:<{NAME_WIDTH - 2}} undefined, because {in_words(score['undefined'])}")
            continue
        deviation = _interval(score["deviation"], score["low"], score["high"], signed=True)
        lines.append(
            f"  {score['source']:<{NAME_WIDTH - 2}} {score['adjusted']:.3f}  {deviation}  "
            f"p {_number(score['p_value'])}, Holm {_number(score['p_holm'])}"
        )
    return lines


def external_lines(report: Mapping[str, Any]) -> list[str]:
    """How the scores go along with other scores of the same sources."""
    return [
        f"beside {row['name']}, {row['score']}: "
        + ", ".join(f"{kind} {_correlation(row[kind])}" for kind in ("pearson", "spearman", "kendall"))
        + f", n {len(row['sources'])}"
        for row in report["external"]
    ]


def _correlation(part: Mapping[str, Any]) -> str:
    return f"undefined ({in_words(part['undefined'])})" if part["value"] is None else f"{part['value']:+.3f}"


def viewpoint_lines(table: Mapping[str, Any], title: str) -> list[str]:
    """Scores and ranks over participants drawn anew, with what drawing does to a score."""
    lines = [
        f"{title}: {table['replicates']} draws, {table['level']:.0%} intervals, {table['duplicates']} the repeated"
    ]
    for variant, key in (("unweighted", "ranks"), ("weighted", "ranks_weighted")):
        ranks = {row["source"]: row for row in table[key]}
        for score in (score for score in table["scores"] if score["variant"] == variant):
            if score["value"] is None:
                lines.append(f"  {variant}, {score['source']}: undefined, because {in_words(score['undefined'])}")
                continue
            rank = ranks.get(score["source"])
            place = "" if rank is None or rank["rank"] is None else f", rank {rank['rank']:g}"
            if rank and rank["low"] is not None:
                place += f" [{rank['low']:g}, {rank['high']:g}], first in {_number(rank['p_first'])}"
            value = _interval(score["value"], score["low"], score["high"])
            why = score["interval_undefined"]
            bias = f", bias {score['bias']:+.3f}" if score["bias"] is not None else f", {in_words(why)}"
            lines.append(f"  {variant}, {score['source']:<{NAME_WIDTH}} {value}{bias}{place}")
    return lines


def _cell(estimate: Mapping[str, Any]) -> str:
    if estimate["value"] is None:
        return "undefined"
    return _interval(estimate["value"], estimate["low"], estimate["high"])


def _interval(value: float, low: float | None, high: float | None, *, signed: bool = False) -> str:
    form = "+.3f" if signed else ".3f"
    return f"{value:{form}}" + ("" if low is None or high is None else f" [{low:{form}}, {high:{form}}]")


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _listed(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())
