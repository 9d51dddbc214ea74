from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from clustering.command_options import finished, question_named, seed_number, study_named
from clustering.inclusion import Inclusion
from clustering.management.commands.cluster import as_text
from clustering.parameters import GROUPS, Parameters
from core.management_base import Outcome, PolyphonyCommand
from core.runs import queue_run
from voting.services.conversation import ImportedConversation, import_conversation


class Command(PolyphonyCommand):
    """Take in real people's votes from Pol.is and find their opinion groups."""

    help = "Take a Pol.is export in as statements and votes of a question, and find the opinion groups."

    def add_arguments(self, parser: CommandParser) -> None:
        """The question and the two files of the export."""
        parser.add_argument("--study", required=True, metavar="SLUG", help="The study.")
        parser.add_argument("--question", required=True, metavar="CODE", help="The question voted on.")
        parser.add_argument("--statements", required=True, type=Path, metavar="COMMENTS.csv")
        parser.add_argument("--votes", required=True, type=Path, metavar="VOTES.csv")
        parser.add_argument("--dry-run", action="store_true", help="Only check the files and say what would be done.")
        parser.add_argument("--import-only", action="store_true", help="Do not find the opinion groups afterwards.")
        parser.add_argument(
            "--seed", type=seed_number, default=1, metavar="X", help="Seed of the clustering (default: 1)."
        )

    def perform(self, **options: Any) -> Outcome:
        """Import in one transaction, then cluster in the foreground."""
        question = question_named(study_named(options["study"]), options["question"])
        done = import_conversation(
            question=question,
            statements=options["statements"],
            votes=options["votes"],
            statements_name=options["statements"].name,
            votes_name=options["votes"].name,
            by=None,
            now=timezone.now(),
            dry_run=options["dry_run"],
        )
        if options["dry_run"] or options["import_only"]:
            return Outcome(_as_text(done), {"imported": done.to_dict()})
        run = queue_run(
            kind=GROUPS,
            subject_kind="question",
            subject_id=question.public_id,
            parameters=Parameters(inclusion=Inclusion(("imported",))).grouping(),
            seed=options["seed"],
        )
        computed = finished(run)
        data = {"imported": done.to_dict(), "run": str(computed.public_id), "result": computed.result}
        return Outcome(f"{_as_text(done)}\n{as_text(question, computed)}", data)


def _as_text(done: ImportedConversation) -> str:
    verb = "would be imported" if done.is_dry_run else "imported"
    lines = [
        (
            f"{done.n_statements} statements ({done.n_statements_new} new, {done.n_rejected} moderated out), "
            f"{done.n_participants} people ({done.n_participants_new} new), "
            f"{done.n_votes_current} current votes {verb} ({done.n_votes_new} new rows)."
        ),
        (
            f"Of {done.n_vote_rows} rows {done.n_changes_of_mind} changed a vote "
            f"and {done.n_repeated} repeated the vote before."
        ),
    ]
    if done.n_erased:
        lines.append(f"{done.n_erased} votes of or on people who have withdrawn here were left out.")
    if done.is_unchanged:
        lines.append("Nothing is new: all of it is in the study already.")
    return "\n".join(lines)
