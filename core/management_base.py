"""The base of all management commands: text or one JSON document, and an exit status that can be relied on."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.core.serializers.json import DjangoJSONEncoder

from core.errors import DomainError


@dataclass(frozen=True)
class Outcome:
    """What a command did: `text` for a person, `data` for a machine (JSON-ready, no NaN)."""

    text: str
    data: dict[str, Any] = field(default_factory=dict)


class PolyphonyCommand(BaseCommand):
    """A command that returns an :class:`Outcome` from :meth:`perform`.

    Exit status: 0 done, 1 failed, 2 bad input. Problems go to standard error, one a line, naming file, line and
    column, whatever the output format; standard output then stays empty. Called from code (`call_command`), the
    error itself is raised. Progress belongs on standard error (:meth:`progress`), so that `--json` stays one document.
    """

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Give the command `--json`, which a subclass thus cannot forget."""
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.add_argument("--json", action="store_true", dest="as_json", help="Print one JSON document.")
        return parser

    def perform(self, **options: Any) -> Outcome:
        """Do the work; raise a `DomainError` if it cannot be done."""
        raise NotImplementedError(f"{type(self).__module__} must define perform()")

    def handle(self, *args: str, as_json: bool = False, **options: Any) -> None:
        """Run :meth:`perform` and print what it returns."""
        outcome = self.perform(**options)
        if as_json:
            document = json.dumps(outcome.data, cls=DjangoJSONEncoder, ensure_ascii=False, allow_nan=False, indent=2)
            self.stdout.write(document)
        elif outcome.text:
            self.stdout.write(outcome.text)

    def progress(self, line: str) -> None:
        """Tell a waiting person how far the work is, on standard error."""
        self.stderr.write(line, str)  # plain: standard error is red otherwise, as if something were wrong
        self.stderr.flush()

    def run_from_argv(self, argv: Sequence[str]) -> None:
        """Run from the command line, mapping the errors of the domain to exit statuses."""
        try:
            super().run_from_argv(list(argv))
        except DomainError as error:
            if "--traceback" in argv:
                raise
            for line in error.lines():
                self.stderr.write(line)
            sys.exit(error.exit_status)
