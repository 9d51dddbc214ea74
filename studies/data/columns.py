"""Columns that several tables share, and how rows are streamed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from core.tables import Column, Kind

CHUNK = 5_000
Rows = Iterator[tuple[Any, ...]]

#: Who may take recruiters' ids, and what was sent too late, out of the platform.
IDENTITY_PERMISSION = "studies.export_externalidentity"

PARTICIPANT = Column("participant", Kind.TEXT, _("Public code of the participant."), nullable=False)
QUESTION = Column("question", Kind.TEXT, _("Code of the question."), nullable=False)
REVISION = Column("question_revision", Kind.INTEGER, _("Revision of the question."), nullable=False)
SOURCE = Column("source", Kind.TEXT, _("Code of the source."), nullable=False)
ANSWER_REVISION = Column("answer_revision", Kind.INTEGER, _("Revision of the source's answer."), nullable=False)


def streamed(queryset: QuerySet[Any], *columns: str) -> Rows:
    """The rows of `queryset` as tuples of `columns`, some thousands in memory at a time."""
    return queryset.values_list(*columns).iterator(chunk_size=CHUNK)
