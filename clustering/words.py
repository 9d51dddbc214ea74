"""The reasons of the statistics in words: `stats/` knows no languages, so its sentences are translated here.

A run stores the English sentence, which is part of its hash. A reason that is not listed is shown as it is.
"""

from __future__ import annotations

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
        gettext_noop("the question has no opinion groups"),
        gettext_noop("no member of a group rated it"),
        gettext_noop("nobody in a group rated an answer"),
        gettext_noop("no question has a coverage"),
    }
)


def in_words(reason: str | None) -> str:
    """A reason of the statistics for people; empty for none."""
    return gettext(reason) if reason else ""
