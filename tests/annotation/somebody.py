"""Raters in front of their pages, made of code: read the forms as a browser would, and post what they say."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.urls import reverse
from django.utils import timezone

from annotation.models import Packet, Rater
from annotation.services import raters
from tests.factories import UserFactory
from tests.walking import Browser, Form, read_forms, read_text


def invitation_to(packet: Packet, *, limit: int = 10, **terms: Any) -> str:
    """The address of a fresh invitation."""
    _invitation, token = raters.invite(
        campaign=packet.campaign,
        name="students",
        limit=limit,
        expires_at=timezone.now() + timedelta(days=7),
        by=None,
        now=timezone.now(),
        **terms,
    )
    return reverse("judging:invitation", args=[packet.campaign.slug, token])


@dataclass
class Somebody:
    """One person in one browser who judges, or tries to."""

    packet: Packet
    htmx: bool = False
    client: Browser = field(default_factory=Browser)
    page: Any = None

    @property
    def slug(self) -> str:
        return self.packet.campaign.slug

    def url(self, name: str, *args: Any) -> str:
        return reverse(f"judging:{name}", args=[self.slug, *args])

    def come(self, address: str) -> Any:
        """Open an invitation and press Start."""
        form = read_forms(self.client.get(address))[0]
        self.page = self.client.post(form.action, form.fields, follow=True)
        return self.page

    def sign_in(self, user: Any = None, *, consents: bool = False) -> Any:
        """Be a rater with an account."""
        user = user or UserFactory()
        rater = raters.add_account(campaign=self.packet.campaign, account=user, by=None, now=timezone.now())
        if consents:
            raters.decide_consent(rater=rater, accepted=True, now=timezone.now())
        self.client.force_login(user)
        for name, morsel in self.client.cookies.items():
            self.client.jar[name, "/"] = morsel.value
        return self.look()

    @property
    def rater(self) -> Rater:
        """The one rater of the campaign who came last."""
        found = Rater.objects.filter(campaign=self.packet.campaign).order_by("-pk").first()
        assert found is not None
        return found

    def look(self, address: str = "") -> Any:
        """Load the page on which one goes on, or another."""
        self.page = self.client.get(address or self.url("item"))
        return self.page

    @property
    def form(self) -> Form:
        """The first form on the page."""
        return self.forms[0]

    @property
    def forms(self) -> list[Form]:
        found = read_forms(self.page)
        assert found, self.text
        return found

    @property
    def text(self) -> str:
        return read_text(self.page)

    @property
    def title(self) -> str:
        """The title of the screen."""
        return str(self.page.context["page"]["title"])

    def post(self, sent: dict[str, Any], action: str = "") -> Any:
        """Send fields as they are and go where that leads."""
        headers = {"HX-Request": "true"} if self.htmx else {}
        self.page = self.client.post(action or self.url("item"), sent, headers=headers)
        if self.page.status_code == 303:
            self.page = self.client.get(self.page["Location"], follow=True)
        return self.page

    def filled(self, label: str | None = None, **changed: Any) -> dict[str, Any]:
        """What the form on the page would send with this label, or the first one, at each question."""
        form = self.form
        sent: dict[str, Any] = {name: list(values) for name, values in form.fields.items()}
        for name, values in form.choices.items():
            sent[name] = [label if label is not None else values[0]]
        sent |= {name.replace("__", "-"): value for name, value in changed.items()}
        return {name: value for name, value in sent.items() if value is not None}

    def send(self, label: str | None = None, **changed: Any) -> Any:
        """Answer the page on the screen; None leaves a field out."""
        return self.post(self.filled(label, **changed), self.form.action)

    def agree(self) -> Any:
        """Accept the consent text."""
        return self.post({**self.form.fields, "decision": "accept"}, self.form.action)

    def go_on(self) -> Any:
        """Leave feedback or a result."""
        return self.post({**self.form.fields, "action": "go_on"}, self.form.action)

    def go_on_anyway(self) -> Any:
        """Send what a page that has no form would not."""
        return self.post({"action": "go_on"})
