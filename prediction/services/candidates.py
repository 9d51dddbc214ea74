"""Answers of models that nobody has rated, added to a closed study for prediction, and the study that comes of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from core import audit
from core.errors import Conflict, Invalid, Problems, bad_file, nearest
from core.tables import InputColumn, Kind, Row, TableSpec, read_table
from prediction.models import LONGEST_NAME, Candidate, CandidateAnswer
from prediction.services.batches import By
from studies import services as study_services
from studies.definition import canonical
from studies.definition.writing import write
from studies.models import Question, Source, Study
from studies.models.validators import CODE, validate_code

LONGEST_CODE = 64
SPEC = TableSpec(
    columns=(
        InputColumn("question", Kind.TEXT),
        InputColumn("source", Kind.TEXT, maximum_length=LONGEST_CODE),
        InputColumn("text", Kind.TEXT),
        InputColumn("name", Kind.TEXT, optional=True, nullable=True, maximum_length=LONGEST_NAME),
    ),
    unique=(("question", "source"),),
)


@dataclass(frozen=True, slots=True)
class AddedCandidates:
    """What was added, or would be by a dry run."""

    candidates: tuple[str, ...]
    n_rows: int
    n_new: int
    is_dry_run: bool

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy."""
        return asdict(self)


@transaction.atomic
def add_candidates(
    *, study: Study, source: Path | bytes, name: str, by: By, now: datetime, dry_run: bool = False
) -> AddedCandidates:
    """Take a table (question, source, text[, name]) of answers that nobody has rated into a closed study.

    The same rows again change nothing; another text of the same source to the same question is refused.

    Raises
    ------
    BadInput
        With every problem by file, line and column; nothing was written then.
    Conflict
        If the study is not closed: participants of an open one could still be asked.
    """
    rows = read_table(source, name, SPEC)
    if not rows:
        raise bad_file(name, _("The table has no rows."), _("Put a header first, then a row for each."), line=1)
    study_services.lock(study)
    if study.status != Study.Status.CLOSED:
        message = _("Answers for prediction are added to a closed study. This one is %(status)s: amend it instead.")
        raise Conflict(message % {"status": study.get_status_display()}, code="not_closed")
    questions = {row.code: row for row in Question.objects.filter(study=study, is_current=True)}
    problems = Problems()
    _check(study, rows, questions, problems)
    problems.raise_if_any()
    n_new = _write(study, rows, questions, by=by, now=now)
    codes = tuple(sorted({row["source"] for row in rows}))
    if n_new:
        audit.record(
            "candidates.added",
            subject_kind="study",
            subject_id=study.public_id,
            study_id=study.public_id,
            by=by,
            now=now,
            candidates=list(codes),
            n_new=n_new,
        )
    transaction.set_rollback(dry_run)
    return AddedCandidates(codes, len(rows), n_new, dry_run)


def _check(study: Study, rows: Sequence[Row], questions: Mapping[str, Question], problems: Problems) -> None:
    sources = set(Source.objects.filter(study=study).values_list("code", flat=True))
    stored = {
        (answer.question.code, answer.candidate.code): answer.text
        for answer in CandidateAnswer.objects.filter(candidate__study=study).select_related("question", "candidate")
    }
    for row in rows:
        if row["question"] not in questions:
            remedy = nearest(row["question"], sorted(questions))
            problems.add(row.problem("question", _("The study has no such question."), remedy))
        if row["source"] in sources:
            message = _("Participants have rated this source; a candidate needs a code of its own.")
            problems.add(row.problem("source", message))
        elif not re.fullmatch(CODE, row["source"]):
            problems.add(row.problem("source", str(validate_code.message)))
        if stored.get((row["question"], row["source"]), row["text"]) != row["text"]:
            message = _("Another text of this source to this question is stored.")
            problems.add(row.problem("text", message, _("Give another version of a model another code.")))


def _write(study: Study, rows: Sequence[Row], questions: Mapping[str, Question], *, by: By, now: datetime) -> int:
    candidates = {candidate.code: candidate for candidate in Candidate.objects.filter(study=study)}
    by_id = by.pk if by is not None and by.is_authenticated else None
    for row in rows:
        code = row["source"]
        if code not in candidates:
            candidates[code] = Candidate.objects.create(
                study=study, code=code, name=row["name"] or code, added_at=now, added_by_id=by_id
            )
    stored = set(CandidateAnswer.objects.filter(candidate__study=study).values_list("candidate_id", "question_id"))
    new = [
        CandidateAnswer(
            candidate=candidates[row["source"]], question=questions[row["question"]], text=row["text"], added_at=now
        )
        for row in rows
        if (candidates[row["source"]].pk, questions[row["question"]].pk) not in stored
    ]
    CandidateAnswer.objects.bulk_create(new, batch_size=1000)
    return len(new)


@transaction.atomic
def shortlist_study(*, study: Study, codes: Sequence[str], slug: str, title: str = "", by: Any, now: datetime) -> Study:
    """A new draft with the study's questions and the answers of the chosen sources and candidates alone.

    From here on they are model answers like any other: people will rate them.

    Raises
    ------
    Invalid
        If nothing is chosen, or a code is neither a source nor a candidate of the study.
    """
    definition = canonical(study)
    chosen = list(dict.fromkeys(codes))
    sources = [row for row in definition["sources"] if row["code"] in chosen]
    candidates = list(Candidate.objects.filter(study=study, code__in=chosen).order_by("code"))
    unknown = set(chosen) - {row["code"] for row in sources} - {candidate.code for candidate in candidates}
    if not chosen or unknown:
        message = _("Choose models of this study; these are none: %(codes)s.") % {"codes": ", ".join(sorted(unknown))}
        raise Invalid(message if unknown else _("Choose at least one model."), code="unknown_model")
    present = {row["code"] for row in definition["questions"]}
    answers = [row for row in definition["answers"] if row["source"] in chosen]
    new = CandidateAnswer.objects.filter(candidate__in=candidates).select_related("question", "candidate")
    answers += [
        {"question": answer.question.code, "source": answer.candidate.code, "text": answer.text}
        for answer in new.order_by("question__position", "question__code", "candidate__code")
        if answer.question.code in present
    ]
    data = definition | {
        "slug": slug,
        "title": title or study.title,
        "codes": {},
        "sources": sources + [{"code": each.code, "name": each.name, "settings": each.settings} for each in candidates],
        "answers": answers,
        "revisions": definition["revisions"] | {"answers": {}},
    }
    draft = study_services.create_study(slug=slug, title=data["title"], by=by, now=now)
    study_services.lock(draft)
    write(draft, data)
    study_services.record(
        draft, "study.shortlisted", by=by, now=now, original=str(study.public_id), models=sorted(chosen)
    )
    return draft
