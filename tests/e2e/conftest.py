"""A browser for each module, and watched windows of it on a server of the test."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import connection, transaction
from django.test import Client
from playwright.sync_api import Browser, Page, sync_playwright

from studies.models import Study
from tests.conftest import CHROMIUM
from tests.e2e.driving import Person
from tests.e2e.watching import Watch
from tests.factories import BLOCKS_WITH_VOTES, published_study

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE = {"width": 390, "height": 844}
KEPT = frozenset({"django_content_type", "auth_permission"})
"""Tables that migrations fill. Foreign keys are checked at the end, so the order of the others does not matter."""

OpenWindow = Callable[..., Watch]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser. Its event loop runs while it is open, which Django takes for asynchronous code: it is not.

    Not one for the whole session: tests of other folders must not find the loop running.
    """
    with pytest.MonkeyPatch.context() as environment, sync_playwright() as playwright:
        environment.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "yes")
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


@pytest.fixture
def transactional_db(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """A database that the server sees too, emptied after the test.

    Rows are deleted: the usual TRUNCATE makes new files for every table, and writes all permissions again, which
    takes longer than most of these tests.
    """
    with django_db_blocker.unblock():
        yield
        wait_for_the_server()
        with transaction.atomic(), connection.cursor() as cursor:
            for table in connection.introspection.django_table_names(only_existing=True, include_views=False):
                if table not in KEPT:
                    cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")
        connection.close()


@pytest.fixture
def open_window(browser: Browser, live_server: Any) -> Iterator[OpenWindow]:
    """Opens a browser window without cookies, as another person or on another device; watched until the test ends."""
    watches: list[Watch] = []

    def open_one(**options: Any) -> Watch:
        given = {"viewport": PHONE, "base_url": live_server.url, "reduced_motion": "reduce", **options}
        context = browser.new_context(**given)
        context.set_default_timeout(10_000)
        watches.append(Watch(context, urlsplit(live_server.url).netloc))
        return watches[-1]

    yield open_one
    found = [each for watch in watches for each in watch.close()]
    assert found == []


def wait_for_the_server() -> None:
    """Wait until no request is worked on, so that none is in the way when the tables are emptied."""
    for _look in range(50):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle'"
            )
            if cursor.fetchone() == (0,):
                return
        time.sleep(0.1)
    raise AssertionError("the server does not come to rest")


def sign_in(watch: Watch, user: AbstractUser, live_server: Any) -> None:
    """Let the window be signed in as `user`."""
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    watch.context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])


@pytest.fixture
def window(open_window: OpenWindow) -> Watch:
    """One window of a phone."""
    return open_window()


@pytest.fixture
def tab(window: Watch) -> Page:
    """One page in the window."""
    return window.context.new_page()


@pytest.fixture
def person(tab: Page, open_study: Study) -> Person:
    """Somebody with a phone who has not started the study yet."""
    return Person(tab, open_study.slug)


@pytest.fixture
def open_study(live_server: Any) -> Study:
    """An open study of 2 questions, 2 answers each, with 5 seeds and 3 votes to cast."""
    return published_study(
        n_questions=2, n_answers=2, n_seeds=5, blocks=BLOCKS_WITH_VOTES, questions_each=2, vote={"minimum": 3}
    )
