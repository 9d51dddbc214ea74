from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from clustering.command_options import (
    add_grouping_options,
    add_source_options,
    finished,
    parameters_from,
    question_named,
    study_named,
)
from clustering.letters import group_label
from clustering.loading import current_questions
from clustering.models import OpinionGroup
from clustering.parameters import GROUPS, Parameters
from clustering.printing import groups_lines, published_line
from clustering.services import run_identity
from core.errors import NotThere, one_line
from core.management_base import Outcome, PolyphonyCommand
from core.models import Run
from core.runs import queue_run, versions
from studies.models import Question
from voting.models import Statement

FILE_HELP = (
    "A Pol.is export (votes.csv, participants-votes.csv, or a folder or zip with votes.csv and comments.csv), or a "
    "table of votes: participant, statement, vote and perhaps question, as CSV, JSON Lines or Parquet."
)


class Command(PolyphonyCommand):
    """Find the opinion groups of a study's questions and store them as runs, or those of a file."""

    help = "Find the opinion groups of a study's questions from the stored votes, or of a file without a study."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which question or file, and how."""
        add_source_options(parser, file_help=FILE_HELP)
        add_grouping_options(parser)
        parser.add_argument("--question", metavar="CODE", help="One question; without it all of them.")

    def perform(self, **options: Any) -> Outcome:
        """Compute each question in the foreground and print sizes, quality and characteristic statements."""
        if options["file"] is not None:
            return self._of_file(options["file"], parameters_from(options, None), options)
        study = study_named(options["study"])
        parameters = parameters_from(options, study)
        code = options["question"]
        questions = [question_named(study, code)] if code else current_questions(study.pk)
        runs = []
        for question in questions:
            self.progress(f"{question.code} ...")
            run = queue_run(
                kind=GROUPS,
                subject_kind="question",
                subject_id=question.public_id,
                parameters=parameters.grouping(),
                seed=options["seed"],
            )
            runs.append((question, finished(run)))
        text = "\n\n".join(as_text(question, run) for question, run in runs)
        data = {"study": study.slug, "questions": [run_identity(run) | {"result": run.result} for _, run in runs]}
        return Outcome(text, data)

    def _of_file(self, path: Path, parameters: Parameters, options: dict[str, Any]) -> Outcome:
        """Compute each question of a file; nothing is stored."""
        from clustering.computing.fromfiles import groups_of_file
        from clustering.files import read_votes

        code = options["question"]
        found = [votes for votes in read_votes(path) if code is None or votes.question == code]
        if not found:
            raise NotThere(f"There is no question {code} in {path.name}.")
        seed, settings = options["seed"], parameters.grouping()
        texts, results = [], []
        for votes in found:
            self.progress(f"{votes.question or votes.file} ...")
            result = groups_of_file(votes, parameters, seed)
            title = f"{votes.question or path.name} ({votes.kind}, {votes.n_rows} rows)"
            lines = groups_lines(title, result, settings, seed, texts=votes.texts, letter=group_label)
            texts.append("\n".join([*lines, *published_line(result["published"])]))
            results.append({"result": result})
        identity = {"parameters": settings, "seed": seed, "versions": versions()}
        return Outcome("\n\n".join(texts), {"file": path.name, **identity, "questions": results})


def as_text(question: Question, run: Run) -> str:
    """Groups of a question as the command prints them."""
    letters = {group.number: group.letter for group in OpinionGroup.objects.filter(grouping__run=run)}
    lines = groups_lines(
        f"{question.code}: {one_line(question.text)}",
        run.result or {},
        run.parameters,
        run.seed,
        texts=dict(Statement.objects.filter(question=question).values_list("code", "text")),
        letter=letters.__getitem__,
    )
    return "\n".join([*lines, f"  run {run.public_id}, result SHA-256 {run.result_sha256}"])
