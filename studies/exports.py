"""The tables of people, what they gave and what they were shown, as they leave the platform. Previews stay behind.

People, questions and sources go by their codes. Rows are in the order in which they were stored.
"""

from __future__ import annotations

from core.tables import Table
from studies.data import content_tables, people_tables, session_tables


def tables() -> tuple[Table, ...]:
    """The tables that studies declares; `rows` of each takes the study."""
    return (*people_tables.TABLES, *session_tables.TABLES, *content_tables.TABLES)
