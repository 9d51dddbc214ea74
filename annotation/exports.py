"""The tables of an audit as they leave the platform: for the team, and for everybody.

What is for everybody holds no hidden field, nothing by which a rater could be known, and no free text of raters or the
team: raters go by names drawn for the export, which say only whether they are people or models. Rows are ordered by
what they are about, so that not even the order of storage shows through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotation.models import (
    Adjudication,
    Assignment,
    Dimension,
    HiddenFields,
    Item,
    ItemScore,
    ItemText,
    JudgeCall,
    Judgement,
    Label,
    Packet,
    Rater,
    RaterConsent,
)
from annotation.selectors.times import seconds_at_items
from core.randomness import drawn_order
from core.tables import Column, Kind, Table

CHUNK = 5_000
Rows = Iterator[tuple[Any, ...]]

_ITEM = Column("item", Kind.TEXT, _("Key of the item, drawn at random."), nullable=False)
_RATER = Column("rater", Kind.TEXT, _("The rater."), nullable=False)
_DIMENSION = Column("dimension", Kind.TEXT, _("Code of the dimension."), nullable=False)
_KIND = Column("kind", Kind.TEXT, _("Code of the kind of item."), nullable=False)
MISSING = dict(Judgement.Missing.choices)


@dataclass(frozen=True, slots=True)
class Scope:
    """For whom an export of a packet is: `names` are what raters are called in it."""

    packet: Packet
    is_public: bool
    names: dict[int, str]

    @classmethod
    def of(cls, packet: Packet, *, is_public: bool) -> Scope:
        """The scope, with the raters' names: their codes for the team, else drawn ones."""
        raters = list(Rater.objects.filter(campaign=packet.campaign_id).order_by("code"))
        names = _drawn_names(raters, packet.seed) if is_public else {rater.pk: rater.code for rater in raters}
        return cls(packet, is_public, names)


def _drawn_names(raters: list[Rater], seed: str) -> dict[int, str]:
    """`person-1`, `model-1` and so on, in an order that has nothing to do with codes or with who came first."""
    names: dict[int, str] = {}
    for kind in Rater.Kind.values:
        members = {rater.code: rater.pk for rater in raters if rater.kind == kind}
        drawn = drawn_order(sorted(members), seed=seed, code=kind, purpose="names of raters in public exports")
        names |= {members[code]: f"{kind}-{number}" for number, code in enumerate(drawn, start=1)}
    return names


def tables(scope: Scope) -> list[Table]:
    """The tables of an export; `rows` takes nothing."""
    found = [_items(scope), _texts(scope), _dimensions(scope), _labels(scope), _raters(scope), _judgements(scope)]
    found += [_adjudications(scope), _calls(scope)]
    if not scope.is_public:
        found += [_hidden(scope), _scores(scope), _consents(scope)]
    return found


def _table(
    name: str, description: Any, columns: list[Column | None], rows: Callable[[Scope], Rows], scope: Scope
) -> Table:
    """A table without the columns that are None, whose rows leave out the same places."""
    kept = [number for number, column in enumerate(columns) if column is not None]

    def chosen() -> Rows:
        for row in rows(scope):
            yield tuple(row[number] for number in kept)

    return Table(name, description, tuple(column for column in columns if column is not None), chosen)


def _team_only(scope: Scope, column: Column) -> Column | None:
    return None if scope.is_public else column


# --- What was judged -------------------------------------------------------------------------------------------------


def _items(scope: Scope) -> Table:
    columns: list[Column | None] = [
        _ITEM,
        _KIND,
        Column("purpose", Kind.TEXT, _("What it is for."), values=dict(Item.Purpose.choices), nullable=False),
        Column("proposals", Kind.JSON, _("Labels of a machine that raters checked, by dimension."), nullable=False),
        Column("sequence", Kind.TEXT, _("Segments of one text share it; empty for others."), nullable=False),
        Column("place", Kind.INTEGER, _("Place of a segment in its text.")),
        Column("salt", Kind.TEXT, _("What the hash covers beside the content; empty once erased."), nullable=False),
        Column("sha256", Kind.TEXT, _("The hash that was frozen."), nullable=False),
        Column("is_erased", Kind.BOOLEAN, _("Whether an author has withdrawn and the texts are gone."), nullable=False),
    ]
    return _table("items", _("The items of the packet."), columns, _item_rows, scope)


def _item_rows(scope: Scope) -> Rows:
    rows = Item.objects.filter(packet=scope.packet).order_by("key")
    columns = ("key", "kind__code", "purpose", "proposals", "sequence", "place", "salt", "sha256", "erased_at")
    for *row, erased_at in rows.values_list(*columns).iterator(chunk_size=CHUNK):
        yield (*row, erased_at is not None)


def _texts(scope: Scope) -> Table:
    columns: list[Column | None] = [
        _ITEM,
        Column("part", Kind.TEXT, _("Code of the text within its kind."), nullable=False),
        Column("text", Kind.TEXT, _("The text, byte for byte as raters were shown it."), nullable=False),
    ]
    return _table("texts", _("The texts of the items."), columns, _text_rows, scope)


def _text_rows(scope: Scope) -> Rows:
    rows = ItemText.objects.filter(item__packet=scope.packet).order_by("item__key", "part")
    yield from rows.values_list("item__key", "part", "text").iterator(chunk_size=CHUNK)


def _dimensions(scope: Scope) -> Table:
    columns: list[Column | None] = [
        _KIND,
        _DIMENSION,
        Column("question", Kind.TEXT, _("What was asked."), nullable=False),
        Column("scale", Kind.TEXT, _("Its scale."), values=dict(Dimension.Scale.choices), nullable=False),
        Column(
            "cannot_judge",
            Kind.TEXT,
            _("What cannot judge counts as."),
            values=dict(Dimension.CannotJudge.choices),
            nullable=False,
        ),
        Column("depends_on", Kind.TEXT, _("The dimension on whose answer it depends.")),
        Column("depends_labels", Kind.JSON, _("After which labels of that it was asked."), nullable=False),
    ]
    return _table("dimensions", _("What was asked about items of each kind."), columns, _dimension_rows, scope)


def _dimension_rows(scope: Scope) -> Rows:
    rows = Dimension.objects.filter(kind__packet=scope.packet).order_by("kind__position", "kind__code", "position")
    yield from rows.values_list(
        "kind__code", "code", "question", "scale", "cannot_judge", "depends_on__code", "depends_labels"
    )


def _labels(scope: Scope) -> Table:
    columns: list[Column | None] = [
        _KIND,
        _DIMENSION,
        Column("label", Kind.TEXT, _("Code of the label."), nullable=False),
        Column("position", Kind.INTEGER, _("Its place in the declared order, from 0."), nullable=False),
        Column("text", Kind.TEXT, _("What raters read."), nullable=False),
        Column("value", Kind.NUMBER, _("The number that means use.")),
        Column("is_match", Kind.BOOLEAN, _("Whether the strict summary counts it as a match."), nullable=False),
        Column("mirror", Kind.TEXT, _("The label that says the same with the sides exchanged.")),
    ]
    return _table("labels", _("The possible answers, in their declared order."), columns, _label_rows, scope)


def _label_rows(scope: Scope) -> Rows:
    rows = Label.objects.filter(dimension__kind__packet=scope.packet)
    ordered = rows.order_by("dimension__kind__position", "dimension__kind__code", "dimension__position", "position")
    yield from ordered.values_list(
        "dimension__kind__code", "dimension__code", "code", "position", "text", "value", "is_match", "mirror__code"
    )


# --- Who judged, and what they said ---------------------------------------------------------------------------------


def _raters(scope: Scope) -> Table:
    columns: list[Column | None] = [
        _RATER,
        Column("kind", Kind.TEXT, _("Person or model."), values=dict(Rater.Kind.choices), nullable=False),
        _team_only(scope, Column("came_by", Kind.TEXT, _("How they came."), values=dict(Rater.CameBy.choices))),
        _team_only(scope, Column("name", Kind.TEXT, _("What the team calls them."))),
        _team_only(scope, Column("account", Kind.TEXT, _("Name of the account."))),
        _team_only(scope, Column("recruitment", Kind.TEXT, _("How they were found."))),
        _team_only(scope, Column("pay_amount", Kind.NUMBER, _("What they are paid."))),
        _team_only(scope, Column("pay_currency", Kind.TEXT, _("In which currency."))),
        _team_only(scope, Column("pay_per", Kind.TEXT, _("What the pay is for."))),
        _team_only(scope, Column("joined_at", Kind.DATETIME, _("When they joined."))),
        _team_only(scope, Column("removed_at", Kind.DATETIME, _("When their work was ended; their answers stay."))),
        Column("model", Kind.TEXT, _("Name of the model, if it is one that was asked here.")),
        Column("parameters", Kind.JSON, _("Parameters sent with each request.")),
        Column("instructions", Kind.TEXT, _("Instructions to the model; the item follows them.")),
    ]
    return _table("raters", _("Everybody who judged, those who were removed included."), columns, _rater_rows, scope)


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


def _judgements(scope: Scope) -> Table:
    columns: list[Column | None] = [
        _ITEM,
        _RATER,
        Column("purpose", Kind.TEXT, _("Why it was given."), values=dict(Assignment.Purpose.choices), nullable=False),
        Column("round", Kind.INTEGER, _("Number of the attempt at training and gold items."), nullable=False),
        _KIND,
        _DIMENSION,
        Column("label", Kind.TEXT, _("The label, in terms of the texts in their stored order.")),
        Column("shown_label", Kind.TEXT, _("The label as it was chosen on the page.")),
        Column("labels", Kind.JSON, _("The labels, where there may be several.")),
        Column("missing", Kind.TEXT, _("Why there is no label."), values=MISSING),
        Column("swapped", Kind.BOOLEAN, _("Whether the second text was shown as A.")),
        Column("rank", Kind.INTEGER, _("Place of the item in the rater's order.")),
        Column("is_extra", Kind.BOOLEAN, _("Whether it came too late and is left out of analyses."), nullable=False),
        Column("is_current", Kind.BOOLEAN, _("Whether it was not changed later."), nullable=False),
        Column("seconds", Kind.NUMBER, _("Seconds from the first showing to the first submission."), unit="s"),
        _team_only(scope, Column("evidence", Kind.TEXT, _("What the rater said it rests on."))),
        _team_only(scope, Column("judged_at", Kind.DATETIME, _("When."))),
    ]
    return _table("judgements", _("Every answer, superseded ones included."), columns, _judgement_rows, scope)


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


def _adjudications(scope: Scope) -> Table:
    columns: list[Column | None] = [
        _ITEM,
        _KIND,
        _DIMENSION,
        Column("label", Kind.TEXT, _("The label decided upon.")),
        Column("labels", Kind.JSON, _("The labels, where there may be several.")),
        Column("cannot_judge", Kind.BOOLEAN, _("Whether it cannot be judged."), nullable=False),
        Column("was_blind", Kind.BOOLEAN, _("Whether it was decided before unblinding."), nullable=False),
        Column("is_current", Kind.BOOLEAN, _("Whether no later decision replaced it."), nullable=False),
        _team_only(scope, Column("author", Kind.TEXT, _("Who decided."))),
        _team_only(scope, Column("reason", Kind.TEXT, _("Why."))),
        _team_only(scope, Column("decided_at", Kind.DATETIME, _("When."))),
    ]
    return _table("adjudications", _("Labels decided upon after the lock."), columns, _adjudication_rows, scope)


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


def _calls(scope: Scope) -> Table:
    columns: list[Column | None] = [
        _ITEM,
        _RATER,
        Column("purpose", Kind.TEXT, _("Why it was asked."), values=dict(Assignment.Purpose.choices), nullable=False),
        Column("attempt", Kind.INTEGER, _("Number of the call for this item."), nullable=False),
        Column("outcome", Kind.TEXT, _("What came."), values=dict(JudgeCall.Outcome.choices), nullable=False),
        Column("prompt_sha256", Kind.TEXT, _("Hash of messages and parameters as sent."), nullable=False),
        Column("model", Kind.TEXT, _("The model that answered, as the server names it."), nullable=False),
        _team_only(scope, Column("raw_output", Kind.TEXT, _("The whole reply as it came."))),
        Column("usage", Kind.JSON, _("Tokens and requests."), nullable=False),
        _team_only(scope, Column("error", Kind.TEXT, _("Why there was no reply."))),
        _team_only(scope, Column("asked_at", Kind.DATETIME, _("When it was asked."))),
        _team_only(scope, Column("answered_at", Kind.DATETIME, _("When the reply was there."))),
    ]
    return _table("model_calls", _("Every call of a model."), columns, _call_rows, scope)


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


# --- What only the team has -----------------------------------------------------------------------------------------


def _hidden(scope: Scope) -> Table:
    columns: list[Column | None] = [
        _ITEM,
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
    return _table("hidden_fields", _("What no rater could know."), columns, _hidden_rows, scope)


def _hidden_rows(scope: Scope) -> Rows:
    rows = HiddenFields.objects.filter(packet=scope.packet).order_by("item__key")
    names = ("item__key", "external_id", "stratum", "reference", "pair", "source", "model", "is_covered", "distance")
    yield from rows.values_list(*names, "repeats__key", "values", "salt", "sha256").iterator(chunk_size=CHUNK)


def _scores(scope: Scope) -> Table:
    columns: list[Column | None] = [
        _ITEM,
        Column("scorer", Kind.TEXT, _("Code of the scorer."), nullable=False),
        Column("part", Kind.TEXT, _("The text that was scored; empty for the item as a whole."), nullable=False),
        Column("score", Kind.NUMBER, _("The raw score."), nullable=False),
    ]
    return _table("scores", _("Scores of machines."), columns, _score_rows, scope)


def _score_rows(scope: Scope) -> Rows:
    rows = ItemScore.objects.filter(item__packet=scope.packet).order_by("item__key", "scorer__code", "part")
    yield from rows.values_list("item__key", "scorer__code", "part", "value").iterator(chunk_size=CHUNK)


def _consents(scope: Scope) -> Table:
    columns: list[Column | None] = [
        _RATER,
        Column("version", Kind.INTEGER, _("Version of the consent text."), nullable=False),
        Column("text_sha256", Kind.TEXT, _("Hash of the text."), nullable=False),
        Column("accepted", Kind.BOOLEAN, _("Whether they agreed."), nullable=False),
        Column("decided_at", Kind.DATETIME, _("When."), nullable=False),
    ]
    return _table("consents", _("What raters decided on the consent text."), columns, _consent_rows, scope)


def _consent_rows(scope: Scope) -> Rows:
    rows = RaterConsent.objects.filter(rater__campaign=scope.packet.campaign_id).order_by("rater__code", "pk")
    columns = ("rater_id", "consent_text__number", "text_sha256", "accepted", "decided_at")
    for rater_id, *decided in rows.values_list(*columns):
        yield (scope.names[rater_id], *decided)
