from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from clustering.command_options import add_grouping_options, finished, parameters_from, question_named, study_named
from clustering.inclusion import described
from clustering.loading import current_questions
from clustering.models import OpinionGroup
from clustering.parameters import GROUPS
from clustering.services import run_identity
from core.errors import one_line
from core.management_base import Outcome, PolyphonyCommand
from core.models import Run
from core.runs import queue_run
from studies.models import Question
from voting.models import Statement

MOST_STATEMENTS = 3


class Command(PolyphonyCommand):
    """Find the opinion groups of a study's questions and store them as runs."""

    help = "Find the opinion groups of a study's questions from the stored votes."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which question, and how."""
        add_grouping_options(parser)
        parser.add_argument("--question", metavar="CODE", help="One question; without it all of the study.")

    def perform(self, **options: Any) -> Outcome:
        """Compute each question in the foreground and print sizes, quality and characteristic statements."""
        study = study_named(options["study"])
        parameters = parameters_from(study, options)
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


def as_text(question: Question, run: Run) -> str:
    """Groups of a question as the command prints them."""
    result = run.result or {}
    groups = result["groups"]
    taken = described(result["flow"])
    lines = [f"{question.code}: {question.text}", f"  taken in: {taken}; {result['n_votes']} votes"]
    if groups["undefined"]:
        return "\n".join([*lines, f"  no groups: {groups['undefined']}"])
    lines.append(f"  {groups['n_groups']} groups, mean silhouette {groups['silhouette']:.3f}, seed {run.seed}")
    texts = dict(Statement.objects.filter(question=question).values_list("code", "text"))
    letters = {group.number: group.letter for group in OpinionGroup.objects.filter(grouping__run=run)}
    for number, size in enumerate(groups["sizes"]):
        lines.append(f"  group {letters[number]}: {size} people")
        for statement in result["profiles"]["characteristic"][number][:MOST_STATEMENTS]:
            share = f"{statement['n_success']} of {statement['n_trials']}"
            text = one_line(texts.get(statement["statement"], ""))
            lines.append(f"    {statement['direction']}s ({share}) {statement['statement']}: {text}")
    if groups["exclusions"]:
        lines.append(f"  in no group: {len(groups['exclusions'])} ({groups['exclusions'][0]['reason']}, ...)")
    lines.append(f"  run {run.public_id}, result SHA-256 {run.result_sha256}")
    return "\n".join(lines)
