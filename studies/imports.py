"""Questions, sources, answers and seeds from tables into a draft: checked as a whole, then written or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.errors import Invalid, Problems, bad_file
from core.randomness import drawn_order
from core.strictyaml import INVALID
from studies import services
from studies.definition import canonical, tables
from studies.definition.contradictions import KEYS, codes_of, in_rows
from studies.definition.loading import complete
from studies.definition.schema import table_specs
from studies.definition.writing import write
from studies.models import Enrolment, FreeResponse, Study

LABELS = {
    "questions": gettext_lazy("questions"),
    "sources": gettext_lazy("sources"),
    "answers": gettext_lazy("model answers"),
    "seeds": gettext_lazy("seed statements"),
}
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did, or would do if it was a dry run."""

    kind: str
    new: tuple[Row, ...]
    changed: tuple[Row, ...]
    n_unchanged: int
    is_dry_run: bool

    @property
    def n_rows(self) -> int:
        """How many rows the table had."""
        return len(self.new) + len(self.changed) + self.n_unchanged


@transaction.atomic
def import_rows(
    *, study: Study, kind: str, source: Path | bytes, name: str, by: Any, now: datetime, dry_run: bool = False
) -> Imported:
    """Take a CSV or JSONL table into the draft. Rows are known by their codes: known ones change, others are added.

    Raises
    ------
    BadInput
        With every problem by file, line and column; nothing was written then.
    Conflict
        If the study is published.
    """
    services.lock(study)
    services.refuse_if_published(study)
    return _merge(study, kind, _rows_of(study, kind, source, name), by=by, now=now, dry_run=dry_run, file=name)


@transaction.atomic
def seeds_from_study(
    *, study: Study, other: Study, maximum: int | None = None, by: Any, now: datetime, dry_run: bool = False
) -> Imported:
    """Take free responses of `other` as seeds of the questions with the same codes, at most `maximum` a question.

    Only live, complete participants count. A seed's code names the study and the response it comes from. Which ones
    are taken, if there are more, is drawn by the study's seed.
    """
    services.lock(study)
    services.refuse_if_published(study)
    codes = set(study.questions.filter(is_current=True).values_list("code", flat=True))
    rows: list[Row] = []
    for code in sorted(codes):
        found = [_seed_of(other, code, response) for response in _free_responses(other, code)]
        drawn = drawn_order(found, seed=study.seed, code=code, purpose=f"seeds from {other.slug}")[:maximum]
        rows += sorted(drawn, key=lambda row: str(row["code"]))
    if not rows:
        message = _("“%(title)s” has no free responses to questions with the same codes.") % {"title": other.title}
        raise Invalid(message, code="no_responses")
    return _merge(study, "seeds", rows, by=by, now=now, dry_run=dry_run, original=str(other.public_id))


def _merge(
    study: Study, kind: str, rows: Sequence[Row], *, by: Any, now: datetime, dry_run: bool, **detail: str
) -> Imported:
    definition = canonical(study)
    known = {_key(kind, row): row for row in definition[kind]}
    new = [row for row in rows if _key(kind, row) not in known]
    changed = [row for row in rows if known.get(_key(kind, row), row) != row]
    write(study, definition | {kind: list((known | {_key(kind, row): row for row in rows}).values())})
    n = {"n_new": len(new), "n_changed": len(changed)}
    services.record(study, f"study.imported_{kind}", by=by, now=now, **n, **detail)
    transaction.set_rollback(dry_run)
    return Imported(kind, tuple(new), tuple(changed), len(rows) - len(new) - len(changed), dry_run)


def _key(kind: str, row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in KEYS[kind])


def _rows_of(study: Study, kind: str, source: Path | bytes, name: str) -> list[Row]:
    """The rows of the table, complete, if each is right and all fit the study."""
    spec = table_specs()[kind]
    problems = Problems()
    tree = tables.read_list(source, name, spec, problems)
    data = spec.check(tree, problems, "")
    if data is not INVALID:
        known = codes_of(canonical(study))
        for problem in in_rows(tree, data, known=known, columns=KEYS[kind]):
            problems.add(problem)
    problems.raise_if_any()
    if not data:
        raise bad_file(name, _("The table has no rows."), _("Put a header first, then a row for each."), line=1)
    return list(complete({kind: data})[kind])


def _free_responses(other: Study, code: str) -> Any:
    return FreeResponse.objects.filter(
        question__study=other,
        question__code=code,
        enrolment__origin=Enrolment.Origin.LIVE,
        enrolment__status=Enrolment.Status.COMPLETE,
    ).order_by("id")


def _seed_of(other: Study, question: str, response: FreeResponse) -> Row:
    code = f"{other.slug[:50]}.{response.public_id.hex[:12]}"
    return {"question": question, "code": code, "text": response.text}


def columns() -> list[tuple[str, str]]:
    """What can be imported, and the columns of its table; those in brackets may be left out."""
    specs = table_specs()
    described = []
    for kind, label in LABELS.items():
        if kind not in specs:
            continue
        keys = specs[kind].item.keys.items()  # type: ignore[attr-defined]
        described.append((str(label), ", ".join(name if spec.required else f"[{name}]" for name, spec in keys)))
    return described


def preview_table(done: Imported, *, maximum: int = 50) -> dict[str, Any]:
    """The first rows that are new or changed, as a table for a page."""
    marked = [(_("new"), row) for row in done.new] + [(_("changed"), row) for row in done.changed]
    names = list(dict.fromkeys(name for _mark, row in marked for name in row))
    rows = [[mark, *(row.get(name, "") for name in names)] for mark, row in marked[:maximum]]
    return {"columns": [{"label": label} for label in (_("What"), *names)], "rows": rows}
