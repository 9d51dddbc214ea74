"""What a simulated participant does on a page: read it, find the form, fill it in as its mind says.

Pure: a page and a mind in, the fields of a post out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from studies.simulation.minds import Mind, Person
from studies.simulation.pages import Form, Page, PageFault

ITEM = "item-"


@dataclass(frozen=True, slots=True)
class Said:
    """One thing that a post tells the study: a rating of an answer, a vote on a statement, a response to a question."""

    kind: str
    question: str
    about: str
    value: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """A form filled in: what is posted where, and what that says."""

    kind: str
    address: str
    fields: list[tuple[str, str]]
    says: tuple[Said, ...] = ()


@dataclass(slots=True)
class Memory:
    """What the person remembers between pages: the votes cast by question, and a vote to be changed."""

    cast: dict[str, int] = field(default_factory=dict)
    regret: tuple[str, Said] | None = None


def choose(page: Page, person: Person, mind: Mind, memory: Memory) -> Chosen | None:
    """What the person posts from this page; None if the page asks for nothing more.

    Raises
    ------
    PageFault
        If the page is not one that a person could use, or asks for something unknown.
    """
    asked = [form for form in page.forms if form.method == "post" and form.value_of("step")]
    for form in asked:
        form.check()
    if not asked:
        return None
    if page.statement or any(form.value_of("action") for form in asked):
        return _vote(page, asked, person, mind, memory)
    if len(asked) > 1:
        raise PageFault(f"the page “{page.heading}” has {len(asked)} forms")
    return _one_form(page, asked[0], person, mind)


def _one_form(page: Page, form: Form, person: Person, mind: Mind) -> Chosen:
    if any(button.name == "decision" for button in form.buttons):
        return _filled("consent", form, {}, button="accept")
    names = form.names()
    if not names:
        return _filled("read", form, {})
    if "rating" in names:
        return _rate(page, form, person, mind)
    if "text" in names:
        return _write(page, form, person, mind)
    return _form(form, person, mind)


def question_of(page: Page, mind: Mind) -> str:
    """The code of the question that the page is about.

    Raises
    ------
    PageFault
        If the page shows no question of the study.
    """
    code = mind.facts.questions.get(page.question or page.heading)
    if code is None:
        raise PageFault(f"the page “{page.heading}” shows no question of the study")
    return code


def _form(form: Form, person: Person, mind: Mind) -> Chosen:
    entered: dict[str, list[str]] = {}
    for name in form.names():
        if not name.startswith(ITEM):
            raise PageFault(f"the page asks for {name}, which is unknown")
        found = form.named(name)
        offered = [each.value for each in found if not each.value.startswith("__")]
        entered[name] = mind.item(person, name.removeprefix(ITEM), found[0].kind, offered)
    # A text left out is sent empty, as browsers do; a choice left out is not sent.
    for name in form.names():
        if not entered[name] and form.named(name)[0].kind not in {"radio", "checkbox"}:
            entered[name] = [""]
    return _filled("form", form, entered)


def _write(page: Page, form: Form, person: Person, mind: Mind) -> Chosen:
    question = question_of(page, mind)
    area = form.named("text")[0]
    text = mind.response(person, question, area.minimum or 1, area.maximum or 300)
    entered = {"text": [text], "importance": [str(mind.importance(person, question))]}
    says = [Said("response", question, "", text), Said("importance", question, "", entered["importance"][0])]
    if stances := [each.value for each in form.named("stance")]:
        entered["stance"] = [mind.stance(person, question, stances)]
        says.append(Said("stance", question, "", entered["stance"][0]))
    return _filled("write", form, entered, says=says)


def _rate(page: Page, form: Form, person: Person, mind: Mind) -> Chosen:
    question = question_of(page, mind)
    value = str(mind.rating(person, question, page.passage))
    return _filled("rate", form, {"rating": [value]}, says=[Said("rating", question, page.passage, value)])


def _vote(page: Page, forms: list[Form], person: Person, mind: Mind, memory: Memory) -> Chosen:
    question = question_of(page, mind)
    if memory.regret is not None:
        return _changed(forms, memory)
    finish = next((form for form in forms if form.value_of("action") == "finish"), None)
    cast = memory.cast.get(question, 0)
    if finish is not None and (not page.statement or cast >= mind.votes_wanted(person, question)):
        return _filled("vote", finish, {})
    if not page.statement:
        raise PageFault("the page has neither a statement nor a way on")
    memory.cast[question] = cast + 1
    card = next(form for form in forms if form.value_of("exposure"))
    value = mind.vote(person, question, page.statement)
    said = Said("vote", question, page.statement, value)
    if value != "neutral" and person.draws(f"hesitates:{question}:{page.statement}").random() < HESITATES:
        memory.regret = card.value_of("exposure"), said
        said = Said("vote", question, page.statement, "neutral")
    return _filled("vote", card, {}, button=said.value, says=[said])


HESITATES = 0.02
"""The share of votes that are neutral at first and changed at once, so that there is a history of votes."""


def _changed(forms: list[Form], memory: Memory) -> Chosen:
    """The post that changes the vote which the person regrets."""
    assert memory.regret is not None
    (exposure, said), memory.regret = memory.regret, None
    change = f"{exposure} {said.value}"
    form = next((form for form in forms if form.button(change)), None)
    if form is None:
        raise PageFault("a vote just cast cannot be changed")
    return _filled("vote", form, {}, button=change, says=[said])


def _filled(
    kind: str, form: Form, entered: dict[str, list[str]], *, button: str = "", says: Iterable[Said] = ()
) -> Chosen:
    """The form with what was entered, in the order of the page, sent by one of its buttons."""
    pressed = form.button(button)
    if pressed is None:
        raise PageFault(f"the {kind} page has no button for {button or 'going on'}")
    fields = [*form.hidden(), *((name, value) for name in form.names() for value in entered.get(name, ()))]
    missing = [name for name in entered if name not in form.names()]
    if missing:
        raise PageFault(f"the {kind} page has no field {', '.join(missing)}")
    if pressed.name:
        fields.append((pressed.name, pressed.value))
    return Chosen(kind, form.action, fields, tuple(says))
