"""The audit that ends the demonstration: pairs from its own data, judged blindly by simulated raters."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.utils import timezone

from annotation.answers import Given
from annotation.kinds import definition_of
from annotation.models import Assignment, Campaign, ItemEvent, Judgement, Packet, Rater
from annotation.selectors.cards import Card, card
from annotation.selectors.reports import KIND as AGREEMENT
from annotation.selectors.teams import Standing, standing_of
from annotation.services import agreeing, campaigns, claims, closing, drawing, judgements, packets, raters
from config.demo.places import AUDIT_SLUG as SLUG
from config.demo.preparing import ADMIN
from core.models import Run
from core.randomness import generator_for
from studies.models import Study

KIND = "views"
RATERS = 3
PER_STRATUM = 8
SEED = "demonstration"
RECRUITMENT = "simulated: a program that compares words"
WORD = re.compile(r"\w{4,}")
PARTLY, CLEARLY = 0.03, 0.08
"""Shares of common words from which the simulated raters call two texts partly and clearly similar."""
SPREAD = 0.02
"""How far single raters see it differently."""
CANNOT_JUDGE = 0.03


def make_audit(study: Study) -> Campaign:
    """The audit of the study, drawn and frozen if it is not there.

    Raises
    ------
    Conflict
        If there is nothing to draw from.
    """
    admin = get_user_model().objects.get(username=ADMIN)
    campaign = Campaign.objects.filter(slug=SLUG).first() or _loaded(study, admin)
    if standing_of(campaign).packet is None:
        settings = drawing.DrawSettings(per_stratum=PER_STRATUM, strata=("covered",), kind=KIND, seed=SEED)
        drawing.draw(campaign=campaign, settings=settings, by=admin, now=timezone.now())
        packets.freeze(campaign=campaign, by=admin, now=timezone.now())
    return campaign


def _loaded(study: Study, admin: Any) -> Campaign:
    shipped = definition_of("pairwise")
    kinds = [kind for kind in shipped.data["item_kinds"] if kind["code"] == KIND]
    changes = {
        "slug": SLUG,
        "title": "Are texts called covered more similar?",
        "study": study.slug,
        "raters_per_item": RATERS,
        "item_kinds": kinds,
    }
    definition = replace(shipped, data={**shipped.data, **changes})
    return campaigns.apply_definition(definition=definition, by=admin, now=timezone.now())[0]


def judge(campaign: Campaign) -> Iterator[int]:
    """Let the simulated raters judge what is left, one item a step; yields how many they have judged."""
    standing = standing_of(campaign)
    if standing.packet is None or standing.lock is not None:
        return
    n = 0
    for rater in _raters(campaign):
        while _judge_next(rater, standing.packet):
            n += 1
            yield n


def _raters(campaign: Campaign) -> list[Rater]:
    """The simulated raters, who come by an invitation as people do and are marked by their recruitment."""
    known = list(Rater.objects.people().filter(campaign=campaign, recruitment=RECRUITMENT).order_by("code"))
    if len(known) < RATERS:
        now = timezone.now()
        _invitation, token = raters.invite(
            campaign=campaign,
            name="Simulated raters",
            limit=RATERS - len(known),
            expires_at=now + timedelta(hours=1),
            by=None,
            now=now,
            recruitment=RECRUITMENT,
        )
        known += [raters.accept_invitation(token=token, now=now)[0] for _number in range(RATERS - len(known))]
    for rater in known:
        raters.decide_consent(rater=rater, accepted=True, now=timezone.now())
    return known


def _judge_next(rater: Rater, packet: Packet) -> bool:
    now = timezone.now()
    assignment = claims.next_assignment(rater=rater, packet=packet, now=now).assignment
    if assignment is None:
        return False
    claims.note_event(assignment=assignment, kind=ItemEvent.Kind.SHOWN, now=now)
    judgements.submit(
        assignment=assignment,
        given=_answers(rater, assignment),
        client_key=uuid.uuid4(),
        version=assignment.version,
        now=timezone.now(),
    )
    return True


def _answers(rater: Rater, assignment: Assignment) -> dict[str, Given]:
    """What the rater says, from the card alone: the share of common words, as this rater sees it."""
    shown = card(assignment)
    generator = generator_for(SEED, f"rater {rater.column}", shown.key)
    share = _common_words(shown) + generator.gauss(0, SPREAD)
    label = "clearly" if share >= CLEARLY else "partly" if share >= PARTLY else "not"
    cannot = generator.random() < CANNOT_JUDGE
    given = Given(missing=Judgement.Missing.CANNOT_JUDGE) if cannot else Given(label=label)
    return {asked.code: given for asked in shown.asked}


def _common_words(shown: Card) -> float:
    first, second = (set(WORD.findall(each.text.lower())) for each in shown.passages if each.role == "side")
    return len(first & second) / max(1, len(first | second))


def finish(campaign: Campaign) -> Standing:
    """Lock and unblind, if that is not done yet."""
    admin = get_user_model().objects.get(username=ADMIN)
    standing = standing_of(campaign)
    if standing.lock is None:
        closing.lock(campaign=campaign, by=admin, now=timezone.now())
    if standing.unblinding is None:
        closing.unblind(campaign=campaign, by=admin, now=timezone.now())
    return standing_of(campaign)


def finished_report(campaign: Campaign) -> Run | None:
    """The newest finished report that knows the hidden fields; None if there is none."""
    runs = Run.objects.of(AGREEMENT, campaign.public_id).finished()
    return runs.filter(parameters__hidden=True).first()


def queue_report(campaign: Campaign) -> Run:
    """Ask the worker for the agreement report."""
    return agreeing.start(campaign=campaign, by=None, now=timezone.now())


def progress_line(run: Run) -> str:
    """How far the report is, in one line."""
    return f"Agreement report: {run.get_status_display()}"
