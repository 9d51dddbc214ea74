"""Where a rater stands."""

from __future__ import annotations

from annotation.models import Packet, Qualification, Rater


def needs_consent(rater: Rater) -> bool:
    """Whether a person has yet to accept the consent text in force; models and files give none."""
    if rater.kind != Rater.Kind.PERSON or rater.came_by == Rater.CameBy.FILE:
        return False
    text = rater.campaign.consent_texts.order_by("-number").first()
    return text is None or not rater.consents.filter(consent_text=text, accepted=True).exists()


def needs_qualification(rater: Rater, packet: Packet) -> bool:
    """Whether a person has yet to pass the gold items of the packet."""
    if packet.pass_mark is None or rater.kind != Rater.Kind.PERSON:
        return False
    return not Qualification.objects.filter(rater=rater, packet=packet, passed=True).exists()
