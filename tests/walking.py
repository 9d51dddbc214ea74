"""A participant made of code: reads the form of a page as a browser would, and posts what it says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from django.test import Client

TEXT = "I think that people should decide this together, and that nobody should be left alone with the costs of it."


@dataclass
class Form:
    """A form as it stands on a page: where it goes, what it would send, and which buttons it has."""

    action: str
    fields: dict[str, list[str]] = field(default_factory=dict)
    choices: dict[str, list[str]] = field(default_factory=dict)
    buttons: list[tuple[str, str]] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)

    @property
    def step(self) -> str:
        return self.fields.get("step", [""])[0]


class PageReader(HTMLParser):
    """The forms, headings and texts of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.text: list[str] = []
        self._form: Form | None = None
        self._area: str | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form" and given.get("method") == "post":
            self._form = Form(given["action"])
            self.forms.append(self._form)
        elif self._form is None:
            return
        elif tag == "input":
            self._input(given)
        elif tag == "textarea":
            self._area = given["name"]
            self._form.fields[self._area] = [""]
        elif tag == "button" and given.get("type", "submit") == "submit":
            self._form.buttons.append((given.get("name", ""), given.get("value", "")))
        elif tag == "label":
            self._form.labels.add(given.get("for", ""))

    def _input(self, given: Mapping[str, str]) -> None:
        assert self._form is not None
        name, value = given.get("name", ""), given.get("value", "")
        if given.get("type") in {"radio", "checkbox"}:
            self._form.choices.setdefault(name, []).append(value)
            if "checked" in given:
                self._form.fields.setdefault(name, []).append(value)
        else:
            self._form.fields[name] = [value]

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "textarea" and self._area is not None and self._form is not None:
            self._form.fields[self._area][0] = self._form.fields[self._area][0].removeprefix("\n")
            self._area = None

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if self._area is not None and self._form is not None:
            self._form.fields[self._area][0] += data


class Browser(Client):
    """A client that sends a cookie to the addresses of its path alone, as browsers do and Django's client does not."""

    def __init__(self, **defaults: Any) -> None:
        super().__init__(**defaults)
        self.jar: dict[tuple[str, str], str] = {}

    def request(self, **request: Any) -> Any:
        address = request["PATH_INFO"]
        self.cookies.clear()
        for (name, path), value in self.jar.items():
            if address.startswith(path):
                self.cookies[name] = value
        response = super().request(**request)
        for name, morsel in response.cookies.items():
            self.jar[name, morsel["path"] or "/"] = morsel.value
        return response


Answers = Callable[[Form], dict[str, Any]]


def read_forms(response: Any) -> list[Form]:
    """The forms on a page."""
    return PageReader(response.content.decode()).forms


def read_form(response: Any) -> Form:
    """The first form on a page: what a person would do next."""
    forms = read_forms(response)
    assert forms, f"no form on the page: {response.content.decode()[:2000]}"
    return forms[0]


def read_text(response: Any) -> str:
    """What can be read on a page, blanks folded."""
    return " ".join(" ".join(PageReader(response.content.decode()).text).split())


def valid_answers(form: Form) -> dict[str, Any]:
    """What a person might send: each field filled, the first choice of each kind, the first button."""
    sent: dict[str, Any] = {name: list(values) for name, values in form.fields.items()}
    sent |= {name: [values[0]] for name, values in form.choices.items() if not form.fields.get(name)}
    if "text" in sent and not sent["text"][0]:
        sent["text"] = [TEXT]
    if sent.get("item-age") == [""]:
        sent["item-age"] = ["44"]
    if form.buttons and form.buttons[0][0]:
        name, value = form.buttons[0]
        sent[name] = [value]
    return sent


@dataclass
class Walker:
    """One person in one browser. With `htmx` posts are sent as htmx would, and answered by the next page's part."""

    slug: str
    htmx: bool = False
    client: Client = field(default_factory=Client)
    page: Any = None

    @property
    def address(self) -> str:
        return f"/s/{self.slug}/page/"

    def arrive(self, **parameters: str) -> Any:
        """Open the link."""
        self.page = self.client.get(f"/s/{self.slug}/", parameters, follow=True)
        return self.page

    def start(self, *, simulated: str = "", **parameters: str) -> Any:
        """Open the link and press Start."""
        form = read_form(self.arrive(**parameters))
        sent = {**form.fields, **({"simulated": [simulated]} if simulated else {})}
        self.page = self.client.post(form.action, sent, follow=True)
        return self.page

    def look(self) -> Any:
        """Load the current page."""
        self.page = self.client.get(self.address)
        return self.page

    def send(self, **changed: Any) -> Any:
        """Answer the page on the screen, `changed` fields otherwise (None leaves a field out); return what comes."""
        form = read_form(self.page)
        sent = valid_answers(form) | {name.replace("__", "-"): value for name, value in changed.items()}
        return self.post({name: value for name, value in sent.items() if value is not None}, form.action)

    def post(self, sent: Mapping[str, Any], action: str = "") -> Any:
        """Send fields as they are."""
        action = action or self.address
        if self.htmx:
            self.page = self.client.post(action, sent, headers={"HX-Request": "true"})
        else:
            self.page = self.client.post(action, sent)
            if self.page.status_code == 303:
                self.page = self.client.get(self.page["Location"], follow=True)
        return self.page

    @property
    def kind(self) -> str:
        """What kind of page is on the screen."""
        context = self.page.context
        return context["outcome"].kind if "outcome" in context else context["page"]["kind"]

    def walk(self, *, until: str = "end", answers: Answers = valid_answers, limit: int = 300) -> list[str]:
        """Go on until a page of kind `until` or the end; the kinds of the pages seen."""
        kinds = [self.kind]
        while self.kind != until and "outcome" not in self.page.context:
            assert len(kinds) < limit, f"stuck: {kinds[-5:]}"
            form = self._way_on()
            self.post(answers(form), form.action)
            kinds.append(self.kind)
        return kinds

    def _way_on(self) -> Form:
        """The form that leads on: where one may vote on and on, the one that finishes."""
        forms = read_forms(self.page)
        assert forms, f"no form on the page: {read_text(self.page)[:1000]}"
        return next((form for form in forms if form.fields.get("action") == ["finish"]), forms[0])


def walk(client: Client, study: Any, *, htmx: bool = False, until: str = "end", **parameters: str) -> Walker:
    """A person who has walked through `study` from the link to the end, or to a page of kind `until`."""
    walker = Walker(study.slug, htmx=htmx, client=client)
    walker.start(**parameters)
    walker.walk(until=until)
    return walker
