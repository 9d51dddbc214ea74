"""What only the team has."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from annotation.export_tables.scope import CHUNK, ITEM, RATER, Rows, Scope, made
from annotation.models import HiddenFields, ItemScore, RaterConsent
from core.tables import Column, Kind, Table


def hidden(scope: Scope) -> Table:
    """What no rater could know."""
    columns: list[Column | None] = [
        ITEM,
        Column("external_id", Kind.TEXT, _("Id in the table that was imported."), nullable=False),
        Column("stratum", Kind.TEXT, _("Stratum."), nullable=False),
        Column("reference", Kind.TEXT, _("The reference that the item belongs to."), nullable=False),
        Column("pair", Kind.TEXT, _("The pair that the item belongs to."), nullable=False),
        Column("source", Kind.TEXT, _("Where the item comes from."), nullable=False),
        Column("model", Kind.TEXT, _("The model that wrote it."), nullable=False),
        Column("covered", Kind.BOOLEAN, _("Whether the reference is covered.")),
        Column("distance", Kind.NUMBER, _("Distance of the two texts.")),
        Column("repeats", Kind.TEXT, _("Key of the item that this one repeats blind.")),
        Column("values", Kind.JSON, _("All further hidden fields, by name."), nullable=False),
        Column("salt", Kind.TEXT, _("What the hash covers beside the fields."), nullable=False),
        Column("sha256", Kind.TEXT, _("The hash that was sealed at the freeze."), nullable=False),
    ]
    return made("hidden_fields", _("What no rater could know."), columns, _hidden_rows, scope)


def _hidden_rows(scope: Scope) -> Rows:
    rows = HiddenFields.objects.filter(packet=scope.packet).order_by("item__key")
    names = ("item__key", "external_id", "stratum", "reference", "pair", "source", "model", "is_covered", "distance")
    yield from rows.values_list(*names, "repeats__key", "values", "salt", "sha256").iterator(chunk_size=CHUNK)


def scores(scope: Scope) -> Table:
    """Scores of machines."""
    columns: list[Column | None] = [
        ITEM,
        Column("scorer", Kind.TEXT, _("Code of the scorer."), nullable=False),
        Column("part", Kind.TEXT, _("The text that was scored; empty for the item as a whole."), nullable=False),
        Column("score", Kind.NUMBER, _("The raw score."), nullable=False),
    ]
    return made("scores", _("Scores of machines."), columns, _score_rows, scope)


def _score_rows(scope: Scope) -> Rows:
    rows = ItemScore.objects.filter(item__packet=scope.packet).order_by("item__key", "scorer__code", "part")
    yield from rows.values_list("item__key", "scorer__code", "part", "value").iterator(chunk_size=CHUNK)


def consents(scope: Scope) -> Table:
    """What raters decided on the consent text."""
    columns: list[Column | None] = [
        RATER,
        Column("version", Kind.INTEGER, _("Version of the consent text."), nullable=False),
        Column("text_sha256", Kind.TEXT, _("Hash of the text."), nullable=False),
        Column("accepted", Kind.BOOLEAN, _("Whether they agreed."), nullable=False),
        Column("decided_at", Kind.DATETIME, _("When."), nullable=False),
    ]
    return made("consents", _("What raters decided on the consent text."), columns, _consent_rows, scope)


def _consent_rows(scope: Scope) -> Rows:
    rows = RaterConsent.objects.filter(rater__campaign=scope.packet.campaign_id).order_by("rater__code", "pk")
    columns = ("rater_id", "consent_text__number", "text_sha256", "accepted", "decided_at")
    for rater_id, *decided in rows.values_list(*columns):
        yield (scope.names[rater_id], *decided)
