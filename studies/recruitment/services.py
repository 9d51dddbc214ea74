"""Starting a session: one transaction from the recruiter's ids to the planned pages.

Locks are taken in the order study, slot, enrolment. Only a start locks the study; who is under way waits for nobody.
"""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core import audit
from core.canonical import text_sha256
from core.errors import Conflict
from core.randomness import new_code
from studies.models import Enrolment, ExternalIdentity, Question, Slot, Step, Study, StudyVersion
from studies.recruitment.arrival import Arrival
from studies.recruitment.assignment import draw_questions, taken_places
from studies.session.planning import planned_steps
from studies.session.selectors import Frozen, frozen
from studies.session.tokens import token_of

CODE_LENGTH = 10


class StillOpen(Conflict):
    """The ids are needed as long as people come."""

    default_message = _(
        "People are still let in, and are told apart by their recruiter's ids. Pause or close it first."
    )
    default_code = "still_open"


class StartOutcome(Enum):
    """How an attempt to start ended."""

    STARTED = "started"
    RESUMED = "resumed"
    ALREADY = "already"  # the person has a session that this browser may not open
    FULL = "full"
    NOT_OPEN = "not_open"


@dataclass(frozen=True, slots=True)
class Started:
    """The answer to a start. There is a token only for whoever may open the enrolment."""

    outcome: StartOutcome
    enrolment: Enrolment | None = None
    token: str = ""

    @property
    def may_walk(self) -> bool:
        """Whether the session may be opened in this browser."""
        return self.outcome in {StartOutcome.STARTED, StartOutcome.RESUMED}


def start_session(
    *, study: Study, arrival: Arrival, now: datetime, origin: str = Enrolment.Origin.LIVE, key: str = ""
) -> Started:
    """Enrol the person who arrives, or find the session that is theirs. Repeating it, even at once, gives the same.

    `key` is the hash of the browser's own token. A session is opened again by it, by an equal `SESSION_ID`, or by the
    start page it was started from; a known participant id alone never opens one.
    """
    try:
        return _start(study.pk, arrival, now, origin, key)
    except IntegrityError:
        # Another request enrolled the same person in between; it has committed, so now its row is found.
        return _start(study.pk, arrival, now, origin, key)


@transaction.atomic
def start_preview(*, version: StudyVersion, now: datetime) -> Started:
    """A session that counts for nothing, on any version: it walks exactly as a participant's."""
    study = Study.objects.get(pk=version.study_id)
    enrolment = _enrol(study, version.pk, Arrival(), now, Enrolment.Origin.PREVIEW)
    return Started(StartOutcome.STARTED, enrolment, token_of(enrolment.public_id))


@transaction.atomic
def reopen(*, public_id: uuid.UUID, slug: str) -> Started:
    """Open the session of a personal link in another browser; NOT_OPEN if the study `slug` has none of that id."""
    enrolment = Enrolment.objects.filter(public_id=public_id, study__slug=slug).first()
    return _resumed(enrolment) if enrolment is not None else Started(StartOutcome.NOT_OPEN)


@transaction.atomic
def delete_external_ids(*, study: Study, by: Any, now: datetime) -> int:
    """Delete the recruiters' ids of everybody in `study`, and nothing else of theirs; how many people had some.

    Raises
    ------
    StillOpen
        If the study lets people in: without the ids, who took part could not be told from somebody new.
    """
    status = Study.objects.select_for_update(no_key=True).values_list("status", flat=True).get(pk=study.pk)
    if status == Study.Status.OPEN:
        raise StillOpen
    n, _by_model = ExternalIdentity.objects.filter(study=study).delete()
    audit.record(
        "study.external_ids_deleted",
        subject_kind="study",
        subject_id=study.public_id,
        study_id=study.public_id,
        by=by,
        now=now,
        n=n,
    )
    return n


@transaction.atomic
def _start(study_id: int, arrival: Arrival, now: datetime, origin: str, key: str) -> Started:
    assert not arrival.problem, "a broken link enrols nobody"
    study = Study.objects.select_for_update(no_key=True).get(pk=study_id)
    known = _known(study, arrival, origin, key)
    if known is not None:
        return known
    if study.status != Study.Status.OPEN or study.current_version_id is None:
        return Started(StartOutcome.NOT_OPEN)
    places = frozen(study.current_version_id).definition["recruitment"]["places"]
    if places is not None and _places_taken(study, now) >= places:
        return Started(StartOutcome.FULL)
    enrolment = _enrol(study, study.current_version_id, arrival, now, origin)
    return Started(StartOutcome.STARTED, enrolment, token_of(enrolment.public_id))


def _known(study: Study, arrival: Arrival, origin: str, key: str) -> Started | None:
    """The answer for somebody who has a session here; None for somebody new."""
    if not arrival.is_identified:
        own = Q(token_sha256=key) if key else Q(pk=None)
        again = Q(public_id=_id_for(study, arrival, origin)) if arrival.start_key else Q(pk=None)
        enrolment = study.enrolments.filter(own | again, origin=origin).first()
        return _resumed(enrolment) if enrolment is not None else None
    same = Q(external_id=arrival.external_id) | Q(session_id=arrival.session_id)
    identities = list(
        ExternalIdentity.objects.filter(same, study=study, recruiter=arrival.recruiter).select_related("enrolment")
    )
    if not identities:
        return None
    for identity in identities:
        if identity.external_id == arrival.external_id and _may_open(identity, arrival, key):
            return _resumed(identity.enrolment)
    return Started(StartOutcome.ALREADY)


def _may_open(identity: ExternalIdentity, arrival: Arrival, key: str) -> bool:
    is_own = bool(key) and identity.enrolment.token_sha256 == key
    return is_own or (bool(arrival.session_id) and identity.session_id == arrival.session_id)


def _resumed(enrolment: Enrolment) -> Started:
    token = token_of(enrolment.public_id)
    stored = text_sha256(token)
    if enrolment.token_sha256 != stored:  # the secret key was changed since
        Enrolment.objects.filter(pk=enrolment.pk).update(token_sha256=stored)
    return Started(StartOutcome.RESUMED, enrolment, token)


def _places_taken(study: Study, now: datetime) -> int:
    over = Q(status=Enrolment.Status.ACTIVE, expires_at__lte=now)
    return study.enrolments.holding_a_place().exclude(over).count()


def _id_for(study: Study, arrival: Arrival, origin: str) -> uuid.UUID:
    """The public id of whoever starts from one display of the start page: a hash of its key, which it does not tell."""
    if not arrival.start_key:
        return uuid.uuid4()
    digest = hashlib.sha256(f"{study.public_id}/{origin}/{arrival.start_key}".encode()).digest()
    return uuid.UUID(bytes=digest[:16], version=4)


def _enrol(study: Study, version_id: int, arrival: Arrival, now: datetime, origin: str) -> Enrolment:
    version = frozen(version_id)
    definition = version.definition
    minutes = definition["recruitment"]["session_minutes"]
    public_id = _id_for(study, arrival, origin)
    enrolment = Enrolment.objects.create(
        public_id=public_id,
        study=study,
        version_id=version_id,
        public_code=new_code(CODE_LENGTH),
        origin=origin,
        recruiter=arrival.recruiter,
        language=definition["language"],
        token_sha256=text_sha256(token_of(public_id)),
        started_at=now,
        last_seen_at=now,
        expires_at=now + timedelta(minutes=minutes) if minutes is not None else None,
    )
    if arrival.is_identified:
        _keep_identity(enrolment, arrival)
    questions = _reserve(enrolment, version, study.seed, now)
    Step.objects.bulk_create(planned_steps(enrolment=enrolment, version=version, questions=questions, seed=study.seed))
    return enrolment


def _keep_identity(enrolment: Enrolment, arrival: Arrival) -> None:
    ExternalIdentity.objects.create(
        enrolment=enrolment,
        study_id=enrolment.study_id,
        recruiter=arrival.recruiter,
        external_id=arrival.external_id,
        external_id_raw=arrival.external_id_raw,
        session_id=arrival.session_id,
        study_ref=arrival.study_ref,
    )


def _reserve(enrolment: Enrolment, version: Frozen, seed: str, now: datetime) -> list[Question]:
    """Draw the person's questions and reserve them. Under the study's lock, so that two starts see each other."""
    assignment = version.definition["assignment"]
    candidates = version.questions_in_order()
    drawn = draw_questions(
        candidates,
        number=assignment["questions_each"],
        policy=assignment["policy"],
        taken=taken_places(candidates, now=now),
        seed=seed,
        code=enrolment.public_code,
    )
    expires_at = now + timedelta(minutes=assignment["slot_minutes"])
    Slot.objects.bulk_create(
        Slot(
            enrolment=enrolment,
            question=question,
            number=number,
            policy=assignment["policy"],
            reserved_at=now,
            expires_at=expires_at,
        )
        for number, question in enumerate(drawn, 1)
    )
    return drawn
