"""The annotate block of a session: its settings, and participants who become raters."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from annotation.models import AnnotateSettings, Campaign, PayPer, Rater
from annotation.services.raters import enrol
from studies.models import Enrolment, Study


def save_settings(*, study: Study, campaign: str, items: int) -> None:
    """Write the settings of the block into the draft."""
    AnnotateSettings.objects.update_or_create(study=study, defaults={"campaign": campaign, "items": items})


def rater_for(*, enrolment: Enrolment, campaign: Campaign, definition: Mapping[str, Any], now: datetime) -> Rater:
    """The participant as a rater of the campaign, made when they first come to the block.

    How they were recruited and what the study pays are recorded with the rater, for the report.
    """
    known = Rater.objects.filter(campaign=campaign, enrolment=enrolment).first()
    return known or enrol(campaign=campaign, enrolment=enrolment, now=now, **_terms(enrolment, definition))


def _terms(enrolment: Enrolment, definition: Mapping[str, Any]) -> dict[str, Any]:
    pay = definition["pay"]
    terms: dict[str, Any] = {"recruitment": enrolment.recruiter}
    if pay["amount"] and pay["currency"]:
        amount, currency = Decimal(pay["amount"]), pay["currency"]
        terms |= {"pay_amount": amount, "pay_currency": currency, "pay_per": PayPer.WHOLE}
    return terms
