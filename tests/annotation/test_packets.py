"""Freezing, amending, and proving that nothing was changed."""

from __future__ import annotations

import pytest

from annotation.errors import NotFreezable, NotOpen, PacketFrozen, SlugTaken
from annotation.hashing import item_sha256, joint_sha256
from annotation.models import (
    Campaign,
    Dimension,
    HiddenFields,
    Item,
    ItemText,
    Judgement,
    Label,
    Packet,
    Place,
    Rubric,
    TextOrigin,
)
from annotation.services import campaigns, claims, erasure, items, packets
from core.errors import Conflict, Invalid
from core.models import AuditEvent
from studies.models import Study
from tests.annotation.audits import add_items, frozen, new_campaign, pair, person, say, shipped, take
from tests.factories import NOW, EnrolmentFactory, UserFactory

pytestmark = pytest.mark.django_db


def test_a_frozen_packet_has_hashes_that_anybody_can_compute() -> None:
    packet = frozen()
    item = packet.items.first()
    texts = {text.part: text.text for text in item.texts.all()}

    assert item.sha256 == item_sha256(
        salt=item.salt, kind="aut", purpose="work", texts=texts, proposals={}, sequence="", place=None
    )
    assert packet.items_sha256 == joint_sha256(packet.items.values_list("key", "sha256"))
    assert packets.discrepancies(packet) == []
    assert AuditEvent.objects.filter(event="audit.frozen", detail__sha256=packet.sha256).exists()


def test_equal_content_has_another_hash_elsewhere() -> None:
    one, other = frozen(n=1), frozen(n=1)

    assert one.items_sha256 != other.items_sha256
    assert set(one.items.values_list("key")) != set(other.items.values_list("key"))


CHANGES = {
    "text": lambda p: ItemText.objects.filter(item__packet=p).update(text="Another text"),
    "purpose": lambda p: Item.objects.filter(packet=p).update(purpose="training"),
    "hash of an item": lambda p: Item.objects.filter(packet=p).update(sha256="0" * 64),
    "hidden": lambda p: HiddenFields.objects.filter(packet=p).update(stratum="elsewhere"),
    "label": lambda p: Label.objects.filter(dimension__kind__packet=p, code="partly").update(text="Somewhat"),
    "question": lambda p: Dimension.objects.filter(kind__packet=p).update(question="Why?"),
    "rubric": lambda p: Rubric.objects.update(text="Anything goes."),
    "setting": lambda p: Packet.objects.filter(pk=p.pk).update(resampling_unit="pair"),
    "seed": lambda p: Packet.objects.filter(pk=p.pk).update(seed="1" * 32),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_behind_the_services_is_found(change: str) -> None:
    packet = frozen()
    CHANGES[change](packet)
    packet.refresh_from_db()

    assert packets.discrepancies(packet)


def test_a_frozen_packet_refuses_edits_and_says_why() -> None:
    packet = frozen(n=2)
    campaign = packet.campaign
    definition = shipped("pairwise", slug=campaign.slug, title="Another title")

    for edit in (
        lambda: campaigns.apply_definition(definition=definition, by=None, now=NOW),
        lambda: add_items(campaign, [pair(99)]),
        lambda: add_items(campaign, [pair(0, stratum="other")]),
        lambda: items.remove_items(campaign=campaign, external_ids=["aut-0"], by=None, now=NOW),
        lambda: packets.freeze(campaign=campaign, by=None, now=NOW),
        lambda: packets.draft_of(campaign),
    ):
        with pytest.raises(PacketFrozen, match="frozen"):
            edit()
    assert packets.discrepancies(packet) == []


def test_an_amendment_is_a_copy_with_new_keys_and_salts() -> None:
    gold = {"purpose": "gold", "gold": {"use": "clearly"}, "explanation": "Both tie."}
    rows = [pair(0), pair(1, distance=0.25, covered=True), pair(2, **gold), pair(3, repeats="aut-0")]
    packet = frozen(rows=rows, hidden=[{"name": "note", "kind": "text"}])

    draft = packets.amend(campaign=packet.campaign, reason="A typo in the rubric.", by=None, now=NOW)

    assert (draft.number, draft.amended_from, draft.reason) == (2, packet, "A typo in the rubric.")
    same = ("external_id", "stratum", "distance", "is_covered", "values", "repeats__hidden__external_id")
    assert list(HiddenFields.objects.filter(packet=draft).values_list(*same)) == list(
        HiddenFields.objects.filter(packet=packet).values_list(*same)
    )
    texts = [sorted(ItemText.objects.filter(item__packet=p).values_list("part", "text")) for p in (packet, draft)]
    assert texts[0] == texts[1]
    assert not set(packet.items.values_list("key")) & set(draft.items.values_list("key"))
    assert not set(packet.items.values_list("salt")) & set(draft.items.values_list("salt"))
    mirrored = {
        (label.code, label.mirror and label.mirror.dimension_id == label.dimension_id)
        for label in Label.objects.filter(dimension__kind__packet=draft)
    }
    assert mirrored
    again = packets.freeze(campaign=packet.campaign, by=None, now=NOW)
    assert packets.discrepancies(again) == packets.discrepancies(packet) == []


def test_raters_go_on_until_the_amended_packet_is_frozen() -> None:
    packet = frozen(n=3)
    rater = person(packet)
    say(take(rater, packet))
    packets.amend(campaign=packet.campaign, reason="More items.", by=None, now=NOW)
    held = take(rater, packet)

    again = packets.freeze(campaign=packet.campaign, by=None, now=NOW)

    with pytest.raises(NotOpen, match="amended"):
        say(held)
    assert take(rater, again).item.packet == again
    assert Judgement.objects.filter(assignment__item__packet=packet).count() == 1


def test_an_amendment_needs_a_reason_and_a_frozen_packet() -> None:
    campaign = frozen().campaign
    with pytest.raises(Invalid):
        packets.amend(campaign=campaign, reason="  ", by=None, now=NOW)
    packets.amend(campaign=campaign, reason="So.", by=None, now=NOW)
    with pytest.raises(Conflict):
        packets.amend(campaign=campaign, reason="Again.", by=None, now=NOW)


@pytest.mark.parametrize(
    ("changes", "rows", "why"),
    [
        ({}, [], "no items"),
        ({"consent": ""}, [pair(1)], "consent"),
        ({"qualification": {"training": True, "pass_mark": None, "attempts": 2}}, [pair(1)], "training"),
        ({"qualification": {"training": False, "pass_mark": 0.5, "attempts": 2}}, [pair(1)], "gold"),
    ],
)
def test_what_cannot_be_frozen(changes: dict, rows: list, why: str) -> None:
    campaign = new_campaign(**changes)
    add_items(campaign, rows)

    with pytest.raises(NotFreezable, match=why):
        packets.freeze(campaign=campaign, by=None, now=NOW)
    assert not Place.objects.exists()


def test_a_kind_with_items_cannot_be_dropped_and_one_without_can() -> None:
    campaign = new_campaign()
    add_items(campaign, [pair(1)])
    kinds = shipped("pairwise").data["item_kinds"]

    def keep(*codes: str):
        chosen = [kind for kind in kinds if kind["code"] in codes]
        return shipped("pairwise", slug=campaign.slug, item_kinds=chosen)

    with pytest.raises(Conflict):
        campaigns.apply_definition(definition=keep("dat"), by=None, now=NOW)
    campaigns.apply_definition(definition=keep("aut"), by=None, now=NOW)
    assert packets.draft_of(campaign).kinds.get().code == "aut"


def test_slugs_are_taken_once() -> None:
    campaign = new_campaign(slug="mine")

    with pytest.raises(SlugTaken):
        campaigns.create_campaign(slug="mine", title="Other", kind="rating", by=None, now=NOW)
    assert Campaign.objects.get() == campaign


def test_the_creator_is_owner_and_the_last_owner_stays() -> None:
    owner, other = UserFactory(), UserFactory()
    campaign = new_campaign(by=owner)
    with pytest.raises(Conflict):
        campaigns.remove_member(campaign=campaign, user=owner, by=owner, now=NOW)
    campaigns.add_member(campaign=campaign, user=other, role="owner", by=owner, now=NOW)
    campaigns.remove_member(campaign=campaign, user=owner, by=other, now=NOW)

    assert set(Campaign.objects.visible_to(other)) == {campaign}
    assert not Campaign.objects.visible_to(owner)


def test_withdrawal_erases_a_text_and_the_rest_can_still_be_verified() -> None:
    packet = frozen(n=3)
    author = EnrolmentFactory()
    text = ItemText.objects.filter(item__packet=packet).first()
    TextOrigin.objects.create(text=text, source="free_response", source_id=author.public_id, enrolment=author)

    erasure.erase_participation(enrolment=author, policy=Study.WithdrawalPolicy.KEEP_VOTES, now=NOW)

    text.refresh_from_db()
    assert (text.text, text.item.salt, text.item.erased_at) == ("", "", NOW)
    assert packets.discrepancies(packet) == []
    draft = packets.amend(campaign=packet.campaign, reason="Somebody withdrew.", by=None, now=NOW)
    assert draft.items.count() == 2


@pytest.mark.parametrize(("policy", "n_left"), [("keep_votes", 1), ("delete_all", 0)])
def test_withdrawal_of_a_rater(policy: str, n_left: int) -> None:
    from annotation.answers import Given
    from annotation.services import raters

    packet = frozen(n=1, raters_per_item=1)
    enrolment = EnrolmentFactory()
    rater = raters.enrol(campaign=packet.campaign, enrolment=enrolment, now=NOW)
    raters.decide_consent(rater=rater, accepted=True, now=NOW)
    say(take(rater, packet), {"use": Given(label="partly", evidence="My own words.")})

    erasure.erase_participation(enrolment=enrolment, policy=policy, now=NOW)

    assert Judgement.objects.count() == n_left
    assert not Judgement.objects.exclude(evidence="").exists()
    if policy == "delete_all":
        assert take(person(packet), packet).item.packet == packet
    else:
        assert claims.next_assignment(rater=person(packet), packet=packet, now=NOW).assignment is None
