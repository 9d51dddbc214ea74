"""What `clustering` offers a study through the registry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from clustering import exports, selectors, services
from clustering.letters import group_label
from clustering.models import GroupCoverage, GroupMember
from core.registry import StudyModule, Viewpoint
from studies.models import Study


def summary(study: Study) -> Sequence[tuple[Any, Any]]:
    """Whether there are results, for the study's page."""
    run = selectors.reported_run(study)
    unfinished = selectors.unfinished_run(study)
    state = unfinished.get_status_display() if unfinished else None
    return [
        (_("Last results (UTC)"), f"{run.finished_at:%Y-%m-%d %H:%M}" if run and run.finished_at else _("none yet")),
        *([(_("Run under way"), state)] if state else []),
    ]


def pages(study: Study, user: Any) -> Sequence[tuple[Any, str]]:
    """The results of the study, the runs that computed them, and which questions are worth asking again."""
    written = [(_("Screening"), reverse("clustering:screening", args=[study.slug]))] if "write" in study.blocks else []
    return [
        (_("Results"), reverse("clustering:results", args=[study.slug])),
        (_("Runs"), reverse("clustering:runs", args=[study.slug])),
        *written,
    ]


def viewpoints(study: Study) -> Iterable[Viewpoint]:
    """The groups of the run that is reported, and which answers represent them; nothing without results."""
    run = selectors.reported_run(study)
    covered: dict[int, dict[int, bool]] = defaultdict(dict)
    coverages = GroupCoverage.objects.filter(run=run, is_covered__isnull=False) if run is not None else []
    for coverage in coverages:
        covered[coverage.group_id][coverage.answer_id] = bool(coverage.is_covered)
    members = GroupMember.objects.filter(group__in=covered).select_related("group", "grouping")
    for member in members:
        if member.group is not None:
            group = group_label(member.group.identity)
            yield Viewpoint(member.grouping.question_id, member.enrolment_id, group, covered[member.group.pk])


module = StudyModule(
    slug="clustering",
    label=gettext_lazy("Opinion groups"),
    tables=exports.tables,
    about=exports.about,
    summary=summary,
    pages=pages,
    erase=services.erase_participation,
    viewpoints=viewpoints,
)
