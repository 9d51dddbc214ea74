"""What each figure is called, what it shows, and how its numbers come about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

Lazy = Promise | str


@dataclass(frozen=True, slots=True)
class About:
    """The words of a figure.

    `definition` says how its numbers are computed; `section` is the heading of `docs/methods.md` that says it in full.
    """

    title: Lazy
    description: Lazy
    definition: Lazy
    section: str
    note: Callable[[dict[str, Any]], str] = lambda notes: ""


def _of_people(notes: dict[str, Any]) -> str:
    if notes.get("n_drawn", 0) >= notes.get("n_people", 0):
        return ""
    return _("Of %(all)d people every so-manieth is drawn, %(drawn)d in all; the table counts everybody.") % {
        "all": notes["n_people"],
        "drawn": notes["n_drawn"],
    }


def _of_statements(notes: dict[str, Any]) -> str:
    if notes.get("n_drawn", 0) >= notes.get("n_statements", 0):
        return ""
    return _("Drawn are the %(drawn)d statements on which groups differ most; the table holds all %(all)d.") % {
        "all": notes["n_statements"],
        "drawn": notes["n_drawn"],
    }


def _of_fits(notes: dict[str, Any]) -> str:
    if not notes.get("n_without"):
        return ""
    return _("%(n)d of %(all)d fits have no silhouette: they found one group, or a group for each person.") % {
        "n": notes["n_without"],
        "all": notes["n_fits"],
    }


FIGURES: dict[str, About] = {
    "opinion_map": About(
        gettext_lazy("Opinion map"),
        gettext_lazy(
            "Each mark is a participant; those who vote alike are near each other. Colour and shape show the opinion "
            "group, an outline encloses it and a letter stands at its centre. The size of a mark shows how many votes "
            "somebody cast; open marks are people in no group. The axes have no unit."
        ),
        gettext_lazy(
            "The first two principal components of the votes. Missing votes are set to the statement's mean for "
            "finding the axes only; a person's place uses the votes cast, scaled by the square root of the statements "
            "over the votes cast."
        ),
        "The map: two dimensions",
        _of_people,
    ),
    "loadings": About(
        gettext_lazy("What moves people on the map"),
        gettext_lazy(
            "Each arrow is a statement: agreeing with it moves somebody that way on the map, disagreeing the other "
            "way; the longer the arrow, the farther. The longest are numbered, and the table holds the texts."
        ),
        gettext_lazy(
            "The loadings of the statements on the two axes of the map. Each axis has length 1, and of each axis the "
            "largest loading is positive."
        ),
        "The map: two dimensions",
    ),
    "agreement": About(
        gettext_lazy("Agreement by group and statement"),
        gettext_lazy(
            "Each cell is the percentage of a group's votes on a statement that agree. Statements on which groups "
            "differ most stand first. A star and a paler cell mark fewer than 5 votes; an empty cell has none."
        ),
        gettext_lazy(
            "Agreeing votes of the group's members over all their votes on the statement, neutral ones included."
        ),
        "Portraits of groups",
        _of_statements,
    ),
    "silhouettes": About(
        gettext_lazy("What the search tried"),
        gettext_lazy(
            "Each mark is one or more fits of the search with the same number of groups and the same silhouette; the "
            "larger, the more fits agree. The ring marks the one that was chosen."
        ),
        gettext_lazy(
            "The mean silhouette compares how near people are to their own group and to the nearest other one: 1 is "
            "far apart, 0 no more than chance. The highest is chosen; of equal ones that with fewer groups."
        ),
        "Silhouette",
        _of_fits,
    ),
    "together": About(
        gettext_lazy("Who stays together when people are drawn anew"),
        gettext_lazy(
            "Each cell is the share of the draws in which two people, one of each group, end up in the same group; on "
            "the diagonal two of one group. Stable groups are near 100 % there and near 0 % elsewhere."
        ),
        gettext_lazy(
            "Participants are drawn with replacement and grouped again. The share is over the draws that hold both "
            "people in a group, as a mean over the pairs."
        ),
        "Figures to judge groups by",
    ),
    "seeds": About(
        gettext_lazy("How far the seed matters"),
        gettext_lazy(
            "Each cell compares the groups of two seeds by the adjusted Rand index: 1 is the same grouping, 0 no more "
            "than chance."
        ),
        gettext_lazy(
            "The share of pairs of people on which two groupings agree, adjusted for agreement by chance; over people "
            "who are in a group in both."
        ),
        "Figures to judge groups by",
    ),
    "scores": About(
        gettext_lazy("OvertonScore of each source"),
        gettext_lazy(
            "Marks show which share of the opinion groups feels represented, on average over the questions; lines are "
            "bootstrap intervals over questions. Weighted counts each group by its size."
        ),
        gettext_lazy(
            "The mean over questions of the coverage. Intervals are percentiles over questions drawn with replacement. "
            "Best across models counts a group as represented if any answer represents it."
        ),
        "OvertonScore",
    ),
    "coverage": About(
        gettext_lazy("Coverage by question and source"),
        gettext_lazy("Each cell is the share of a question's opinion groups that the source's answer represents."),
        gettext_lazy(
            "A group is represented by an answer if the ratings of its members reach the threshold by the rule of the "
            "run. Groups in which nobody rated the answer are left out."
        ),
        "Coverage",
    ),
    "thresholds": About(
        gettext_lazy("OvertonScore by threshold"),
        gettext_lazy(
            "The score of each source if a group counted as represented from another rating on. Lines that cross "
            "change the order of the sources. The dashed line is the threshold of the run."
        ),
        gettext_lazy("All coverages are computed again at each threshold; groups and ratings stay the same."),
        "OvertonScore",
    ),
    "ratings": About(
        gettext_lazy("Ratings of each answer by group"),
        gettext_lazy(
            "Each bar is how a group's members rated an answer, from 1 (pale) to 5 (dark). Behind it stand the group, "
            "the mean rating and the number of ratings."
        ),
        gettext_lazy("Counts of the current ratings by members of the group; people in no group are left out."),
        "Coverage",
    ),
}


def about(name: str) -> About:
    """The words of the figure `name`; numbered ones share theirs.

    Raises
    ------
    KeyError
        If there is no figure of that kind.
    """
    return FIGURES[kind_of(name)]


def kind_of(name: str) -> str:
    """`ratings-2` is a figure of the kind `ratings`."""
    return name.partition("-")[0]
