"""The run of opinion groups and OvertonScores that the demonstration asks its worker for."""

from __future__ import annotations

from clustering.inclusion import Inclusion
from clustering.parameters import OVERTON, Parameters
from clustering.selectors import ScoreLine, score_lines
from clustering.services import start_scores
from core.models import Run
from studies.models import Enrolment, Study

SEED = 1
# The demonstration speaks of its own people, also if somebody has tried the link meanwhile.
PARAMETERS = Parameters(inclusion=Inclusion(origins=(Enrolment.Origin.SIMULATED.value,)))


def queue_scores(study: Study) -> Run:
    """Ask the worker for groups and scores of the simulated participants."""
    return start_scores(study=study, parameters=PARAMETERS, seed=SEED, by=None)


def finished_scores(study: Study) -> Run | None:
    """The newest finished run of the demonstration; None if there is none, or somebody took part since."""
    own = Run.objects.of(OVERTON, study.public_id).finished().filter(seed=SEED, parameters=PARAMETERS.to_dict())
    run = own.first()
    if run is None:
        return None
    since = study.enrolments.filter(origin=Enrolment.Origin.SIMULATED, finished_at__gt=run.started_at)
    return None if since.exists() else run


def progress_line(run: Run) -> str:
    """How far the run is, in one line."""
    place = f"{run.progress_done} of {run.progress_total}" if run.progress_total else run.get_status_display()
    return f"Opinion groups and OvertonScores: {place}" + (f", {run.progress_note}" if run.progress_note else "")


def score_table(run: Run) -> list[str]:
    """The scores as lines of text."""
    lines = [f"  {'':<36} {'OvertonScore':>22} {'weighted by size':>22}"]
    return lines + [_line(line) for line in score_lines(run)]


def _line(line: ScoreLine) -> str:
    name = line.source.name if line.source else "best across the answers"
    return f"  {name:<36} {_cell(line.unweighted):>22} {_cell(line.weighted):>22}"


def _cell(score: object) -> str:
    value, low, high = (getattr(score, name, None) for name in ("value", "low", "high"))
    if value is None:
        return "undefined"
    return f"{value:.3f}" + (f" [{low:.3f}, {high:.3f}]" if low is not None else "")
