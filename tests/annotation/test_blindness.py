"""What raters must not learn never reaches them: canaries in every response, and pages that depend on nothing hidden.

The addresses are read from the URL configuration: a rater's page that no test here visits fails.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from annotation.models import (
    AnnotateSettings,
    Assignment,
    GoldLabel,
    HiddenFields,
    Item,
    ItemScore,
    Judgement,
    Rater,
    Scorer,
    TextOrigin,
)
from annotation.services import raters
from tests.annotation.audits import answers, frozen, pair, person, say, take
from tests.annotation.somebody import Somebody, invitation_to
from tests.factories import UserFactory, publish, published_study
from tests.walking import Browser, Walker

pytestmark = pytest.mark.django_db

CANARY = "kanarienvogel"
DISTANCE = "7357913"
NOISE = re.compile(
    rb'name="csrfmiddlewaretoken" value="[^"]+"|X-CSRFToken": "[^"]+"|name="key" value="[^"]+"|csrftoken=[^;]+;'
    rb"|name=\"start\" value=\"[^\"]+\"|expires=[^;]+;"
)
QUALIFICATION = {"training": True, "pass_mark": 1.0, "attempts": 2}


class Recorder(Browser):
    """A browser that keeps every answer it got."""

    def __init__(self, **defaults: Any) -> None:
        super().__init__(**defaults)
        self.seen: list[tuple[str, Any]] = []

    def request(self, **request: Any) -> Any:
        response = super().request(**request)
        self.seen.append((f"{request['REQUEST_METHOD']} {request['PATH_INFO']}", response))
        return response


def hidden(number: int, **columns: Any) -> dict[str, Any]:
    """A row whose hidden fields can be told from everything that is shown."""
    names = ("stratum", "reference", "pair", "source", "model")
    values = {name: f"{CANARY}-{name}-{number % 2}" for name in names}
    return {
        **pair(number),
        "external_id": f"{CANARY}-id-{number}",
        **values,
        "covered": number % 2 == 0,
        "distance": float(f"0.{DISTANCE}{number}"),
        **columns,
    }


def audit() -> Any:
    """A packet with practice, a gold item and work, everything hidden a canary; others have judged some of it."""
    training = {"purpose": "training", "gold": {"use": ["partly"]}, "explanation": "To be told after practice."}
    gold = {"purpose": "gold", "gold": {"use": ["clearly"]}, "explanation": f"{CANARY}-explanation"}
    rows = [hidden(1, **training), hidden(2, **gold), *(hidden(n) for n in range(3, 7))]
    packet = frozen(rows=rows, qualification=QUALIFICATION, raters_per_item=3)
    scorer = Scorer.objects.create(campaign=packet.campaign, code=f"{CANARY}-scorer", name=CANARY, family="reward")
    for item in packet.items.all():
        ItemScore.objects.create(scorer=scorer, item=item, value=float(f"0.{DISTANCE}"))
    text = packet.items.first().texts.first()
    TextOrigin.objects.create(text=text, source="model_answer", source_id=uuid.uuid4())
    other = person(packet)
    Rater.objects.filter(pk=other.pk).update(code=f"{CANARY}-rater", name=f"{CANARY}-name", recruitment=f"{CANARY}-how")
    for _item in range(4):
        assignment = take(other, packet)
        given = answers(assignment)
        say(assignment, {code: replace(each, evidence=f"{CANARY}-evidence") for code, each in given.items()})
    return packet


def secrets_of(packet: Any) -> set[str]:
    """What must not occur in any answer to a rater, beside the canaries."""
    fields = HiddenFields.objects.filter(packet=packet)
    found = {CANARY, DISTANCE, packet.seed, packet.sha256, packet.items_sha256, packet.mapping_sha256}
    found |= {value for row in fields for value in (row.salt, row.sha256)}
    found |= {value for item in packet.items.all() for value in (item.salt, item.sha256)}
    found |= {str(origin.source_id) for origin in TextOrigin.objects.all()}
    return found


def others_of(rater: Rater) -> set[str]:
    """Names of what belongs to other raters."""
    rows = Rater.objects.exclude(pk=rater.pk)
    found = {str(value) for row in rows for value in (row.public_id, row.code)}
    return found | {str(row.public_id) for row in Assignment.objects.exclude(rater=rater)}


def all_of(response: Any) -> str:
    """Everything that reaches the browser: status line, headers, cookies, body."""
    headers = "\n".join(f"{name}: {value}" for name, value in response.headers.items())
    return f"{response.status_code}\n{headers}\n{response.cookies.output()}\n{response.content.decode()}"


def leaks(seen: list[tuple[str, Any]], secrets: set[str]) -> list[str]:
    return [f"{where}: {secret}" for where, response in seen for secret in secrets if secret in all_of(response)]


def walk_through(somebody: Somebody) -> None:
    """Meet every page that a rater can: wrong, stale, kept, skipped, changed, finished."""
    somebody.agree()
    somebody.send("clearly")
    somebody.go_on()
    somebody.send("not")
    somebody.go_on()
    somebody.send("clearly")
    somebody.go_on()
    somebody.send(None, answer__use=None)
    somebody.send("not", action="keep")
    somebody.post({**somebody.form.fields, "action": "skip"})
    sent = somebody.filled("partly")
    somebody.post(sent)
    somebody.post({**sent, "key": [str(uuid.uuid4())]})
    while somebody.title == "Please judge" and somebody.page.status_code != 409:
        somebody.send("partly")
    somebody.look()
    while somebody.title == "Please judge":
        somebody.send("partly")
    somebody.look(somebody.url("answers"))
    done = Assignment.objects.filter(rater=somebody.rater, purpose="work", status="done").first()
    assert done is not None
    somebody.look(somebody.url("answer", done.public_id))
    somebody.send("clearly")


def test_a_leak_is_found_wherever_it_is() -> None:
    body, header, cookie, silent = HttpResponse(f"data-x={CANARY}"), HttpResponse(), HttpResponse(), HttpResponse()
    header["Location"] = f"/judge/{CANARY}/"
    cookie.set_cookie("x", CANARY)

    for response in (body, header, cookie):
        assert leaks([("GET /", response)], {CANARY}) == [f"GET /: {CANARY}"]
    assert leaks([("GET /", silent)], {CANARY}) == []


@pytest.fixture
def walked() -> Somebody:
    """Somebody who has been everywhere, in a browser that kept every answer."""
    packet = audit()
    somebody = Somebody(packet, client=Recorder())
    somebody.come(invitation_to(packet))
    walk_through(somebody)
    return somebody


def seen_by(somebody: Somebody) -> list[tuple[str, Any]]:
    assert isinstance(somebody.client, Recorder)
    return somebody.client.seen


def test_the_canaries_are_there_to_be_found() -> None:
    packet = audit()
    assert HiddenFields.objects.filter(packet=packet, stratum__startswith=CANARY).count() == 6
    assert Judgement.objects.filter(evidence__startswith=CANARY).count() == 4
    assert GoldLabel.objects.filter(explanation__startswith=CANARY).exists()


def test_no_page_of_the_whole_way_holds_anything_hidden(walked: Somebody) -> None:
    seen = seen_by(walked)

    assert {response.status_code for _where, response in seen} >= {200, 303, 409, 422}
    assert leaks(seen, secrets_of(walked.packet) | others_of(walked.rater)) == []


def test_no_page_is_kept_or_named_by_what_it_holds(walked: Somebody) -> None:
    for where, response in seen_by(walked):
        assert not {"ETag", "Last-Modified", "Content-Disposition"} & set(response.headers), where
        if response.status_code == 200:
            assert "no-store" in response.headers["Cache-Control"], where


# --- Every address -------------------------------------------------------------------------------------------------


def patterns(resolver: URLResolver | None = None, before: str = "") -> Iterator[tuple[str, URLPattern]]:
    """The names of all addresses whose views are ours, with their patterns."""
    for found in (resolver or get_resolver()).url_patterns:
        if isinstance(found, URLResolver):
            yield from patterns(found, f"{before}{found.namespace}:" if found.namespace else before)
        elif found.callback.__module__.startswith("annotation.") or _is_api_of_ours(found.callback):
            yield f"{before}{found.name}", found


def _is_api_of_ours(view: Any) -> bool:
    return getattr(view, "cls", type(None)).__module__.startswith("annotation.")


OF_RATERS = {
    "campaigns",
    "work",
    "invitation",
    "back",
    "item",
    "draft",
    "seen",
    "answers",
    "answers-page",
    "answer",
}
"""Raters' addresses that the tests here and in `test_the_scope` visit, each with arguments of its own."""


def addresses_of(somebody: Somebody) -> dict[str, str]:
    """The address of each rater's page, with what belongs to the rater."""
    mine = Assignment.objects.filter(rater=somebody.rater, purpose="work").order_by("pk")
    done = mine.filter(status="done").first()
    assert done is not None
    return {
        "campaigns": reverse("judging:campaigns"),
        "invitation": invitation_to(somebody.packet),
        "back": somebody.url("back", "no-token"),
        **{name: somebody.url(name) for name in ("work", "item", "answers")},
        **{name: somebody.url(name, done.public_id) for name in ("draft", "seen", "answer")},
        "answers-page": somebody.url("answers-page", 1),
    }


def test_every_address_of_raters_is_visited(walked: Somebody) -> None:
    names = {name.removeprefix("judging:") for name, _pattern in patterns() if name.startswith("judging:")}

    assert names == OF_RATERS == set(addresses_of(walked))


METHODS = ("get", "head", "options", "post", "put", "patch", "delete", "trace")
QUERIES = ("", "?ordering=stratum", "?stratum=a", "?q=text", "?page=2", "?format=json", "?fields=hidden", "?cursor=x")


def ask(client: Client, method: str, address: str, *, fragment: bool = False) -> Any:
    headers = {"HX-Request": "true"} if fragment else {}
    return getattr(client, method)(address, headers=headers)


def test_no_method_and_no_parameter_brings_out_anything_hidden(walked: Somebody) -> None:
    secrets = secrets_of(walked.packet) | others_of(walked.rater)
    seen = []
    for name, address in addresses_of(walked).items():
        for method in METHODS:
            seen.append((f"{method} {name}", ask(walked.client, method, address)))
        for query in QUERIES:
            for fragment in (False, True):
                response = ask(walked.client, "get", address + query, fragment=fragment)
                seen.append((f"{name}{query}", response))

    assert leaks(seen, secrets) == []
    assert all(response.status_code < 500 for _where, response in seen)


def test_pages_of_the_team_and_programs_show_raters_nothing(walked: Somebody) -> None:
    """Whoever judges is no member of the team: whatever address of an audit they try, nothing hidden comes."""
    user = UserFactory()
    Rater.objects.filter(pk=walked.rater.pk).update(account=user)
    client = Client()
    client.force_login(user)
    ids = [walked.packet.campaign.slug, walked.packet.campaign.public_id, walked.packet.public_id, 1, "x"]
    ids += [str(row.public_id) for row in Assignment.objects.all()[:2]]
    seen = []
    for name, pattern in patterns():
        if name.startswith("judging:"):
            continue
        for value in ids:
            try:
                address = reverse(name, kwargs=dict.fromkeys(pattern.pattern.regex.groupindex, value))
            except NoReverseMatch:
                continue
            seen += [(f"{method} {address}", ask(client, method, address)) for method in ("get", "options", "post")]

    assert leaks(seen, secrets_of(walked.packet) | others_of(walked.rater)) == []
    assert all(response.status_code < 500 for _where, response in seen)


@pytest.mark.parametrize("name", ["stratum", "source", "distance", "covered", "external_id", "rank", "nothing_at_all"])
def test_sorting_and_filtering_is_refused_alike_whatever_is_asked(walked: Somebody, name: str) -> None:
    address = walked.url("answers")
    said = {
        masked(walked.client.get(address, query))
        for query in (
            {name: f"{CANARY}-{name}-0"},
            {name: f"{CANARY}-{name}-1"},
            {name: "no-such-value"},
            {"ordering": name},
            {"ordering": f"-{name}"},
            {"sort": "rank"},
        )
    }

    assert len(said) == 1
    assert said.pop()[0] == 400


# --- Nothing that is shown depends on what is hidden ---------------------------------------------------------------


def masked(response: Any) -> tuple[int, bytes]:
    """Status and body without what is new with every answer."""
    return response.status_code, NOISE.sub(b"", response.content)


def test_what_is_shown_does_not_depend_on_hidden_fields_or_other_raters(walked: Somebody) -> None:
    walked.look()
    addresses = [address for name, address in addresses_of(walked).items() if name not in ("invitation", "back")]
    before = [masked(walked.client.get(address)) for address in addresses]
    HiddenFields.objects.update(
        stratum="s", reference="r", pair="p", source="o", model="m", is_covered=None, distance=9
    )
    others = Judgement.objects.exclude(assignment__rater=walked.rater)
    assert others.update(evidence="something else", superseded_at=timezone.now())
    ItemScore.objects.all().delete()
    newcomer = person(walked.packet)
    Rater.objects.filter(pk=newcomer.pk).update(removed_at=timezone.now())
    after = [masked(walked.client.get(address)) for address in addresses]

    assert after == before


def test_equal_packets_in_other_strata_look_alike() -> None:
    """The first page of two campaigns that differ in hidden fields alone, but for random ids."""
    pages = []
    for stratum in ("near", "far"):
        packet = frozen(rows=[pair(1, stratum=stratum, source=stratum, distance=0.5)], slug=f"audit-{stratum}")
        somebody = Somebody(packet)
        somebody.sign_in(consents=True)
        html = somebody.page.content.decode().replace(f"audit-{stratum}", "audit")
        html = re.sub(r"[0-9a-f-]{36}", "", html).replace(packet.items.get().key, "")
        card = somebody.page.context["card"]
        for passage in card.passages:
            html = html.replace(passage.text, "")
        pages.append(masked_text(html))
    assert pages[0] == pages[1]


def masked_text(html: str) -> bytes:
    return NOISE.sub(b"", html.encode())


def test_keys_are_opaque() -> None:
    rows = [hidden(n) for n in range(12)]
    packets = [frozen(rows=rows) for _again in range(2)]
    keys = [list(packet.items.order_by("hidden__external_id").values_list("key", flat=True)) for packet in packets]

    assert not set(keys[0]) & set(keys[1]), "the same rows get other keys"
    assert all(key == key.upper() and key.isalnum() and len(key) >= 12 for key in keys[0])
    assert keys[0] != sorted(keys[0])
    assert not Item.objects.filter(key__icontains=CANARY[:6]).exists()


def test_a_paid_rater_in_a_session_sees_nothing_hidden_either() -> None:
    packet = frozen(rows=[hidden(n) for n in range(3)])
    study = published_study(n_questions=1, n_answers=1, n_seeds=0, blocks=["consent", "annotate"])
    AnnotateSettings.objects.create(study=study, campaign=packet.campaign.slug, items=2)
    client = Recorder()
    walker = Walker(publish(study).slug, client=client)
    walker.start()
    walker.send()
    walker.send()
    for _item in range(2):
        walker.send(answer__use=["partly"], action=["submit"])
    walker.send(action="finish")

    assert walker.kind == "complete"
    assert len(client.seen) > 8
    assert leaks(client.seen, secrets_of(packet)) == []


# --- Scope ---------------------------------------------------------------------------------------------------------


def test_the_scope_of_raters() -> None:
    """Of another campaign, of another rater, of nobody: not found, by every method."""
    here, elsewhere = frozen(n=2), frozen(n=2)
    me, foreign, other = Somebody(here), Somebody(elsewhere), Somebody(here)
    for somebody in (me, foreign, other):
        somebody.sign_in(consents=True)
        somebody.send("partly")
    mine = Rater.objects.filter(campaign=here.campaign).order_by("pk")[0]
    theirs = Assignment.objects.exclude(rater=mine)
    assert theirs.count() >= 4
    for assignment in theirs:
        for name in ("answer", "draft", "seen"):
            address = me.url(name, assignment.public_id)
            assert me.client.post(address, {"what": "back"}).status_code == 404
        assert me.client.get(me.url("answer", assignment.public_id)).status_code == 404
        sent = {"assignment": str(assignment.public_id), "version": "0", "answer-use": "not"}
        for action in ("submit", "skip", "keep", "go_on"):
            assert me.client.post(me.url("item"), {**sent, "action": action}).status_code == 404
    for name in ("item", "answers", "work"):
        assert me.client.get(foreign.url(name)).status_code == 404
        assert Client().get(me.url(name)).status_code == 404
    assert not theirs.filter(judgements__label__code="not").exists()
    assert Rater.objects.get(pk=mine.pk).assignments.filter(status="done").count() == 1


def test_who_was_removed_finds_nothing_any_more() -> None:
    packet = frozen(n=2)
    somebody = Somebody(packet)
    somebody.come(invitation_to(packet))
    link = somebody.page.context["back_url"]
    somebody.agree()
    somebody.send("partly")
    sent = somebody.filled("clearly")
    done = Assignment.objects.get(status="done")
    raters.remove(rater=somebody.rater, by=None, now=timezone.now())

    for address in (somebody.url("item"), somebody.url("answers"), somebody.url("answer", done.public_id), link):
        assert somebody.client.get(address).status_code == 404
        assert somebody.client.post(address, sent).status_code in (404, 405)
    assert somebody.client.post(somebody.url("draft", done.public_id), sent).status_code == 404
    assert Judgement.objects.counted().count() == 1, "what they gave stays"


def test_invitations_that_are_over_are_alike_not_found() -> None:
    packet, other = frozen(), frozen()
    address = invitation_to(packet, limit=1)
    said = set()
    used_up = invitation_to(packet, limit=1)
    Somebody(packet).come(used_up)
    revoked = invitation_to(packet)
    invitation = packet.campaign.invitations.order_by("-pk")[0]
    raters.revoke_invitation(invitation=invitation, by=None, now=timezone.now())
    expired = invitation_to(packet)
    newest = packet.campaign.invitations.order_by("-pk")[0]
    type(newest).objects.filter(pk=newest.pk).update(expires_at=timezone.now())
    foreign = address.replace(packet.campaign.slug, other.campaign.slug)
    unknown = reverse("judging:invitation", args=[packet.campaign.slug, "made-up"])
    nowhere = reverse("judging:invitation", args=["nowhere", "made-up"])
    n = Rater.objects.count()
    for closed in (used_up, revoked, expired, foreign, unknown, nowhere):
        for response in (Client().get(closed), Client().post(closed)):
            assert response.status_code == 404, closed
            said.add(masked(response))
    assert len(said) == 1
    assert Rater.objects.count() == n
    assert Client().get(address).status_code == 200
