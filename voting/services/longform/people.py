"""The enrolments of imported people: made, or compared with those that are there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from core.errors import Problems
from core.tables import Row
from studies.models import Enrolment, Study
from voting.services.longform.reading import Collected
from voting.services.longform.references import Person, people_of, stays

BATCH = 2_000
RECRUITER = "import"
#: Of what a file says of somebody who is there already, this must be the same.
COMPARED = ("status", "recruiter", "language", "started_at", "consented_at", "finished_at")


@dataclass(slots=True)
class People:
    """The people of an import by public code, and which of them are new."""

    known: dict[str, Person]
    new: set[str] = field(default_factory=set)

    def pk(self, code: str) -> int:
        """The primary key of the person."""
        return self.known[code].pk

    def may_add_to(self, code: str) -> bool:
        """Whether an import may add to what this person gave: not if they took part here."""
        return self.known[code].is_imported


def lock_people(study: Study) -> None:
    """Lock everybody whom imports brought in, so that nobody of them withdraws meanwhile."""
    rows = Enrolment.objects.filter(study=study).exclude(import_batch="").order_by("pk")
    list(rows.select_for_update(no_key=True).values_list("pk", flat=True))


def write_people(*, study: Study, collected: Collected, batch: str, problems: Problems, now: datetime) -> People:
    """Make those who are new, and compare the others with what the files say of them."""
    people = People(people_of(study))
    times = dict(_times(collected, now))
    new = []
    for code in collected.people():
        row, known = collected.participants.get(code), people.known.get(code)
        if known is None:
            new.append(_enrolment(study, code, row, times.get(code, (now, now)), batch))
        elif row is not None and not known.is_erased:
            _compare(row, known, problems)
    if new:
        Enrolment.objects.bulk_create(new, batch_size=BATCH)
        people = People(people_of(study), {enrolment.public_code for enrolment in new})
    return people


def _enrolment(study: Study, code: str, row: Row | None, times: tuple[datetime, datetime], batch: str) -> Enrolment:
    said: dict[str, Any] = {} if row is None else row.values
    status = said.get("status") or Enrolment.Status.COMPLETE
    started = said.get("started_at") or min(times[0], said.get("finished_at") or times[0])
    finished = None if status == Enrolment.Status.ACTIVE else said.get("finished_at") or max(times[1], started)
    return Enrolment(
        study=study,
        public_code=code,
        origin=_origin(said.get("origin")),
        status=status,
        recruiter=said.get("recruiter") or RECRUITER,
        language=said.get("language") or study.language,
        started_at=started,
        consented_at=said.get("consented_at"),
        finished_at=finished,
        last_seen_at=said.get("last_seen_at") or finished or max(times[1], started),
        import_batch=batch,
    )


def _origin(said: str | None) -> str:
    """Whoever comes from elsewhere is imported; only simulated participants stay marked as what they are."""
    simulated = Enrolment.Origin.SIMULATED
    return simulated if said == simulated else Enrolment.Origin.IMPORTED


def _compare(row: Row, known: Person, problems: Problems) -> None:
    for name in COMPARED:
        said, stored = row[name], getattr(known, name)
        if said is not None and said != stored:
            shown = stored.isoformat() if isinstance(stored, datetime) else stored
            message = _("The study has %(value)s here.") % {"value": _("nothing") if shown is None else shown}
            problems.add(row.problem(name, message, stays()))


def _times(collected: Collected, now: datetime) -> Iterator[tuple[str, tuple[datetime, datetime]]]:
    """When each person first and last did something, as far as the files say."""
    found: dict[str, list[datetime]] = {}
    for code, at in _events(collected):
        if code is not None and at is not None:
            known = found.setdefault(code, [at, at])
            known[:] = [min(known[0], at), max(known[1], at)]
    for code, (first, last) in found.items():
        yield code, (first, last)


def _events(collected: Collected) -> Iterator[tuple[str | None, datetime | None]]:
    for row in collected.statements.values():
        yield row["author"], row["created_at"]
    for row in collected.responses.values():
        yield row["participant"], row["written_at"]
    for rows in collected.ratings.values():
        yield from ((row["participant"], row["rated_at"]) for row in rows)
    for rows in collected.votes.values():
        yield from ((row["participant"], row["cast_at"]) for row in rows)
