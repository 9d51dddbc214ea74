"""Groups and scores for programs."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AbstractUser
from django.test import Client

from clustering import services
from clustering.inclusion import Inclusion
from clustering.parameters import Parameters
from core import runs
from studies.models import Membership, Study
from tests.factories import MembershipFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def scored(planted: Study) -> Study:
    parameters = Parameters(inclusion=Inclusion(("live",)), replicates=200)
    runs.execute(services.start_scores(study=planted, parameters=parameters, seed=1, by=None).pk)
    return planted


def rows(client: Client, path: str, **asked: str) -> list[dict[str, object]]:
    response = client.get(path, asked)
    assert response.status_code == 200
    found: list[dict[str, object]] = response.json()["results"]
    return found


def test_a_team_reads_scores_and_groups(scored: Study, client: Client) -> None:
    client.force_login(MembershipFactory(study=scored, role=Membership.Role.ANALYST).user)
    scores = rows(client, "/api/v1/scores/", study=scored.slug)
    assert {(row["source"], row["is_weighted"]) for row in scores} == {
        (source, weighted) for source in ("s1", "s2", None) for weighted in (False, True)
    }
    groups = rows(client, "/api/v1/groups/", study=scored.slug, question="q1", page_size="100")
    assert len(groups) == 24
    assert {row["group"] for row in groups} == {"A", "B", "C"}
    assert groups[0]["run"] == scores[0]["run"]


def test_one_run_can_be_asked_for_and_an_id_that_is_none_is_refused(scored: Study, client: Client) -> None:
    client.force_login(MembershipFactory(study=scored, role=Membership.Role.ANALYST).user)
    assert rows(client, "/api/v1/scores/", run="00000000-0000-4000-8000-000000000000") == []
    assert client.get("/api/v1/scores/", {"run": "x"}).status_code == 400


@pytest.mark.parametrize("path", ["/api/v1/scores/", "/api/v1/groups/"])
def test_strangers_and_annotators_read_nothing(
    scored: Study, client: Client, stranger: AbstractUser, path: str
) -> None:
    assert client.get(path).status_code in {401, 403}
    client.force_login(stranger)
    assert rows(client, path, study=scored.slug) == []
    client.force_login(MembershipFactory(study=scored, role=Membership.Role.ANNOTATOR).user)
    assert rows(client, path) == []


def test_the_number_of_queries_does_not_grow(
    scored: Study, client: Client, django_assert_max_num_queries: object
) -> None:
    client.force_login(MembershipFactory(study=scored, role=Membership.Role.ANALYST).user)
    with django_assert_max_num_queries(8):  # type: ignore[operator]
        rows(client, "/api/v1/groups/", page_size="100")
