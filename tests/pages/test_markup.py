"""What holds for every participant's page: labels, ids, forms without script, errors that lead to their field."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from django.utils.html import escape

from tests.pages.contexts import ACTION, DASH, HOSTILE, PAGES, rendered

Tag = tuple[str, dict[str, str]]
WITHOUT_END = {"meta", "link", "input", "br", "hr"}
WITHOUT_HTMX = {"landing", "resume", "withdraw"}  # their answer is another address
FOCUSABLE = {"input", "textarea", "button"}


class Reader(HTMLParser):
    """Collects the tags of a page, with the form that each is in."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[Tag] = []
        self.open: list[str] = []
        self.forms: list[list[Tag]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = (tag, {name: value or "" for name, value in attrs})
        self.tags.append(found)
        if tag == "form":
            self.forms.append([])
        if tag not in WITHOUT_END:
            self.open.append(tag)
        if "form" in self.open:
            self.forms[-1].append(found)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        self.open.pop()

    def values(self, attribute: str) -> list[str]:
        return [attributes[attribute] for _tag, attributes in self.tags if attribute in attributes]

    def of(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(params=list(PAGES))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def read(name: str) -> Reader:
    return Reader(rendered(name))


def test_every_tag_is_closed_where_it_was_opened(read: Reader) -> None:
    assert read.open == []


def test_ids_are_unique_and_whatever_names_one_finds_it(read: Reader) -> None:
    ids = read.values("id")
    named = [*read.values("for"), *(href[1:] for href in read.values("href") if href.startswith("#"))]
    for attribute in ("aria-describedby", "aria-labelledby"):
        named += [one for value in read.values(attribute) for one in value.split()]
    named += read.values("data-counter") + read.values("data-copy")

    assert len(ids) == len(set(ids))
    assert set(named) <= set(ids)


def test_there_is_one_heading_of_the_first_level(read: Reader) -> None:
    assert len(read.of("h1")) == 1


def test_every_field_has_a_label_and_autocompletes_nothing(read: Reader) -> None:
    labels = {label["for"] for label in read.of("label")}
    fields = [a for tag in ("input", "textarea") for a in read.of(tag) if a.get("type") != "hidden"]

    assert all(field["id"] in labels for field in fields)
    assert all(form.get("autocomplete") == "off" for form in read.of("form"))
    assert not read.values("maxlength"), "typing is never stopped; the server says what is too long"
    assert not read.values("disabled")


def test_every_form_posts_without_script_and_carries_the_token(name: str, read: Reader) -> None:
    for form in read.forms:
        own = form[0][1]
        hidden = {attributes.get("name") for tag, attributes in form if tag == "input"}
        assert own["method"] == "post"
        assert "csrfmiddlewaretoken" in hidden
        assert any(tag == "button" and attributes["type"] == "submit" for tag, attributes in form)
        if name not in WITHOUT_HTMX:
            assert own["hx-post"] == own["action"] == ACTION
            assert own["hx-target"] == "#main"
            assert {"step", "layout"} <= hidden


def test_texts_of_people_and_studies_are_escaped(name: str) -> None:
    for html in (rendered(name), rendered(name, fragment=True)):
        assert "<script>alert" not in html


def test_each_error_is_summed_up_and_leads_to_a_field(name: str, read: Reader) -> None:
    errors = PAGES[name][1]["page"]["errors"]
    links = [href for href in read.values("href") if href.startswith("#")]
    focusable = {attributes["id"] for tag, attributes in read.tags if tag in FOCUSABLE and "id" in attributes}

    for error in errors:
        assert f"#{error['field']}" in links
        assert error["field"] in focusable
    assert ('role="alert" tabindex="-1"' in rendered(name)) is bool(errors)


def test_the_title_says_that_something_is_wrong_on_the_page_and_in_the_fragment(name: str) -> None:
    is_wrong = bool(PAGES[name][1]["page"]["errors"])
    for html in (rendered(name), rendered(name, fragment=True)):
        titles = re.findall(r"<title>(.*?)</title>", html)
        assert len(titles) == 1
        assert titles[0].startswith("Error: ") is is_wrong
        assert titles[0].endswith(f"The page {PAGES[name][1]['page']['kind']} {DASH} Public life")


def test_the_fragment_is_the_main_part_and_takes_the_focus_to_one_place(name: str) -> None:
    fragment = Reader(rendered(name, fragment=True))

    assert not fragment.of("main")
    assert not fragment.of("html")
    assert len(fragment.values("data-autofocus")) == 1


@pytest.mark.parametrize("name", ["write", "write wrong"])
def test_what_was_typed_comes_back(name: str) -> None:
    read = Reader(rendered(name))
    checked = {(field["name"], field["value"]) for field in read.of("input") if "checked" in field}

    assert checked == {("stance", "neutral"), ("importance", "4")}
    assert f"\n{escape(HOSTILE)}</textarea>" in rendered(name)


def test_choices_of_the_form_come_back() -> None:
    read = Reader(rendered("form"))
    checked = {(field["name"], field["value"]) for field in read.of("input") if "checked" in field}

    assert checked == {("item-sex", "b"), ("item-ethnicity", "a"), ("item-ethnicity", "b")}


@pytest.mark.parametrize("name", ["rate", "rate wrong"])
def test_a_rating_comes_back_and_nothing_is_chosen_before(name: str) -> None:
    assert [f["value"] for f in Reader(rendered(name)).of("input") if "checked" in f] == ["2"]
    assert not [f for f in Reader(rendered(name, values={})).of("input") if "checked" in f]


def test_a_study_without_stances_asks_for_none() -> None:
    assert 'name="stance"' not in rendered("write", stance_options=[])


def test_a_problem_offers_no_start_and_names_the_contact() -> None:
    html = rendered("problem")

    assert "<form" not in html
    assert "team@example.org" in html


def test_the_page_has_the_direction_of_the_study() -> None:
    html = rendered("rate", study={"title": "حياة", "language": "ar", "direction": "rtl"})

    assert '<html lang="ar" dir="rtl">' in html
