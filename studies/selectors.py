"""What the team's pages show about a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Count, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from core import registry
from studies import access
from studies.models import Enrolment, Question, Slot, Study, StudyVersion

PROLIFIC_QUERY = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"


@dataclass(frozen=True, slots=True)
class Share:
    """The links to hand out; None for a way in that the study does not allow."""

    open_link: str | None
    prolific_link: str | None


@dataclass(frozen=True, slots=True)
class People:
    """How many enrolments there are, by what became of them and where they came from; previews count for nothing."""

    origins: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...], int], ...]
    total: int


@dataclass(frozen=True, slots=True)
class QuestionProgress:
    """How far a question is: complete sessions, and live reservations."""

    code: str
    domain: str
    text: str
    n_complete: int
    n_reserved: int


@dataclass(frozen=True, slots=True)
class NavEntry:
    """One entry of the bar above a study's pages."""

    label: str
    url: str
    current: bool


def study_list(user: Any) -> QuerySet[Study]:
    """The studies whose pages `user` may open, newest first, each with `n_people`, its counted enrolments."""
    counted = Count("enrolments", filter=~Q(enrolments__origin=Enrolment.Origin.PREVIEW), distinct=True)
    return access.team_studies(user).annotate(n_people=counted).order_by("-id")


def share_links(study: Study) -> Share:
    """The links to a study, with Prolific's placeholders as Prolific writes them."""
    address = settings.PUBLIC_URL + reverse("participant:landing", args=[study.slug])
    return Share(
        open_link=address if study.allows_open_link else None,
        prolific_link=f"{address}?{PROLIFIC_QUERY}" if study.allows_prolific else None,
    )


def versions_of(study: Study) -> QuerySet[StudyVersion]:
    """The published versions, newest first, with who published them; their definitions are not read."""
    return (
        study.versions.filter(is_preview=False).select_related("published_by").defer("definition").order_by("-number")
    )


def people_of(study: Study) -> People:
    """Enrolments by status and origin; an origin nobody has is left out."""
    counts = study.enrolments.counted().order_by().values_list("status", "origin").annotate(n=Count("pk"))
    table: dict[str, dict[str, int]] = {}
    for status, origin, n in counts:
        table.setdefault(status, {})[origin] = n
    origins = [value for value in Enrolment.Origin.values if any(value in row for row in table.values())]
    rows = tuple(
        (str(label), tuple(table[status].get(origin, 0) for origin in origins), sum(table[status].values()))
        for status, label in Enrolment.Status.choices
        if status in table
    )
    names = tuple(str(Enrolment.Origin(origin).label) for origin in origins)
    return People(names, rows, sum(row[2] for row in rows))


def question_progress(study: Study, *, now: datetime) -> list[QuestionProgress]:
    """The current questions in their order, with what is complete and what is reserved at `now`."""
    counted = ~Q(slots__enrolment__origin=Enrolment.Origin.PREVIEW)
    complete = Q(slots__status=Slot.Status.COMPLETE) & counted
    reserved = Q(slots__status=Slot.Status.RESERVED, slots__expires_at__gt=now) & counted
    rows = Question.objects.filter(study=study, is_current=True).annotate(
        n_complete=Count("slots", filter=complete), n_reserved=Count("slots", filter=reserved)
    )
    return [
        QuestionProgress(row.code, row.domain, row.text, row.n_complete, row.n_reserved)
        for row in rows.order_by("position", "code")
    ]


def module_summary(study: Study) -> list[tuple[str, Any]]:
    """What each app has to say about the study's progress: label and value."""
    return [
        (str(label), value)
        for module in registry.modules()
        if module.summary is not None
        for label, value in module.summary(study)
    ]


def study_nav(study: Study, user: Any, current: str) -> list[NavEntry]:
    """The bar above the pages of a study: its own pages, and those of every app. `current` is an address."""
    own: list[tuple[Any, str]] = [(_("Study"), reverse("studies:study", args=[study.slug]))]
    if access.may(user, study, access.Role.EDITOR):
        own.append((_("Import"), reverse("studies:import", args=[study.slug])))
    pages: list[Sequence[tuple[Any, str]]] = [
        module.pages(study, user) for module in registry.modules() if module.pages is not None
    ]
    entries = [*own, *(entry for offered in pages for entry in offered)]
    return [NavEntry(str(label), url, url == current) for label, url in entries]


def summary(study: Study) -> list[tuple[Any, Any]]:
    """What studies itself says about progress."""
    counts = study.enrolments.counted().aggregate(
        n=Count("pk"), n_complete=Count("pk", filter=Q(status=Enrolment.Status.COMPLETE))
    )
    return [(_("People"), counts["n"]), (_("Complete sessions"), counts["n_complete"])]
