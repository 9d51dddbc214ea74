"""An audit in browsers: from the freeze to unblinding, by keyboard alone, without script, on the smallest phone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.models import (
    Assignment,
    CampaignMember,
    ItemEvent,
    Judgement,
    Lock,
    Packet,
    Rater,
    Submission,
    Unblinding,
)
from annotation.services import campaigns, raters
from core import runs
from core.models import Run
from tests.annotation.audits import add_items, frozen, new_campaign, pair
from tests.core.fake_endpoint import FakeEndpoint
from tests.e2e.conftest import OpenWindow, sign_in
from tests.e2e.watching import Watch, axe_findings, sideways
from tests.factories import NOW, UserFactory

pytestmark = pytest.mark.e2e

SMALL = {"width": 320, "height": 568}
WIDE = {"width": 1280, "height": 900}
LONG = "https://example.org/" + "a-word-that-does-not-end" * 6


def stories(n: int = 2) -> Packet:
    """A frozen packet of pairs with five questions each."""
    rows = [pair(i, kind="story", first=f"{LONG}\n\n  first {i}", second=f"مرحبا {i}") for i in range(n)]
    return frozen(rows=rows)


def uses(n: int = 2, **changes: Any) -> Packet:
    """A frozen packet of pairs with one question each."""
    return frozen(rows=[pair(i) for i in range(n)], **changes)


def link_to(packet: Packet) -> str:
    """The address of an invitation."""
    until = timezone.now() + timedelta(days=1)
    campaign = packet.campaign
    _row, token = raters.invite(campaign=campaign, name="x", limit=9, expires_at=until, by=None, now=timezone.now())
    return reverse("judging:invitation", args=[campaign.slug, token])


def come(watch: Watch, packet: Packet, link: str = "") -> Page:
    """Somebody who opened an invitation, started and agreed; at the first item."""
    tab = watch.context.new_page()
    tab.goto(link or link_to(packet))
    tab.get_by_role("button", name="Start").click()
    tab.get_by_role("button", name="I agree", exact=True).click()
    expect(tab.locator("h1")).to_have_text("Please judge")
    return tab


def labels_of(rater: Rater) -> set[str]:
    rows = Judgement.objects.counted().filter(assignment__rater=rater).select_related("label")
    return {row.label.code for row in rows if row.label is not None}


def test_two_people_judge_one_by_keyboard_and_one_without_script(open_window: OpenWindow, live_server: Any) -> None:
    packet = stories()
    keyboard = come(open_window(viewport=WIDE), packet)
    for n in range(2):
        expect(keyboard.locator("#steps")).to_have_text(f"Judged: {n} of at most 2")
        for key in ("3", "2", "0", "3", "1"):
            keyboard.keyboard.press(key)
        expect(keyboard.locator("[data-send]")).to_be_focused()
        keyboard.keyboard.press("Enter")
    expect(keyboard.locator("h1")).to_have_text("Thank you")

    plain = come(open_window(viewport=SMALL, java_script_enabled=False), packet)
    assert not plain.locator("kbd").first.is_visible(), "keys that do nothing are not shown"
    for _item in range(2):
        for box in plain.locator("fieldset").all():
            box.locator("label.choice").nth(1).click()
        plain.get_by_role("button", name="Save and continue").click()
    expect(plain.locator("h1")).to_have_text("Thank you")

    first, second = Rater.objects.order_by("pk")
    assert labels_of(first) == {"clearly", "partly", "not"}
    assert labels_of(second) == {"partly"}
    assert Judgement.objects.counted().count() == 20
    assert Judgement.objects.filter(missing="cannot_judge").count() == 2
    both_ways = Assignment.objects.filter(purpose="work").values_list("item", "swapped").distinct()
    assert both_ways.count() == 4, "each pair was shown both ways"


@pytest.fixture
def model(settings: Any) -> Iterator[FakeEndpoint]:
    """A server that speaks as a language model would: always that they are clearly similar."""
    with FakeEndpoint() as found:
        settings.ENDPOINTS = {"fake": found.endpoint(retries=1, concurrency=1)}
        found.answer = lambda data: '{"use": "clearly"}'
        yield found


def test_an_audit_goes_from_the_freeze_to_unblinding(
    open_window: OpenWindow, live_server: Any, model: FakeEndpoint, settings: Any
) -> None:
    """An owner freezes, invites and asks a model; two people judge; the owner locks and unblinds."""
    settings.PUBLIC_URL = live_server.url
    campaign = new_campaign(slug="uses")
    add_items(campaign, [pair(i, stratum=f"kanarienvogel-{i}") for i in range(2)])
    owner = UserFactory()
    campaigns.add_member(campaign=campaign, user=owner, role=CampaignMember.Role.OWNER, by=None, now=NOW)
    watch = open_window(viewport=WIDE)
    sign_in(watch, owner, live_server)
    team = watch.context.new_page()

    team.goto("/audits/uses/freeze/")
    team.get_by_role("button", name="Freeze").click()
    packet = Packet.objects.get()
    expect(team.locator("main")).to_contain_text(packet.sha256[:16])
    team.goto("/audits/uses/raters/")
    team.fill("#invitation_name", "Students")
    team.fill("#invitation_limit", "2")
    team.get_by_role("button", name="Make the link").click()
    link = team.locator("code.link").inner_text()

    team.goto("/audits/uses/models/")
    team.get_by_role("button", name="Add", exact=True).click()
    team.get_by_role("button", name="Ask the model").click()
    expect(team.locator("main")).not_to_contain_text("Ask the model")
    run = runs.execute(Run.objects.get().pk)
    assert run is not None
    assert run.status == Run.Status.FINISHED, run.error

    for key in ("3", "1"):
        person = come(open_window(viewport=WIDE), packet, link)
        for _item in range(2):
            assert "kanarienvogel" not in person.content()
            before = person.locator("input[name=assignment]").first.input_value()
            person.keyboard.press(key)
            person.keyboard.press("Enter")
            expect(person.locator(f"form[data-judging] input[value='{before}']")).to_have_count(0)
        expect(person.locator("h1")).to_have_text("Thank you")

    team.goto("/audits/uses/lock/")
    expect(team.locator("main")).to_contain_text("Everything is judged.")
    team.get_by_role("button", name="Lock for good").click()
    expect(team.locator("main")).not_to_contain_text("Lock for good")
    team.goto("/audits/uses/unblind/")
    team.locator("#confirm_slug").fill("uses")
    team.get_by_role("button", name="Unblind for good").click()
    expect(team.locator("main")).to_contain_text(f"by {owner.get_username()}")
    team.get_by_role("link", name="Agreement report").click()
    team.get_by_role("button", name="Compute the report").click()
    expect(team.locator("main")).to_contain_text("Waiting for a worker")
    report = runs.execute(Run.objects.get(kind="agreement").pk)
    assert report is not None
    assert report.status == Run.Status.FINISHED, report.error
    team.goto("/audits/uses/report/")
    expect(team.locator("main")).to_contain_text("Fleiss")
    expect(team.locator("main")).to_contain_text("kanarienvogel-0")

    assert Lock.objects.get().override_reason == ""
    assert Unblinding.objects.get().lock.packet == packet
    told = Judgement.objects.counted().values_list("assignment__rater__kind", "label__code")
    assert sorted(told) == [
        ("model", "clearly"),
        ("model", "clearly"),
        ("person", "clearly"),
        ("person", "clearly"),
        ("person", "not"),
        ("person", "not"),
    ]
    assert model.n_calls == 2


def test_keys_do_nothing_where_one_writes_composes_or_holds_a_modifier(
    open_window: OpenWindow, live_server: Any
) -> None:
    tab = come(open_window(viewport=WIDE), uses())
    tab.locator("summary", has_text="Say what your answer rests on").click()
    field = tab.locator("#evidence-use")
    field.click()
    tab.keyboard.type("1 2 3 n p s 0")
    assert tab.locator("input:checked").count() == 1, "the box that switches keys on"
    expect(field).to_have_value("1 2 3 n p s 0")
    tab.locator("h1").click()
    for held in ("Control", "Alt", "Shift", "Meta"):
        tab.evaluate(
            "(held) => document.body.dispatchEvent(new KeyboardEvent('keydown', "
            "{key: '2', code: 'Digit2', bubbles: true, [`${held}Key`]: true}))",
            {"Control": "ctrl", "Alt": "alt", "Shift": "shift", "Meta": "meta"}[held],
        )
    tab.evaluate(
        "() => document.body.dispatchEvent(new KeyboardEvent('keydown', "
        "{key: '2', code: 'Digit2', bubbles: true, isComposing: true}))"
    )
    assert tab.locator("form[data-judging] input:checked").count() == 0
    tab.keyboard.press("2")
    expect(tab.locator("input[name='answer-use']:checked")).to_have_value("partly")

    tab.locator("summary", has_text="Keyboard shortcuts").click()
    tab.locator("label[for=use-keys]").click()
    tab.locator("h1").click()
    tab.keyboard.press("3")
    expect(tab.locator("input[name='answer-use']:checked")).to_have_value("partly")
    tab.reload()
    tab.keyboard.press("3")
    expect(tab.locator("input[name='answer-use'][value=clearly]")).not_to_be_checked()


def test_a_draft_survives_a_reload_and_time_away_is_noted(open_window: OpenWindow, live_server: Any) -> None:
    tab = come(open_window(), uses())
    tab.locator("label[for='choice-3-use']").click()
    expect(tab.locator("[data-draft-status]")).to_have_text("Draft saved")
    tab.evaluate(
        "() => { Object.defineProperty(document, 'hidden', {value: true, configurable: true});"
        " document.dispatchEvent(new Event('visibilitychange')); }"
    )
    with tab.expect_response(lambda response: response.url.endswith("/seen/")) as answer:
        tab.evaluate(
            "() => { Object.defineProperty(document, 'hidden', {value: false, configurable: true});"
            " document.dispatchEvent(new Event('visibilitychange')); }"
        )
    assert answer.value.status == 204
    tab.reload()
    expect(tab.locator("#choice-3-use")).to_be_checked()
    assert set(ItemEvent.objects.values_list("kind", flat=True)) == {"shown", "drafted", "hidden", "back"}


def test_a_draft_of_one_item_is_not_put_into_the_next(open_window: OpenWindow, live_server: Any) -> None:
    tab = come(open_window(), uses())
    tab.locator("label[for='choice-3-use']").click()
    tab.get_by_role("button", name="Save and continue").click()
    expect(tab.locator("#steps")).to_have_text("Judged: 1 of at most 2")
    assert tab.locator("form[data-judging] input:checked").count() == 0


def test_a_dependent_question_unfolds(open_window: OpenWindow, live_server: Any) -> None:
    rows = [{"external_id": "a", "request": "Name a colour."}]
    tab = come(open_window(viewport=WIDE), frozen("openness", rows))
    dependent = tab.locator("[data-question='answer-how_many']")
    expect(dependent).to_be_hidden()
    tab.keyboard.press("1")
    expect(dependent).to_be_visible()
    expect(tab.locator("#answer-how_many")).to_be_focused()
    tab.keyboard.press("4")
    tab.keyboard.press("Enter")
    expect(tab.locator("h1")).to_have_text("Thank you")
    assert labels_of(Rater.objects.get()) == {"yes", "above_20"}


def test_two_tabs_get_a_page_that_keeps_what_was_chosen(open_window: OpenWindow, live_server: Any) -> None:
    watch = open_window(viewport=WIDE)
    one = come(watch, uses())
    two = watch.context.new_page()
    two.goto(one.url)
    one.keyboard.press("3")
    one.keyboard.press("Enter")
    expect(one.locator("#steps")).to_have_text("Judged: 1 of at most 2")
    two.bring_to_front()
    two.keyboard.press("1")
    two.keyboard.press("Enter")

    expect(two.locator("#stored")).to_contain_text("Clearly similar")
    expect(two.locator("input[name='answer-use']:checked")).to_have_value("not")
    two.get_by_role("button", name="Save and continue").click()
    expect(two.locator("#stored")).to_have_count(0)
    assert labels_of(Rater.objects.get()) == {"not"}
    assert Submission.objects.count() == 2


def test_every_page_of_a_rater_is_accessible_on_the_smallest_phone(open_window: OpenWindow, live_server: Any) -> None:
    training = {"purpose": "training", "gold": {"use": ["partly"]}, "explanation": LONG}
    gold = {"purpose": "gold", "gold": {"use": ["clearly"]}}
    rows = [pair(1, first=LONG, second="b"), pair(2, **training), pair(3, **gold)]
    packet = frozen(rows=rows, qualification={"training": True, "pass_mark": 1.0, "attempts": 2})
    watch = open_window(viewport=SMALL)
    watch.allowed |= {404}
    tab = watch.context.new_page()
    found: dict[str, list[str]] = {}

    def look(title: str) -> None:
        expect(tab.locator("h1")).to_have_text(title)
        for scheme in ("light", "dark"):
            tab.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            wrong = axe_findings(tab)
            if beyond := sideways(tab):
                wrong.append(f"{beyond} px are beyond the page")
            if wrong:
                found[f"{title}, {scheme}"] = wrong

    def choose(number: int) -> None:
        tab.locator("label.choice").nth(number).click()
        tab.get_by_role("button", name="Save and continue").click()

    tab.goto(f"/judge/{packet.campaign.slug}/item/")
    look("We do not know you here")
    tab.goto(f"/judge/{packet.campaign.slug}/invitation/made-up/")
    look("This invitation cannot be used")
    tab.goto(link_to(packet))
    look("Pairwise audit")
    tab.get_by_role("button", name="Start").click()
    look("Before you begin")
    tab.get_by_role("button", name="I agree", exact=True).click()
    look("Practice")
    choose(0)
    look("Not quite")
    tab.get_by_role("button", name="Continue").click()
    look("Qualification")
    choose(0)
    look("Not passed yet")
    tab.get_by_role("button", name="Try again").click()
    choose(2)
    look("You have qualified")
    tab.get_by_role("button", name="Begin").click()
    for summary in tab.locator("summary").all():
        if summary.locator("xpath=..").get_attribute("open") is None:
            summary.click()
    look("Please judge")
    tab.get_by_role("button", name="Save and continue").click()
    expect(tab.locator(".error-summary")).to_be_focused()
    look("Please judge")
    choose(1)
    look("Thank you")
    tab.get_by_role("link", name="See or change your answers").click()
    look("Your answers")
    tab.get_by_role("link", name="Look at it or change it").click()
    look("Your answer")
    tab.locator("label.choice").nth(2).click()
    tab.get_by_role("button", name="Save the change").click()
    expect(tab.locator("#main")).to_contain_text("Clearly similar")
    assert found == {}
