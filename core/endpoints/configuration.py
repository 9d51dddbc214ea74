"""Which model endpoints this copy may ask: a closed list that whoever runs it writes, never a participant or a study.

A key is named by the environment variable that holds it and is read at the moment of the call: it is in no setting,
no row, no log and no message.
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext as _

from core.endpoints.errors import EndpointError
from core.errors import nearest

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,127}")
# What may stand in a header: a key with a line break in it would be another header.
KEY = re.compile(r"[\x21-\x7e]{1,4096}")
MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model behind an OpenAI-compatible address.

    Parameters
    ----------
    name
        By which runs and campaigns name it.
    base_url
        Up to and without ``/chat/completions``; https, or http on this machine.
    model
        The name the server knows the model by.
    key_variable
        Environment variable that holds the key; empty for a server without keys.
    input_price, output_price
        For a million tokens, in `currency`; None if unknown, and then no cost is estimated.
    concurrency
        How many requests one worker sends at the same time.
    timeout_s
        For one whole request and its reply, not for each read.
    retries
        How often a request that failed in passing is sent again.
    backoff_s
        Wait before the first retry, at most; it doubles with each.
    maximum_bytes
        Longest reply that is read.
    """

    name: str
    base_url: str
    model: str
    key_variable: str = ""
    input_price: Decimal | None = None
    output_price: Decimal | None = None
    currency: str = "USD"
    concurrency: int = 4
    timeout_s: float = 60.0
    retries: int = 5
    backoff_s: float = 1.0
    maximum_bytes: int = 4_000_000

    def key(self) -> str:
        """The key from the environment (or the file that NAME_FILE names), empty if the server needs none.

        Raises
        ------
        EndpointError
            If the variable is unset or does not hold what can be a key. The message never holds its value.
        """
        if not self.key_variable:
            return ""
        text = os.environ.get(self.key_variable, "").strip() or self._key_from_file()
        if not KEY.fullmatch(text):
            message = _("The environment variable %(variable)s holds no key: the worker needs it to ask %(name)s.")
            raise EndpointError(
                message % {"variable": self.key_variable, "name": self.name}, code="no_key", endpoint=self.name
            )
        return text

    def _key_from_file(self) -> str:
        path = os.environ.get(f"{self.key_variable}_FILE", "")
        try:
            return Path(path).read_text(encoding="ascii").strip() if path else ""
        except (OSError, UnicodeDecodeError):
            return ""

    def cost(self, *, prompt_tokens: int, completion_tokens: int) -> Decimal | None:
        """What so many tokens cost, in `currency`; None if a price that is needed is unknown."""
        parts = ((prompt_tokens, self.input_price), (completion_tokens, self.output_price))
        if any(tokens and price is None for tokens, price in parts):
            return None
        return sum((tokens * (price or Decimal(0)) / MILLION for tokens, price in parts), Decimal(0))

    def described(self) -> dict[str, Any]:
        """What a result says about whom it asked: enough to repeat it, nothing secret."""
        return {"endpoint": self.name, "model": self.model, "base_url": self.base_url}


def configured(name: str) -> Endpoint:
    """The configured endpoint of that name.

    Raises
    ------
    EndpointError
        If none is called so.
    """
    known: Mapping[str, Endpoint] = settings.ENDPOINTS
    if name not in known:
        message = _("No model endpoint is called “%(name)s”.") % {"name": name[:64]}
        hint = nearest(name[:64], known) if known else _("None is configured: see POLYPHONY_ENDPOINTS.")
        raise EndpointError(f"{message} {hint}", code="unknown_endpoint", endpoint=name[:64])
    return known[name]


def names() -> tuple[str, ...]:
    """The names of all configured endpoints, in alphabetical order."""
    return tuple(sorted(settings.ENDPOINTS))


def parse_endpoints(text: str) -> dict[str, Endpoint]:
    """The endpoints that POLYPHONY_ENDPOINTS describes: a JSON list of objects with the fields of `Endpoint`.

    Raises
    ------
    ImproperlyConfigured
        Naming the entry and what is wrong with it.
    """
    if not text.strip():
        return {}
    try:
        entries = json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise ImproperlyConfigured(f"POLYPHONY_ENDPOINTS is no JSON: {error}") from error
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ImproperlyConfigured("POLYPHONY_ENDPOINTS must be a JSON list of objects, one an endpoint.")
    found: dict[str, Endpoint] = {}
    for number, entry in enumerate(entries, start=1):
        endpoint = _endpoint(entry, f"POLYPHONY_ENDPOINTS, entry {number}")
        if endpoint.name in found:
            raise ImproperlyConfigured(f"POLYPHONY_ENDPOINTS has two entries named {endpoint.name!r}.")
        found[endpoint.name] = endpoint
    return found


def _endpoint(entry: Mapping[str, Any], where: str) -> Endpoint:
    unknown = sorted(set(entry) - set(Endpoint.__dataclass_fields__))
    if unknown:
        raise ImproperlyConfigured(f"{where}: unknown {', '.join(map(repr, unknown))}.")
    name = _text(entry, "name", where)
    if not NAME.fullmatch(name):
        raise ImproperlyConfigured(f"{where}: the name {name!r} must be lower case letters, digits, '.', '_' and '-'.")
    where = f"{where} ({name})"
    variable = _text(entry, "key_variable", where, default="")
    if variable and not VARIABLE.fullmatch(variable):
        # The value is not repeated: somebody may have put the key itself here.
        raise ImproperlyConfigured(f"{where}: key_variable must name an environment variable, as in MY_PROVIDER_KEY.")
    return Endpoint(
        name=name,
        base_url=_address(_text(entry, "base_url", where), where),
        model=_text(entry, "model", where),
        key_variable=variable,
        input_price=_price(entry, "input_price", where),
        output_price=_price(entry, "output_price", where),
        currency=_text(entry, "currency", where, default="USD"),
        concurrency=int(_number(entry, "concurrency", where, (1, 64), whole=True)),
        timeout_s=_number(entry, "timeout_s", where, (1, 3600)),
        retries=int(_number(entry, "retries", where, (0, 20), whole=True)),
        backoff_s=_number(entry, "backoff_s", where, (0, 60)),
        maximum_bytes=int(_number(entry, "maximum_bytes", where, (1000, 100_000_000), whole=True)),
    )


def _text(entry: Mapping[str, Any], key: str, where: str, default: str | None = None) -> str:
    value = entry.get(key, default)
    if not isinstance(value, str) or (default is None and not value.strip()) or not value.isprintable():
        raise ImproperlyConfigured(f"{where}: {key} must be text on one line.")
    return value.strip()


def _number(entry: Mapping[str, Any], key: str, where: str, limits: tuple[int, int], *, whole: bool = False) -> float:
    value = entry.get(key, Endpoint.__dataclass_fields__[key].default)
    kinds = (int,) if whole else (int, float, Decimal)
    if isinstance(value, bool) or not isinstance(value, kinds) or not limits[0] <= value <= limits[1]:
        kind = "a whole number" if whole else "a number"
        raise ImproperlyConfigured(f"{where}: {key} must be {kind} from {limits[0]} to {limits[1]}.")
    return float(value)


def _price(entry: Mapping[str, Any], key: str, where: str) -> Decimal | None:
    value = entry.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or value < 0:
        raise ImproperlyConfigured(f"{where}: {key} must be a price for a million tokens, or absent if unknown.")
    return Decimal(value)


def _address(url: str, where: str) -> str:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ImproperlyConfigured(f"{where}: base_url is no address.") from error
    if parts.username or parts.password or parts.query or parts.fragment or not parts.hostname or port == 0:
        raise ImproperlyConfigured(f"{where}: base_url must read https://host/path, without name, key or query.")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname)):
        raise ImproperlyConfigured(f"{where}: base_url must start with https:// (http:// only for this machine).")
    if not url.isascii() or " " in url:
        raise ImproperlyConfigured(f"{where}: base_url must be written in ASCII.")
    return url.rstrip("/")


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine by its very name."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
