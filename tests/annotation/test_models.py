"""What the database refuses, whoever asks."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest

from annotation.answers import Given
from annotation.models import (
    Adjudication,
    Assignment,
    CampaignMember,
    ConsentText,
    Dimension,
    GoldLabel,
    HiddenFields,
    Invitation,
    Item,
    ItemEvent,
    ItemKind,
    ItemScore,
    ItemText,
    JudgeCall,
    Judgement,
    Label,
    Lock,
    Packet,
    Place,
    Qualification,
    Rater,
    RaterConsent,
    Rubric,
    Scorer,
    Submission,
    TextOrigin,
    Unblinding,
)
from annotation.services import campaigns, closing, packets, raters
from tests.annotation.audits import add_items, frozen, judge, new_campaign, pair, person, say, take
from tests.constraints import refuses
from tests.factories import NOW, EnrolmentFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def packet() -> Packet:
    return frozen(n=2)


@pytest.fixture
def draft() -> Packet:
    campaign = new_campaign()
    add_items(campaign, [pair(1), pair(2)])
    return packets.draft_of(campaign)


@pytest.fixture
def assignment(packet: Packet) -> Assignment:
    return take(person(packet), packet)


@pytest.fixture
def judgement(assignment: Assignment) -> Judgement:
    say(assignment)
    return Judgement.objects.get()


def test_campaigns(packet: Packet) -> None:
    campaign = packet.campaign
    refuses("annotation_campaign_kind_valid", campaign, kind="poll")
    member = campaigns.add_member(campaign=campaign, user=UserFactory(), role="owner", by=None, now=NOW)
    other = campaigns.add_member(campaign=campaign, user=UserFactory(), role="watcher", by=None, now=NOW)
    refuses("annotation_campaignmember_role_valid", member, role="rater")
    refuses("annotation_campaignmember_one_role", other, user=member.user)
    assert CampaignMember.objects.count() == 2


def test_versioned_texts(packet: Packet) -> None:
    rubric = Rubric.objects.filter(code="aut").get()
    again = Rubric.objects.create(
        campaign=rubric.campaign, code="aut", number=2, text="Other", sha256="0" * 64, written_at=NOW
    )
    refuses("annotation_rubric_number_unique", again, number=1)
    refuses("annotation_rubric_text_unique", again, sha256=rubric.sha256)
    refuses("annotation_rubric_number_positive", again, number=0)
    consent = ConsentText.objects.get()
    other = ConsentText.objects.create(campaign=packet.campaign, number=2, text="x", sha256="0" * 64, written_at=NOW)
    refuses("annotation_consenttext_number_unique", other, number=consent.number)
    refuses("annotation_consenttext_number_positive", other, number=0)


def test_packets(packet: Packet) -> None:
    refuses("annotation_packet_frozen_agrees", packet, sha256="")
    refuses("annotation_packet_frozen_agrees", packet, definition=None)
    refuses("annotation_packet_frozen_agrees", packet, frozen_at=None)
    draft = packets.amend(campaign=packet.campaign, reason="A typo.", by=None, now=NOW)
    refuses("annotation_packet_amended_with_reason", draft, reason="")
    refuses("annotation_packet_amended_with_reason", draft, amended_from=None)
    refuses("annotation_packet_number_unique", draft, number=packet.number)
    refuses(
        "annotation_packet_one_draft",
        packet,
        frozen_at=None,
        definition=None,
        sha256="",
        items_sha256="",
        mapping_sha256="",
    )
    refuses("annotation_packet_skip_policy_valid", draft, skip_policy="always")
    refuses("annotation_packet_unit_valid", draft, resampling_unit="word")
    refuses("annotation_packet_raters_per_item_range", draft, raters_per_item=1001)
    refuses("annotation_packet_items_per_rater_range", draft, items_per_rater=0)
    refuses("annotation_packet_lease_minutes_range", draft, lease_minutes=0)
    refuses("annotation_packet_pass_mark_range", draft, pass_mark=1.5)
    refuses("annotation_packet_attempts_range", draft, attempts=0)


def test_kinds_dimensions_and_labels(draft: Packet) -> None:
    kinds = {kind.code: kind for kind in ItemKind.objects.filter(packet=draft)}
    refuses("annotation_itemkind_code_unique", kinds["dat"], code="aut")
    story = {each.code: each for each in Dimension.objects.filter(kind=kinds["story"])}
    refuses("annotation_dimension_code_unique", story["theme"], code="event")
    refuses("annotation_dimension_scale_valid", story["theme"], scale="ratio")
    refuses("annotation_dimension_evidence_valid", story["theme"], evidence="maybe")
    refuses("annotation_dimension_cannot_judge_agrees", story["theme"], cannot_judge_label="")
    refuses("annotation_dimension_cannot_judge_agrees", story["theme"], cannot_judge="absent")
    refuses("annotation_dimension_depends_on_labels", story["theme"], depends_on=story["event"])
    refuses("annotation_dimension_depends_on_labels", story["theme"], depends_labels=["clearly"])
    first, second, _third = Label.objects.filter(dimension=story["theme"])
    refuses("annotation_label_code_unique", second, code=first.code)
    refuses("annotation_label_position_unique", second, position=first.position)


def test_items(draft: Packet) -> None:
    item, other = Item.objects.filter(packet=draft)
    refuses("annotation_item_purpose_valid", item, purpose="play")
    refuses("annotation_item_sequence_agrees", item, sequence="abc")
    refuses("annotation_item_sequence_agrees", item, place=1)
    refuses("annotation_item_salt_agrees", item, salt="")
    refuses("annotation_item_salt_agrees", item, erased_at=NOW)
    Item.objects.filter(pk=item.pk).update(sequence="abc", place=1)
    refuses("annotation_item_place_in_sequence_once", other, sequence="abc", place=1)
    first, second = ItemText.objects.filter(item=item)
    refuses("annotation_itemtext_part_once", second, part=first.part)
    origin = TextOrigin.objects.create(text=first, source="statement", source_id=uuid.uuid4())
    refuses("annotation_textorigin_source_valid", origin, source="web")


def test_hidden_fields(draft: Packet) -> None:
    first, second = HiddenFields.objects.filter(packet=draft)
    refuses("annotation_hiddenfields_external_id_unique", second, external_id=first.external_id)
    refuses("annotation_hiddenfields_external_id_there", second, external_id="")
    refuses("annotation_hiddenfields_repeats_another", second, repeats=second.item)


def test_gold_and_scores(draft: Packet) -> None:
    item, other = Item.objects.filter(packet=draft)
    dimension = Dimension.objects.get(kind=item.kind)
    right, also, _no = dimension.labels.all()
    GoldLabel.objects.create(item=item, dimension=dimension, label=right)
    second = GoldLabel.objects.create(item=item, dimension=dimension, label=also)
    refuses("annotation_goldlabel_once", second, label=right)
    scorer = Scorer.objects.create(campaign=draft.campaign, code="small", name="Small")
    large = Scorer.objects.create(campaign=draft.campaign, code="large", name="Large")
    refuses("annotation_scorer_code_unique", large, code="small")
    refuses("annotation_scorer_family_valid", large, family="guess")
    ItemScore.objects.create(scorer=scorer, item=item, value=1.5)
    score = ItemScore.objects.create(scorer=scorer, item=other, value=0.5)
    refuses("annotation_itemscore_once", score, item=item)


def test_raters(packet: Packet) -> None:
    rater, other = person(packet), person(packet)
    refuses("annotation_rater_code_unique", other, code=rater.code)
    refuses("annotation_rater_account_once", other, account=rater.account)
    elsewhere = raters.add_from_file(campaign=packet.campaign, code="ann", kind="person", now=NOW)
    refuses("annotation_rater_kind_valid", elsewhere, kind="animal")
    refuses("annotation_rater_kind_agrees", other, kind="model")
    refuses("annotation_rater_came_by_agrees", other, came_by="endpoint")
    refuses("annotation_rater_column_positive", other, column=0)
    refuses("annotation_rater_pay_agrees", other, pay_amount=5)
    refuses("annotation_rater_pay_agrees", other, pay_amount=-5, pay_currency="EUR", pay_per="hour")
    refuses("annotation_rater_pay_agrees", other, pay_currency="EUR")
    one = raters.enrol(campaign=packet.campaign, enrolment=EnrolmentFactory(), now=NOW)
    two = raters.enrol(campaign=packet.campaign, enrolment=EnrolmentFactory(), now=NOW)
    refuses("annotation_rater_enrolment_once", two, enrolment=one.enrolment)
    refuses("annotation_rater_came_by_agrees", two, enrolment=None)
    consent = RaterConsent.objects.get(rater=rater)
    second = RaterConsent.objects.get(rater=other)
    refuses("annotation_raterconsent_once", second, rater=consent.rater)


def test_invitations(packet: Packet) -> None:
    invitation, _token = raters.invite(
        campaign=packet.campaign, name="Class", limit=2, expires_at=NOW + timedelta(days=1), by=None, now=NOW
    )
    refuses("annotation_invitation_limit_positive", invitation, limit=0)
    refuses("annotation_invitation_within_limit", invitation, n_used=3)
    refuses("annotation_invitation_pay_agrees", invitation, pay_per="item")
    assert Invitation.objects.get().n_used == 0


def test_qualifications(packet: Packet) -> None:
    rater = person(packet)
    first = Qualification.objects.create(
        rater=rater, packet=packet, attempt=1, started_at=NOW, finished_at=NOW, passed=False, n_asked=4, n_right=1
    )
    second = Qualification.objects.create(rater=rater, packet=packet, attempt=2, started_at=NOW)
    refuses("annotation_qualification_once", second, attempt=1)
    refuses("annotation_qualification_one_under_way", first, finished_at=None, passed=None)
    refuses("annotation_qualification_attempt_positive", first, attempt=0)
    refuses("annotation_qualification_right_of_asked", first, n_right=5)
    refuses("annotation_qualification_finished_agrees", first, passed=None)
    refuses("annotation_qualification_finished_agrees", second, passed=True)


def test_assignments(packet: Packet, assignment: Assignment) -> None:
    say(assignment)
    second = take(assignment.rater, packet)
    refuses("annotation_assignment_once", second, item=assignment.item)
    refuses("annotation_assignment_rank_once", second, rank=assignment.rank)
    refuses("annotation_assignment_purpose_valid", second, purpose="play")
    refuses("annotation_assignment_done_agrees", second, status="done")
    refuses("annotation_assignment_done_agrees", second, status="lost")
    refuses("annotation_assignment_extra_is_done_work", second, is_extra=True)
    refuses("annotation_assignment_round_agrees", second, round=2)
    refuses("annotation_assignment_round_agrees", second, round=0, purpose="gold")


def test_places_and_events(assignment: Assignment) -> None:
    first, second = Place.objects.filter(item=assignment.item)
    refuses("annotation_place_once", second, number=first.number)
    refuses("annotation_place_number_positive", second, number=0)
    event = ItemEvent.objects.create(assignment=assignment, kind="shown", at=NOW)
    refuses("annotation_itemevent_kind_valid", event, kind="liked")


def test_submissions(assignment: Assignment) -> None:
    say(assignment)
    say(assignment, "partly")
    first, second = Submission.objects.all()
    refuses("annotation_submission_number_once", second, number=1)
    refuses("annotation_submission_client_key_once", second, client_key=first.client_key)
    refuses("annotation_submission_number_positive", second, number=0)


def test_judgements(judgement: Judgement) -> None:
    earlier = judgement
    say(judgement.assignment, "partly", now=NOW + timedelta(minutes=1))
    refuses("annotation_judgement_one_current", earlier, superseded_at=None)
    refuses("annotation_judgement_superseded_after", earlier, superseded_at=NOW - timedelta(days=1))
    both: dict[str, Any] = {"missing": "cannot_judge"}
    refuses("annotation_judgement_one_answer", earlier, **both)
    refuses("annotation_judgement_one_answer", earlier, label=None, shown_label=None)
    refuses("annotation_judgement_one_answer", earlier, labels=["clearly"])
    refuses("annotation_judgement_one_answer", earlier, shown_label=None)
    refuses("annotation_judgement_missing_valid", earlier, label=None, shown_label=None, missing="tired")


def test_judges(packet: Packet) -> None:
    rater = judge(packet)
    refuses("annotation_judge_attempts_range", rater.judge, attempts=0)
    mine = Assignment.objects.create(item=packet.items.first(), rater=rater, claimed_at=NOW)
    values = {"assignment": mine, "prompt_sha256": "0" * 64, "asked_at": NOW, "answered_at": NOW}
    JudgeCall.objects.create(attempt=1, outcome="failed", error="no route", **values)
    second = JudgeCall.objects.create(attempt=2, outcome="answered", **values)
    refuses("annotation_judgecall_attempt_once", second, attempt=1)
    refuses("annotation_judgecall_attempt_positive", second, attempt=0)
    refuses("annotation_judgecall_outcome_agrees", second, outcome="failed")
    refuses("annotation_judgecall_outcome_agrees", second, outcome="guessed")


def test_the_end(packet: Packet) -> None:
    lock = closing.lock(campaign=packet.campaign, by=UserFactory(), now=NOW, override_reason="A test.")
    refuses("annotation_lock_complete_or_reason", lock, override_reason="")
    refuses("annotation_lock_complete_or_reason", lock, is_complete=True)
    unblinding = closing.unblind(campaign=packet.campaign, by=UserFactory(), now=NOW)
    refuses("annotation_unblinding_named", unblinding, unblinded_by_name="")
    item = packet.items.first()
    dimension = Dimension.objects.get(kind=item.kind)
    for label in ("not", "clearly"):
        closing.adjudicate(
            item=item, dimension=dimension, given=Given(label=label), reason="So.", by=UserFactory(), now=NOW
        )
    earlier, current = Adjudication.objects.all()
    refuses("annotation_adjudication_one_current", earlier, superseded_at=None)
    refuses("annotation_adjudication_superseded_after", earlier, superseded_at=NOW - timedelta(days=1))
    refuses("annotation_adjudication_one_answer", current, label=None)
    refuses("annotation_adjudication_one_answer", current, cannot_judge=True)
    refuses("annotation_adjudication_has_reason", current, reason="")
    refuses("annotation_adjudication_named", current, author_name="")
    assert (Lock.objects.count(), Unblinding.objects.count(), Rater.objects.count()) == (1, 1, 0)
