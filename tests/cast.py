"""The people of the tests, by role."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import AbstractUser

from studies.models import Membership, Study
from studies.session.selectors import frozen
from tests.factories import MembershipFactory, UserFactory, published_study
from tests.walking import Walker


@pytest.fixture(autouse=True)
def no_version_in_memory() -> Iterator[None]:
    """Forget frozen versions: after a rollback another test's version may get the same number."""
    frozen.cache_clear()
    yield
    frozen.cache_clear()


@pytest.fixture
def study(db: None) -> Study:
    """An open study of 4 questions, 2 answers each, without votes."""
    return published_study()


@pytest.fixture
def researcher(study: Study) -> AbstractUser:
    """Who owns `study`."""
    return MembershipFactory(study=study, role=Membership.Role.OWNER).user


@pytest.fixture
def colleague(study: Study) -> AbstractUser:
    """Who may analyse `study`, not edit it."""
    return MembershipFactory(study=study, role=Membership.Role.ANALYST).user


@pytest.fixture
def moderator(study: Study) -> AbstractUser:
    """Who may moderate statements of `study`."""
    return MembershipFactory(study=study, role=Membership.Role.MODERATOR).user


@pytest.fixture
def annotator(study: Study) -> AbstractUser:
    """Who annotates for `study` and sees nothing else of it."""
    return MembershipFactory(study=study, role=Membership.Role.ANNOTATOR).user


@pytest.fixture
def stranger(db: None) -> AbstractUser:
    """Who has an account and no role in `study`, but one in a study of their own."""
    return MembershipFactory(role=Membership.Role.OWNER).user


@pytest.fixture
def superuser(db: None) -> AbstractUser:
    """Who may do everything."""
    return UserFactory(is_superuser=True, is_staff=True)


@pytest.fixture
def participant(study: Study) -> Walker:
    """Who has just started `study`, in a browser without scripts."""
    walker = Walker(study.slug)
    walker.start()
    return walker


@pytest.fixture
def htmx_participant(study: Study) -> Walker:
    """Who has just started `study`, in a browser with htmx."""
    walker = Walker(study.slug, htmx=True)
    walker.start()
    return walker
