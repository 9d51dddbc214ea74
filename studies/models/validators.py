"""What a column holds wherever it is filled in: the same patterns and limits as in a definition file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

SLUG = r"[a-z0-9]+(?:-[a-z0-9]+)*"
CODE = r"[A-Za-z0-9][A-Za-z0-9_.-]*"
LANGUAGE = r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*"
CURRENCY = r"[A-Z]{3}"

RESERVED_SLUGS = frozenset({"upload"})
"""What stands in an address where a study's slug may stand."""

SMALL, LARGE = 32_767, 2_147_483_647
"""The largest numbers that the two sizes of whole-number columns hold in every database."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The least and the most that a number may be, for validators, constraints and definition files alike."""

    least: int
    most: int

    def validators(self) -> list[Any]:
        """What a form checks."""
        return [MinValueValidator(self.least), MaxValueValidator(self.most)]

    def condition(self, column: str, *, null: bool = False) -> Q:
        """What the database checks of `column`; `null` if it may be empty."""
        within = Q(**{f"{column}__range": (self.least, self.most)})
        return within | Q(**{f"{column}__isnull": True}) if null else within


LEAST_PAY = 0
"""Most is what the column holds."""
PAY_MINUTES = Limits(1, SMALL)
PLACES = Limits(1, LARGE)
SESSION_MINUTES = Limits(5, LARGE)
SLOT_MINUTES = Limits(5, LARGE)
QUESTIONS_EACH = Limits(1, SMALL)
WRITE_MINIMUM = Limits(0, 10_000)
WRITE_MAXIMUM = Limits(1, 10_000)

validate_code = RegexValidator(
    rf"\A{CODE}\Z",
    gettext_lazy("Begin with a letter or digit, and use letters a-z, digits, hyphen, underscore, dot."),
    "code",
)
validate_language = RegexValidator(rf"\A{LANGUAGE}\Z", gettext_lazy("Write a tag such as en or pt-BR."), "language")
validate_currency = RegexValidator(rf"\A{CURRENCY}\Z", gettext_lazy("Write three capitals, as in USD."), "currency")


def slug_fault(slug: str) -> str | None:
    """Why a study cannot have this slug; None if it can."""
    if slug in RESERVED_SLUGS:
        return _("“%(slug)s” is part of an address of Polyphony's own. Choose another slug.") % {"slug": slug}
    if not re.fullmatch(SLUG, slug):
        return _("Use lower-case letters a-z, digits and single hyphens between them.")
    return None


def validate_slug(slug: str) -> None:
    """Refuse a slug that would not stand in an address, or would hide one of ours."""
    fault = slug_fault(slug)
    if fault is not None:
        raise ValidationError(fault, "slug")


def is_time_zone(name: str) -> bool:
    """Whether the machine knows the time zone `name`; UTC needs no list of zones."""
    try:
        return name == "UTC" or ZoneInfo(name) is not None
    except (KeyError, ValueError, OSError):  # not found, not a name, or a folder of zones
        return False


def validate_time_zone(name: str) -> None:
    """Refuse a time zone that nobody can display in."""
    if not is_time_zone(name):
        raise ValidationError(_("There is no such time zone. Write one such as UTC or Europe/Berlin."), "time_zone")
