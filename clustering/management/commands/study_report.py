from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.files.storage import default_storage
from django.core.management.base import CommandParser
from django.utils import timezone

from clustering import selectors
from clustering.command_options import finished, study_named
from clustering.reporting.selectors import OUTSIDE, TEAM
from clustering.reporting.services import queue_report, take_file
from core.errors import Conflict
from core.management_base import Outcome, PolyphonyCommand


class Command(PolyphonyCommand):
    """Write the report of a study as one HTML file."""

    help = "Write every table and figure of a study's results, with settings, seeds and hashes, as one HTML file."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which study, for whom, and where to."""
        parser.add_argument("study", metavar="SLUG", help="The study.")
        parser.add_argument(
            "--out", required=True, type=Path, metavar="FILE", help="The file to write; it must be new."
        )
        parser.add_argument(
            "--for-team", action="store_true", help="Show groups under 5 people too, which must not leave the team."
        )

    def perform(self, **options: Any) -> Outcome:
        """Make the report of the reported run in the foreground and copy it out."""
        study = study_named(options["study"])
        path: Path = options["out"]
        run = selectors.reported_run(study)
        if run is None:
            raise Conflict("Nothing has been computed yet: run `manage.py overton` first.")
        audience = TEAM if options["for_team"] else OUTSIDE
        made = finished(queue_report(study=study, run=run, audience=audience, by=None, now=timezone.now()))
        name = take_file(study=study, run=made, by=None, now=timezone.now())
        assert made.result is not None, "finished"
        with default_storage.open(name) as source:
            _write_new(path, source.read())
        result = {key: made.result[key] for key in ("bytes", "sha256")}
        text = f"{path}: {result['bytes']} bytes, SHA-256 {result['sha256']}, about run {run.public_id}"
        return Outcome(text, {"file": str(path), "run": str(run.public_id), "audience": audience, **result})


def _write_new(path: Path, content: bytes) -> None:
    try:
        with path.open("xb") as target:
            target.write(content)
    except FileExistsError as problem:
        raise Conflict(f"{path} is there already. Name a new file.") from problem
    except OSError as problem:
        raise Conflict(f"{path} cannot be written: {problem.strerror}.") from problem
