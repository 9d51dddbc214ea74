"""Contexts of every participant's page, as the views give them, with texts that must come out escaped."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.test import RequestFactory
from django_htmx.middleware import HtmxDetails

HOSTILE = "<script>alert(1)</script> & 'view' \"of\" mine"
DASH = "\N{EN DASH}"  # stands between the titles of page and study
ACTION = "/s/public-life/page/"
STUDY: dict[str, Any] = {
    "slug": "public-life",
    "title": "Public life",
    "contact": f"team@example.org {HOSTILE}",
    "language": "en",
    "direction": "ltr",
    "summary": f"First.\n\n{HOSTILE}",
    "pay": {"amount": "4.50", "currency": "USD", "minutes": 20},
    "ethics": {"body": HOSTILE, "protocol": "7"},
}
OUTCOME: dict[str, Any] = {
    "kind": "complete",
    "title": "Thank you",
    "message": HOSTILE,
    "code": "C7QX2M9K",
    "return_url": "https://app.prolific.com/submissions/complete?cc=C7QX2M9K",
    "debrief": HOSTILE,
    "late": True,
}


def page(kind: str, *errors: str, **more: Any) -> dict[str, Any]:
    """The `page` of a context; `errors` are the ids of the fields that are wrong."""
    return {
        "kind": kind,
        "title": f"The page {kind}",
        "nonce": "6d7c1f0a-6c39-4b0e-8a53-0f0d4c1f7e11",
        "progress": {"label": "Question 2 of 3", "done": 3, "total": 11},
        "question": {"text": HOSTILE, "number": 2, "of": 3},
        "errors": [{"field": field, "message": f"Please look at {field}."} for field in errors],
        "notice": "An earlier answer was kept.",
        "draft_url": "/s/public-life/draft/",
        "withdraw_url": "/s/public-life/withdraw/",
        "resume_url": "https://example.org/s/public-life/resume/token/",
        "preview": True,
        "simulated": True,
        **more,
    }


def items(**errors: str) -> list[dict[str, Any]]:
    """One item of each kind, each with the error under its code, if there is one."""
    options = [{"value": "a", "label": HOSTILE}, {"value": "b", "label": "B"}]
    common = {"label": HOSTILE, "hint": "", "options": [], "minimum": None, "maximum": None, "value": "", "values": []}
    of_kind: list[dict[str, Any]] = [
        {"code": "age", "kind": "integer", "hint": HOSTILE, "minimum": 18, "maximum": 120, "value": HOSTILE},
        {"code": "sex", "kind": "single", "options": options, "value": "b"},
        {"code": "ethnicity", "kind": "multiple", "options": options, "values": ["a", "b"]},
        {"code": "remarks", "kind": "text", "maximum": 300, "value": HOSTILE},
    ]
    return [{**common, "error": errors.get(item["code"], ""), **item} for item in of_kind]


WRITE: dict[str, Any] = {
    "minimum": 75,
    "maximum": 300,
    "stance_options": [{"value": "liberal", "label": HOSTILE}, {"value": "neutral", "label": "Neutral"}],
    "importance_low": "Not at all",
    "importance_high": HOSTILE,
    "values": {"text": HOSTILE, "stance": "neutral", "importance": "4"},
}
RATE: dict[str, Any] = {
    "answer": {"text": f"One.\n\n{HOSTILE}", "number": 3, "of": 8},
    "scale": [{"value": value, "label": {1: "Not at all", 5: HOSTILE}.get(value, "")} for value in range(1, 6)],
    "own_response": HOSTILE,
    "values": {"rating": "2"},
}
VOTE: dict[str, Any] = {
    "card": {"nonce": "card-1", "text": HOSTILE, "number": 4},
    "minimum": 10,
    "required": 8,
    "cast": 3,
    "may_finish": True,
    "exhausted": False,
    "votes": [{"nonce": f"own-{value}", "text": HOSTILE, "value": value} for value in ("agree", "disagree", "neutral")],
}
LANDING: dict[str, Any] = {
    "start_url": "/s/public-life/start/",
    "hidden": [("SESSION_ID", HOSTILE)],
    "resuming": False,
    "problem": "",
}
SESSION = "studies/session"
PAGES: dict[str, tuple[str, dict[str, Any]]] = {
    "landing": (f"{SESSION}/landing.html", {"page": page("landing"), **LANDING}),
    "problem": (f"{SESSION}/landing.html", {"page": page("problem"), **LANDING, "problem": HOSTILE}),
    "consent": (f"{SESSION}/consent.html", {"page": page("consent", "decision"), "consent_text": HOSTILE}),
    "form": (f"{SESSION}/form.html", {"page": page("form"), "items": items()}),
    "form wrong": (
        f"{SESSION}/form.html",
        {
            "page": page("form", "item-age", "item-sex", "item-ethnicity", "item-remarks"),
            "items": items(age="Age?", sex="Sex?", ethnicity="Ethnicity?", remarks="Remarks?"),
        },
    ),
    "write": (f"{SESSION}/write.html", {"page": page("write"), **WRITE}),
    "write wrong": (f"{SESSION}/write.html", {"page": page("write", "text", "stance", "importance"), **WRITE}),
    "rate_intro": (f"{SESSION}/rate_intro.html", {"page": page("rate_intro"), "instructions": HOSTILE}),
    "rate": (f"{SESSION}/rate.html", {"page": page("rate"), **RATE}),
    "rate wrong": (f"{SESSION}/rate.html", {"page": page("rate", "rating-1"), **RATE}),
    "vote": ("voting/vote.html", {"page": page("vote"), **VOTE}),
    "vote wrong": ("voting/vote.html", {"page": page("vote", "value"), **VOTE}),
    "vote exhausted": ("voting/vote.html", {"page": page("vote"), **VOTE, "card": None, "exhausted": True}),
    "end": (f"{SESSION}/end.html", {"page": page("end"), "outcome": OUTCOME, "withdraw_url": "/s/public-life/w/"}),
    "resume": (f"{SESSION}/resume.html", {"page": page("resume"), "where": HOSTILE, "resume_post_url": "/s/r/"}),
    "already": (f"{SESSION}/already.html", {"page": page("already")}),
    "closed": (f"{SESSION}/closed.html", {"page": page("closed")}),
    "full": (f"{SESSION}/full.html", {"page": page("full"), "outcome": OUTCOME}),
    "withdraw": (f"{SESSION}/withdraw.html", {"page": page("withdraw")}),
}


def htmx_request(path: str = ACTION) -> HttpRequest:
    """A request that asks for the main part of a page."""
    request = RequestFactory().post(path, headers={"HX-Request": "true"})
    request.htmx = HtmxDetails(request)  # type: ignore[attr-defined]
    return request


def whole_request(path: str = ACTION) -> HttpRequest:
    """A request for a whole page, with or without script."""
    request = RequestFactory().get(path)
    request.htmx = HtmxDetails(request)  # type: ignore[attr-defined]
    return request


def rendered(name: str, *, fragment: bool = False, **more: Any) -> str:
    """The page called `name` in `PAGES`, whole or only its main part."""
    template, context = PAGES[name]
    context = {"study": STUDY, "values": {}, "form_action": ACTION, **context, **more}
    request = htmx_request() if fragment else whole_request()
    request.user = SimpleNamespace(is_authenticated=False)  # type: ignore[attr-defined, assignment]
    return render_to_string(template + ("#main" if fragment else ""), context, request)
