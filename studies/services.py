"""The life of a study: created, published, amended, paused, closed, cloned; each act leaves an audit event."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from core import audit, registry
from core.canonical import content_sha256
from core.errors import Conflict, Invalid
from core.randomness import new_code
from studies.definition import Definition, canonical
from studies.definition.checks import found_in
from studies.definition.checks.rules import is_revealing
from studies.definition.default_form import default_form
from studies.definition.keys import OUTCOMES
from studies.definition.sameness import says_the_same
from studies.definition.writing import write, write_form
from studies.errors import NotPublishable, SlugTaken
from studies.models import Membership, ModelAnswer, Question, Study, StudyVersion
from studies.recruitment import services as recruitment
from studies.recruitment.services import Started

CODE_LENGTH = 8
Status = Study.Status


def create_study(*, slug: str, title: str, by: Any, now: datetime, **columns: Any) -> Study:
    """Create a draft with the usual form; `by` becomes its owner (nobody does if a command creates it)."""
    study = Study(slug=slug, title=title, created_by=by, **columns)
    if Study.objects.filter(slug=slug).exists():
        raise SlugTaken(slug)
    _check(study)
    try:
        with transaction.atomic():
            study.save()
            furnish(study=study, by=by)
            record(study, "study.created", by=by, now=now)
    except IntegrityError as error:  # somebody took the slug in between: all else has been checked
        raise SlugTaken(slug) from error
    return study


def _check(study: Study) -> None:
    try:
        study.full_clean()
    except ValidationError as error:
        raise Invalid(fields=error.message_dict) from error


def furnish(*, study: Study, by: Any) -> None:
    """Give a new study its owner, who is the person who creates it, and the usual form if it has none."""
    if by is not None:
        Membership.objects.update_or_create(study=study, user=by, defaults={"role": Membership.Role.OWNER})
    if not study.form_items.exists():
        write_form(study, default_form())


@transaction.atomic
def apply_definition(*, definition: Definition, by: Any, now: datetime) -> tuple[Study, bool]:
    """Create the draft that `definition` defines, or make an existing draft say it; return it and whether it is new.

    A published study is refused: what participants saw is changed by :func:`amend`, with a reason.
    """
    study = Study.objects.filter(slug=definition.slug).first()
    is_new = study is None
    if study is None:
        study = create_study(slug=definition.slug, title=definition.data["title"], by=by, now=now)
    lock(study)
    refuse_if_published(study)
    write(study, definition.data)
    record(study, "study.loaded", by=by, now=now, sha256=content_sha256(canonical(study)))
    return study, is_new


@transaction.atomic
def publish_study(*, study: Study, by: Any, now: datetime) -> StudyVersion:
    """Freeze the draft as version 1 and open the study. Missing completion codes are made.

    Raises
    ------
    NotPublishable
        With every error of the draft; nothing has changed then.
    """
    lock(study)
    if study.status != Status.DRAFT:
        raise Conflict(_("The study is published already. Change it by an amendment with a reason."))
    version = _freeze(study, reason="", by=by, now=now)
    study.status = Status.OPEN
    study.save()
    record(study, "study.published", by=by, now=now, version=version.number, sha256=version.sha256)
    return version


@transaction.atomic
def amend(*, study: Study, definition: Definition, reason: str, by: Any, now: datetime) -> StudyVersion:
    """Replace the published definition by a new version, for a reason. Sessions under way keep theirs.

    Changed texts become new revisions of their question or answer; the old rows and what was measured on them stay.
    """
    lock(study)
    if study.current_version is None or study.status == Status.CLOSED:
        raise Conflict(_("Only an open or paused study is amended. A draft is simply changed; a closed study stays."))
    if not reason.strip():
        raise Invalid(_("An amendment needs a reason."), fields={"reason": [_("Say why, in a sentence.")]})
    if definition.slug != study.slug:
        message = _("The definition is of “%(other)s”, the study is “%(slug)s”. The slug is in links and stays.")
        raise Conflict(message % {"other": definition.slug, "slug": study.slug})
    _refuse_new_kinds(study, definition)
    write(study, definition.data)
    version = _freeze(study, reason=reason.strip(), by=by, now=now)
    record(study, "study.amended", by=by, now=now, version=version.number, sha256=version.sha256, reason=version.reason)
    return version


@transaction.atomic
def pause(*, study: Study, by: Any, now: datetime) -> Study:
    """Let nobody new in for the time being; sessions under way go on."""
    return _move(study, {Status.OPEN}, Status.PAUSED, "study.paused", by=by, now=now)


@transaction.atomic
def resume(*, study: Study, by: Any, now: datetime) -> Study:
    """Let people in again."""
    return _move(study, {Status.PAUSED}, Status.OPEN, "study.resumed", by=by, now=now)


@transaction.atomic
def close(*, study: Study, by: Any, now: datetime) -> Study:
    """End recruitment for good; sessions under way go on."""
    return _move(study, {Status.OPEN, Status.PAUSED}, Status.CLOSED, "study.closed", by=by, now=now)


@transaction.atomic
def clone_study(*, study: Study, slug: str, title: str = "", by: Any, now: datetime) -> Study:
    """A new draft with the same definition: own slug, title, seed and codes, and none of the data."""
    definition = canonical(study) | {"slug": slug, "title": title or study.title, "codes": {}}
    clone = create_study(slug=slug, title=definition["title"], by=by, now=now)
    lock(clone)
    write(clone, definition)
    record(clone, "study.cloned", by=by, now=now, original=str(study.public_id))
    return clone


@transaction.atomic
def start_preview(*, study: Study, by: Any, now: datetime) -> Started:
    """A session of the draft as it is, which counts for nothing; as of now, whatever is changed later."""
    version = freeze_preview(study=study, by=by, now=now)
    return recruitment.start_preview(version=version, now=now)


@transaction.atomic
def add_member(*, study: Study, user: Any, role: str, by: Any, now: datetime) -> Membership:
    """Give `user` the role in the study, instead of the one they may have."""
    lock(study)
    roles = _roles(study)
    refuse_without_owner(before=roles.values(), after=(roles | {user.pk: role}).values())
    member, _made = Membership.objects.update_or_create(study=study, user=user, defaults={"role": role})
    record(study, "study.member_added", by=by, now=now, user=user.pk, role=str(role))
    return member


@transaction.atomic
def remove_member(*, study: Study, user: Any, by: Any, now: datetime) -> None:
    """Take the role of `user` away; the last owner stays."""
    lock(study)
    roles = _roles(study)
    refuse_without_owner(before=roles.values(), after=[role for pk, role in roles.items() if pk != user.pk])
    Membership.objects.filter(study=study, user=user).delete()
    record(study, "study.member_removed", by=by, now=now, user=user.pk)


def _roles(study: Study) -> dict[int, str]:
    return dict(Membership.objects.filter(study=study).values_list("user_id", "role"))


def refuse_without_owner(*, before: Iterable[str], after: Iterable[str]) -> None:
    """Refuse a team without an owner if it has one. What a command created may be nobody's."""
    if Membership.Role.OWNER in before and Membership.Role.OWNER not in after:
        raise Conflict(_("A study keeps at least one owner: make somebody else owner first."), code="last_owner")


@transaction.atomic
def freeze_preview(*, study: Study, by: Any, now: datetime) -> StudyVersion:
    """Freeze the draft as it is for a preview; the same draft gives the same version again."""
    lock(study)
    definition = canonical(study)
    needed = ("blocks", "questions", "sources")
    lacking = [p for p in found_in(study, definition) if p.is_error and p.where in needed]
    if lacking:
        raise NotPublishable(lacking)
    # A preview must not give away codes that pay, and shows one even before they are made.
    definition["codes"] = dict.fromkeys(OUTCOMES, "PREVIEW")
    sha256 = content_sha256(definition)
    version = study.versions.filter(is_preview=True, sha256=sha256).first()
    if version is None:
        version = StudyVersion.objects.create(
            study=study, is_preview=True, definition=definition, sha256=sha256, published_at=now, published_by=by
        )
    record(study, "study.previewed", by=by, now=now, sha256=sha256)
    return version


def lock(study: Study) -> None:
    """Lock the study's row and take over its present state; the first lock of every act on a study."""
    study.refresh_from_db(from_queryset=Study.objects.select_for_update(no_key=True))


def refuse_if_published(study: Study) -> None:
    """Refuse to change a draft that is none any more."""
    if study.status != Status.DRAFT:
        message = _("The definition is published and frozen. Amend it with a reason: participants have seen this one.")
        raise Conflict(message, code="frozen")


def record(study: Study, event: str, *, by: Any, now: datetime, **detail: Any) -> None:
    """Write an audit event about the study."""
    audit.record(
        event, subject_kind="study", subject_id=study.public_id, study_id=study.public_id, by=by, now=now, **detail
    )


def _move(study: Study, allowed: set[str], to: str, event: str, *, by: Any, now: datetime) -> Study:
    lock(study)
    if study.status not in allowed:
        message = _("This is not possible: the study is %(status)s.") % {"status": study.get_status_display()}
        raise Conflict(message, code="wrong_status")
    study.status = to
    study.save(update_fields=["status"])
    record(study, event, by=by, now=now)
    return study


def _freeze(study: Study, *, reason: str, by: Any, now: datetime) -> StudyVersion:
    """Check the draft, make what is missing, freeze its rows and write the version. The study is locked."""
    _make_codes(study)
    errors = [problem for problem in found_in(study, canonical(study)) if problem.is_error]
    if errors:
        raise NotPublishable(errors)
    for section in registry.sections():
        section.freeze(study, now)
    Question.objects.filter(study=study, is_current=True).update(is_frozen=True)
    ModelAnswer.objects.filter(question__study=study, question__is_current=True, is_current=True).update(is_frozen=True)
    definition = canonical(study)
    sha256 = content_sha256(definition)
    current = study.current_version
    if current is not None and current.sha256 == sha256:
        raise Conflict(_("This definition is the published one; there is nothing to amend."))
    version = StudyVersion.objects.create(
        study=study,
        number=1 if current is None else (current.number or 0) + 1,
        definition=definition,
        sha256=sha256,
        reason=reason,
        published_at=now,
        published_by=by,
    )
    study.current_version = version
    study.save()
    return version


def _make_codes(study: Study) -> None:
    taken = set(study.codes.values())
    for outcome in OUTCOMES:
        while not study.codes.get(outcome):
            code = new_code(CODE_LENGTH)
            if code not in taken and not is_revealing(code):
                study.codes[outcome] = code
                taken.add(code)
    study.save(update_fields=["codes"])


def _refuse_new_kinds(study: Study, definition: Definition) -> None:
    """An item's answers are of one kind: another kind under the same code would mix them."""
    kinds = {item.code: str(item.kind) for item in study.form_items.all()}
    changed = [row["code"] for row in definition.data["form"] if kinds.get(row["code"], row["kind"]) != row["kind"]]
    if changed:
        message = _(
            "The kind of these form items cannot change, since answers exist: %(codes)s. Give new ones new codes."
        )
        raise Conflict(message % {"codes": ", ".join(changed)}, code="kind_changed")


def is_current_definition(*, study: Study, definition: Definition) -> bool:
    """Whether `definition` is what is published, so that loading it again changes nothing."""
    version = study.current_version
    return version is not None and says_the_same(definition.data, version.definition)
