"""The reasons of the statistics in words: `stats/` knows no languages, so its sentences are translated here.

A run stores the English sentence, which is part of its hash. A reason that is not listed is shown as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext, gettext_noop

REASONS = frozenset(
    {
        gettext_noop("no votes"),
        gettext_noop("no two participants voted on a common statement"),
        gettext_noop("only one participant voted"),
        gettext_noop("only two participants can be compared: a silhouette needs at least three"),
        gettext_noop("only one statement has votes: groups need at least two"),
        gettext_noop("every vote is the same (agree)"),
        gettext_noop("every vote is the same (disagree)"),
        gettext_noop("every vote is the same (neutral)"),
        gettext_noop("all participants voted alike on every statement they share"),
        gettext_noop("on every statement all votes are the same"),
        gettext_noop("no setting of the grid gave two or more groups to compare"),
        gettext_noop("all participants voted alike"),
        gettext_noop("no number of centres gave two or more groups to compare"),
        gettext_noop("everybody who is clustered stands at one place on the map"),
        gettext_noop("every statement with a vote is hidden by moderation"),
        gettext_noop("nobody has the votes needed"),
        gettext_noop("only two participants can be compared: groups need at least three"),
        gettext_noop("too many people to be clustered again and again"),
        gettext_noop("no replicate had groups"),
        gettext_noop("fewer than two seeds gave groups that can be compared"),
        gettext_noop("the question has no opinion groups"),
        gettext_noop("no member of a group rated it"),
        gettext_noop("nobody in a group rated an answer"),
        gettext_noop("no question has a coverage"),
    }
)


def in_words(reason: str | None) -> str:
    """A reason of the statistics for people; empty for none."""
    return gettext(reason) if reason else ""


ADVICE = {
    "no_groups": gettext_noop("There are no opinion groups: %(reason)s."),
    "few_people": gettext_noop(
        "In a group are %(n)d people; from %(cutoff)s on groups say something. Recruit more participants."
    ),
    "few_votes_each": gettext_noop(
        "Half of the people cast %(value)s votes or fewer, where %(cutoff)s are needed to tell groups apart. "
        "Ask for more votes a person (too few have %(n)d people)."
    ),
    "under_voted": gettext_noop(
        "%(value)s of the statements (%(n)d) have too few votes. Show them first: choose the policy that shows the "
        "least voted, and recruit some more people, who will vote on the latest statements."
    ),
    "little_overlap": gettext_noop(
        "%(value)s of the pairs of people (%(n)d) have no statement in common, so nothing compares them directly. "
        "Ask for more votes a person, or show the seeds to everybody."
    ),
    "many_ungrouped": gettext_noop(
        "%(value)s of the people (%(n)d) are in no group. Look at the reasons; more votes a person help most."
    ),
    "many_singletons": gettext_noop(
        "%(value)s of the groups (%(n)d) are a single person, and each counts as a viewpoint. Set a smallest group, "
        "and report the weighted score beside the unweighted one."
    ),
    "unstable_groups": gettext_noop(
        "Not found again when participants are drawn anew: %(n)d of the groups (Jaccard index down to %(value)s, where "
        "%(cutoff)s is a pattern). Recruit more participants before you describe these groups."
    ),
    "seed_dependent": gettext_noop(
        "Other seeds give other groups (mean adjusted Rand index %(value)s, below %(cutoff)s). Collect more votes a "
        "person, or report scores over several seeds."
    ),
    "no_better_than_chance": gettext_noop(
        "Shuffled votes, in which there are no groups, are as well separated (p = %(value)s). Do not call these groups "
        "viewpoints; collect more votes a person on more people."
    ),
    "no_endorsement": gettext_noop(
        "Groups approve of their own members' statements hardly more than of others' (difference %(value)s, below "
        "%(cutoff)s). They may not be viewpoints; collect more votes on peers' statements."
    ),
}
_SHARES = frozenset({"under_voted", "little_overlap", "many_ungrouped", "many_singletons"})


def advice_in_words(finding: Mapping[str, Any]) -> str:
    """A finding of :mod:`clustering.stats.advice`, as its result stores it, for people."""
    numbers = {
        name: "" if number is None else f"{number:.0%}" if finding["code"] in _SHARES else f"{number:.3g}"
        for name, number in (("value", finding["value"]), ("cutoff", finding["cutoff"]))
    }
    return gettext(ADVICE[finding["code"]]) % {
        **numbers,
        "n": finding["n"],
        "reason": in_words(finding["reason"]),
    }
