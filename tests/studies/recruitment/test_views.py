"""The start page, the start and the personal link, as a browser sees them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from studies.models import Enrolment, ExternalIdentity, PageView, Study
from studies.session.tokens import COOKIE, KEPT, resume_token, simulated_pass
from tests.factories import CODES, StudyFactory, published_study
from tests.walking import Walker, read_form, read_forms, read_text

PID = "5f3e8c1a9b2d4e6f7a8b9c0d"
SESSION = "64a1b2c3d4e5f60718293a4b"
IDS = {"PROLIFIC_PID": PID, "STUDY_ID": "63c0ffee63c0ffee63c0ffee", "SESSION_ID": SESSION}


@pytest.mark.parametrize("method", ["get", "head"])
def test_opening_a_link_changes_nothing(study, client: Client, method: str) -> None:
    response = getattr(client, method)(f"/s/{study.slug}/", IDS)

    assert response.status_code == 200
    assert COOKIE not in response.cookies
    assert not Enrolment.objects.exists()
    assert not PageView.objects.exists()


@pytest.mark.parametrize("address", ["/s/{}", "/s/{}/"])
def test_the_ids_survive_a_missing_slash(study, client: Client, address: str) -> None:
    response = client.get(address.format(study.slug), IDS, follow=True)

    form = read_form(response)
    assert form.fields["PROLIFIC_PID"] == [PID]
    client.post(form.action, form.fields)
    assert ExternalIdentity.objects.get().session_id == SESSION


def test_the_start_page_says_what_it_is_about_and_what_it_pays(client: Client, db) -> None:
    study = published_study(
        pay_amount="4.50", pay_currency="USD", pay_minutes=20, ethics_body="Board of Review", ethics_protocol="2025-7"
    )

    text = read_text(client.get(f"/s/{study.slug}/"))

    for said in (study.title, study.summary, "4.50 USD", "About 20 minutes", "Board of Review", "2025-7"):
        assert said in text


def test_a_start_leads_to_the_session_by_a_cookie_for_this_study_alone(study, client: Client) -> None:
    form = read_form(client.get(f"/s/{study.slug}/"))

    response = client.post(form.action, form.fields)

    assert (response.status_code, response["Location"]) == (303, f"/s/{study.slug}/page/")
    cookie = response.cookies[COOKIE]
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == (f"/s/{study.slug}/", True, "Lax")


def test_the_cookie_is_secure_where_pages_are(study, client: Client, settings) -> None:
    settings.SESSION_COOKIE_SECURE = True

    response = client.post(f"/s/{study.slug}/start/", {})

    assert response.cookies[COOKIE]["secure"]


def test_a_start_without_a_csrf_token_enrols_nobody(study) -> None:
    client = Client(enforce_csrf_checks=True)

    assert client.post(f"/s/{study.slug}/start/", IDS).status_code == 403
    assert not Enrolment.objects.exists()


def test_a_start_address_opened_as_a_link_leads_to_the_start_page_with_its_ids(study, client: Client) -> None:
    response = client.get(f"/s/{study.slug}/start/", IDS, follow=True)

    assert read_form(response).fields["PROLIFIC_PID"] == [PID]
    assert not Enrolment.objects.exists()


def test_a_broken_link_is_explained_with_the_contact_and_enrols_nobody(study, client: Client) -> None:
    ids = IDS | {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"}

    shown = client.get(f"/s/{study.slug}/", ids)
    posted = client.post(f"/s/{study.slug}/start/", ids)

    for response in (shown, posted):
        assert response.status_code == 400
        assert "placeholders" in read_text(response)
        assert study.contact in read_text(response)
        assert not read_forms(response)
    assert not Enrolment.objects.exists()


def test_reopening_the_link_leads_to_the_current_page(study) -> None:
    walker = Walker(study.slug)
    walker.start(**IDS)
    walker.walk(until="rate")

    walker.arrive(**IDS)

    assert walker.kind == "rate"
    assert Enrolment.objects.count() == 1


def test_reopening_the_link_after_the_end_shows_the_code_again(study) -> None:
    walker = Walker(study.slug)
    walker.start(**IDS)
    walker.walk()

    walker.arrive(**IDS)

    assert CODES["complete"] in read_text(walker.page)


def test_the_recruiter_s_link_in_another_browser_opens_the_session(study) -> None:
    first, second = Walker(study.slug), Walker(study.slug)
    first.start(**IDS)
    first.walk(until="write")

    page = second.arrive(**IDS)
    assert "Continue" in read_text(page)
    second.start(**IDS)

    assert second.kind == "write"
    assert first.look().context["page"]["kind"] == "write", "the first browser goes on as well"


def test_another_session_of_a_known_person_is_told_so_and_stays_shut(study) -> None:
    first, second = Walker(study.slug), Walker(study.slug)
    first.start(**IDS)

    second.start(**IDS | {"SESSION_ID": "0" * 24})

    assert second.page.status_code == 409
    assert "already started" in read_text(second.page)
    assert study.contact in read_text(second.page)
    assert COOKIE not in second.client.cookies


def test_a_second_person_in_the_same_browser_gets_a_session_of_their_own(study) -> None:
    walker = Walker(study.slug)
    walker.start(**IDS)
    walker.walk(until="write")

    walker.start(PROLIFIC_PID="1" * 24, SESSION_ID="2" * 24, STUDY_ID="3" * 24)

    assert walker.kind == "consent"
    assert Enrolment.objects.count() == 2


def test_a_full_study_says_so_with_a_code_of_its_own(client: Client, db) -> None:
    study = published_study(places=1)
    Walker(study.slug).start()

    walker = Walker(study.slug)
    walker.start(**IDS)

    assert (walker.page.status_code, walker.kind) == (409, "full")
    assert CODES["full"] in read_text(walker.page)
    assert f"https://app.prolific.com/submissions/complete?cc={CODES['full']}" in walker.page.content.decode()
    assert Enrolment.objects.count() == 1


@pytest.mark.parametrize("status", ["paused", "closed"])
def test_a_study_that_is_not_open_says_so(study, client: Client, status: str) -> None:
    Study.objects.update(status=status)

    for response in (client.get(f"/s/{study.slug}/", IDS), client.post(f"/s/{study.slug}/start/", IDS)):
        assert response.context["page"]["kind"] == "closed"
    assert not Enrolment.objects.exists()


@pytest.mark.parametrize("part", ["", "start/", "page/", "withdraw/"])
def test_a_draft_does_not_exist_for_participants(client: Client, db, part: str) -> None:
    study = StudyFactory()

    assert client.get(f"/s/{study.slug}/{part}").status_code == 404


def test_a_simulated_participant_is_marked_everywhere(study) -> None:
    walker = Walker(study.slug)
    walker.start(simulated=simulated_pass(study.slug))

    assert Enrolment.objects.get().origin == "simulated"
    assert "Simulated session" in read_text(walker.page)


@pytest.mark.parametrize("forged", ["yes", "x:y:z", "other"])
def test_a_forged_pass_starts_neither_a_simulated_nor_a_live_session(study, client: Client, forged: str) -> None:
    value = simulated_pass("another-study") if forged == "other" else forged

    response = client.post(f"/s/{study.slug}/start/", {"simulated": value})

    assert response.status_code == 403
    assert not Enrolment.objects.exists()


# --- The personal link ----------------------------------------------------------------------------------------------


def personal_link(walker: Walker) -> str:
    link = walker.page.context["page"]["resume_url"]
    assert link.startswith(f"http://testserver/s/{walker.slug}/resume/")
    assert link in read_text(walker.page)
    return link.removeprefix("http://testserver")


def test_the_personal_link_opens_the_session_in_another_browser(study) -> None:
    first, second = Walker(study.slug), Walker(study.slug)
    first.start()
    link = personal_link(first)
    first.walk(until="rate")

    second.page = second.client.get(link)
    assert COOKIE not in second.client.cookies, "opening the link, as mail scanners do, opens nothing"
    assert "Question 1 of 3" in read_text(second.page)
    second.post({}, read_form(second.page).action)

    assert second.kind == "rate"
    assert first.look().status_code == 200, "the first browser goes on as well"


def test_the_personal_link_shows_the_end_as_well(study) -> None:
    first, second = Walker(study.slug), Walker(study.slug)
    first.start()
    link = personal_link(first)
    first.walk()

    second.page = second.client.get(link)
    second.post({}, link)

    assert CODES["complete"] in read_text(second.page)


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_forged_link_opens_nothing_and_says_whom_to_ask(study, client: Client, method: str) -> None:
    walker = Walker(study.slug)
    walker.start()
    link = personal_link(walker)

    for forged in (link[:-2] + "x/", f"/s/{study.slug}/resume/nothing/", f"/s/{study.slug}/resume/a:b:c/"):
        response = getattr(client, method)(forged)

        assert response.status_code == 403
        assert "does not work" in read_text(response)
        assert study.contact in read_text(response)
        assert COOKIE not in client.cookies


def test_an_expired_link_opens_nothing(study, client: Client) -> None:
    Walker(study.slug).start()
    Enrolment.objects.update(started_at=timezone.now() - KEPT - timedelta(seconds=1))
    link = f"/s/{study.slug}/resume/{resume_token(Enrolment.objects.get())}/"

    assert client.get(link).status_code == 403
    assert client.post(link).status_code == 403
    assert COOKIE not in client.cookies


def test_a_link_to_another_study_opens_nothing_here(study, client: Client) -> None:
    other = published_study()
    Walker(other.slug).start()
    token = resume_token(Enrolment.objects.get())

    assert client.get(f"/s/{study.slug}/resume/{token}/").status_code == 403
    assert client.post(f"/s/{study.slug}/resume/{token}/").status_code == 403
