"""A browser for each module, and watched windows of it on a server of the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.contrib.auth.models import AbstractUser
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
    for watch in watches:
        watch.context.close()
    assert [found for watch in watches for found in watch.found] == []


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
