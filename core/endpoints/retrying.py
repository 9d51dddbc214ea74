"""Asking again: exponential backoff with full jitter, and never sooner than the server asks."""

from __future__ import annotations

import email.utils
import json
import logging
import random
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from core.endpoints.configuration import Endpoint
from core.endpoints.exchange import Failure, Reply, post_json

logger = logging.getLogger(__name__)

LONGEST_BACKOFF_S = 60.0
LONGEST_WAIT_S = 300.0
"""A server that asks for more patience than this is given up on; the run is resumed later."""

Sleep = Callable[[float], None]
Read = Callable[[Reply], Any]


def ask(
    endpoint: Endpoint, path: str, content: Mapping[str, Any], read: Read, *, sleep: Sleep = time.sleep
) -> tuple[Any, int]:
    """What `read` makes of the reply to `content`, and how many attempts it took.

    `read` returns a `Failure` for a reply that it cannot use; like a failure in passing, it is asked for again.

    Raises
    ------
    EndpointError
        If no attempt gave a usable reply, at once where asking again would change nothing.
    """
    key = endpoint.key()
    body = json.dumps(content, ensure_ascii=False, allow_nan=False).encode("utf-8")
    for attempt in range(1, endpoint.retries + 2):
        outcome = post_json(endpoint, path, body, key)
        result = read(outcome) if isinstance(outcome, Reply) else outcome
        if not isinstance(result, Failure):
            return result, attempt
        pause = _pause(endpoint, attempt, result)
        if not result.is_transient or attempt > endpoint.retries or pause is None:
            raise result.error(endpoint, attempt)
        # The status alone: what the server said may hold what it was asked.
        logger.info("endpoint %s: %s (%s), attempt %d", endpoint.name, result.code, result.status, attempt)
        sleep(pause)
    raise AssertionError("the last attempt returns or raises")


def _pause(endpoint: Endpoint, attempt: int, failure: Failure) -> float | None:
    """Seconds to wait, or None if the server asks for more than we wait."""
    longest = min(endpoint.backoff_s * 2 ** (attempt - 1), LONGEST_BACKOFF_S)
    jittered = random.uniform(0, longest)  # noqa: S311 - spreads retries, decides nothing else
    asked = retry_after(failure.retry_after, now=datetime.now(UTC))
    if asked is None:
        return jittered
    # The jitter comes on top, or all who were told the same second would return in it.
    return None if asked > LONGEST_WAIT_S else asked + min(jittered, 1.0)


def retry_after(value: str, *, now: datetime) -> float | None:
    """Seconds that a Retry-After header asks for, as a number or a date; None if it says nothing that makes sense."""
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        when = email.utils.parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - now).total_seconds())
