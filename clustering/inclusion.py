"""Whom a run takes in, and the flow of n that says so.

The rule is part of a run's parameters. It works on enrolments of one question: origins, outcomes and a minimum number
of current votes. Previews never count, whatever the rule says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Count, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.errors import Invalid
from studies.models import Enrolment, Question, Slot, Study
from voting.models import Vote

ORIGINS = (Enrolment.Origin.LIVE, Enrolment.Origin.IMPORTED, Enrolment.Origin.SIMULATED)
MOST_VOTES = 100_000
"""Largest minimum of votes: more than any question has statements."""
STATUSES = tuple(status for status in Enrolment.Status if status != Enrolment.Status.NO_CONSENT)


@dataclass(frozen=True, slots=True)
class Inclusion:
    """The inclusion rule of a run.

    Attributes
    ----------
    origins : where the enrolments come from
    statuses : how their session stands; by default only complete ones, as in the Overton paper, section G.1
    minimum_votes : fewest current votes on the question
    """

    origins: tuple[str, ...]
    statuses: tuple[str, ...] = (Enrolment.Status.COMPLETE.value,)
    minimum_votes: int = 1

    def __post_init__(self) -> None:
        """Refuse what is not a rule."""
        unknown = [name for name in self.origins if name not in ORIGINS]
        unknown += [name for name in self.statuses if name not in STATUSES]
        if unknown or not self.origins or not self.statuses:
            raise Invalid(f"not an inclusion rule: {', '.join(unknown) or 'something is empty'}")
        if not 1 <= self.minimum_votes <= MOST_VOTES:
            message = _("The fewest votes on a question are 1 to %(most)d.") % {"most": MOST_VOTES}
            raise Invalid(message, fields={"minimum_votes": [message]})

    def to_dict(self) -> dict[str, Any]:
        """Canonical form for a run's parameters: values sorted, so that order makes no other run."""
        values = asdict(self)
        return {key: sorted(value) if isinstance(value, tuple) else value for key, value in values.items()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Inclusion:
        """The rule back from a run's parameters."""
        return cls(tuple(values["origins"]), tuple(values["statuses"]), int(values["minimum_votes"]))

    def enrolments(self) -> Q:
        """Filter on enrolments by origin and status."""
        return Q(origin__in=self.origins, status__in=self.statuses)


def default_origins(study: Study) -> tuple[str, ...]:
    """Whom a run takes in unless it is told: live and imported people, or simulated ones where these are more.

    Counted are complete sessions. A few tries of the team in a demonstration thus do not empty its results, and a trial
    with simulated people before the launch does not get into those of a study. What was taken is part of the run.
    """
    complete = study.enrolments.counted().filter(status=Enrolment.Status.COMPLETE)
    simulated = Q(origin=Enrolment.Origin.SIMULATED)
    n = complete.aggregate(simulated=Count("pk", filter=simulated), people=Count("pk", filter=~simulated))
    if n["simulated"] > n["people"]:
        return (Enrolment.Origin.SIMULATED.value,)
    return (Enrolment.Origin.LIVE.value, Enrolment.Origin.IMPORTED.value)


def flow_of_n(question: Question, rule: Inclusion, n_voters: int) -> list[dict[str, Any]]:
    """How many enrolments remain after each step of the rule: ``step``, what it ``takes``, and ``n``.

    The first row counts everybody who was given the question (or imported with votes on it), previews aside; the last
    one the `n_voters` who were loaded with enough current votes on statements that count.
    """
    slots = Slot.objects.filter(question=question).values("enrolment_id")
    voters = Vote.objects.filter(statement__question=question).values("enrolment_id")
    given = Enrolment.objects.filter(study_id=question.study_id).counted().filter(Q(pk__in=slots) | Q(pk__in=voters))
    n = given.aggregate(
        n_given=Count("pk"),
        n_origin=Count("pk", filter=Q(origin__in=rule.origins)),
        n_status=Count("pk", filter=rule.enrolments()),
    )
    return [
        {"step": "given", "takes": [], "n": n["n_given"]},
        {"step": "origin", "takes": sorted(rule.origins), "n": n["n_origin"]},
        {"step": "status", "takes": sorted(rule.statuses), "n": n["n_status"]},
        {"step": "votes", "takes": [rule.minimum_votes], "n": n_voters},
    ]


def step_in_words(row: Mapping[str, Any]) -> str:
    """A step of the flow of n for people."""
    takes = row["takes"]
    if row["step"] == "given":
        return _("given the question")
    if row["step"] == "votes":
        return ngettext("at least %(n)d current vote", "at least %(n)d current votes", takes[0]) % {"n": takes[0]}
    labels = dict(Enrolment.Origin.choices if row["step"] == "origin" else Enrolment.Status.choices)
    return _(" or ").join(str(labels[value]) for value in takes)


def described(rows: Sequence[Mapping[str, Any]]) -> str:
    """The flow of n in one line, for commands."""
    return " -> ".join(f"{row['n']} {step_in_words(row)}" for row in rows)
