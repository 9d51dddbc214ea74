"""Several people at the same moment: threads that start together, each with a database connection of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from django.db import connection

T = TypeVar("T")


def at_once(act: Callable[..., T], arguments: Sequence[Any]) -> list[T]:
    """Call `act` once for each of `arguments`, all released at the same moment; the results in their order."""
    gate = threading.Barrier(len(arguments))

    def run(argument: Any) -> T:
        try:
            connection.ensure_connection()
            gate.wait(timeout=60)
            return act(argument)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(arguments)) as pool:
        return list(pool.map(run, arguments))
