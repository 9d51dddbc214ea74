"""What a definition file may say: the keys that studies owns, and the sections that other apps registered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core import registry
from core.errors import Problems
from core.strictyaml import (
    Anything,
    Boolean,
    Choice,
    Code,
    Integer,
    ListOf,
    MapNode,
    MapOf,
    Mapping,
    OneOf,
    Slug,
    Spec,
    Text,
)
from studies.definition.keys import OUTCOMES, SCHEMA_VERSION
from studies.models import FormItem, Question, Source, Study
from studies.models.study import DEFAULT_BLOCKS
from studies.models.validators import (
    CURRENCY,
    LANGUAGE,
    LARGE,
    PAY_MINUTES,
    PLACES,
    QUESTIONS_EACH,
    SESSION_MINUTES,
    SLOT_MINUTES,
    SLUG,
    WRITE_MAXIMUM,
    WRITE_MINIMUM,
    Limits,
    slug_fault,
)

#: Without these a file names no study; all else can wait until publication.
NEEDED = ("slug", "title")
_REVISION = Limits(1, LARGE)
_ANY_INTEGER = Limits(-LARGE - 1, LARGE)
_AMOUNT = r"[0-9]{1,6}(?:\.[0-9]{1,2})?"
_COMPLETION_CODE = r"[A-Za-z0-9_-]{4,64}"


@dataclass(frozen=True)
class Line(Text):
    """A text on one line that a column of `maximum` code points holds, with no space at its ends.

    Forms strip such spaces, and a domain with one would be another domain.
    """

    one_line: bool = True

    def fault_of(self, text: str) -> tuple[str, str] | None:
        """What is wrong with the text, and the remedy."""
        fault = super().fault_of(text)
        if fault is not None or text == "":
            return fault
        if text != text.strip():
            return gettext("There is a space at the start or end."), gettext("Remove it.")
        if self.maximum is not None and len(text) > self.maximum:
            return gettext("The text has more than %(n)d code points.") % {"n": self.maximum}, ""
        return None


@dataclass(frozen=True)
class StudySlug(Slug):
    """The slug of a study, by the one rule for slugs."""

    pattern: str | None = SLUG

    def fault_of(self, text: str) -> tuple[str, str] | None:
        """What is wrong with the slug, and the remedy."""
        fault = super().fault_of(text)
        if fault is not None:
            return fault
        reason = slug_fault(text)
        return None if reason is None else (gettext("This slug is not possible."), reason)


def file_spec() -> Mapping:
    """The specification of a whole file, tables beside it not yet read."""
    lists = {key: OneOf(scalar=_file_name(), sequence=spec, required=False) for key, spec in table_specs().items()}
    own = {key: spec if key in NEEDED else _optional(spec) for key, spec in _own_keys().items()}
    return Mapping({**own, **lists, **_settings_sections(), "revisions": _optional(_revisions())})


def table_specs() -> dict[str, ListOf]:
    """The lists that may stand in a CSV or JSONL file beside the definition, by key."""
    sections = {section.key: section.schema() for section in registry.sections()}
    return {**_own_lists(), **{key: spec for key, spec in sections.items() if isinstance(spec, ListOf)}}


def section_default(section: registry.DefinitionSection) -> Any:
    """What a section says if the file does not mention it."""
    spec = section.schema()
    if isinstance(spec, ListOf):
        return []
    problems = Problems()
    value = spec.check(MapNode("", 1, 1, ()), problems, section.key)
    problems.raise_if_any()
    return value


def _settings_sections() -> dict[str, Spec]:
    specs = {section.key: section.schema() for section in registry.sections()}
    return {key: _optional(spec) for key, spec in specs.items() if not isinstance(spec, ListOf)}


def _own_keys() -> dict[str, Spec]:
    return {
        "schema_version": Integer(minimum=1, maximum=SCHEMA_VERSION),
        "slug": StudySlug(maximum=_field("slug").max_length),
        "title": _line("title", blank=False),
        "language": Line(maximum=16, pattern=LANGUAGE, pattern_says=_("Write a tag such as en or pt-BR.")),
        "time_zone": _line("time_zone", blank=False),
        "summary": Text(blank=True),
        "contact": _line("contact"),
        "ethics": _keys(body=_line("ethics_body"), protocol=_line("ethics_protocol")),
        "pay": _keys(
            amount=Text(pattern=_AMOUNT, pattern_says=_("Write it as “4.50”."), nullable=True),
            currency=Text(pattern=CURRENCY, pattern_says=_("Write three capitals, as in USD."), blank=True),
            minutes=_integer(PAY_MINUTES, nullable=True),
        ),
        "consent": Text(blank=True),
        "withdrawal": Choice(Study.WithdrawalPolicy.values),
        "recruitment": _keys(
            open=Boolean(),
            prolific=Boolean(),
            places=_integer(PLACES, nullable=True),
            session_minutes=_integer(SESSION_MINUTES, nullable=True),
        ),
        "codes": _keys(**{outcome: _completion_code() for outcome in OUTCOMES}),
        "blocks": ListOf(Choice(block_kinds()), unique=True),
        "form": ListOf(_form_item(), unique="code"),
        "assignment": _keys(
            questions_each=_integer(QUESTIONS_EACH),
            policy=Choice(Study.AssignmentPolicy.values),
            slot_minutes=_integer(SLOT_MINUTES),
        ),
        "write": _keys(
            minimum=_integer(WRITE_MINIMUM),
            maximum=_integer(WRITE_MAXIMUM),
            stance=ListOf(Mapping({"value": Code(), "label": Line(maximum=80)}), unique="value"),
            importance=_keys(low=_line("importance_low"), high=_line("importance_high")),
        ),
        "rate": _keys(instructions=Text(blank=True), low=_line("rate_low"), high=_line("rate_high")),
        "debrief": Text(blank=True),
    }


def block_kinds() -> list[str]:
    """The kinds of block a definition may name: those that apps offer, and the usual ones."""
    return list(dict.fromkeys([*DEFAULT_BLOCKS, *registry.block_kinds()]))


def _own_lists() -> dict[str, ListOf]:
    question = {
        "code": Code(),
        "domain": Line(maximum=_field("domain", Question).max_length, blank=True, required=False),
        "text": Text(),
    }
    source = {
        "code": Code(),
        "name": Line(maximum=_field("name", Source).max_length),
        "settings": MapOf(Text(maximum=128), Anything(), required=False),
    }
    answer = {"question": Code(), "source": Code(), "text": Text()}
    return {
        "questions": ListOf(Mapping(question), unique="code"),
        "sources": ListOf(Mapping(source), unique="code"),
        "answers": ListOf(Mapping(answer)),
    }


def _form_item() -> Mapping:
    option = {"value": Code(), "label": Line(maximum=200), "screens_out": Boolean(required=False)}
    return Mapping(
        {
            "code": Code(),
            "kind": Choice(FormItem.Kind.values),
            "label": Line(maximum=_field("label", FormItem).max_length),
            "hint": Line(maximum=_field("hint", FormItem).max_length, blank=True, required=False),
            "options": ListOf(Mapping(option), unique="value", required=False),
            "minimum": _integer(_ANY_INTEGER, nullable=True, required=False),
            "maximum": _integer(_ANY_INTEGER, nullable=True, required=False),
        }
    )


def _revisions() -> Mapping:
    number = _integer(_REVISION)
    return _keys(questions=MapOf(Code(), number), answers=MapOf(Text(maximum=130), number))


def _keys(**specs: Spec) -> Mapping:
    return Mapping({key: _optional(spec) for key, spec in specs.items()})


def _optional(spec: Spec) -> Any:
    return replace(spec, required=False)


def _field(name: str, model: Any = Study) -> Any:
    return model._meta.get_field(name)


def _line(column: str, *, blank: bool = True) -> Text:
    return Line(maximum=_field(column).max_length, blank=blank)


def _integer(limits: Limits, **options: Any) -> Integer:
    return Integer(minimum=limits.least, maximum=limits.most, **options)


def _completion_code() -> Text:
    return Text(pattern=_COMPLETION_CODE, pattern_says=_("Use 4 to 64 letters, digits, hyphens and underscores."))


def _file_name() -> Text:
    return Line(maximum=255)
