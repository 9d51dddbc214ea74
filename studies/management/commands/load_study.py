"""Create or update a study from its definition file."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import CommandParser
from django.db import transaction
from django.utils import timezone

from core.errors import Conflict, NotThere
from core.management_base import Outcome, PolyphonyCommand
from studies import services
from studies.definition import Problem, load_file, problems
from studies.definition.loading import Definition
from studies.models import Study, StudyVersion


class Command(PolyphonyCommand):
    """All or nothing: a file with any problem changes nothing."""

    help = "Create or update a draft study from its definition; publish or amend it if asked."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the file and what to do with it."""
        parser.add_argument("file", help="the definition, a YAML file; tables it names lie in its folder")
        parser.add_argument(
            "--amend", metavar="REASON", help="make a new version of a published study, for this reason"
        )
        parser.add_argument("--publish", action="store_true", help="publish the study if it is a draft")
        parser.add_argument("--owner", metavar="USERNAME", help="the account that becomes owner of a new study")
        parser.add_argument("--dry-run", action="store_true", help="only check the file and say what would be done")

    def perform(self, **options: Any) -> Outcome:
        """Load the file in one transaction."""
        definition = load_file(options["file"])
        owner = _account(options["owner"])
        with transaction.atomic():
            done = _load(definition, options, owner)
            study = done["study"]
            found = problems(study)
            data = _data(study, done, found)
            if options["dry_run"]:
                transaction.set_rollback(True)
        return Outcome(
            _text(study, done["act"], found, dry=options["dry_run"]), {**data, "dry_run": options["dry_run"]}
        )


def _load(definition: Definition, options: dict[str, Any], owner: Any) -> dict[str, Any]:
    now = timezone.now()
    study = Study.objects.filter(slug=definition.slug).first()
    if study is not None and study.status != Study.Status.DRAFT:
        return _load_published(study, definition, options, owner)
    study, is_new = services.apply_definition(definition=definition, by=owner, now=now)
    version = services.publish_study(study=study, by=owner, now=now) if options["publish"] else None
    return {"study": study, "act": "created" if is_new else "updated", "version": version}


def _load_published(study: Study, definition: Definition, options: dict[str, Any], owner: Any) -> dict[str, Any]:
    if services.is_current_definition(study=study, definition=definition):
        return {"study": study, "act": "unchanged", "version": study.current_version}
    if not options["amend"]:
        message = f"The study {study.slug} is published, and its definition is frozen. Add --amend REASON to change it."
        raise Conflict(message, code="frozen")
    reason = options["amend"]
    version = services.amend(study=study, definition=definition, reason=reason, by=owner, now=timezone.now())
    return {"study": study, "act": "amended", "version": version}


def _account(username: str | None) -> Any:
    if username is None:
        return None
    account = get_user_model().objects.filter(username=username).first()
    if account is None:
        raise NotThere(f"There is no account {username}. Create it first, for instance with createsuperuser.")
    return account


def _data(study: Study, done: dict[str, Any], found: list[Problem]) -> dict[str, Any]:
    version: StudyVersion | None = done["version"]
    return {
        "study": study.slug,
        "public_id": str(study.public_id),
        "act": done["act"],
        "status": study.status,
        "version": version.number if version else None,
        "sha256": version.sha256 if version else None,
        "problems": [{"level": each.level, "where": each.where, "message": each.message} for each in found],
    }


def _text(study: Study, act: str, found: list[Problem], *, dry: bool) -> str:
    would = "Dry run, nothing was written. " if dry else ""
    lines = [f"{would}The study {study.slug} was {act}; it is {study.get_status_display()}."]
    if study.status == Study.Status.DRAFT and found:
        lines.append("Before it is published:")
    lines += [f"  {each.level}: {each}" for each in found]
    return "\n".join(lines)
