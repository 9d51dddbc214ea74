"""Compare what simulated participants were told is stored with what is stored."""

from __future__ import annotations

from collections.abc import Iterable

from studies.models import Enrolment, FreeResponse, RepresentationRating, Study
from studies.simulation.pages import plain
from studies.simulation.walker import Walked
from voting.models import Vote

Known = dict[tuple[str, str, str], str]
WORDS = {1: "agree", -1: "disagree", 0: "neutral"}


def stored(enrolment: Enrolment) -> Known:
    """What the database holds of a person, in the form in which the person remembers it."""
    known: Known = {}
    for response in FreeResponse.objects.filter(enrolment=enrolment).select_related("question"):
        code = response.question.code
        known["response", code, ""] = response.text
        known["importance", code, ""] = str(response.importance)
        if response.stance:
            known["stance", code, ""] = response.stance
    ratings = RepresentationRating.objects.current().filter(enrolment=enrolment)
    for rating in ratings.select_related("answer__question"):
        known["rating", rating.answer.question.code, plain(rating.answer.text)] = str(rating.value)
    votes = Vote.objects.filter(enrolment=enrolment, superseded_at=None).select_related("statement__question")
    for vote in votes:
        known["vote", vote.statement.question.code, plain(vote.statement.text)] = WORDS[vote.value]
    return known


def enrolments_of(study: Study) -> dict[str, Enrolment]:
    """The study's enrolments by the hash of the token that opens them."""
    return {str(each.token_sha256): each for each in study.enrolments.all()}


def broken_promises(study: Study, walked: Iterable[Walked]) -> list[str]:
    """Everything acknowledged that is not stored as it was acknowledged."""
    enrolments = enrolments_of(study)
    found = []
    for each in walked:
        if each.token_sha256 not in enrolments:
            found.append(f"participant {each.number} is nowhere")
            continue
        there = stored(enrolments[each.token_sha256])
        found += [
            f"participant {each.number}: {key} is {there.get(key)!r}, not {value!r}"
            for key, value in each.acknowledged.items()
            if there.get(key) != value
        ]
    return found
