"""Audits for tests: a campaign from a shipped kind or a small definition, items, raters, answers."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from annotation.answers import Given
from annotation.definition import Definition
from annotation.kinds import definition_of
from annotation.models import Assignment, Campaign, Packet, Rater
from annotation.services import campaigns, claims, items, judgements, packets, raters
from tests.factories import NOW, UserFactory

MINUTE = timedelta(minutes=1)


def shipped(kind: str, **changes: Any) -> Definition:
    """The definition of a shipped kind, with some keys changed."""
    definition = definition_of(kind)
    return replace(definition, data={**definition.data, **changes})


def new_campaign(kind: str = "pairwise", *, by: Any = None, now: datetime = NOW, **changes: Any) -> Campaign:
    """A campaign of a shipped kind with an empty draft packet."""
    slug = changes.pop("slug", f"audit-{uuid.uuid4().hex[:8]}")
    definition = shipped(kind, slug=slug, **changes)
    return campaigns.apply_definition(definition=definition, by=by, now=now)[0]


def pair(number: int, *, kind: str = "aut", stratum: str = "covered_near", **columns: Any) -> dict[str, Any]:
    """A row of a table of pairs."""
    return {
        "external_id": f"{kind}-{number}",
        "kind": kind,
        "first": f"first text {number}",
        "second": f"second text {number}",
        "stratum": stratum,
        **columns,
    }


def jsonl(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Rows as JSON Lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def add_items(campaign: Campaign, rows: Sequence[Mapping[str, Any]], **options: Any) -> items.ItemReport:
    """Import rows into the draft packet of a campaign."""
    return items.import_items(campaign=campaign, source=jsonl(rows), name="items.jsonl", by=None, now=NOW, **options)


def frozen(
    kind: str = "pairwise", rows: Sequence[Mapping[str, Any]] | None = None, *, n: int = 4, **changes: Any
) -> Packet:
    """A frozen packet of `n` pairs in two strata, or of these rows."""
    campaign = new_campaign(kind, **changes)
    if rows is None:
        rows = [pair(i, stratum=("covered_near", "uncovered_far")[i % 2]) for i in range(n)]
    add_items(campaign, rows)
    return packets.freeze(campaign=campaign, by=None, now=NOW)


def person(packet: Packet, *, consents: bool = True, now: datetime = NOW) -> Rater:
    """A person who may judge."""
    rater = raters.add_account(campaign=packet.campaign, account=UserFactory(), by=None, now=now)
    if consents:
        raters.decide_consent(rater=rater, accepted=True, now=now)
    return rater


def judge(packet: Packet, **options: Any) -> Rater:
    """A language model that judges."""
    values = {"endpoint": "local", "model": "small", "prompt": "Judge this.", **options}
    return raters.add_judge(campaign=packet.campaign, by=None, now=NOW, **values)


def take(rater: Rater, packet: Packet, now: datetime = NOW) -> Assignment:
    """The item that the rater judges now, which must exist."""
    assignment = claims.next_assignment(rater=rater, packet=packet, now=now).assignment
    assert assignment is not None
    return assignment


def answers(assignment: Assignment, label: str = "clearly") -> dict[str, Given]:
    """The same label on everything that is asked."""
    return {each.code: Given(label=label) for each in judgements.dimensions_of(assignment)}


def say(
    assignment: Assignment, given: Mapping[str, Given] | str = "clearly", *, now: datetime = NOW, **options: Any
) -> judgements.Submitted:
    """Submit answers, or one label on everything."""
    return judgements.submit(
        assignment=assignment,
        given=answers(assignment, given) if isinstance(given, str) else given,
        client_key=options.pop("client_key", uuid.uuid4()),
        version=options.pop("version", assignment.version),
        now=now,
    )


def judge_all(rater: Rater, packet: Packet, label: str = "clearly", now: datetime = NOW) -> int:
    """Let the rater judge until there is nothing left for them; returns how many items they judged."""
    n = 0
    while True:
        following = claims.next_assignment(rater=rater, packet=packet, now=now)
        if following.assignment is None:
            return n
        say(following.assignment, label, now=now)
        n += 1


def say_all_of_model(rater: Rater, packet: Packet, label: str = "clearly") -> int:
    """Let a model judge everything it was given."""
    claims.assign_everything(rater=rater, packet=packet, now=NOW)
    mine = Assignment.objects.filter(rater=rater, status=Assignment.Status.OPEN).order_by("rank")
    for assignment in mine:
        say(assignment, label)
    return len(mine)
