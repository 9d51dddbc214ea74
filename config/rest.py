"""How the interface for programs pages."""

from __future__ import annotations

from rest_framework.pagination import CursorPagination


class IdCursorPagination(CursorPagination):
    """Pages in the order of creation; a cursor stays valid while rows are added."""

    ordering = "id"
    page_size_query_param = "page_size"
    max_page_size = 1000
