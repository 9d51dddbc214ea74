"""A definition says the same as a file, as rows, as a clone, and after the admin's form was saved."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core import strictyaml
from core.canonical import canonical_json
from studies import services
from studies.definition import canonical, dump_yaml, load_bytes
from studies.models import Study
from tests.studies.definition.adminpage import posted_back

NOW = datetime(2026, 11, 2, 12, tzinfo=UTC)

# Whatever a text may hold: not NUL or surrogates, which are refused, and no invisible text, which says nothing.
CHARACTERS = st.characters(exclude_characters="\0", exclude_categories=("Cs",))
TEXTS = st.builds("a{}".format, st.text(CHARACTERS, max_size=40))
# Forms turn CR into LF, so only what never was in a form may hold it.
TYPED = TEXTS.map(lambda text: text.replace("\r", "\n"))
LINES = st.builds(
    "a{}z".format, st.text(st.characters(exclude_characters="\0\r\n", exclude_categories=("Cs",)), max_size=20)
)
CODES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,8}", fullmatch=True)
OPTIONS = st.lists(st.fixed_dictionaries({"value": CODES, "label": LINES}), max_size=3, unique_by=lambda o: o["value"])


def codes(n: int) -> Any:
    return st.lists(CODES, max_size=n, unique=True)


@st.composite
def definitions(draw: Any, texts: Any = TEXTS) -> dict[str, Any]:
    questions, sources = draw(codes(3)), draw(codes(2))
    pairs = [(question, source) for question in questions for source in sources]
    seeds = [(question, code) for question in questions for code in draw(codes(2)) if not code.startswith("peer-")]
    kinds = ["integer", "text", "single", "multiple"]
    number = st.none() | st.integers(-1000, 1000)
    settings = st.dictionaries(CODES, st.none() | st.booleans() | st.integers(-9, 9) | LINES, max_size=2)
    write = sorted(draw(st.lists(st.integers(1, 10_000), min_size=2, max_size=2)))
    return {
        "slug": "parks",
        "title": draw(LINES),
        "time_zone": "Europe/Berlin",
        "summary": draw(texts),
        "contact": draw(LINES),
        "pay": {"amount": draw(st.sampled_from([None, "0", "4.5", "12.34"])), "minutes": draw(st.integers(1, 99))},
        "consent": draw(texts),
        "withdrawal": draw(st.sampled_from(Study.WithdrawalPolicy.values)),
        "recruitment": {"places": draw(st.none() | st.integers(1, 99)), "session_minutes": None},
        "codes": draw(st.sampled_from([{}, {"complete": "ABCD2345"}])),
        "blocks": draw(st.permutations(["consent", "form", "write", "rate", "vote", "debrief"])),
        "form": [
            {
                "code": code,
                "kind": draw(st.sampled_from(kinds)),
                "label": draw(LINES),
                "hint": draw(st.just("") | LINES),
                "options": [option | {"screens_out": draw(st.booleans())} for option in draw(OPTIONS)],
                "minimum": draw(number),
                "maximum": draw(number),
            }
            for code in draw(codes(2))
        ],
        "write": {"minimum": write[0], "maximum": write[1], "stance": draw(OPTIONS)},
        "rate": {"instructions": draw(texts)},
        "vote": {"minimum": draw(st.integers(1, 30)), "mix": draw(st.floats(0, 1))},
        "debrief": draw(texts),
        "questions": [{"code": code, "domain": draw(st.just("") | LINES), "text": draw(texts)} for code in questions],
        "sources": [{"code": code, "name": draw(LINES), "settings": draw(settings)} for code in sources],
        "answers": [{"question": one, "source": two, "text": draw(texts)} for one, two in draw(st.permutations(pairs))],
        "seeds": [{"question": one, "code": two, "text": draw(texts)} for one, two in seeds],
    }


@contextmanager
def undone() -> Iterator[None]:
    """An example leaves no rows."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def loaded(text: str) -> Study:
    return services.apply_definition(definition=load_bytes(text.encode(), "study.yaml"), by=None, now=NOW)[0]


def as_json(study: Study) -> str:
    """The canonical definition apart from what names the study."""
    return canonical_json(canonical(study) | {"slug": "", "title": "", "codes": {}})


examples = settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@examples
@given(definition=definitions())
def test_the_file_of_a_study_and_its_clone_make_equal_studies(db: None, definition: dict[str, Any]) -> None:
    with undone():
        study = loaded(strictyaml.dump(definition))

        again = loaded(strictyaml.dump({**strictly(dump_yaml(study)), "slug": "again"}))
        clone = services.clone_study(study=study, slug="clone", by=None, now=NOW)

        assert as_json(again) == as_json(clone) == as_json(study)


def strictly(text: str) -> dict[str, Any]:
    """The data of a file."""
    return copy.deepcopy(dict(strictyaml.read(text, "study.yaml", strictyaml.Anything())))


@pytest.fixture
def manager(superuser: Any) -> Client:
    client = Client()
    client.force_login(superuser)
    return client


@examples
@given(definition=definitions(texts=TYPED))
def test_saving_a_study_in_the_admin_as_it_is_changes_nothing(manager: Client, definition: dict[str, Any]) -> None:
    with undone():
        study = loaded(strictyaml.dump(definition))
        services.add_member(study=study, user=manager_of(manager), role="owner", by=None, now=NOW)
        before = as_json(study)
        url = reverse("admin:studies_study_change", args=[study.pk])

        response = manager.post(url, posted_back(manager.get(url)))

        assert response.status_code == 302, response.context["errors"]
        assert as_json(Study.objects.get()) == before


def manager_of(client: Client) -> Any:
    from django.contrib.auth import get_user

    request: Any = type("Request", (), {"session": client.session})()
    return get_user(request)
