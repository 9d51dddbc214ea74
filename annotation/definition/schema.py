"""What the file of a campaign may say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotation.models import Campaign, Dimension, Packet
from annotation.models.packets import ATTEMPTS, ITEMS_PER_RATER, LEASE_MINUTES, RATERS_PER_ITEM
from core.strictyaml import Boolean, Choice, Code, Integer, ListOf, Mapping, Number, OneOf, Spec, Text
from studies.definition.schema import Line, StudySlug
from studies.models.validators import LANGUAGE, Limits

SCHEMA_VERSION = 1
ROLES = ("side", "context", "text")
HIDDEN_KINDS = ("text", "number", "integer", "boolean")
STATISTICS = (
    "percent_agreement",
    "cohen_kappa",
    "fleiss_kappa",
    "fleiss_kappa_gwet_generalised",
    "conger_kappa",
    "randolph_kappa",
    "krippendorff_alpha",
    "gwet_ac1",
    "gwet_ac2",
    "icc",
)
WEIGHTS = ("none", "linear", "quadratic")
RATER_SETS = ("all", "people", "models")
NAME = r"[a-z][a-z0-9_]{0,63}"
NAME_SAYS = _("Begin with a small letter, and use a-z, digits and underscore: it is the name of a column.")


def file_spec() -> Mapping:
    """The specification of a campaign's file."""
    return Mapping({**_own_keys(), "item_kinds": ListOf(_item_kind(), minimum=1, unique="code")})


def _own_keys() -> dict[str, Spec]:
    return {
        "schema_version": Integer(minimum=1, maximum=SCHEMA_VERSION, required=False, default=SCHEMA_VERSION),
        "slug": StudySlug(maximum=64),
        "title": Line(maximum=200),
        "kind": Choice(Campaign.Kind.values),
        "study": StudySlug(maximum=64, nullable=True, required=False, default=None),
        "language": Line(
            maximum=16,
            pattern=LANGUAGE,
            pattern_says=_("Write a tag such as en or pt-BR."),
            required=False,
            default="en",
        ),
        "contact": Line(maximum=200, blank=True, required=False, default=""),
        "consent": Text(blank=True, required=False, default=""),
        "raters_per_item": _integer(RATERS_PER_ITEM, default=2),
        "items_per_rater": _integer(ITEMS_PER_RATER, default=None, nullable=True),
        "counterbalanced": Boolean(required=False, default=True),
        "lease_minutes": _integer(LEASE_MINUTES, default=60),
        "skipping": Choice(Packet.SkipPolicy.values, required=False, default=str(Packet.SkipPolicy.LATER)),
        "unit": Choice(Packet.Unit.values, required=False, default=str(Packet.Unit.ITEM)),
        "qualification": _section(
            training=Boolean(required=False, default=False),
            pass_mark=Number(minimum=0, maximum=1, nullable=True, required=False, default=None),
            attempts=_integer(ATTEMPTS, default=2),
        ),
        "hidden": ListOf(_hidden_field(), required=False, default=[]),
        "primary_analysis": _primary_analysis(),
    }


def _hidden_field() -> OneOf:
    """A hidden field: its name, or its name and what it holds."""
    mapping = Mapping({"name": name_spec(), "kind": Choice(HIDDEN_KINDS, required=False, default="text")})
    return OneOf(scalar=name_spec(), mapping=mapping)


def _primary_analysis() -> Mapping:
    return _section(
        statistic=Choice(STATISTICS, nullable=True, required=False, default=None),
        weights=Choice(WEIGHTS, required=False, default="none"),
        labels=Choice(("all", "strict"), required=False, default="all"),
        cannot_judge=Choice(("missing", "category"), required=False, default="missing"),
        raters=Choice(RATER_SETS, required=False, default="all"),
        dimensions=ListOf(Text(maximum=130), required=False, default=[], unique=True),
    )


def _item_kind() -> Mapping:
    part = {"code": name_spec(), "label": Line(maximum=200), "role": Choice(ROLES, required=False, default="text")}
    return Mapping(
        {
            "code": Code(),
            "name": Line(maximum=200),
            "rubric": Text(),
            "parts": ListOf(Mapping(part), minimum=1, unique="code"),
            "dimensions": ListOf(_dimension(), minimum=1, unique="code"),
        }
    )


def _dimension() -> Mapping:
    return Mapping(
        {
            "code": Code(),
            "name": Line(maximum=200),
            "question": Text(),
            "scale": Choice(Dimension.Scale.values),
            "required": Boolean(required=False, default=True),
            "evidence": Choice(Dimension.Evidence.values, required=False, default=str(Dimension.Evidence.OFF)),
            "cannot_judge": _cannot_judge(),
            "depends_on": Mapping(
                {"dimension": Code(), "labels": ListOf(Code(), minimum=1, unique=True)},
                required=False,
                nullable=True,
                default=None,
            ),
            "labels": ListOf(_label(), minimum=2, maximum=100, unique="code"),
        }
    )


def _cannot_judge() -> Mapping:
    """A dimension that does not speak of it has no such answer; one that does says what it counts as."""
    missing = str(Dimension.CannotJudge.MISSING)
    return Mapping(
        {
            "counts_as": Choice(Dimension.CannotJudge.values, required=False, default=missing),
            "label": Line(maximum=120, blank=True, required=False, default=""),
            "meaning": Line(maximum=500, blank=True, required=False, default=""),
        },
        required=False,
        default={"counts_as": str(Dimension.CannotJudge.ABSENT), "label": "", "meaning": ""},
    )


def _label() -> Mapping:
    return Mapping(
        {
            "code": Code(),
            "text": Line(maximum=200),
            "hint": Line(maximum=500, blank=True, required=False, default=""),
            "value": Number(nullable=True, required=False, default=None),
            "match": Boolean(required=False, default=False),
            "mirror": Code(nullable=True, required=False, default=None),
        }
    )


def name_spec() -> Text:
    """A name that can be the column of a table."""
    return Text(pattern=NAME, pattern_says=NAME_SAYS)


def _section(**specs: Spec) -> Mapping:
    """Keys that are all optional, in a section that is optional itself."""
    defaults = {key: spec.default for key, spec in specs.items()}
    return Mapping(specs, required=False, default=defaults)


def _integer(limits: Limits, *, default: int | None, nullable: bool = False) -> Any:
    spec = Integer(minimum=limits.least, maximum=limits.most, nullable=nullable)
    return replace(spec, required=False, default=default)
