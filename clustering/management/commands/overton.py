from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from clustering.command_options import (
    add_grouping_options,
    add_scoring_options,
    add_source_options,
    finished,
    parameters_from,
    study_named,
)
from clustering.inclusion import described
from clustering.parameters import OVERTON, VIEWPOINTS, Parameters, Resampling
from clustering.printing import adjusted_lines, external_lines, score_lines, settings_line, viewpoint_lines
from clustering.services import refuse_unknown_items, run_identity
from core.errors import Invalid
from core.management_base import Outcome, PolyphonyCommand
from core.models import Run
from core.runs import queue_run, versions

FILE_HELP = (
    "Ratings with groups (participant, question, source or model, rating, group), or coverages (question, source, "
    "coverage, number of groups and perhaps coverage_weighted, n_people), as CSV, JSON Lines or Parquet."
)
OF_TABLE = ("replicates", "level", "interval", "external")
SCORING = (*OF_TABLE, "rule", "threshold", "thresholds", "minimum_people", "minimum_sizes")


class Command(PolyphonyCommand):
    """Compute the OvertonScores of a study and store them as a run, or those of a file."""

    help = "Compute opinion groups, coverage and OvertonScores of a study, or the scores of a file without one."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which study or file, and how."""
        add_source_options(parser, file_help=FILE_HELP)
        add_grouping_options(parser)
        add_scoring_options(parser)
        parser.add_argument(
            "--draws",
            type=int,
            metavar="N",
            help="Of a study: draw people anew N times, group and score each time, and store that as a run.",
        )
        parser.add_argument("--weighted", action="store_true", help="Order the printed tables by the weighted score.")

    def perform(self, **options: Any) -> Outcome:
        """Compute in the foreground and print the table of scores."""
        if options["file"] is not None:
            return _of_file(options["file"], parameters_from(options, None), options)
        study = study_named(options["study"])
        parameters = parameters_from(options, study)
        refuse_unknown_items(study, parameters.subgroups)
        drawn = None if options["draws"] is None else Resampling(parameters, draws=options["draws"])
        run = queue_run(
            kind=VIEWPOINTS if drawn else OVERTON,
            subject_kind="study",
            subject_id=study.public_id,
            parameters=(drawn or parameters).to_dict(),
            seed=options["seed"],
        )
        done = finished(run)
        if drawn:
            return Outcome(_as_drawn(done), run_identity(done) | {"result": done.result})
        return Outcome(_as_text(done, by_weighted=options["weighted"]), run_identity(done) | {"result": done.result})


def _of_file(path: Path, parameters: Parameters, options: dict[str, Any]) -> Outcome:
    """Scores of a file; nothing is stored."""
    from clustering.computing.fromfiles import scores_of_file
    from clustering.files import CoverageFile, read_scores

    if options["draws"] is not None:
        raise Invalid(_("People are drawn anew of a study: a file does not hold the votes by which they are grouped."))
    given = read_scores(path)
    of_table = isinstance(given, CoverageFile)
    if of_table and options["threshold"] is not None:
        raise Invalid(_("A table of coverages was made with a threshold already; none can be given."))
    report = scores_of_file(given, parameters, options["seed"]).to_dict()
    # How a table's coverages came about it does not say, so nothing of it is a setting.
    chosen = {name: parameters.to_dict()[name] for name in (OF_TABLE if of_table else SCORING)}
    by_weighted = options["weighted"]
    lines = score_lines(report["overall"]["scores"], chosen, by_weighted=by_weighted, of_table=of_table)
    lines += adjusted_lines(report, by_weighted=by_weighted) + external_lines(report)
    coverages = report.pop("coverages")
    data: dict[str, Any] = {
        "file": path.name,
        "kind": "coverages" if of_table else "ratings",
        "parameters": chosen,
        "seed": options["seed"],
        "versions": versions(),
        "result": {"questions": coverages, "overton": report["overall"]["scores"], "report": report},
    }
    if not isinstance(given, CoverageFile):
        data["groups"] = {question.question: list(question.groups) for question in given.questions}
        people = sum(len(question.members) for question in given.questions)
        lines.append(f"{len(given.questions)} questions, {people} members of groups over all of them")
    lines.append(f"{path.name}, seed {options['seed']}")
    return Outcome("\n".join(lines), data)


def _as_text(run: Run, *, by_weighted: bool) -> str:
    result, parameters = run.result or {}, run.parameters
    lines = score_lines(result["overton"], parameters, by_weighted=by_weighted)
    lines += adjusted_lines(result["report"], by_weighted=by_weighted) + external_lines(result["report"])
    taken = [f"  {entry['question']}: {described(entry['rows'])}" for entry in result["flow"]]
    groups = f"groups: {settings_line(parameters, run.seed)}"
    tail = f"run {run.public_id}, seed {run.seed}, result SHA-256 {run.result_sha256}"
    return "\n".join([*lines, groups, "taken in:", *taken, tail])


def _as_drawn(run: Run) -> str:
    result = run.result or {}
    lines = viewpoint_lines(result["viewpoints"], "people drawn anew")
    lines += viewpoint_lines(result["viewpoints_and_questions"], "people and questions drawn anew")
    lines += [f"not computed: {each['question']}, because {each['reason']}" for each in result["failed"]]
    lines.append(f"groups: {settings_line(run.parameters, run.seed)}")
    return "\n".join([*lines, f"run {run.public_id}, seed {run.seed}, result SHA-256 {run.result_sha256}"])
