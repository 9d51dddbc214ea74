"""Groups and scores for programs."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import AbstractUser
from django.test import Client

from clustering import services
from clustering.inclusion import Inclusion
from clustering.models import GroupName, GroupStatement
from clustering.parameters import Parameters
from core import runs
from core.models import Run
from studies.models import Membership, Study
from tests.factories import NOW, MembershipFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def scored(planted: Study) -> Study:
    parameters = Parameters(inclusion=Inclusion(("live",)), replicates=200, stability_seeds=2, stability_replicates=2)
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


NEW = ["groupings", "opinion-groups", "group-statements", "runs"]


def test_quality_stability_and_advice_are_those_of_the_run(scored: Study, client: Client) -> None:
    client.force_login(MembershipFactory(study=scored, role=Membership.Role.ANALYST).user)
    listed = rows(client, "/api/v1/groupings/", study=scored.slug, question="q1")
    (grouping,) = listed
    part = Run.objects.get(public_id=str(grouping["id"]))
    assert part.result is not None
    assert grouping["quality"] == part.result["quality"]
    assert grouping["advice"] == part.result["advice"]
    assert grouping["parameters"] == part.parameters
    assert (grouping["method"], grouping["n_groups"], grouping["n_participants"]) == ("dynamic", 3, 24)
    stability: Any = grouping["stability"]
    assert stability["seeds"] == part.result["stability"]["seeds"]
    assert "pairs" not in stability["bootstrap"]
    alone = client.get(f"/api/v1/groupings/{grouping['id']}/").json()
    assert alone["stability"] == part.result["stability"]
    assert len(alone["stability"]["bootstrap"]["pairs"]) == 24


def test_groups_go_by_letter_and_name(scored: Study, client: Client) -> None:
    client.force_login(MembershipFactory(study=scored, role=Membership.Role.ANALYST).user)
    question = scored.questions.get(code="q1")
    for name, is_draft in (("The park", False), ("Nobody approved", True)):
        GroupName.objects.create(
            question=question, line="dynamic", identity=int(is_draft), name=name, is_draft=is_draft, created_at=NOW
        )
    groups = rows(client, "/api/v1/opinion-groups/", question="q1")
    assert [(row["group"], row["name"], row["number"], row["size"]) for row in groups] == [
        ("A", "The park", 0, 8),
        ("B", None, 1, 8),
        ("C", None, 2, 8),
    ]


def test_statements_of_groups_are_counted_and_ranked(scored: Study, client: Client) -> None:
    client.force_login(MembershipFactory(study=scored, role=Membership.Role.ANALYST).user)
    counted = rows(client, "/api/v1/group-statements/", question="q1", page_size="100")
    ranked = rows(client, "/api/v1/group-statements/", question="q1", ranked="true", page_size="100")
    assert len(counted) == 3 * 15
    assert 0 < len(ranked) < len(counted)
    assert all(row["rank"] and row["direction"] in (-1, 1) for row in ranked)
    stored = GroupStatement.objects.get(
        group__grouping__run__public_id=counted[0]["grouping"], group__number=0, statement__code=counted[0]["statement"]
    )
    assert (counted[0]["n_agree"], counted[0]["n_disagree"]) == (stored.n_agree, stored.n_disagree)


def test_runs_say_how_they_were_computed(scored: Study, client: Client) -> None:
    client.force_login(MembershipFactory(study=scored, role=Membership.Role.ANALYST).user)
    (run,) = rows(client, "/api/v1/runs/", kind="overton")
    stored = Run.objects.get(public_id=str(run["id"]))
    assert run["parameters"] == stored.parameters
    assert (run["seed"], run["result_sha256"]) == (1, stored.result_sha256)
    parts = rows(client, "/api/v1/runs/", kind="groups")
    assert {part["parent"] for part in parts} == {run["id"]}
    assert len(parts) == 4
    by_run = rows(client, "/api/v1/groupings/", run=str(run["id"]))
    assert {row["id"] for row in by_run} == {part["id"] for part in parts}
    assert rows(client, "/api/v1/groupings/", run=str(parts[0]["id"]))[0]["id"] == parts[0]["id"]


@pytest.mark.parametrize("name", NEW)
def test_strangers_and_annotators_read_nothing_of_groups_and_runs(
    scored: Study, client: Client, stranger: AbstractUser, name: str
) -> None:
    path = f"/api/v1/{name}/"
    assert client.get(path).status_code in {401, 403}
    client.force_login(stranger)
    assert rows(client, path, study=scored.slug) == []
    client.force_login(MembershipFactory(study=scored, role=Membership.Role.ANNOTATOR).user)
    assert rows(client, path) == []
    owner = MembershipFactory(study=scored, role=Membership.Role.OWNER).user
    client.force_login(owner)
    assert rows(client, path, study="another") == []
    assert client.post(path, {}).status_code in {403, 405}


@pytest.mark.parametrize("name", NEW)
def test_the_number_of_queries_is_constant(
    scored: Study, client: Client, django_assert_max_num_queries: object, name: str
) -> None:
    client.force_login(MembershipFactory(study=scored, role=Membership.Role.ANALYST).user)
    with django_assert_max_num_queries(8):  # type: ignore[operator]
        assert rows(client, f"/api/v1/{name}/", page_size="100")
