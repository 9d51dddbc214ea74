"""Settings from environment variables, or from the file that NAME_FILE names."""

from __future__ import annotations

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"0", "false", "no", "off", ""})


def env_text(name: str, default: str = "") -> str:
    """Return the variable's text; a container's secret may come as a file in NAME_FILE."""
    path = os.environ.get(f"{name}_FILE", "")
    if not path:
        return os.environ.get(name, default).strip()
    if os.environ.get(name):
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set: unset one of them.")
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ImproperlyConfigured(f"{name}_FILE names {path}, which cannot be read: {error.strerror}.") from error


def env_bool(name: str, *, default: bool = False) -> bool:
    """Return the variable as yes or no."""
    text = env_text(name, "1" if default else "0").lower()
    if text in TRUE:
        return True
    if text in FALSE:
        return False
    raise ImproperlyConfigured(f"{name} is {text!r}: write 1 for yes or 0 for no.")


def env_int(name: str, default: int, *, minimum: int = 0) -> int:
    """Return the variable as a whole number of at least `minimum`."""
    text = env_text(name, str(default))
    if not (text.isascii() and text.isdigit()) or int(text) < minimum:
        raise ImproperlyConfigured(f"{name} is {text!r}: write a whole number of at least {minimum}.")
    return int(text)


def env_list(name: str, default: str = "") -> list[str]:
    """Return the variable's comma-separated entries, empty ones left out."""
    return [entry.strip() for entry in env_text(name, default).split(",") if entry.strip()]


def env_choice(name: str, default: str, *, choices: tuple[str, ...]) -> str:
    """Return the variable, which must be one of `choices`."""
    text = env_text(name, default)
    if text not in choices:
        raise ImproperlyConfigured(f"{name} is {text!r}: write one of {', '.join(choices)}.")
    return text
