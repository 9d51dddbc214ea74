"""`cluster` and `overton` print the numbers of the pages."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from clustering.models import Score
from core.errors import DomainError, Invalid, NotThere
from core.models import Run
from studies.models import Study

pytestmark = pytest.mark.django_db


def printed(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def document(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(printed(*arguments, "--json"))
    return found


def test_cluster_prints_groups_and_whom_it_took_in(planted: Study) -> None:
    text = printed("cluster", "--study", planted.slug, "--question", "q1")
    assert "3 groups" in text
    assert "group A: 8 people" in text
    assert "24 given the question" in text


def test_cluster_takes_all_questions_and_prints_one_document(planted: Study) -> None:
    found = document("cluster", "--study", planted.slug)
    assert [entry["result"]["question"] for entry in found["questions"]] == ["q1", "q2", "q3", "q4"]
    assert found["questions"][0]["result_sha256"] == Run.objects.order_by("pk")[0].result_sha256


def test_overton_prints_the_numbers_of_the_stored_scores(planted: Study) -> None:
    text = printed("overton", "--study", planted.slug, "--replicates", "200")
    score = Score.objects.get(source__code="s1", is_weighted=False)
    assert score.value is not None
    assert f"{score.value:.3f} [{score.low:.3f}, {score.high:.3f}]" in text
    assert "best across models" in text


def test_overton_by_command_and_by_run_are_the_same_bytes(planted: Study) -> None:
    first = document("overton", "--study", planted.slug, "--replicates", "200")
    second = document("overton", "--study", planted.slug, "--replicates", "200")
    assert first["result_sha256"] == second["result_sha256"]
    assert first["result"] == second["result"]


def test_what_is_undefined_is_printed_with_its_reason(study: Study) -> None:
    assert "undefined, because" in printed("overton", "--study", study.slug, "--weighted")
    assert "no groups:" in printed("cluster", "--study", study.slug, "--question", "q1")


def test_an_unknown_study_or_question_is_named(planted: Study) -> None:
    with pytest.raises(NotThere, match="nowhere"):
        printed("cluster", "--study", "nowhere")
    with pytest.raises(NotThere, match="q1, q2, q3, q4"):
        printed("cluster", "--study", planted.slug, "--question", "q9")


def test_a_subgroup_by_an_item_that_nobody_was_asked_is_refused(planted: Study) -> None:
    with pytest.raises(Invalid, match=r"is called .ageing"):
        printed("overton", "--study", planted.slug, "--subgroup", "ageing")
    assert not Run.objects.exists()


def test_a_run_in_a_workers_hands_is_left_to_it(planted: Study) -> None:
    from clustering.command_options import finished
    from core import runs

    run = runs.queue_run(
        kind="groups",
        subject_kind="question",
        subject_id=planted.questions.get(code="q1").public_id,
        parameters={},
        seed=1,
    )
    runs.claim(run.pk)
    with pytest.raises(DomainError, match="A worker is computing"):
        finished(run)


@pytest.mark.parametrize("seed", ["-1", "99999999999999999999", "x"])
def test_a_seed_that_is_none_is_told_before_anything_is_queued(planted: Study, seed: str) -> None:
    with pytest.raises(CommandError, match="seed"):
        call_command("cluster", "--study", planted.slug, f"--seed={seed}", stderr=StringIO())
    assert not Run.objects.exists()


@pytest.mark.parametrize("votes", ["0", "-1", "99999999999999999999"])
def test_a_minimum_of_votes_that_nobody_can_reach_is_refused(planted: Study, votes: str) -> None:
    with pytest.raises(Invalid) as caught:
        call_command("overton", "--study", planted.slug, f"--minimum-votes={votes}", stderr=StringIO())
    assert "minimum_votes" in caught.value.fields
