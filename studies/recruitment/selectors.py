"""What the start page asks: whose browser this is, and whether the person is known."""

from __future__ import annotations

from studies.models import Enrolment, ExternalIdentity, Study
from studies.recruitment.arrival import Arrival


def session_here(study: Study, arrival: Arrival, key: str) -> Enrolment | None:
    """The session that this browser holds in `study`, unless the link says that somebody else arrives."""
    if not key:
        return None
    enrolment = study.enrolments.filter(token_sha256=key).select_related("external_identity").first()
    if enrolment is None or not arrival.is_identified:
        return enrolment
    identity = getattr(enrolment, "external_identity", None)
    return enrolment if identity is not None and identity.external_id == arrival.external_id else None


def is_coming_back(study: Study, arrival: Arrival) -> bool:
    """Whether the recruiter's link is that of a session which it opens again."""
    if not arrival.is_identified:
        return False
    return ExternalIdentity.objects.filter(
        study=study,
        recruiter=arrival.recruiter,
        external_id=arrival.external_id,
        session_id=arrival.session_id,
    ).exists()
