"""What a column holds wherever it is filled in: the same patterns as in a definition file."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

SLUG = r"[a-z0-9]+(?:-[a-z0-9]+)*"
CODE = r"[A-Za-z0-9][A-Za-z0-9_.-]*"
LANGUAGE = r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*"
CURRENCY = r"[A-Z]{3}"

validate_slug = RegexValidator(
    rf"\A{SLUG}\Z", gettext_lazy("Use lower-case letters a-z, digits and single hyphens between them."), "slug"
)
validate_code = RegexValidator(
    rf"\A{CODE}\Z",
    gettext_lazy("Begin with a letter or digit, and use letters a-z, digits, hyphen, underscore, dot."),
    "code",
)
validate_language = RegexValidator(rf"\A{LANGUAGE}\Z", gettext_lazy("Write a tag such as en or pt-BR."), "language")
validate_currency = RegexValidator(rf"\A{CURRENCY}\Z", gettext_lazy("Write three capitals, as in USD."), "currency")


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
