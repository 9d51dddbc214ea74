"""The contexts of participants' pages: what templates of the walk may rely on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from studies.models import Enrolment, Step
from studies.session.blocks import Definition
from studies.session.outcomes import may_withdraw, outcome_of
from studies.session.selectors import Plan
from studies.session.showing import Shown
from studies.session.tokens import resume_token

RIGHT_TO_LEFT = frozenset({"ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "syr", "ug", "ur", "yi"})


def study_context(definition: Definition) -> dict[str, Any]:
    """What every page says of the study."""
    language = definition["language"]
    return {
        "slug": definition["slug"],
        "title": definition["title"],
        "contact": definition.get("contact", ""),
        "language": language,
        "direction": "rtl" if language.split("-")[0].lower() in RIGHT_TO_LEFT else "ltr",
    }


def page_context(kind: str, title: str, **more: Any) -> dict[str, Any]:
    """What every page says of itself; `more` fills in what it has."""
    empty: dict[str, Any] = {
        "nonce": "",
        "progress": None,
        "question": None,
        "errors": [],
        "notice": "",
        "draft_url": "",
        "withdraw_url": "",
        "resume_url": "",
        "preview": False,
        "simulated": False,
    }
    return {**empty, "kind": kind, "title": title, **more}


def plain_page(definition: Definition, kind: str, title: str, **more: Any) -> dict[str, Any]:
    """The context of a page outside the walk."""
    return {
        "study": study_context(definition),
        "page": page_context(kind, title),
        "values": {},
        "form_action": "",
        **more,
    }


def walk_page(request: HttpRequest, shown: Shown) -> tuple[str, dict[str, Any]]:
    """The template and context of what a session shows."""
    if shown.step is not None:
        return _step_page(request, shown)
    if shown.enrolment.is_active:
        context = plain_page(shown.version.definition, "closed", _("This study is not open"))
        template = "studies/session/closed.html"
    else:
        template, context = end_page(shown.enrolment, shown.version.definition)
    context["page"] |= {"notice": shown.notice, **_banners(shown.enrolment)}
    return template, context


def end_page(enrolment: Enrolment, definition: Definition) -> tuple[str, dict[str, Any]]:
    """The template and context of the end of a session."""
    outcome = outcome_of(enrolment, definition)
    context = plain_page(definition, "end", outcome.title, outcome=outcome, withdraw_url="")
    if may_withdraw(enrolment):
        context["withdraw_url"] = reverse("participant:withdraw", args=[definition["slug"]])
    return "studies/session/end.html", context


def where(plan: Plan, step: Step | None) -> str:
    """Where in the session `step` is, in words."""
    if step is None:
        return _("the end")
    number = plan.question_number(step)
    if number is not None:
        return _("Question %(number)d of %(of)d") % {"number": number[0], "of": number[1]}
    return _("Before the questions") if plan.is_before_questions(step) else _("After the questions")


def _step_page(request: HttpRequest, shown: Shown) -> tuple[str, dict[str, Any]]:
    assert shown.page is not None
    assert shown.step is not None
    slug = shown.version.definition["slug"]
    context = {
        "study": study_context(shown.version.definition),
        "page": page_context(
            shown.step.kind,
            shown.page.title,
            nonce=str(shown.step.nonce),
            progress=_progress(shown.plan, shown.step),
            question=_question(shown.plan, shown.step),
            errors=[{"field": name, "message": message} for name, message in shown.errors.items()],
            notice=shown.notice,
            draft_url=reverse("participant:draft", args=[slug]),
            withdraw_url=reverse("participant:withdraw", args=[slug]),
            resume_url=resume_url(request, shown.enrolment, slug) if shown.step.kind == "consent" else "",
            **_banners(shown.enrolment),
        ),
        "values": _last_values(shown.values),
        "form_action": reverse("participant:page", args=[slug]),
        **shown.page.context,
    }
    return shown.page.template, context


def resume_url(request: HttpRequest, enrolment: Enrolment, slug: str) -> str:
    """The personal link of a session."""
    return request.build_absolute_uri(reverse("participant:resume", args=[slug, resume_token(enrolment)]))


def _banners(enrolment: Enrolment) -> dict[str, bool]:
    return {
        "preview": enrolment.origin == Enrolment.Origin.PREVIEW,
        "simulated": enrolment.origin == Enrolment.Origin.SIMULATED,
    }


def _progress(plan: Plan, step: Step) -> dict[str, Any]:
    return {"label": where(plan, step), "done": step.position, "total": len(plan)}


def _question(plan: Plan, step: Step) -> dict[str, Any] | None:
    number = plan.question_number(step)
    if number is None or step.question is None:
        return None
    return {"text": step.question.text, "number": number[0], "of": number[1]}


def _last_values(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: typed[-1] for name, typed in values.items() if typed}
