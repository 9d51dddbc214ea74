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

from core.errors import Invalid
from studies.models import Enrolment, Question, Study

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
    """Live and imported people if the study has any, else simulated ones; a study without people: live and imported."""
    present = set(study.enrolments.counted().values_list("origin", flat=True).distinct())
    people = (Enrolment.Origin.LIVE.value, Enrolment.Origin.IMPORTED.value)
    if present and not present & set(people):
        return (Enrolment.Origin.SIMULATED.value,)
    return people


def flow_of_n(question: Question, rule: Inclusion) -> list[dict[str, Any]]:
    """How many enrolments remain after each step of the rule, as rows of ``step`` and ``n``.

    The first row counts everybody who was given the question (or imported with votes on it), previews aside.
    """
    given = (
        Enrolment.objects.filter(study_id=question.study_id)
        .counted()
        .filter(Q(slots__question=question) | Q(votes__statement__question=question))
        .distinct()
    )
    ids = Enrolment.objects.filter(pk__in=given.values("pk"))
    current = Q(votes__superseded_at=None, votes__statement__question=question)
    voting = ids.filter(rule.enrolments()).annotate(n_votes=Count("votes", filter=current))
    return [
        {"step": "given the question", "n": ids.count()},
        {"step": f"origin {' or '.join(sorted(rule.origins))}", "n": ids.filter(origin__in=rule.origins).count()},
        {"step": f"status {' or '.join(sorted(rule.statuses))}", "n": ids.filter(rule.enrolments()).count()},
        {
            "step": f"at least {rule.minimum_votes} current vote(s)",
            "n": voting.filter(n_votes__gte=rule.minimum_votes).count(),
        },
    ]


def described(rows: Sequence[Mapping[str, Any]]) -> str:
    """The flow of n in one line, for commands and logs."""
    return " -> ".join(f"{row['n']} {row['step']}" for row in rows)
