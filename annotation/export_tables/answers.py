"""Who judged, and what they said."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from annotation.export_tables.scope import CHUNK, DIMENSION, ITEM, KIND, RATER, Rows, Scope, made, team_only
from annotation.models import Adjudication, Assignment, JudgeCall, Judgement, Rater
from annotation.selectors.times import seconds_at_items
from core.tables import Column, Kind, Table

MISSING = dict(Judgement.Missing.choices)


def raters(scope: Scope) -> Table:
    """Everybody who judged, with what is said of them."""
    columns: list[Column | None] = [
        RATER,
        Column("kind", Kind.TEXT, _("Person or model."), values=dict(Rater.Kind.choices), nullable=False),
        team_only(scope, Column("came_by", Kind.TEXT, _("How they came."), values=dict(Rater.CameBy.choices))),
        team_only(scope, Column("name", Kind.TEXT, _("What the team calls them."))),
        team_only(scope, Column("account", Kind.TEXT, _("Name of the account."))),
        team_only(scope, Column("recruitment", Kind.TEXT, _("How they were found."))),
        team_only(scope, Column("pay_amount", Kind.NUMBER, _("What they are paid."))),
        team_only(scope, Column("pay_currency", Kind.TEXT, _("In which currency."))),
        team_only(scope, Column("pay_per", Kind.TEXT, _("What the pay is for."))),
        team_only(scope, Column("joined_at", Kind.DATETIME, _("When they joined."))),
        team_only(scope, Column("removed_at", Kind.DATETIME, _("When their work was ended; their answers stay."))),
        Column("model", Kind.TEXT, _("Name of the model, if it is one that was asked here.")),
        Column("parameters", Kind.JSON, _("Parameters sent with each request.")),
        Column("instructions", Kind.TEXT, _("Instructions to the model; the item follows them.")),
    ]
    return made("raters", _("Everybody who judged, those who were removed included."), columns, _rater_rows, scope)


def _rater_rows(scope: Scope) -> Rows:
    raters = Rater.objects.filter(campaign=scope.packet.campaign_id).select_related("judge", "account")
    for rater in sorted(raters, key=lambda each: scope.names[each.pk]):
        judge = getattr(rater, "judge", None)
        yield (
            scope.names[rater.pk],
            rater.kind,
            rater.came_by,
            rater.name,
            None if rater.account is None else rater.account.get_username(),
            rater.recruitment,
            None if rater.pay_amount is None else float(rater.pay_amount),
            rater.pay_currency,
            rater.pay_per,
            rater.joined_at,
            rater.removed_at,
            None if judge is None else judge.model,
            None if judge is None else judge.parameters,
            None if judge is None else judge.prompt,
        )


def judgements(scope: Scope) -> Table:
    """Every answer."""
    columns: list[Column | None] = [
        ITEM,
        RATER,
        Column("purpose", Kind.TEXT, _("Why it was given."), values=dict(Assignment.Purpose.choices), nullable=False),
        Column("round", Kind.INTEGER, _("Number of the attempt at training and gold items."), nullable=False),
        KIND,
        DIMENSION,
        Column("label", Kind.TEXT, _("The label, in terms of the texts in their stored order.")),
        Column("shown_label", Kind.TEXT, _("The label as it was chosen on the page.")),
        Column("labels", Kind.JSON, _("The labels, where there may be several.")),
        Column("missing", Kind.TEXT, _("Why there is no label."), values=MISSING),
        Column("swapped", Kind.BOOLEAN, _("Whether the second text was shown as A.")),
        Column("rank", Kind.INTEGER, _("Place of the item in the rater's order.")),
        Column("is_extra", Kind.BOOLEAN, _("Whether it came too late and is left out of analyses."), nullable=False),
        Column("is_current", Kind.BOOLEAN, _("Whether it was not changed later."), nullable=False),
        Column("seconds", Kind.NUMBER, _("Seconds from the first showing to the first submission."), unit="s"),
        team_only(scope, Column("evidence", Kind.TEXT, _("What the rater said it rests on."))),
        team_only(scope, Column("judged_at", Kind.DATETIME, _("When."))),
    ]
    return made("judgements", _("Every answer, superseded ones included."), columns, _judgement_rows, scope)


def _judgement_rows(scope: Scope) -> Rows:
    rows = Judgement.objects.filter(assignment__item__packet=scope.packet)
    if scope.is_public:
        rows = rows.current()
    seconds = {(rater, item): spent for rater, item, spent in seconds_at_items(scope.packet)}
    ordered = rows.order_by(
        "assignment__item__key", "assignment__rater__code", "assignment__purpose", "dimension__code", "pk"
    )
    columns = (
        "assignment__item_id",
        "assignment__rater_id",
        "assignment__item__key",
        "assignment__purpose",
        "assignment__round",
        "dimension__kind__code",
        "dimension__code",
        "label__code",
        "shown_label__code",
        "labels",
        "missing",
        "swapped",
        "rank",
        "assignment__is_extra",
        "superseded_at",
        "evidence",
        "judged_at",
    )
    for row in _in_order_of_names(scope, ordered.values_list(*columns).iterator(chunk_size=CHUNK)):
        item_id, rater_id, key, purpose, *said, is_extra, superseded_at, evidence, judged_at = row
        spent = seconds.get((rater_id, item_id)) if purpose == Assignment.Purpose.WORK else None
        answer = (is_extra, superseded_at is None, spent, evidence, judged_at)
        yield (key, scope.names[rater_id], purpose, *said, *answer)


def _in_order_of_names(scope: Scope, rows: Rows) -> Rows:
    """The rows of each item in the order of the raters' names in this export: that of their codes would tell codes."""
    of: Any = None
    held: list[tuple[Any, ...]] = []
    for row in rows:
        if row[0] != of:
            yield from sorted(held, key=lambda each: scope.names[each[1]])
            of, held = row[0], []
        held.append(row)
    yield from sorted(held, key=lambda each: scope.names[each[1]])


def adjudications(scope: Scope) -> Table:
    """What was decided after the lock."""
    columns: list[Column | None] = [
        ITEM,
        KIND,
        DIMENSION,
        Column("label", Kind.TEXT, _("The label decided upon.")),
        Column("labels", Kind.JSON, _("The labels, where there may be several.")),
        Column("cannot_judge", Kind.BOOLEAN, _("Whether it cannot be judged."), nullable=False),
        Column("was_blind", Kind.BOOLEAN, _("Whether it was decided before unblinding."), nullable=False),
        Column("is_current", Kind.BOOLEAN, _("Whether no later decision replaced it."), nullable=False),
        team_only(scope, Column("author", Kind.TEXT, _("Who decided."))),
        team_only(scope, Column("reason", Kind.TEXT, _("Why."))),
        team_only(scope, Column("decided_at", Kind.DATETIME, _("When."))),
    ]
    return made("adjudications", _("Labels decided upon after the lock."), columns, _adjudication_rows, scope)


def _adjudication_rows(scope: Scope) -> Rows:
    rows = Adjudication.objects.filter(item__packet=scope.packet)
    if scope.is_public:
        rows = rows.current()
    ordered = rows.select_related("item", "dimension__kind", "label").order_by("item__key", "dimension__code", "pk")
    for row in ordered.iterator(chunk_size=CHUNK):
        yield (
            row.item.key,
            row.dimension.kind.code,
            row.dimension.code,
            None if row.label is None else row.label.code,
            row.labels,
            row.cannot_judge,
            row.was_blind,
            row.superseded_at is None,
            row.author_name,
            row.reason,
            row.decided_at,
        )


def calls(scope: Scope) -> Table:
    """What models were asked, and what came."""
    columns: list[Column | None] = [
        ITEM,
        RATER,
        Column("purpose", Kind.TEXT, _("Why it was asked."), values=dict(Assignment.Purpose.choices), nullable=False),
        Column("attempt", Kind.INTEGER, _("Number of the call for this item."), nullable=False),
        Column("outcome", Kind.TEXT, _("What came."), values=dict(JudgeCall.Outcome.choices), nullable=False),
        Column("prompt_sha256", Kind.TEXT, _("Hash of messages and parameters as sent."), nullable=False),
        Column("model", Kind.TEXT, _("The model that answered, as the server names it."), nullable=False),
        team_only(scope, Column("raw_output", Kind.TEXT, _("The whole reply as it came."))),
        Column("usage", Kind.JSON, _("Tokens and requests."), nullable=False),
        team_only(scope, Column("error", Kind.TEXT, _("Why there was no reply."))),
        team_only(scope, Column("asked_at", Kind.DATETIME, _("When it was asked."))),
        team_only(scope, Column("answered_at", Kind.DATETIME, _("When the reply was there."))),
    ]
    return made("model_calls", _("Every call of a model."), columns, _call_rows, scope)


def _call_rows(scope: Scope) -> Rows:
    rows = JudgeCall.objects.filter(assignment__item__packet=scope.packet)
    ordered = rows.order_by("assignment__item__key", "assignment__rater__code", "assignment__purpose", "attempt")
    columns = (
        "assignment__item__key",
        "assignment__rater_id",
        "assignment__purpose",
        "attempt",
        "outcome",
        "prompt_sha256",
        "model",
        "raw_output",
        "usage",
        "error",
        "asked_at",
        "answered_at",
    )
    for row in _in_order_of_names(scope, ordered.values_list(*columns).iterator(chunk_size=CHUNK)):
        yield (row[0], scope.names[row[1]], *row[2:])
