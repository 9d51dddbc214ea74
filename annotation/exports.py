"""The tables of an audit as they leave the platform: for the team, and for everybody.

What is for everybody holds no hidden field, nothing by which a rater could be known, and no free text of raters or the
team: raters go by names drawn for the export, which say only whether they are people or models. Rows are ordered by
what they are about, so that not even the order of storage shows through.
"""

from __future__ import annotations

from annotation.export_tables import answers, content, private
from annotation.export_tables.scope import Scope
from core.tables import Table

__all__ = ["Scope", "tables"]


def tables(scope: Scope) -> list[Table]:
    """The tables of an export; `rows` takes nothing."""
    found = [
        content.items(scope),
        content.texts(scope),
        content.dimensions(scope),
        content.labels(scope),
        answers.raters(scope),
        answers.judgements(scope),
        answers.adjudications(scope),
        answers.calls(scope),
    ]
    if not scope.is_public:
        found += [private.hidden(scope), private.scores(scope), private.consents(scope)]
    return found
