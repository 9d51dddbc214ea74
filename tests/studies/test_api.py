from __future__ import annotations

from base64 import b64encode
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from studies.models import Study
from tests import factories


def get(user: Any, path: str) -> Any:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client.get(f"/api/v1/{path}")


@pytest.fixture
def question(study: Study) -> Any:
    return study.questions.get(code="q1")


def test_the_team_reads_its_studies_without_the_codes_that_pay(study: Study, researcher: Any) -> None:
    listed = get(researcher, "studies/").json()["results"]
    assert [row["slug"] for row in listed] == [study.slug]
    assert "definition" not in listed[0]

    found = get(researcher, f"studies/{study.slug}/").json()
    assert found["sha256"] == study.current_version.sha256
    assert found["definition"]["title"] == study.title
    assert study.codes["complete"] not in str(found)


def test_questions_come_with_their_answers(study: Study, researcher: Any, question: Any) -> None:
    listed = get(researcher, f"questions/?study={study.slug}").json()["results"]

    assert [row["code"] for row in listed] == ["q1", "q2", "q3", "q4"]
    assert [answer["source"] for answer in listed[0]["answers"]] == ["s1", "s2"]
    assert get(researcher, f"questions/{question.public_id}/").json() == listed[0]


def test_earlier_revisions_are_told_if_asked_for(study: Study, researcher: Any, question: Any) -> None:
    question.is_current = False
    question.save()

    assert len(get(researcher, "questions/").json()["results"]) == 3
    assert len(get(researcher, "questions/?history=true").json()["results"]) == 4


def test_a_draft_has_no_version(researcher: Any) -> None:
    draft = factories.MembershipFactory(user=researcher).study

    found = get(researcher, f"studies/{draft.slug}/").json()
    assert (found["version"], found["sha256"], found["definition"]) == (None, None, None)


@pytest.mark.parametrize("who", ["stranger", "annotator"])
def test_what_is_not_ones_own_does_not_exist(
    study: Study, question: Any, who: str, request: pytest.FixtureRequest
) -> None:
    user = request.getfixturevalue(who)

    assert get(user, f"studies/{study.slug}/").status_code == 404
    assert get(user, f"questions/{question.public_id}/").status_code == 404
    assert study.slug not in get(user, "studies/").content.decode()
    assert get(user, f"questions/?study={study.slug}").json()["results"] == []


@pytest.mark.parametrize("path", ["studies/", "questions/"])
def test_without_an_account_nothing_is_read(study: Study, path: str) -> None:
    assert get(None, path).status_code in {401, 403}


def test_nothing_is_written(study: Study, researcher: Any) -> None:
    client = Client()
    client.force_login(researcher)

    for method in (client.post, client.put, client.patch, client.delete):
        assert method(f"/api/v1/studies/{study.slug}/").status_code == 405


@pytest.mark.parametrize("cursor", ["p=abc", "p=%00", "p=-1", "p=" + "9" * 40])
def test_a_cursor_that_was_made_up_is_not_found(study: Study, researcher: Any, cursor: str) -> None:
    made_up = b64encode(cursor.encode()).decode()

    answer = get(researcher, "questions/?" + urlencode({"cursor": made_up}))

    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"
