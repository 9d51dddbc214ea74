"""A simulation of a study that exists here: its definition in, bots over HTTP, the truth about them kept in a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from core.errors import Conflict, bad_file, cannot_read
from studies.models import Enrolment, Study
from studies.simulation.facts import Facts
from studies.simulation.fleet import Fleet, Report, sail
from studies.simulation.minds import Mind
from studies.simulation.opinions import Opinions
from studies.simulation.planted import PlantedAtRandom
from studies.simulation.walker import Walked

FORMAT_VERSION = 1
OPINIONS = "opinions.json"


@dataclass(frozen=True, slots=True)
class Simulation:
    """A finished simulation: how it went, and where the truth about its people is kept."""

    report: Report
    path: Path


def simulate(
    *,
    study: Study,
    fleet: Fleet,
    opinions: Mapping[str, Any] | None,
    now: datetime,
    is_stopped: Callable[[], bool] = lambda: False,
    tell: Callable[[Sequence[Walked]], None] = lambda _walked: None,
) -> Simulation:
    """Let simulated participants walk through `study` over HTTP.

    Without `opinions`, groups are planted at random.

    Raises
    ------
    Conflict
        If the study is not open, so that nobody could start.
    """
    if study.status != Study.Status.OPEN or study.current_version is None:
        raise Conflict(_("The study %(slug)s is not open, so nobody can take part.") % {"slug": study.slug})
    definition: Mapping[str, Any] = study.current_version.definition
    facts = Facts.of(definition)
    mind: Mind = Opinions(facts, fleet.seed, opinions) if opinions else PlantedAtRandom(facts, fleet.seed)
    report = sail(fleet, mind, definition["recruitment"], is_stopped=is_stopped, tell=tell)
    return Simulation(report, _write_truth(study, fleet, report, now))


def read_opinions(path: Path) -> dict[str, Any]:
    """The planted opinions of a file.

    Raises
    ------
    BadInput
        If it cannot be read, or is no file of opinions.
    """
    try:
        planted: Any = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise cannot_read(str(path), error) from error
    except ValueError as error:
        raise bad_file(str(path), _("This is not JSON: %(error)s.") % {"error": error}) from error
    if not isinstance(planted, dict) or not {"people", "leanings", "variation", "questions"} <= set(planted):
        raise bad_file(str(path), _("This is no file of planted opinions."))
    return planted


def opinions_of(slug: str) -> dict[str, Any] | None:
    """The planted opinions that ship with an example study; None if there are none for `slug`."""
    for path in sorted((Path(settings.BASE_DIR) / "examples").glob(f"*/{OPINIONS}")):
        planted = read_opinions(path)
        if planted.get("study") == slug:
            return planted
    return None


def simulated_complete(study: Study) -> int:
    """How many simulated participants have completed the study."""
    return study.enrolments.filter(origin=Enrolment.Origin.SIMULATED, status=Enrolment.Status.COMPLETE).count()


def _write_truth(study: Study, fleet: Fleet, report: Report, now: datetime) -> Path:
    """Keep who belongs to which planted group, so that what an analysis finds can be compared with it."""
    codes = dict(study.enrolments.filter(origin=Enrolment.Origin.SIMULATED).values_list("token_sha256", "public_code"))
    folder = Path(settings.VAR_DIR) / "simulations"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{study.slug}-{now:%Y%m%dT%H%M%S}-{fleet.seed}-{fleet.first}.json"
    truth = {
        "format_version": FORMAT_VERSION,
        "study": study.slug,
        "version": study.current_version.number if study.current_version else None,
        "seed": fleet.seed,
        "first": fleet.first,
        "began_at": now.isoformat(),
        **report.to_dict(),
        "participants": [
            {
                "number": walked.number,
                "public_code": codes.get(walked.token_sha256),
                "outcome": walked.outcome,
                "groups": walked.groups,
            }
            for walked in report.walked
        ],
    }
    path.write_text(json.dumps(truth, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return path
