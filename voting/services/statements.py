"""Where statements come from: participants' free responses and the seeds of a study."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from core import audit
from core.errors import shown
from core.randomness import new_code
from core.text import check_imported, is_blank
from studies.models import Enrolment, FreeResponse, Question, Study
from voting.errors import NotModeratable, SeedProblem
from voting.models import Exposure, Statement, Vote, VoteSettings

PEER_PREFIX = "peer-"

Row = Mapping[str, Any]
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
def load_seeds(*, study: Study, rows: Iterable[Row], now: datetime, replace: bool = False) -> int:
    """Write seed statements of `question`, `code` and `text` into the draft, by the codes of its current questions.

    A seed waits until the study is published, and then keeps its text for good. With `replace`, drafted seeds that are
    not among the rows are removed, and published ones rejected. One that was rejected stays so, whoever rejected it.

    Raises
    ------
    SeedProblem
        With all problems by row, such as `seeds[2].text`; nothing is written then.
    """
    rows = list(rows)
    questions = _questions(study)
    known = _known(questions, rows, lock=True)
    problems = _problems(rows, questions, known)
    if problems:
        at, messages = next(iter(problems.items()))
        raise SeedProblem(f"{at}: {messages[0]}", fields=problems)
    wanted = {(questions[row["question"]].pk, str(row["code"])): row["text"] for row in rows}
    if replace:
        _let_go([seed for key, seed in known.items() if key not in wanted and _is_seed(seed)], now)
    for key, text in wanted.items():
        seed = known.get(key)
        if seed is not None and seed.text != text:
            Statement.objects.filter(pk=seed.pk).update(text=text)
    new = [_draft(key, text, now) for key, text in wanted.items() if key not in known]
    Statement.objects.bulk_create(new, batch_size=500)
    return len(wanted)


def seed_problems(*, study: Study, row: Row) -> dict[str, list[str]]:
    """What `load_seeds` would say against one row, by column: for forms. Writes nothing."""
    questions = _questions(study)
    found = _problems([row], questions, _known(questions, [row], lock=False))
    return {at.rpartition(".")[2]: messages for at, messages in found.items()}


@transaction.atomic
def remove_seed(*, statement: Statement, by: Any, now: datetime) -> None:
    """Remove a drafted seed, with what previews did to it, which counts for nothing; a trace stays.

    Raises
    ------
    NotModeratable
        If it is no seed, or was published: then it can only be rejected.
    """
    rows = Statement.objects.select_for_update(of=("self",)).select_related("question__study")
    row = rows.get(pk=statement.pk)
    if not _is_seed(row) or row.status != Statement.Status.PENDING:
        message = _("The statement %(code)s is no drafted seed. It can be rejected, but not removed.")
        raise NotModeratable(message % {"code": row.code})
    _remove([row.pk])
    audit.record(
        "study.seed_removed",
        subject_kind="study",
        subject_id=row.question.study.public_id,
        study_id=row.question.study.public_id,
        by=by,
        now=now,
        statement=str(row.public_id),
    )


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


def _questions(study: Study) -> dict[str, Question]:
    return {question.code: question for question in study.questions.filter(is_current=True)}


def _known(questions: Mapping[str, Question], rows: Sequence[Row], *, lock: bool) -> dict[Key, Statement]:
    """The seeds of the questions and whatever else has one of the rows' codes."""
    codes = {str(row["code"]) for row in rows}
    statements = Statement.objects.filter(question__in=questions.values())
    found = statements.filter(Q(origin=Statement.Origin.SEED) | Q(code__in=codes)).order_by("pk")
    return {(row.question_id, row.code): row for row in (found.select_for_update(no_key=True) if lock else found)}


def _problems(
    rows: Sequence[Row], questions: Mapping[str, Question], known: Mapping[Key, Statement]
) -> dict[str, list[str]]:
    """What is wrong with the rows, by place."""
    problems: dict[str, list[str]] = defaultdict(list)
    seen: set[Key] = set()
    for number, row in enumerate(rows, start=1):
        question = questions.get(row["question"])
        if question is None:
            message = _("There is no question %(code)s in this study.") % {"code": shown(row["question"])}
            problems[f"seeds[{number}].question"].append(message)
            continue
        key = (question.pk, str(row["code"]))
        for column, message in _problems_of(key, row["text"], known.get(key), is_second=key in seen):
            problems[f"seeds[{number}].{column}"].append(message)
        seen.add(key)
    return problems


def _problems_of(key: Key, text: str, known: Statement | None, *, is_second: bool) -> Iterable[tuple[str, str]]:
    code = {"code": shown(key[1])}
    if is_second:
        yield "code", _("The question has two seeds of the code %(code)s.") % code
    if key[1].startswith(PEER_PREFIX):
        yield "code", _("Codes that begin with “peer-” are kept for participants' statements.")
    if is_blank(check_imported(text)):
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


def _let_go(seeds: Sequence[Statement], now: datetime) -> None:
    """Remove drafted seeds and reject published ones."""
    _remove([seed.pk for seed in seeds if seed.status == Statement.Status.PENDING])
    published = [seed.pk for seed in seeds if seed.status == Statement.Status.APPROVED]
    Statement.objects.filter(pk__in=published).update(status=Statement.Status.REJECTED, removed_at=now)


def _remove(ids: Sequence[int]) -> None:
    Vote.objects.filter(statement__in=ids).delete()
    Exposure.objects.filter(statement__in=ids).delete()
    Statement.objects.filter(pk__in=ids).delete()
