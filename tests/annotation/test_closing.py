"""Lock, unblind, adjudicate."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser, Permission

from annotation import access
from annotation.answers import Given
from annotation.errors import PacketLocked
from annotation.models import Adjudication, Dimension, HiddenFields, Judgement
from annotation.selectors.completeness import completeness, judgements_sha256
from annotation.services import claims, closing, judgements, raters
from core.errors import Conflict, Invalid
from core.models import AuditEvent
from tests.annotation.audits import frozen, judge, judge_all, new_campaign, person, say, say_all_of_model, take
from tests.factories import NOW, UserFactory

pytestmark = pytest.mark.django_db


def judged(n: int = 2):
    packet = frozen(n=n)
    for label in ("clearly", "not"):
        judge_all(person(packet), packet, label)
    return packet


def test_a_complete_packet_is_locked_without_a_reason() -> None:
    packet = judged()

    lock = closing.lock(campaign=packet.campaign, by=UserFactory(), now=NOW, override_reason="Not needed.")

    assert (lock.is_complete, lock.override_reason) == (True, "")
    assert lock.judgements_sha256 == judgements_sha256(packet)
    assert lock.counts["n_places_done"] == lock.counts["n_places"] == 4


def test_an_incomplete_one_needs_a_reason_on_record() -> None:
    packet = frozen(n=2)
    judge_all(person(packet), packet)
    with pytest.raises(Conflict, match="2 of 4"):
        closing.lock(campaign=packet.campaign, by=UserFactory(), now=NOW)

    lock = closing.lock(campaign=packet.campaign, by=UserFactory(), now=NOW, override_reason="A rater fell ill.")

    assert (lock.is_complete, lock.override_reason) == (False, "A rater fell ill.")
    event = AuditEvent.objects.get(event="audit.locked")
    assert event.detail["reason"] == "A rater fell ill."


def test_models_are_waited_for_unless_they_were_removed() -> None:
    packet = judged()
    rater = judge(packet)
    assert not completeness(packet).is_complete
    say_all_of_model(rater, packet)
    assert completeness(packet).is_complete
    other = judge(packet)
    assert not completeness(packet).is_complete
    raters.remove(rater=other, by=None, now=NOW)
    assert completeness(packet).is_complete


def test_nothing_is_answered_after_the_lock() -> None:
    packet = frozen(n=3)
    rater = person(packet)
    done = take(rater, packet)
    say(done)
    held = take(rater, packet)
    closing.lock(campaign=packet.campaign, by=None, now=NOW, override_reason="Enough.")

    for act in (
        lambda: say(done, "not"),
        lambda: say(held),
        lambda: take(rater, packet),
        lambda: claims.skip(assignment=held, now=NOW),
        lambda: judgements.save_draft(assignment=held, payload={}, now=NOW),
    ):
        with pytest.raises(PacketLocked):
            act()
    with pytest.raises(Conflict, match="locked already"):
        closing.lock(campaign=packet.campaign, by=None, now=NOW, override_reason="Again.")


def test_unblinding_is_one_act_of_a_named_person_after_the_lock() -> None:
    packet, person_ = judged(), UserFactory()
    with pytest.raises(Conflict, match="Lock"):
        closing.unblind(campaign=packet.campaign, by=person_, now=NOW)
    closing.lock(campaign=packet.campaign, by=None, now=NOW)
    for nobody in (None, AnonymousUser()):
        with pytest.raises(Invalid, match="named person"):
            closing.unblind(campaign=packet.campaign, by=nobody, now=NOW)

    act = closing.unblind(campaign=packet.campaign, by=person_, now=NOW)

    assert (act.unblinded_by_name, act.mapping_sha256) == (person_.username, packet.mapping_sha256)
    with pytest.raises(Conflict, match="already"):
        closing.unblind(campaign=packet.campaign, by=person_, now=NOW)
    assert AuditEvent.objects.get(event="audit.unblinded").detail["is_as_sealed"] is True


def test_hidden_fields_that_were_altered_show_at_unblinding() -> None:
    packet = judged()
    closing.lock(campaign=packet.campaign, by=None, now=NOW)
    HiddenFields.objects.update(stratum="covered_near")

    act = closing.unblind(campaign=packet.campaign, by=UserFactory(), now=NOW)

    assert act.mapping_sha256 != packet.mapping_sha256
    assert AuditEvent.objects.get(event="audit.unblinded").detail["is_as_sealed"] is False


def test_adjudication_adds_a_label_and_keeps_the_originals() -> None:
    packet, author = judged(), UserFactory()
    item = packet.items.first()
    dimension = Dimension.objects.get(kind=item.kind)
    decide = {"item": item, "dimension": dimension, "by": author, "now": NOW}
    with pytest.raises(Conflict, match="Lock"):
        closing.adjudicate(given=Given(label="partly"), reason="Half of it.", **decide)
    closing.lock(campaign=packet.campaign, by=None, now=NOW)
    before = list(Judgement.objects.values())

    first = closing.adjudicate(given=Given(label="partly"), reason="Half of it.", **decide)
    closing.unblind(campaign=packet.campaign, by=author, now=NOW)
    second = closing.adjudicate(given=Given(missing="cannot_judge"), reason="No: unreadable.", **decide)

    assert (first.was_blind, second.was_blind, second.cannot_judge) == (True, False, True)
    assert Adjudication.objects.current().get() == second
    assert list(Judgement.objects.values()) == before


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (Given(label="partly"), " "),
        (Given(label="maybe"), "So."),
        (Given(missing="skipped"), "So."),
        (Given(), "So."),
    ],
)
def test_adjudications_that_are_refused(given: Given, reason: str) -> None:
    packet = judged()
    closing.lock(campaign=packet.campaign, by=None, now=NOW)
    item = packet.items.first()

    with pytest.raises(Invalid):
        closing.adjudicate(
            item=item,
            dimension=Dimension.objects.get(kind=item.kind),
            given=given,
            reason=reason,
            by=UserFactory(),
            now=NOW,
        )
    assert not Adjudication.objects.exists()


def test_there_is_nothing_to_lock_in_a_draft() -> None:
    with pytest.raises(Conflict, match="frozen"):
        closing.lock(campaign=new_campaign(), by=None, now=NOW)


def test_who_may_see_hidden_fields() -> None:
    packet = judged()
    campaign = packet.campaign
    stranger, watcher, trusted, root = (UserFactory() for _ in range(4))
    root.is_superuser = True
    root.save()
    for user, role in ((watcher, "watcher"), (trusted, "analyst")):
        campaign.members.create(user=user, role=role)
    trusted.user_permissions.add(Permission.objects.get(codename="view_hidden"))
    raters.add_account(campaign=campaign, account=root, by=None, now=NOW)

    def who() -> list[bool]:
        return [access.may_see_hidden(user, campaign) for user in (stranger, watcher, trusted, root)]

    assert who() == [False, False, True, False]
    closing.lock(campaign=campaign, by=None, now=NOW)
    closing.unblind(campaign=campaign, by=root, now=NOW)
    assert who() == [False, True, True, True]
