"""How far to trust the groups of a question: quality, stability, what to collect next, and where groups agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from clustering.pages.numbers import number, table
from clustering.portraits import Portrait
from clustering.showing.tables import MISSING
from clustering.words import advice_in_words, in_words
from core.models import Run

MOST_STATEMENTS = 10
Part = Mapping[str, Any]
Fact = dict[str, str]


def trust_context(
    part: Run | None, found: Sequence[Portrait], texts: Mapping[str, str], *, hidden: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """Figures to judge groups by.

    Where a group's letter is `hidden` there is no table by group: it would be what the others and the mean leave over.
    """
    result = (part.result if part else None) or {}
    quality, stability = result.get("quality") or {}, result.get("stability") or {}
    is_whole = all(portrait.letter not in hidden for portrait in found)
    return {
        "quality": [*_quality(quality), *_stability(stability)] if quality else [],
        "by_group": _by_group(quality, stability, found) if quality and found and is_whole else None,
        "advice": [advice_in_words(finding) for finding in (result.get("advice") or {}).get("findings", [])],
        "caution": in_words((result.get("groups") or {}).get("caution")),
        "agreed": _agreed(result, texts),
    }


def _fact(name: str, value: float | None, means: str, why: str | None = None) -> Fact:
    """A figure with what it means, or with why there is none."""
    if value is not None:
        return {"name": name, "value": number(value, 2), "means": means}
    reason = _("Undefined: %(reason)s.") % {"reason": in_words(why)} if why else means
    return {"name": name, "value": MISSING, "means": reason}


def _quality(quality: Part) -> list[Fact]:
    pairs, peers = quality.get("pairs_undefined"), quality.get("peers") or {}
    return [
        _fact(
            _("Silhouette on the map"),
            quality.get("map_silhouette"),
            _("Comparable between clusterers: 1 is far apart, 0 no more than chance."),
            quality.get("undefined") or pairs,
        ),
        _fact(
            _("Cohesion"),
            peers.get("cohesion"),
            _("How often members approve of statements by other members of their group, as a mean over the groups."),
            peers.get("undefined") or _("no group of two and more voted on its own members' statements"),
        ),
        _fact(
            _("Share of people in the largest group"),
            quality.get("largest_share"),
            _("Near 1 means that one group holds nearly all."),
            quality.get("undefined"),
        ),
        _fact(
            _("Share of groups with one member"),
            quality.get("singleton_share"),
            _("A group of one is a person, not a viewpoint."),
            quality.get("undefined"),
        ),
        _fact(
            _("Share of pairs without a common statement"),
            quality.get("share_without_common"),
            _("Such pairs were never compared directly. Show people more of the same statements to lower it."),
            pairs,
        ),
    ]


def _stability(stability: Part) -> list[Fact]:
    lines: list[Fact] = []
    if seeds := stability.get("seeds"):
        means = _("Adjusted Rand index of groups by %(n)d other seeds: 1 is the same groups. The lowest is %(lowest)s.")
        facts = {"n": len(seeds["seeds"]), "lowest": number(seeds["lowest"], 2)}
        lines.append(_fact(_("Agreement over seeds"), seeds["mean"], means % facts, seeds["undefined"]))
    if boot := stability.get("bootstrap"):
        means = _("How often members of one group stay together when people are drawn anew (%(n)d times).")
        facts = {"n": boot["n_replicates"]}
        lines.append(_fact(_("Staying together"), boot["overall"], means % facts, boot["undefined"]))
    if chance := stability.get("chance"):
        means = _(
            "p value of the silhouette beside that of %(n)d shuffles of the votes, in which there are no groups; they "
            "reach %(mean)s on average. Near 0 the groups are better than chance."
        )
        facts = {"n": chance["n_shuffles"], "mean": number(chance["mean"], 2)}
        lines.append(_fact(_("Better than chance?"), chance["p_value"], means % facts, chance["undefined"]))
    if not lines and (why := stability.get("undefined")):
        lines.append(_fact(_("Stability"), None, "", why))
    return lines


def _by_group(quality: Part, stability: Part, found: Sequence[Portrait]) -> dict[str, Any]:
    """A line for each group, and the mean over all groups."""
    peers, boot = quality.get("peers") or {}, stability.get("bootstrap") or {}
    columns = [_("Group"), _("Members"), _("Silhouette on the map")]
    columns += [_("On own members' statements (for/against/neutral)"), _("Votes")]
    columns += [_("On others' statements (for/against/neutral)"), _("Votes on others'")]
    columns += [_("Staying together"), _("Jaccard index")]
    rows = [
        [
            portrait.letter,
            portrait.group.size,
            number(_at(quality.get("group_silhouettes"), portrait.group.number), 2),
            _rates(_at(peers.get("within"), portrait.group.number)),
            _at(peers.get("n_within"), portrait.group.number) or 0,
            _rates(_at(peers.get("outside"), portrait.group.number)),
            _at(peers.get("n_outside"), portrait.group.number) or 0,
            number(_at(boot.get("group"), portrait.group.number), 2),
            number(_at(boot.get("jaccard"), portrait.group.number), 2),
        ]
        for portrait in found
    ]
    if peers:
        over = [_("mean over all groups"), quality["n_grouped"], MISSING]
        over += [_rates(peers["mean_within"]), sum(peers["n_within"])]
        over += [_rates(peers["mean_outside"]), sum(peers["n_outside"]), number(boot.get("overall"), 2), MISSING]
        rows.append(over)
    return table(columns, rows)


def _at(values: Sequence[Any] | None, place: int) -> Any:
    return values[place] if values is not None and place < len(values) else None


def _rates(shares: Sequence[float | None] | None) -> str:
    if shares is None or shares[0] is None:
        return MISSING
    return "/".join(number(share, 2) for share in shares)


def _agreed(result: Part, texts: Mapping[str, str]) -> list[dict[str, Any]]:
    """Tables of what nearly everybody agrees with or rejects, and of what all groups agree with."""
    profiles = result.get("profiles") or {}
    columns = [_("Statement"), _("Votes that say so"), _("Votes")]
    tables = []
    for key, caption in (
        ("consensus_agree", _("Nearly everybody agrees")),
        ("consensus_disagree", _("Nearly everybody disagrees")),
    ):
        rows = [
            [texts.get(row["statement"], row["statement"]), row["n_success"], row["n_trials"]]
            for row in profiles.get(key, [])
        ]
        if rows:
            tables.append({"caption": caption, "table": table(columns, rows)})
    if ranked := _over_groups(result, texts):
        tables.append(ranked)
    return tables


def _over_groups(result: Part, texts: Mapping[str, str]) -> dict[str, Any] | None:
    """Statements by group-informed consensus, and their priority to be shown next, where the clusterer says."""
    groups = result.get("groups") or {}
    profiles, on_map = groups.get("profiles") or {}, groups.get("map") or {}
    if not profiles.get("group_informed_consensus") or "priorities" not in on_map:
        return None
    shares = dict(zip(profiles["statements"], profiles["group_informed_consensus"], strict=True))
    priority = dict(zip(on_map["statements"], on_map["priorities"], strict=True))
    out = {*groups.get("hidden", []), *groups.get("meta", [])}
    order = sorted((code for code in shares if code not in out), key=lambda code: (-(shares[code] or 0.0), code))
    rows = [
        [texts.get(code, code), number(shares[code], 3), number(priority.get(code), 2)]
        for code in order[:MOST_STATEMENTS]
    ]
    columns = [_("Statement"), _("Group-informed consensus"), _("Priority to be shown")]
    return {"caption": _("All groups agree most with these"), "table": table(columns, rows)}
