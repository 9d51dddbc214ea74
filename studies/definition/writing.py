"""From a definition to the rows of the draft. What was published is never changed: it is retired and followed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from django.db.models import ProtectedError
from django.utils.translation import gettext as _

from core import registry
from core.errors import Conflict
from studies.definition.keys import COLUMNS, get_at, to_column
from studies.models import FormItem, ModelAnswer, Question, Source, Study

Row = TypeVar("Row", Question, ModelAnswer)
Data = Mapping[str, Any]


def write(study: Study, data: Data) -> None:
    """Make the draft say what the complete definition `data` says. The caller holds the study's lock.

    Rows that no version has shown are changed in place. Of a published question or answer the text stays: another
    text becomes another revision, and a text that was there before becomes current again.
    """
    revisions = data.get("revisions", {})
    _write_columns(study, data)
    write_form(study, data["form"])
    sources = _write_sources(study, data["sources"])
    questions = _write_questions(study, data["questions"], revisions.get("questions", {}))
    _write_answers(study, data["answers"], questions, sources, revisions.get("answers", {}))
    for section in registry.sections():
        section.load(study, data[section.key])
    # Last, since sections had to let go of what belongs to a question first.
    _retire(row for row in _current_questions(study) if row.code not in questions)
    _drop_sources(study, sources)


def _write_columns(study: Study, data: Data) -> None:
    for path, column in COLUMNS.items():
        value = to_column(path, get_at(data, path)[1])
        if path == ("codes",):
            value = {**study.codes, **value}  # a code once made stays, unless another is given
        setattr(study, column, value)
    study.save()


def write_form(study: Study, entries: Sequence[Data]) -> None:
    """Make the draft's form these items."""
    known = {item.code: item for item in study.form_items.all()}
    for position, entry in enumerate(entries):
        item = known.pop(entry["code"], None) or FormItem(study=study, code=entry["code"])
        for name in ("kind", "label", "hint", "options", "minimum", "maximum"):
            setattr(item, name, entry[name])
        item.position = position
        item.save()
    FormItem.objects.filter(pk__in=[item.pk for item in known.values()]).delete()


def _write_sources(study: Study, entries: Sequence[Data]) -> dict[str, Source]:
    known = {source.code: source for source in study.sources.all()}
    published = set(ModelAnswer.objects.filter(source__study=study, is_frozen=True).values_list("source_id", flat=True))
    written = {}
    for position, entry in enumerate(entries):
        source = known.get(entry["code"]) or Source(study=study, code=entry["code"])
        if source.pk in published and source.settings != entry["settings"]:
            message = _("The settings of source %(code)s are published. Give other settings another code.")
            raise Conflict(message % {"code": source.code}, code="source_published")
        source.name, source.settings, source.position = entry["name"], entry["settings"], position
        source.save()
        written[source.code] = source
    return written


def _write_questions(study: Study, entries: Sequence[Data], numbers: Mapping[str, int]) -> dict[str, Question]:
    rows: dict[str, list[Question]] = defaultdict(list)
    for row in study.questions.order_by("revision"):
        rows[row.code].append(row)
    chosen: dict[str, Question] = {}
    says: dict[str, Data] = {}
    for position, entry in enumerate(entries):
        code = entry["code"]
        chosen[code] = _row_for(rows[code], entry["text"]) or Question(
            study=study, code=code, revision=_next_revision(rows[code], numbers.get(code, 1))
        )
        says[code] = {"text": entry["text"], "domain": entry["domain"], "position": position}
    _make_current(chosen, says, [row for code in chosen for row in rows[code]])
    return chosen


def _write_answers(
    study: Study,
    entries: Sequence[Data],
    questions: Mapping[str, Question],
    sources: Mapping[str, Source],
    numbers: Mapping[str, int],
) -> None:
    rows: dict[tuple[str, str], list[ModelAnswer]] = defaultdict(list)
    every = ModelAnswer.objects.filter(question__study=study).select_related("question", "source").order_by("revision")
    for row in every:
        rows[row.question.code, row.source.code].append(row)
    chosen: dict[tuple[str, str], ModelAnswer] = {}
    for entry in entries:
        pair = (entry["question"], entry["source"])
        question, source = questions[pair[0]], sources[pair[1]]
        able = [row for row in rows[pair] if row.question_id == question.pk]
        chosen[pair] = _row_for(able, entry["text"]) or ModelAnswer(
            question=question, source=source, revision=_next_revision(rows[pair], numbers.get("/".join(pair), 1))
        )
    says = {(entry["question"], entry["source"]): {"text": entry["text"]} for entry in entries}
    _make_current(chosen, says, [row for pair in chosen for row in rows[pair]])
    _retire(row for pair, others in rows.items() if pair not in chosen for row in others if row.is_current)


def _row_for(rows: Sequence[Row], text: str) -> Row | None:
    """The row that can carry `text`: one that has it, else one that no version has shown; the current one first."""
    able = [row for row in rows if row.text == text or not row.is_frozen]
    return min(able, key=lambda row: (row.text != text, not row.is_current), default=None)


def _next_revision(rows: Sequence[Row], first: int) -> int:
    return max((row.revision for row in rows), default=first - 1) + 1


def _make_current(chosen: Mapping[Any, Row], says: Mapping[Any, Data], known: Sequence[Row]) -> None:
    """Let the chosen rows say what they should, as the current ones of their codes.

    Old ones step down first, since only one may be current; rows that say it already are not written.
    """
    keep = {row.pk for row in chosen.values()}
    _retire(row for row in known if row.is_current and row.pk not in keep)
    new: list[Row] = []
    changed: list[Row] = []
    for key, row in chosen.items():
        values = {**says[key], "is_current": True}
        if row.pk is not None and all(getattr(row, name) == value for name, value in values.items()):
            continue
        for name, value in values.items():
            setattr(row, name, value)
        (new if row.pk is None else changed).append(row)
    if changed:
        type(changed[0]).objects.bulk_update(changed, list(values), batch_size=200)
    if new:
        type(new[0]).objects.bulk_create(new, batch_size=200)


def _retire(rows: Iterable[Question | ModelAnswer]) -> None:
    """Delete what no version has shown; what one has, or a preview still refers to, is only no longer current."""
    for row in list(rows):
        if not row.is_frozen:
            try:
                row.delete()
                continue
            except ProtectedError:  # steps of a preview; nothing was deleted
                pass
        row.is_current = False
        row.save(update_fields=["is_current"])


def _current_questions(study: Study) -> Iterable[Question]:
    return study.questions.filter(is_current=True)


def _drop_sources(study: Study, kept: Mapping[str, Source]) -> None:
    study.sources.exclude(code__in=kept).filter(answers=None).delete()
