"""Responses, ratings and votes collected elsewhere, in long form: checked as a whole, then written at once or not.

What `export_study` writes comes back as it was, codes and history included, so that groups and scores computed from it
are the same. `docs/importing.md` says what the tables of other platforms must have at least.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from core import audit
from core.errors import Conflict, Problems
from studies.models import Question, Study
from voting.services.longform.files import Given, recognised_files, sha256_of
from voting.services.longform.opinions import Timelines, timelines, write_ratings, write_votes
from voting.services.longform.people import People, lock_people, write_people
from voting.services.longform.reading import Collected, Reader
from voting.services.longform.references import people_of, references_of
from voting.services.longform.texts import write_responses, write_statements


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file, what it was recognised as, and its columns that were not read."""

    file: str
    content: str
    not_read: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ImportedResponses:
    """What an import did, or would do if it was a dry run. `n_new` counts what was not there before, by table."""

    files: tuple[FileRead, ...]
    n_rows: dict[str, int]
    n_new: dict[str, int]
    n_changes: dict[str, int]
    n_repeated: dict[str, int]
    n_other_revisions: int
    n_erased: int
    batch: str
    is_dry_run: bool

    @property
    def is_unchanged(self) -> bool:
        """Whether everything was there already."""
        return not any(self.n_new.values())

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy."""
        return {**asdict(self), "is_unchanged": self.is_unchanged}


@dataclass(frozen=True, slots=True)
class _Checked:
    """The files, read and checked by themselves."""

    files: tuple[Given, ...]
    collected: Collected
    ratings: Timelines
    votes: Timelines
    batch: str


def import_responses(
    *,
    study: Study,
    files: Sequence[Path],
    by: AbstractBaseUser | AnonymousUser | None,
    now: datetime,
    dry_run: bool = False,
    spreadsheet_safe: bool = False,
    skip_other_revisions: bool = False,
) -> ImportedResponses:
    """Take tables of participants, statements, responses, ratings and votes into `study`; folders of exports, too.

    The same files again change nothing; longer ones add what is new. What contradicts what is stored is refused.
    People are imported, whatever they were where they come from; only simulated ones stay simulated.

    Raises
    ------
    BadInput
        With every problem by file, line and column; nothing was written then.
    """
    checked = _read(study, files, spreadsheet_safe=spreadsheet_safe, skip_other_revisions=skip_other_revisions)
    with importing(study):
        _refuse_if_withdrawn_meanwhile(study, checked.collected)
        done = _write(study, checked, now=now, is_dry_run=dry_run)
        if not done.is_unchanged:
            _note(study, done, by=by, now=now)
        transaction.set_rollback(dry_run)
    return done


@contextmanager
def importing(study: Study) -> Iterator[None]:
    """The transaction of an import, under its locks.

    Raises
    ------
    Conflict
        If what the import refers to was deleted meanwhile: by somebody's withdrawal, or with a draft.
    """
    try:
        with transaction.atomic():
            lock_imports(study)
            yield
    except IntegrityError as error:
        raise Conflict(_meanwhile(), code="changed_meanwhile") from error


def _meanwhile() -> str:
    return _("Somebody withdrew, or the study was changed, while the files were read. Import them again.")


def lock_imports(study: Study) -> None:
    """Let imports into one study wait for each other, and withdrawals of imported people for both.

    The questions are locked rather than the study, so that participants can start meanwhile.
    """
    list(Question.objects.filter(study=study).order_by("pk").select_for_update(no_key=True).values_list("pk"))
    lock_people(study)


def _read(study: Study, paths: Sequence[Path], *, spreadsheet_safe: bool, skip_other_revisions: bool) -> _Checked:
    files = recognised_files(paths, spreadsheet_safe=spreadsheet_safe)
    problems = Problems()
    reader = Reader(references_of(study), problems, skip_other_revisions=skip_other_revisions)
    collected = reader.read(files)
    ratings = timelines(collected.ratings, "rated_at", problems)
    votes = timelines(collected.votes, "cast_at", problems)
    problems.raise_if_any()
    batch = f"responses:{sha256_of(given.path for given in files)[:16]}"
    return _Checked(tuple(files), collected, ratings, votes, batch)


def _refuse_if_withdrawn_meanwhile(study: Study, collected: Collected) -> None:
    erased = {code for code, person in people_of(study).items() if person.is_erased}
    if not erased.isdisjoint(collected.givers()):
        raise Conflict(_meanwhile(), code="changed_meanwhile")


def _write(study: Study, checked: _Checked, *, now: datetime, is_dry_run: bool) -> ImportedResponses:
    collected, problems = checked.collected, Problems()
    how: dict[str, Any] = {"study": study, "problems": problems, "now": now}
    people: People = write_people(collected=collected, batch=checked.batch, **how)
    statements, n_statements = write_statements(collected=collected, people=people, **how)
    n_new = {
        "participants": len(people.new),
        "statements": n_statements,
        "responses": write_responses(collected=collected, people=people, **how),
        "ratings": write_ratings(ratings=checked.ratings, people=people, **how),
        "votes": write_votes(votes=checked.votes, people=people, statements=statements, **how),
    }
    problems.raise_if_any()
    return ImportedResponses(
        files=tuple(FileRead(each.name, str(each.content), each.recognised.not_read) for each in checked.files),
        n_rows={name: collected.n_rows[name] for name in n_new},
        n_new=n_new,
        n_changes={"ratings": checked.ratings.n_changes, "votes": checked.votes.n_changes},
        n_repeated={"ratings": checked.ratings.n_repeated, "votes": checked.votes.n_repeated},
        n_other_revisions=collected.n_other_revisions,
        n_erased=collected.n_erased,
        batch=checked.batch,
        is_dry_run=is_dry_run,
    )


def _note(study: Study, done: ImportedResponses, *, by: AbstractBaseUser | AnonymousUser | None, now: datetime) -> None:
    audit.record(
        "study.responses_imported",
        subject_kind="study",
        subject_id=study.public_id,
        study_id=study.public_id,
        by=by,
        now=now,
        batch=done.batch,
        n_rows=done.n_rows,
        n_new=done.n_new,
    )
