"""From rows to a definition: the canonical form that is frozen and hashed, and the file a person edits."""

from __future__ import annotations

from typing import Any

from core import registry, strictyaml
from core.canonical import content_sha256
from studies.definition.keys import COLUMNS, LISTS, SCHEMA_VERSION, default_of, set_at, to_definition
from studies.models import FormItem, ModelAnswer, Study


def canonical(study: Study) -> dict[str, Any]:
    """The whole definition of the study's draft, every default filled in: what a StudyVersion holds.

    Equal definitions are equal as canonical JSON, wherever they came from.
    """
    questions = list(study.questions.filter(is_current=True).order_by("position", "code"))
    answers = list(_answers(study))
    data: dict[str, Any] = {"schema_version": SCHEMA_VERSION}
    for path, column in COLUMNS.items():
        set_at(data, path, to_definition(path, getattr(study, column)))
    data["form"] = [form_entry(item) for item in study.form_items.order_by("position", "code")]
    data["questions"] = [{"code": row.code, "domain": row.domain, "text": row.text} for row in questions]
    data["sources"] = _sources(study, answers)
    data["answers"] = [{"question": row.question.code, "source": row.source.code, "text": row.text} for row in answers]
    for section in registry.sections():
        data[section.key] = section.dump(study)
    data["revisions"] = {
        "questions": {row.code: row.revision for row in questions},
        "answers": {f"{row.question.code}/{row.source.code}": row.revision for row in answers},
    }
    return data


def sha256_of(study: Study) -> str:
    """The hash of the study's draft as it would be published now."""
    return content_sha256(canonical(study))


def dump(study: Study) -> dict[str, Any]:
    """The study's draft as a definition file says it: what is empty by default is left out.

    Loading it into a new study gives an equal canonical definition.
    """
    data = canonical(study)
    revisions = data.pop("revisions")
    for path in COLUMNS:
        _leave_out_if_empty(data, path, default_of(path))
    data["codes"] = {outcome: code for outcome, code in data.get("codes", {}).items() if code}
    data["form"] = [{key: value for key, value in item.items() if value not in (None, "", [])} for item in data["form"]]
    data["questions"] = [{key: value for key, value in row.items() if value} for row in data["questions"]]
    data["sources"] = [{key: value for key, value in row.items() if value} for row in data["sources"]]
    if any(number != 1 for numbers in revisions.values() for number in numbers.values()):
        data["revisions"] = revisions
    # An empty form is said: a file without one has the usual items.
    empty_lists = [key for key in ("codes", *LISTS) if not data[key] and key != "form"]
    return {key: value for key, value in data.items() if key not in empty_lists}


def dump_yaml(study: Study, *, with_codes: bool = True) -> str:
    """The study's draft as the text of a definition file. Without its codes it means those there are."""
    data = dump(study)
    return strictyaml.dump(data if with_codes else {key: value for key, value in data.items() if key != "codes"})


def form_entry(item: FormItem) -> dict[str, Any]:
    """A form item as definitions have it."""
    return {
        "code": item.code,
        "kind": str(item.kind),
        "label": item.label,
        "hint": item.hint,
        "options": [option_entry(option) for option in item.options],
        "minimum": item.minimum,
        "maximum": item.maximum,
    }


def option_entry(option: dict[str, Any]) -> dict[str, Any]:
    """An option of a form item with its default filled in."""
    return {
        "value": str(option["value"]),
        "label": str(option["label"]),
        "screens_out": bool(option.get("screens_out", False)),
    }


def _answers(study: Study) -> Any:
    return (
        ModelAnswer.objects.filter(question__study=study, question__is_current=True, is_current=True)
        .select_related("question", "source")
        .order_by("question__position", "question__code", "source__position", "source__code")
    )


def _sources(study: Study, answers: list[ModelAnswer]) -> list[dict[str, Any]]:
    """All sources but the retired: those whose answers all belong to earlier versions."""
    in_use = {row.source_id for row in answers}
    ever_used = set(ModelAnswer.objects.filter(source__study=study).values_list("source_id", flat=True))
    return [
        {"code": source.code, "name": source.name, "settings": source.settings}
        for source in study.sources.order_by("position", "code")
        if source.pk in in_use or source.pk not in ever_used
    ]


def _leave_out_if_empty(data: dict[str, Any], path: tuple[str, ...], default: Any) -> None:
    """Drop the key at `path` if it says nothing and nothing is the default; drop its parent if that empties it."""
    parents = [data]
    for key in path[:-1]:
        parents.append(parents[-1][key])
    value = parents[-1].get(path[-1])
    if value == default and value in (None, "", []):
        del parents[-1][path[-1]]
    for key, parent in zip(reversed(path[:-1]), reversed(parents[:-1]), strict=True):
        if not parent[key]:
            del parent[key]
