from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from clustering.command_options import (
    add_grouping_options,
    add_scoring_options,
    finished,
    parameters_from,
    study_named,
)
from clustering.inclusion import described
from clustering.parameters import OVERTON
from clustering.selectors import score_lines
from clustering.services import run_identity
from core.management_base import Outcome, PolyphonyCommand
from core.models import Run
from core.runs import queue_run


class Command(PolyphonyCommand):
    """Compute the OvertonScores of a study and store them as a run."""

    help = "Compute opinion groups, coverage and OvertonScores of a study from the stored votes and ratings."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which study, and how."""
        add_grouping_options(parser)
        add_scoring_options(parser)
        parser.add_argument("--weighted", action="store_true", help="Order the printed table by the weighted score.")

    def perform(self, **options: Any) -> Outcome:
        """Compute in the foreground and print the table of scores."""
        study = study_named(options["study"])
        parameters = parameters_from(study, options)
        run = queue_run(
            kind=OVERTON,
            subject_kind="study",
            subject_id=study.public_id,
            parameters=parameters.to_dict(),
            seed=options["seed"],
        )
        done = finished(run)
        return Outcome(_as_text(done, by_weighted=options["weighted"]), run_identity(done) | {"result": done.result})


def _as_text(run: Run, *, by_weighted: bool) -> str:
    lines = score_lines(run)
    if by_weighted:
        lines.sort(key=lambda line: (line.source is None, -((line.weighted.value if line.weighted else None) or 0.0)))
    parameters = run.parameters
    head = (
        f"OvertonScore, rule {parameters['rule']} at {parameters['threshold']:g}, "
        f"{parameters['level']:.0%} intervals by {parameters['replicates']} bootstrap replicates over questions"
    )
    rows = [f"{'source':<32} {'unweighted':>28} {'weighted':>28} {'questions':>9}"]
    for line in lines:
        name = line.source.code if line.source else "best across models"
        n_questions = line.unweighted.n_questions if line.unweighted else 0
        rows.append(f"{name:<32} {_cell(line.unweighted):>28} {_cell(line.weighted):>28} {n_questions:>9}")
    taken = [f"  {entry['question']}: {described(entry['rows'])}" for entry in (run.result or {})["flow"]]
    tail = f"run {run.public_id}, seed {run.seed}, result SHA-256 {run.result_sha256}"
    return "\n".join([head, *rows, "taken in:", *taken, tail])


def _cell(score: Any) -> str:
    if score is None or score.value is None:
        return f"undefined, because {score.undefined}" if score else "undefined"
    return f"{score.value:.3f}" + ("" if score.low is None else f" [{score.low:.3f}, {score.high:.3f}]")
