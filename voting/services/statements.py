"""Where statements come from: participants' free responses and the seeds of a study."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from core.errors import shown
from core.randomness import new_code
from core.text import check_imported, is_blank
from studies.models import Enrolment, FreeResponse, Question, Study
from voting.errors import SeedProblem
from voting.models import Exposure, Statement, Vote, VoteSettings

PEER_PREFIX = "peer-"

Key = tuple[int, str]
"""A statement's question and code."""


@transaction.atomic
def add_peer_statement(*, free_response: FreeResponse, moderation: str, now: datetime) -> Statement:
    """Make a free response a statement for those who come later: at once, or once somebody has approved it.

    Its code is drawn and says nothing about its author, who can thus be detached when they withdraw. The same free
    response again gives the same statement.
    """
    live_at_once = moderation == VoteSettings.Moderation.AFTER
    statement, _created = Statement.objects.get_or_create(
        free_response=free_response,
        defaults={
            "question_id": free_response.question_id,
            "code": PEER_PREFIX + new_code(10),
            "origin": Statement.Origin.PEER,
            "status": Statement.Status.APPROVED if live_at_once else Statement.Status.PENDING,
            "is_preview": free_response.enrolment.origin == Enrolment.Origin.PREVIEW,
            "author_id": free_response.enrolment_id,
            "text": free_response.text,
            "created_at": now,
            "approved_at": now if live_at_once else None,
        },
    )
    return statement


@transaction.atomic
def load_seeds(*, study: Study, rows: Iterable[Mapping[str, Any]], now: datetime, replace: bool = False) -> int:
    """Write seed statements of `question`, `code` and `text` into the draft, by the codes of its current questions.

    A seed waits until the study is published, and then keeps its text for good. With `replace`, drafted seeds that are
    not among the rows are removed, and published ones rejected. One that was rejected stays so, whoever rejected it.

    Raises
    ------
    SeedProblem
        With all problems by row, such as `seeds[2].text`; nothing is written then.
    """
    questions = {question.code: question for question in study.questions.filter(is_current=True)}
    rows = list(rows)
    known = _known(questions, {str(row["code"]) for row in rows})
    wanted = _checked(rows, questions, known)
    if replace:
        _let_go([seed for key, seed in known.items() if key not in wanted and _is_seed(seed)], now)
    for key, text in wanted.items():
        seed = known.get(key)
        if seed is not None and seed.text != text:
            Statement.objects.filter(pk=seed.pk).update(text=text)
    new = [_draft(key, text, now) for key, text in wanted.items() if key not in known]
    Statement.objects.bulk_create(new, batch_size=500)
    return len(wanted)


@transaction.atomic
def release_seeds(*, study: Study, now: datetime) -> int:
    """Let the drafted seeds of the current questions in, when the study is published; returns how many."""
    drafts = Statement.objects.filter(
        question__study=study,
        question__is_current=True,
        origin=Statement.Origin.SEED,
        status=Statement.Status.PENDING,
    )
    return drafts.update(status=Statement.Status.APPROVED, approved_at=now)


def _known(questions: Mapping[str, Question], codes: set[str]) -> dict[Key, Statement]:
    """The seeds of the questions and whatever else has one of the codes, locked."""
    statements = Statement.objects.filter(question__in=questions.values())
    wanted = statements.filter(Q(origin=Statement.Origin.SEED) | Q(code__in=codes)).order_by("pk")
    return {(row.question_id, row.code): row for row in wanted.select_for_update(no_key=True)}


def _checked(
    rows: list[Mapping[str, Any]], questions: Mapping[str, Question], known: Mapping[Key, Statement]
) -> dict[Key, str]:
    """The rows' texts by question and code."""
    wanted: dict[Key, str] = {}
    problems: dict[str, list[str]] = defaultdict(list)
    for number, row in enumerate(rows, start=1):
        question = questions.get(row["question"])
        if question is None:
            message = _("There is no question %(code)s in this study.") % {"code": shown(row["question"])}
            problems[f"seeds[{number}].question"].append(message)
            continue
        key = (question.pk, str(row["code"]))
        text = check_imported(row["text"])
        for column, message in _problems_of(key, text, known.get(key), is_second=key in wanted):
            problems[f"seeds[{number}].{column}"].append(message)
        wanted[key] = text
    if problems:
        at, messages = next(iter(problems.items()))
        raise SeedProblem(f"{at}: {messages[0]}", fields=problems)
    return wanted


def _problems_of(key: Key, text: str, known: Statement | None, *, is_second: bool) -> Iterable[tuple[str, str]]:
    code = {"code": shown(key[1])}
    if is_second:
        yield "code", _("The question has two seeds of the code %(code)s.") % code
    if key[1].startswith(PEER_PREFIX):
        yield "code", _("Codes that begin with “peer-” are kept for participants' statements.")
    if is_blank(text):
        yield "text", _("This text is empty.")
    if known is not None and not _is_seed(known):
        yield "code", _("The code %(code)s belongs to a statement that is no seed.") % code
    elif known is not None and known.status != Statement.Status.PENDING and known.text != text:
        message = _("The seed %(code)s was published with another text. Give the new text a code of its own.")
        yield "text", message % code


def _is_seed(statement: Statement) -> bool:
    return statement.origin == Statement.Origin.SEED


def _draft(key: Key, text: str, now: datetime) -> Statement:
    return Statement(
        question_id=key[0],
        code=key[1],
        text=text,
        origin=Statement.Origin.SEED,
        status=Statement.Status.PENDING,
        created_at=now,
    )


def _let_go(seeds: list[Statement], now: datetime) -> None:
    """Remove drafted seeds, with what previews did to them, which counts for nothing; reject published ones."""
    drafts = [seed.pk for seed in seeds if seed.status == Statement.Status.PENDING]
    Vote.objects.filter(statement__in=drafts).delete()
    Exposure.objects.filter(statement__in=drafts).delete()
    Statement.objects.filter(pk__in=drafts).delete()
    published = [seed.pk for seed in seeds if seed.status == Statement.Status.APPROVED]
    Statement.objects.filter(pk__in=published).update(status=Statement.Status.REJECTED, removed_at=now)
