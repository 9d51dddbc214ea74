"""Who took part: participants, their consent, their questions, what is left of who withdrew, and recruiters' ids."""

from __future__ import annotations

from datetime import datetime

from django.db.models import OuterRef, Subquery
from django.utils.translation import gettext_lazy as _

from core.tables import Column, Kind, Table
from studies.data.columns import IDENTITY_PERMISSION, PARTICIPANT, QUESTION, REVISION, Rows, streamed
from studies.models import ConsentRecord, Enrolment, ExternalIdentity, Slot, Study, Tombstone

PREVIEW = Enrolment.Origin.PREVIEW
_PERSON = (
    "public_code",
    "origin",
    "status",
    "recruiter",
    "language",
    "version__number",
    "version__sha256",
    "position",
    "started_at",
    "consented_at",
    "finished_at",
    "last_seen_at",
    "import_batch",
)


def participant_rows(study: Study) -> Rows:
    """Everybody who started, whatever became of them, with the times from the start to consent and to the end."""
    people = streamed(study.enrolments.counted().order_by("pk"), *_PERSON)
    for *head, started_at, consented_at, finished_at, last_seen_at, batch in people:
        times = (started_at, consented_at, finished_at, last_seen_at)
        yield (
            *head,
            *times,
            _seconds(started_at, consented_at),
            _seconds(started_at, finished_at),
            batch or None,
        )


def _seconds(start: datetime, end: datetime | None) -> float | None:
    return None if end is None else (end - start).total_seconds()


def external_id_rows(study: Study) -> Rows:
    """The recruiter's ids of those who came through one."""
    identities = ExternalIdentity.objects.filter(study=study).exclude(enrolment__origin=PREVIEW)
    return streamed(
        identities.order_by("pk"),
        "enrolment__public_code",
        "recruiter",
        "external_id",
        "external_id_raw",
        "session_id",
        "study_ref",
    )


def consent_rows(study: Study) -> Rows:
    """Every decision on the consent text."""
    records = ConsentRecord.objects.filter(enrolment__study=study).exclude(enrolment__origin=PREVIEW)
    return streamed(
        records.order_by("pk"), "enrolment__public_code", "accepted", "decided_at", "language", "text_sha256"
    )


def slot_rows(study: Study) -> Rows:
    """Which questions were given to whom, and what became of it."""
    slots = Slot.objects.filter(enrolment__study=study).exclude(enrolment__origin=PREVIEW)
    return streamed(
        slots.order_by("pk"),
        "enrolment__public_code",
        "question__code",
        "question__revision",
        "number",
        "policy",
        "status",
        "reserved_at",
        "expires_at",
        "completed_at",
    )


def tombstone_rows(study: Study) -> Rows:
    """What is left of who withdrew."""
    people = Enrolment.objects.filter(public_id=OuterRef("enrolment_public_id"))
    stones = Tombstone.objects.filter(study=study).annotate(
        code=Subquery(people.values("public_code")[:1]), origin=Subquery(people.values("origin")[:1])
    )
    return streamed(stones.exclude(origin=PREVIEW).order_by("pk"), "code", "withdrawn_at", "policy", "erased")


PARTICIPANTS = Table(
    name="participants",
    description=_("Everybody who started, whatever became of them."),
    columns=(
        PARTICIPANT,
        Column(
            "origin",
            Kind.TEXT,
            _("Where the person comes from."),
            values={value: label for value, label in Enrolment.Origin.choices if value != PREVIEW},
            nullable=False,
        ),
        Column(
            "status", Kind.TEXT, _("Where the session stands."), values=dict(Enrolment.Status.choices), nullable=False
        ),
        Column("recruiter", Kind.TEXT, _("Who sent the person: open (a link), prolific, …"), nullable=False),
        Column("language", Kind.TEXT, _("Language of the session, by its tag."), nullable=False),
        Column("version", Kind.INTEGER, _("Number of the study version walked through; missing for imported people.")),
        Column("version_sha256", Kind.TEXT, _("SHA-256 of that version's definition, which is in this export.")),
        Column("position", Kind.INTEGER, _("Pages passed."), nullable=False),
        Column("started_at", Kind.DATETIME, _("When the session was started."), nullable=False),
        Column("consented_at", Kind.DATETIME, _("When consent was given.")),
        Column("finished_at", Kind.DATETIME, _("When the session ended, in whatever way.")),
        Column("last_seen_at", Kind.DATETIME, _("When the person was last active."), nullable=False),
        Column("consent_s", Kind.NUMBER, _("From the start to consent."), unit="s"),
        Column("duration_s", Kind.NUMBER, _("From the start to the end, breaks included."), unit="s"),
        Column("import_batch", Kind.TEXT, _("Which import brought the person in; missing for sessions held here.")),
    ),
    rows=participant_rows,
)

EXTERNAL_IDS = Table(
    name="external_ids",
    description=_("The recruiters' ids of participants: pseudonymous personal data, in a file of their own."),
    columns=(
        Column("participant", Kind.TEXT, _("Public code of the participant."), personal=True, nullable=False),
        Column("recruiter", Kind.TEXT, _("Whose ids these are."), personal=True, nullable=False),
        Column("external_id", Kind.TEXT, _("The recruiter's id of the person."), personal=True, nullable=False),
        Column("external_id_raw", Kind.TEXT, _("That id as it came in the link."), personal=True, nullable=False),
        Column(
            "session_id",
            Kind.TEXT,
            _("The recruiter's id of the submission; may be empty."),
            personal=True,
            nullable=False,
        ),
        Column(
            "study_ref", Kind.TEXT, _("The recruiter's id of the study; may be empty."), personal=True, nullable=False
        ),
    ),
    rows=external_id_rows,
    personal_permission=IDENTITY_PERMISSION,
)

CONSENTS = Table(
    name="consents",
    description=_("Decisions on the consent text."),
    columns=(
        PARTICIPANT,
        Column("accepted", Kind.BOOLEAN, _("Whether consent was given."), nullable=False),
        Column("decided_at", Kind.DATETIME, _("When."), nullable=False),
        Column("language", Kind.TEXT, _("Language of the text."), nullable=False),
        Column("text_sha256", Kind.TEXT, _("SHA-256 of the text that was shown."), nullable=False),
    ),
    rows=consent_rows,
)

SLOTS = Table(
    name="slots",
    description=_("Questions given to participants: reserved, complete or released."),
    columns=(
        PARTICIPANT,
        QUESTION,
        REVISION,
        Column("number", Kind.INTEGER, _("Place among the person's questions, from 1."), nullable=False),
        Column("policy", Kind.TEXT, _("How it was drawn: uniform or balanced."), nullable=False),
        Column("status", Kind.TEXT, _("What became of it."), values=dict(Slot.Status.choices), nullable=False),
        Column("reserved_at", Kind.DATETIME, _("When it was given."), nullable=False),
        Column("expires_at", Kind.DATETIME, _("Until when it was kept."), nullable=False),
        Column("completed_at", Kind.DATETIME, _("When it was complete.")),
    ),
    rows=slot_rows,
)

TOMBSTONES = Table(
    name="tombstones",
    description=_("What is left of participants who withdrew: when, by which policy, and how many rows were erased."),
    columns=(
        PARTICIPANT,
        Column("withdrawn_at", Kind.DATETIME, _("When the person withdrew."), nullable=False),
        Column(
            "policy",
            Kind.TEXT,
            _("The policy by which it was erased."),
            values=dict(Study.WithdrawalPolicy.choices),
            nullable=False,
        ),
        Column("erased", Kind.JSON, _("Rows erased or emptied, by part of the platform."), nullable=False),
    ),
    rows=tombstone_rows,
)

TABLES = (PARTICIPANTS, EXTERNAL_IDS, CONSENTS, SLOTS, TOMBSTONES)
