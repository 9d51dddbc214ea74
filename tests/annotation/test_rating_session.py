"""Judging as a block of a participant's session: a paid rater."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.models import (
    AnnotateSettings,
    Assignment,
    Campaign,
    CampaignMember,
    Judgement,
    Rater,
    Submission,
    TextOrigin,
)
from annotation.sections import AnnotateSection
from annotation.services import raters
from studies.definition.checks.every import problems
from studies.models import Enrolment, Membership, Step, Study
from tests.annotation.audits import frozen, new_campaign
from tests.constraints import refuses
from tests.factories import MembershipFactory, StudyFactory, UserFactory, publish, published_study
from tests.walking import Walker, read_forms, read_text

pytestmark = pytest.mark.django_db

BLOCKS = ["consent", "annotate", "debrief"]


def study_with(packet: Any, *, items: int = 2, **columns: Any) -> Study:
    """An open study whose participants judge in the campaign of `packet`."""
    study = published_study(n_questions=1, n_answers=1, n_seeds=0, blocks=BLOCKS, **columns)
    AnnotateSettings.objects.create(study=study, campaign=packet.campaign.slug, items=items)
    return publish(study)


def at_the_block(study: Study, *, htmx: bool = False) -> Walker:
    """Somebody who agreed to take part in the study."""
    walker = Walker(study.slug, htmx=htmx)
    walker.start()
    walker.send()
    return walker


def judge(walker: Walker, label: str = "clearly", **changed: Any) -> Any:
    form = read_forms(walker.page)[0]
    sent = {**form.fields, **{name: [label] for name in form.choices}, "action": ["submit"]}
    sent |= {name.replace("__", "-"): value for name, value in changed.items()}
    return walker.post({name: value for name, value in sent.items() if value is not None}, form.action)


def title(walker: Walker) -> str:
    return str(walker.page.context["page"]["title"])


@pytest.mark.parametrize("htmx", [False, True])
def test_a_participant_consents_judges_and_gets_the_code(htmx: bool) -> None:
    packet = frozen(n=4)
    study = study_with(packet, pay_amount="4.50", pay_currency="USD")
    walker = at_the_block(study, htmx=htmx)
    assert title(walker) == "Before you begin"
    walker.send()
    for n in range(2):
        assert title(walker) == "Please judge"
        assert f"Judged: {n} of at most 2" in read_text(walker.page)
        judge(walker)

    assert title(walker) == "Thank you"
    walker.send(action="finish")
    assert walker.kind == "complete"
    rater = Rater.objects.get()
    assert (rater.came_by, rater.pay_per, str(rater.pay_amount)) == ("enrolment", "whole", "4.50")
    assert rater.recruitment == Enrolment.objects.get().recruiter
    assert Judgement.objects.counted().count() == 2
    assert Assignment.objects.filter(status="open").count() == 0


def test_an_answer_that_lacks_something_is_shown_again() -> None:
    walker = at_the_block(study_with(frozen()))
    walker.send()
    judge(walker, answer__use=None, evidence__use="a thought")

    assert walker.page.status_code == 422
    assert 'href="#answer-use"' in walker.page.content.decode()
    assert read_forms(walker.page)[0].fields["evidence-use"] == ["a thought"]
    assert not Judgement.objects.exists()


def test_the_same_post_twice_is_stored_once_also_after_the_end() -> None:
    walker = at_the_block(study_with(frozen(), items=1))
    walker.send()
    form = read_forms(walker.page)[0]
    sent = {**form.fields, "answer-use": ["clearly"], "action": ["submit"]}
    walker.post(sent)
    walker.post(sent)
    assert Submission.objects.count() == 1
    walker.send(action="finish")
    walker.post(sent)

    assert walker.kind == "complete"
    assert Submission.objects.count() == 1
    assert not Step.objects.get(kind="annotate").late_submissions.exists()


def test_another_window_answered_the_item_first() -> None:
    walker = at_the_block(study_with(frozen(), items=2))
    walker.send()
    form = read_forms(walker.page)[0]
    judge(walker, "clearly")
    walker.post({**form.fields, "answer-use": ["not"], "key": ["x"], "action": ["submit"]})

    assert walker.page.status_code == 422
    assert "You answered this item in another window" in read_text(walker.page)
    assert Judgement.objects.get().label.code == "clearly"


def test_who_declines_the_audit_goes_on_with_the_study() -> None:
    walker = at_the_block(study_with(frozen()))
    walker.send(decision="decline")
    assert title(walker) == "You do not take part"
    walker.send(action="finish")

    assert walker.kind == "complete"
    assert not Assignment.objects.exists()


def test_one_cannot_go_on_before_the_items_are_judged() -> None:
    walker = at_the_block(study_with(frozen()))
    walker.send()
    form = read_forms(walker.page)[0]
    walker.post({**form.fields, "action": ["finish"]})

    assert "There is still something for you to judge." in read_text(walker.page)
    assert title(walker) == "Please judge"


def test_where_all_is_judged_or_the_rater_was_removed_one_can_go_on() -> None:
    packet = frozen(n=1, raters_per_item=1)
    study = study_with(packet)
    first = at_the_block(study)
    first.send()
    second = at_the_block(study)
    second.send()
    assert title(second) == "Nothing to judge just now"
    raters.remove(rater=Rater.objects.order_by("pk")[0], by=None, now=timezone.now())
    first.look()
    assert title(first) == "Thank you"
    first.send(action="finish")
    assert first.kind == "complete"


def test_a_preview_gets_no_items() -> None:
    walker = at_the_block(study_with(frozen()))
    Enrolment.objects.update(origin=Enrolment.Origin.PREVIEW)
    Rater.objects.all().delete()
    walker.look()

    assert "not to a preview" in read_text(walker.page)
    assert not Rater.objects.exists()


def test_a_late_answer_in_a_session_is_extra() -> None:
    packet = frozen(n=1, raters_per_item=1)
    study = study_with(packet)
    walker, other = at_the_block(study), at_the_block(study)
    walker.send()
    Assignment.objects.update(lease_until=timezone.now() - timedelta(minutes=1))
    other.send()
    judge(walker)

    assert "kept as an extra one" in read_text(walker.page)
    assert Assignment.objects.get(rater=Rater.objects.order_by("pk")[0]).is_extra


def test_nobody_is_given_what_they_wrote_themselves() -> None:
    packet = frozen(n=2)
    walker = at_the_block(study_with(packet))
    text = packet.items.order_by("key")[0].texts.first()
    TextOrigin.objects.create(
        text=text, source="free_response", source_id=uuid.uuid4(), enrolment=Enrolment.objects.get()
    )
    walker.send()
    judge(walker)

    assert title(walker) == "Thank you"
    assert Assignment.objects.get().item != text.item


def test_the_section_round_trips_and_names_what_is_missing() -> None:
    study = StudyFactory(blocks=BLOCKS)
    section = AnnotateSection()
    assert section.dump(study) == {"campaign": "", "items": 10}
    section.load(study, {"campaign": "mine", "items": 3})
    assert section.dump(study) == {"campaign": "mine", "items": 3}

    def said(slug: str, blocks: Any = BLOCKS) -> Any:
        return section.problems(study, {"blocks": blocks, "annotate": {"campaign": slug, "items": 3}})

    packet, draft = frozen(), new_campaign()
    assert said("", blocks=["consent"]) == ()
    assert "Name the campaign" in said("")[0]
    absent, foreign = said("absent")[0], said(packet.campaign.slug)[0]
    assert absent.replace("absent", "") == foreign.replace(packet.campaign.slug, "")
    owner = UserFactory()
    MembershipFactory(study=study, user=owner, role=Membership.Role.OWNER)
    for campaign in (packet.campaign, draft):
        CampaignMember.objects.create(campaign=campaign, user=owner, role="owner")
    assert said(packet.campaign.slug) == ()
    assert "not frozen" in said(draft.slug)[0]
    Campaign.objects.filter(pk=draft.pk).update(study=study)
    assert "not frozen" in said(draft.slug)[0]
    assert any("mine" in str(problem) for problem in problems(study))


def test_a_person_judges_at_least_one_item() -> None:
    settings = AnnotateSettings.objects.create(study=StudyFactory(), items=1)
    refuses("annotation_annotatesettings_items_range", settings, items=0)
