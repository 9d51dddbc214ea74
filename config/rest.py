"""How the interface for programs pages."""

from __future__ import annotations

from typing import Any

from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination


class IdCursorPagination(CursorPagination):
    """Pages in the order of creation; a cursor stays valid while rows are added."""

    ordering = "id"
    page_size_query_param = "page_size"
    max_page_size = 1000

    def decode_cursor(self, request: Any) -> Any:
        """Read the cursor; one that was made up is not found, rather than an error of the database."""
        cursor = super().decode_cursor(request)
        position = "" if cursor is None or cursor.position is None else str(cursor.position)
        if position and not (position.isascii() and position.isdigit() and len(position) < 20):
            raise NotFound(self.invalid_cursor_message)
        return cursor
