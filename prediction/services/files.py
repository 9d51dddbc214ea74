"""Predicted ratings from a file: checked as a whole, then written at once or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path, PurePath
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from core import audit
from core.errors import InputProblem, Problems, bad_file, nearest
from core.tables import InputColumn, Kind, Row, TableSpec, stream_table
from prediction.models import LONGEST_NAME, CandidateAnswer, Prediction, PredictionBatch
from prediction.services.batches import By, batch_for
from studies.models import Enrolment, ModelAnswer, Question, RepresentationRating, Study

MOST_REPEATS = 1000
CHUNK = 2_000
SPEC = TableSpec(
    columns=(
        InputColumn("participant", Kind.TEXT),
        InputColumn("question", Kind.TEXT),
        InputColumn("source", Kind.TEXT),
        InputColumn("rating", Kind.NUMBER, minimum=1, maximum=5),
        InputColumn("repeat", Kind.INTEGER, optional=True, minimum=1, maximum=MOST_REPEATS),
        InputColumn("method", Kind.TEXT, optional=True, maximum_length=LONGEST_NAME),
    )
)
Key = tuple[str, int, int | None, int | None, int]
"""Method, enrolment, answer or candidate's answer, repeat."""


@dataclass(frozen=True, slots=True)
class ImportedPredictions:
    """What an import did, or would do if it was a dry run; `n_unmeasured` are of ratings that nobody gave."""

    file: str
    methods: tuple[str, ...]
    batches: tuple[str, ...]
    n_rows: int
    n_new: int
    n_unmeasured: int
    is_dry_run: bool

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready copy."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Known:
    """What rows may refer to, by code."""

    enrolments: dict[str, int]
    withdrawn: frozenset[str]
    questions: frozenset[str]
    sources: frozenset[str]
    answers: dict[tuple[str, str], tuple[int | None, int | None]]
    measured: frozenset[tuple[int, int]]

    @classmethod
    def of(cls, study: Study) -> _Known:
        people = Enrolment.objects.filter(study=study).counted()
        rows = people.values_list("public_code", "pk", "status")
        gone = Enrolment.Status.WITHDRAWN
        answers: dict[tuple[str, str], tuple[int | None, int | None]] = {}
        present = ModelAnswer.objects.filter(question__study=study, question__is_current=True, is_current=True)
        for question, source, key in present.values_list("question__code", "source__code", "pk"):
            answers[question, source] = (key, None)
        new = CandidateAnswer.objects.filter(candidate__study=study, question__is_current=True)
        for question, source, key in new.values_list("question__code", "candidate__code", "pk"):
            answers[question, source] = (None, key)
        questions = Question.objects.filter(study=study, is_current=True).values_list("code", flat=True)
        ratings = RepresentationRating.objects.current().filter(answer__in=present)
        return cls(
            enrolments={code: key for code, key, status in rows if status != gone},
            withdrawn=frozenset(code for code, _key, status in rows if status == gone),
            questions=frozenset(questions),
            sources=frozenset(source for _question, source in answers),
            answers=answers,
            measured=frozenset(ratings.values_list("enrolment_id", "answer_id")),
        )


def import_predictions(
    *,
    study: Study,
    source: Path | bytes,
    name: str,
    method: str = "",
    by: By,
    now: datetime,
    dry_run: bool = False,
) -> ImportedPredictions:
    """Take a long table (participant, question, source, rating[, repeat, method]) into `study`.

    Rows without a method belong to `method`, or else to the file's name without its end. The same rows again change
    nothing; rows that contradict what is stored under the same method are refused.

    Raises
    ------
    BadInput
        With every problem by file, line and column; nothing was written then.
    """
    problems = Problems()
    rows = list(stream_table(source, name, SPEC, problems=problems))
    if not rows:
        problems.raise_if_any()
        raise bad_file(name, _("The table has no rows."), _("Put a header first, then a row for each."), line=1)
    fallback = method or PurePath(name).stem[:LONGEST_NAME] or "file"
    with transaction.atomic():
        # Nobody withdraws while it is written.
        people = Enrolment.objects.filter(study=study).order_by("pk").select_for_update(no_key=True)
        list(people.values_list("pk", flat=True))
        done = _write(study, rows, name, fallback, problems, by=by, now=now, dry_run=dry_run)
        transaction.set_rollback(dry_run)
    return done


def _write(
    study: Study,
    rows: Sequence[Row],
    file: str,
    fallback: str,
    problems: Problems,
    *,
    by: By,
    now: datetime,
    dry_run: bool,
) -> ImportedPredictions:
    known = _Known.of(study)
    found = _checked(rows, known, fallback, problems)
    problems.raise_if_any()
    batches = _batches(study, sorted({key[0] for key in found}), problems, file, by=by, now=now)
    problems.raise_if_any()
    stored = _stored(batches)
    for key, row in found.items():
        if key in stored and stored[key] != row["rating"]:
            message = _("Under this method %(value)g is stored.") % {"value": stored[key]}
            problems.add(row.problem("rating", message, _("Give other predictions another method.")))
    problems.raise_if_any()
    new = {key: row for key, row in found.items() if key not in stored}
    Prediction.objects.bulk_create(
        (
            Prediction(
                batch=batches[key[0]],
                enrolment_id=key[1],
                answer_id=key[2],
                candidate_answer_id=key[3],
                repeat=key[4],
                outcome=Prediction.Outcome.RATING,
                value=row["rating"],
                predicted_at=now,
            )
            for key, row in new.items()
        ),
        batch_size=CHUNK,
    )
    if new:
        audit.record(
            "predictions.imported",
            subject_kind="study",
            subject_id=study.public_id,
            study_id=study.public_id,
            by=by,
            now=now,
            batches=[str(batch.public_id) for batch in batches.values()],
            n_new=len(new),
        )
    return ImportedPredictions(
        file=file,
        methods=tuple(batches),
        batches=tuple(str(batch.public_id) for batch in batches.values()),
        n_rows=len(rows),
        n_new=len(new),
        n_unmeasured=sum(1 for key in found if key[2] is not None and key[1:3] not in known.measured),
        is_dry_run=dry_run,
    )


def _checked(rows: Sequence[Row], known: _Known, fallback: str, problems: Problems) -> dict[Key, Row]:
    found: dict[Key, Row] = {}
    for row in rows:
        faults = list(_unknown(row, known))
        for fault in faults:
            problems.add(fault)
        if faults:
            continue
        answer = known.answers[row["question"], row["source"]]
        key: Key = (row["method"] or fallback, known.enrolments[row["participant"]], *answer, row["repeat"] or 1)
        if first := found.get(key):
            message = _("The same prediction is on line %(line)d.") % {"line": first.line}
            problems.add(row.problem("participant", message, _("Number the repeats, or keep one of the two.")))
        else:
            found[key] = row
    return found


def _unknown(row: Row, known: _Known) -> list[InputProblem]:
    """What the row refers to and the study does not have."""
    faults = []
    if row["participant"] in known.withdrawn:
        faults.append(row.problem("participant", _("This participant has withdrawn."), _("Delete the row.")))
    elif row["participant"] not in known.enrolments:
        faults.append(row.problem("participant", _("The study has no such participant."), _("Use public codes.")))
    for column, codes in (("question", known.questions), ("source", known.sources)):
        if row[column] not in codes:
            faults.append(row.problem(column, _("The study has no such code."), nearest(row[column], sorted(codes))))
    if not faults and (row["question"], row["source"]) not in known.answers:
        faults.append(row.problem("source", _("This source has no answer to the question.")))
    return faults


def _batches(
    study: Study, names: Sequence[str], problems: Problems, file: str, *, by: By, now: datetime
) -> dict[str, PredictionBatch]:
    batches = {}
    for name in names:
        parameters = {"method": name}
        batch = batch_for(
            study=study,
            method=PredictionBatch.Method.FILE,
            parameters=parameters,
            name=name,
            now=now,
            by_id=by.pk if by is not None and by.is_authenticated else None,
        )
        if batch.name != name:
            message = _("Another way of predicting is called so already; the file needs another name for its method.")
            problems.add(InputProblem(file, None, None, message, "", "method"))
        batches[name] = batch
    return batches


def _stored(batches: dict[str, PredictionBatch]) -> dict[Key, float | None]:
    names = {batch.pk: name for name, batch in batches.items()}
    rows = Prediction.objects.current().filter(batch__in=list(names)).order_by()
    columns = ("batch_id", "enrolment_id", "answer_id", "candidate_answer_id", "repeat", "value")
    return {
        (names[batch], enrolment, answer, candidate, repeat): value
        for batch, enrolment, answer, candidate, repeat, value in rows.values_list(*columns).iterator(chunk_size=10_000)
    }
