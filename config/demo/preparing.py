"""What has to be there before anything starts: tables, static files, the admin's account, the example study."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.utils import timezone
from django.utils.translation import gettext as _

from config.demo.places import Places
from core.errors import Conflict
from studies.definition import load_file
from studies.models import Study
from studies.services import apply_definition, publish_study, resume

ADMIN = "admin"
EXAMPLE = Path("examples") / "public_life" / "study.yaml"


@dataclass(frozen=True, slots=True)
class Login:
    """The admin's name, and the password if it is known here."""

    name: str
    password: str


def make_tables_and_files() -> None:
    """Bring the database and the collected static files up to date."""
    call_command("migrate", interactive=False, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)


def make_admin(places: Places) -> Login:
    """The admin's account, made with a random password if there is none; a changed password is left as it is."""
    user = get_user_model().objects.filter(username=ADMIN).first()
    password = places.kept_password()
    if user is not None:
        return Login(ADMIN, password if password and user.check_password(password) else "")
    password = password or secrets.token_urlsafe(12)
    places.keep_password(password)
    get_user_model().objects.create_superuser(username=ADMIN, password=password)
    return Login(ADMIN, password)


def make_study() -> Study:
    """The example study, open; loaded and published if it is not there.

    Raises
    ------
    Conflict
        If it was closed for good.
    """
    definition = load_file(settings.BASE_DIR / EXAMPLE)
    owner = get_user_model().objects.filter(username=ADMIN).first()
    now = timezone.now()
    study = Study.objects.filter(slug=definition.slug).first()
    if study is None or study.status == Study.Status.DRAFT:
        study, _is_new = apply_definition(definition=definition, by=owner, now=now)
        publish_study(study=study, by=owner, now=now)
    elif study.status == Study.Status.PAUSED:
        resume(study=study, by=owner, now=now)
    elif study.status == Study.Status.CLOSED:
        message = _(
            "The study %(slug)s was closed. For a fresh demonstration set POLYPHONY_VAR_DIR to an empty folder."
        )
        raise Conflict(message % {"slug": study.slug})
    study.refresh_from_db()
    return study
