"""Questions to the database of another copy of the platform: `python -m tests.e2e.asking WHAT '{…}'` prints JSON.

Runs in a process of its own, since the tests' process is bound to the tests' database.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import timedelta
from typing import Any


def definition(slug: str) -> Any:
    """The frozen definition of a study."""
    from studies.models import Study

    version = Study.objects.get(slug=slug).current_version
    assert version is not None
    return version.definition


def broken(slug: str, walked: list[dict[str, Any]]) -> Any:
    """What was acknowledged to simulated participants and is not stored as it was acknowledged."""
    from studies.models import Study
    from studies.simulation.walker import Walked
    from tests.studies.simulation.believing import broken_promises

    people = [
        Walked(**{**each, "acknowledged": {tuple(key): value for key, value in each["acknowledged"]}})
        for each in walked
    ]
    return broken_promises(Study.objects.get(slug=slug), people)


def planted(password: str) -> Any:
    """A study whose opinion groups are planted, and an account `admin`; the study's slug."""
    from django.contrib.auth import get_user_model

    from tests.e2e.planting import planted_study

    get_user_model().objects.create_superuser("admin", password=password)
    return planted_study().slug


def queued() -> Any:
    """The newest run of scores, by its public id; live views are queued by themselves."""
    from core.models import Run

    run = Run.objects.filter(parent=None, kind="overton").order_by("-id").first()
    return str(run.public_id) if run is not None else None


def planted_many(n_questions: int) -> Any:
    """A study of so many questions whose opinion groups are planted; its slug."""
    from tests.e2e.planting import planted_study

    return planted_study(n_questions).slug


def started(slug: str) -> Any:
    """Queue scores whose parts take a while, and tell a worker; the run's public id."""
    from clustering import services
    from clustering.inclusion import Inclusion
    from clustering.parameters import Parameters
    from studies.models import Study

    parameters = Parameters(inclusion=Inclusion(("live",)), replicates=100, stability_replicates=30)
    run = services.start_scores(study=Study.objects.get(slug=slug), parameters=parameters, seed=1, by=None)
    return str(run.public_id)


def state(run: str) -> Any:
    """A run, and of its parts which are held, by whom, and how often they were begun."""
    from core.models import Run

    found = Run.objects.defer("result").get(public_id=run)
    parts = found.parts.order_by("pk").values("status", "is_held_with_parent", "attempt", "result_sha256", "error")
    row = {name: getattr(found, name) for name in ("status", "attempt", "result_sha256", "error")}
    return {**row, "parts": list(parts)}


def silent_for(seconds: int, run: str) -> Any:
    """Let `seconds` pass for a run: when it was last heard of and published moves back."""
    from django.db.models import F

    from core.models import Run

    age = timedelta(seconds=seconds)
    return Run.objects.filter(public_id=run).update(
        heartbeat_at=F("heartbeat_at") - age, published_at=F("published_at") - age, queued_at=F("queued_at") - age
    )


def groups(slug: str) -> Any:
    """Who is in which opinion group of the study's newest grouping of each question; people without one left out."""
    from clustering.models import Grouping, GroupMember
    from studies.models import Study

    newest = {each.question_id: each.pk for each in Grouping.objects.order_by("pk")}
    study = Study.objects.get(slug=slug)
    members = GroupMember.objects.filter(
        grouping__in=newest.values(), grouping__question__study=study, group__isnull=False
    )
    return list(members.values_list("grouping__question__code", "enrolment__public_code", "group__number"))


QUESTIONS = {
    function.__name__: function
    for function in (definition, broken, planted, planted_many, queued, started, state, silent_for, groups)
}

if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django

    django.setup()
    print(json.dumps(QUESTIONS[sys.argv[1]](**json.loads(sys.argv[2]))))
