"""Judging on pages: the whole way, what is shown, what becomes of posts."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.models import (
    Assignment,
    ItemEvent,
    Judgement,
    JudgementDraft,
    Place,
    Rater,
    RaterConsent,
    Submission,
)
from annotation.services import campaigns, closing
from tests.annotation.audits import frozen, pair, person, take
from tests.annotation.somebody import Somebody, invitation_to
from tests.factories import UserFactory
from tests.walking import Browser

pytestmark = pytest.mark.django_db

HOSTILE = "<script>alert(1)</script> & 'view'\n\n  two lines down"


def invited(packet: Any = None, **options: Any) -> Somebody:
    """Somebody at the first item, who came by an invitation."""
    somebody = Somebody(packet or frozen(), **options)
    somebody.come(invitation_to(somebody.packet))
    somebody.agree()
    return somebody


@pytest.mark.parametrize("htmx", [False, True])
def test_the_whole_way_from_the_link_to_the_thanks(htmx: bool) -> None:
    packet = frozen(n=4)
    somebody = Somebody(packet, htmx=htmx)
    somebody.come(invitation_to(packet, recruitment="students", pay_amount="9.50", pay_currency="EUR", pay_per="hour"))

    assert somebody.title == "Before you begin"
    somebody.agree()
    for n in range(4):
        assert somebody.title == "Please judge"
        assert f"Judged: {n} of at most 4" in somebody.text
        somebody.send("partly")

    assert somebody.title == "Thank you"
    rater = somebody.rater
    assert (rater.came_by, rater.recruitment, rater.pay_currency) == ("invitation", "students", "EUR")
    assert RaterConsent.objects.get(rater=rater).text_sha256 == packet.campaign.consent_texts.get().sha256
    rows = Judgement.objects.counted().filter(assignment__rater=rater)
    assert {row.label.code for row in rows if row.label} == {"partly"}
    assert len(rows) == 4
    assert ItemEvent.objects.filter(kind="shown", assignment__rater=rater).count() == 4


def test_consent_comes_first_and_declining_is_the_end() -> None:
    somebody = Somebody(frozen())
    somebody.come(invitation_to(somebody.packet))
    somebody.post({**somebody.form.fields, "decision": "decline"})

    assert somebody.title == "You do not take part"
    somebody.look()
    assert somebody.title == "You do not take part"
    assert not Assignment.objects.exists()


def test_a_rater_with_an_account_finds_the_campaign_and_judges() -> None:
    somebody = Somebody(frozen())
    somebody.sign_in(UserFactory())
    somebody.look("/judge/")

    assert somebody.packet.campaign.title in somebody.text
    somebody.look()
    somebody.agree()
    assert somebody.title == "Please judge"
    assert somebody.rater.came_by == Rater.CameBy.ACCOUNT


def test_texts_are_shown_as_given_and_escaped() -> None:
    somebody = invited(frozen(rows=[pair(1, first=HOSTILE, second="plain")]))
    html = somebody.page.content.decode()

    assert "<script>alert" not in html
    assert '<div class="passage verbatim" dir="auto">&lt;script&gt;alert(1)&lt;/script&gt; &amp;' in html
    assert "\n\n  two lines down</div>" in html


def test_the_rubric_is_at_hand_without_html_of_its_own() -> None:
    somebody = invited()
    html = somebody.page.content.decode()

    assert '<details id="rubric" class="rubric" open>' in html
    assert "<h2>" in html.split('id="rubric"')[1].split("</details>")[0]
    somebody.send()
    assert '<details id="rubric" class="rubric">' in somebody.page.content.decode()


def test_reloading_keeps_the_item_and_its_sides() -> None:
    somebody = invited()
    before = somebody.page.context
    for _look in range(3):
        somebody.look()
        assert somebody.page.context["assignment"] == before["assignment"]
        assert somebody.page.context["card"] == before["card"]
    assert Assignment.objects.count() == 1


@pytest.mark.parametrize("htmx", [False, True])
def test_an_answer_is_missing(htmx: bool) -> None:
    somebody = invited(htmx=htmx)
    somebody.send(answer__use=None)

    assert somebody.page.status_code == 422
    assert "There is a problem" in somebody.text
    assert 'href="#answer-use"' in somebody.page.content.decode()
    assert not Judgement.objects.exists()


def test_what_was_chosen_and_typed_comes_back_with_the_error() -> None:
    somebody = invited(frozen(rows=[pair(1, kind="story")]))
    somebody.send("clearly", answer__theme=None, evidence__style="the dialogue")

    assert somebody.page.status_code == 422
    assert somebody.form.fields["answer-style"] == ["clearly"]
    assert somebody.form.fields["evidence-style"] == ["the dialogue"]
    assert "answer-theme" not in somebody.form.fields


def test_cannot_judge_is_an_answer_of_its_own() -> None:
    somebody = invited()
    assert "__cannot_judge__" in somebody.form.choices["answer-use"]
    assert "The texts give no ground" in somebody.text
    somebody.send("__cannot_judge__")

    assert Judgement.objects.get().missing == Judgement.Missing.CANNOT_JUDGE


def test_the_same_post_twice_is_one_submission() -> None:
    somebody = invited()
    sent = somebody.filled("clearly")
    somebody.post(sent)
    somebody.post(sent)

    assert Submission.objects.count() == 1
    assert somebody.title == "Please judge"


def test_a_stale_page_gets_409_and_keeps_what_was_chosen() -> None:
    somebody = invited()
    first, second = somebody.filled("clearly"), {**somebody.filled("not"), "key": [str(uuid.uuid4())]}
    somebody.post(first)
    somebody.post(second)

    assert somebody.page.status_code == 409
    assert somebody.page["X-Polyphony-Page"] == "yes"
    assert somebody.form.fields["answer-use"] == ["not"]
    assert "Clearly similar" in somebody.text.split("Stored at the moment")[1]
    assert Judgement.objects.get().label.code == "clearly"
    somebody.send("not")
    assert Judgement.objects.current().get().label.code == "not"
    assert Judgement.objects.count() == 2


def test_a_draft_is_kept_without_script_and_with_it() -> None:
    somebody = invited()
    somebody.send("partly", action="keep", evidence__use="half a thought")

    assert "What you entered is kept" in somebody.text
    assert somebody.form.fields["answer-use"] == ["partly"]
    assert somebody.form.fields["evidence-use"] == ["half a thought"]
    address = somebody.page.context["page"]["draft_url"]
    assert somebody.client.post(address, somebody.filled("clearly")).status_code == 204
    somebody.look()
    assert somebody.form.fields["answer-use"] == ["clearly"]
    assert set(JudgementDraft.objects.get().payload) == {"answer-use", "evidence-use"}
    somebody.send()
    assert not JudgementDraft.objects.exists()


def test_skipping_follows_the_policy() -> None:
    somebody = invited(frozen(n=2))
    first = somebody.page.context["assignment"]
    somebody.post({**somebody.form.fields, "action": "skip", "reason": "too long"})
    second = somebody.page.context["assignment"]

    assert first != second
    somebody.send()
    assert somebody.page.context["assignment"] == first
    assert Assignment.objects.get(public_id=first).skip_reason == "too long"


def test_where_items_cannot_be_skipped_there_is_no_button() -> None:
    somebody = invited(frozen(skipping="never"))

    assert "Skip this item" not in somebody.text
    before = somebody.page.context["assignment"]
    somebody.post({**somebody.form.fields, "action": "skip"})
    assert somebody.page.context["assignment"] == before
    assert "cannot be skipped" in somebody.text


def test_a_late_answer_is_kept_as_extra_and_the_person_is_told() -> None:
    packet = frozen(n=1, raters_per_item=1)
    somebody = invited(packet)
    sent = somebody.filled("clearly")
    Assignment.objects.update(lease_until=timezone.now() - timedelta(minutes=1))
    other = person(packet)
    take(other, packet, now=timezone.now())
    somebody.post(sent)

    assert "kept as an extra one" in somebody.text
    assert Judgement.objects.counted().count() == 0
    assert Assignment.objects.filter(is_extra=True).count() == 1
    assert Place.objects.get().holder.rater == other


def test_own_answers_are_listed_and_can_be_changed_with_history() -> None:
    somebody = invited(frozen(n=2))
    somebody.send("clearly")
    somebody.look(somebody.url("answers"))
    assert "Use : Clearly similar" in somebody.text
    done = Assignment.objects.get(status="done")
    address = somebody.url("answer", done.public_id)
    somebody.look(address)
    assert somebody.form.fields["answer-use"] == ["clearly"]
    somebody.send("not")

    assert "Your answers are saved." in somebody.text
    assert "Use : Not similar" in somebody.text
    somebody.look(address)
    assert "What you answered before" in somebody.text
    assert [row.label.code for row in Judgement.objects.order_by("pk") if row.label] == ["clearly", "not"]


def test_after_the_lock_answers_are_read_and_not_changed() -> None:
    somebody = invited(frozen(n=1, raters_per_item=1))
    somebody.send("clearly")
    address = somebody.url("answer", Assignment.objects.get().public_id)
    somebody.look(address)
    sent = somebody.filled("not")
    closing.lock(campaign=somebody.packet.campaign, by=None, now=timezone.now())
    somebody.post(sent, address)

    assert somebody.page.status_code == 409
    assert Judgement.objects.get().label.code == "clearly"
    assert "<fieldset" not in somebody.look(address).content.decode()
    somebody.look()
    assert somebody.title == "Judging is finished"


def test_while_judging_is_paused_what_was_typed_stays_on_the_page() -> None:
    somebody = invited()
    sent = somebody.filled("clearly", evidence__use="a thought")
    campaigns.pause(campaign=somebody.packet.campaign, by=None, now=timezone.now())
    somebody.post(sent)

    assert somebody.page.status_code == 409
    assert somebody.form.fields["evidence-use"] == ["a thought"]
    assert "What you entered is still here" in somebody.text
    somebody.look()
    assert somebody.title == "Paused at the moment"


def test_leaving_and_looking_again_are_noted_for_open_items_only() -> None:
    somebody = invited()
    address = somebody.page.context["seen_url"]

    assert somebody.client.post(address, {"what": "hidden"}).status_code == 204
    assert somebody.client.post(address, {"what": "back"}).status_code == 204
    assert somebody.client.post(address, {"what": "shown"}).status_code == 400
    somebody.send()
    somebody.client.post(address, {"what": "back"})
    kinds = list(ItemEvent.objects.order_by("pk").values_list("kind", flat=True))
    assert kinds == ["shown", "hidden", "back", "submitted", "shown"]


def test_a_browser_that_fetches_ahead_claims_nothing() -> None:
    somebody = Somebody(frozen())
    somebody.sign_in(consents=False)
    somebody.agree()
    n = Assignment.objects.count()
    ahead = somebody.client.get(somebody.url("item"), headers={"Sec-Purpose": "prefetch"})

    assert ahead.status_code == 425
    assert Assignment.objects.count() == n
    assert ItemEvent.objects.filter(kind="shown").count() == 1


def test_opening_an_invitation_changes_nothing_and_a_double_click_makes_one_rater() -> None:
    packet = frozen()
    address = invitation_to(packet)
    browser = Browser()
    for _look in range(3):
        browser.get(address)
    assert not Rater.objects.exists()
    somebody = Somebody(packet, client=browser)
    somebody.page = browser.get(address)
    sent = somebody.form.fields
    Browser().post(address, sent)
    browser.post(address, sent)

    assert Rater.objects.count() == 1
    somebody.look()
    assert somebody.title == "Before you begin"


def test_who_has_begun_in_this_browser_goes_on_as_the_same_rater() -> None:
    packet = frozen()
    address = invitation_to(packet, limit=1)
    somebody = Somebody(packet)
    somebody.come(address)
    somebody.look(address)

    assert "You have begun in this browser already." in somebody.text
    somebody.client.post(address)
    assert Rater.objects.count() == 1


def test_the_personal_link_opens_the_work_in_another_browser() -> None:
    somebody = Somebody(frozen())
    somebody.come(invitation_to(somebody.packet))
    link = somebody.page.context["back_url"]
    elsewhere = Somebody(somebody.packet)
    elsewhere.look(link)
    elsewhere.post({}, link)

    assert elsewhere.title == "Before you begin"
    assert Rater.objects.count() == 1
    assert somebody.look().status_code == 200


def test_a_tab_that_sends_after_the_item_was_done_elsewhere_learns_of_it() -> None:
    somebody = invited(frozen(n=1))
    sent = somebody.filled("clearly")
    somebody.send("clearly")
    somebody.post({**sent, "key": ["not a key"], "version": ["x"]})

    assert somebody.page.status_code == 409
    assert Submission.objects.count() == 1
