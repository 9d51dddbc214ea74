"""Scores over participants drawn anew: in blocks, resumed, the same for any division of the work."""

from __future__ import annotations

import dataclasses
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from clustering import selectors, services
from clustering.inclusion import Inclusion
from clustering.parameters import VIEWPOINT_BLOCK, Parameters, Resampling
from core import runs
from core.errors import Invalid
from core.models import Run
from studies.models import Membership, Study
from tests.factories import MembershipFactory

pytestmark = pytest.mark.django_db

PARAMETERS = Parameters(inclusion=Inclusion(("live",)), replicates=100, stability_seeds=0, stability_replicates=0)


def drawn(study: Study, **changes: Any) -> Run:
    resampling = Resampling(PARAMETERS, **{"draws": 20, "block": 7, **changes})
    run = services.start_viewpoints(study=study, resampling=resampling, seed=1, by=None)
    done = runs.execute(run.pk)
    assert done is not None
    return done


def test_each_question_is_computed_in_blocks(planted: Study) -> None:
    run = drawn(planted)

    assert run.status == Run.Status.FINISHED, run.error
    n_questions = planted.questions.count()
    parts = list(run.parts.order_by("pk"))
    assert [part.parameters["first"] for part in parts] == [0, 7, 14] * n_questions
    assert {part.kind for part in parts} == {VIEWPOINT_BLOCK}
    assert (run.progress_done, run.progress_total) == (3 * n_questions, 3 * n_questions)
    codes = [question.code for question in planted.questions.order_by("position", "code")]
    assert [line.label for line in selectors.part_lines(run)][:4] == [
        f"{codes[0]} 0",
        f"{codes[0]} 7",
        f"{codes[0]} 14",
        f"{codes[1]} 0",
    ]
    assert selectors.latest_viewpoints(planted) == run


def test_blocks_of_any_size_give_the_same_table(planted: Study) -> None:
    small, large = drawn(planted, block=7), drawn(planted, block=1000)

    assert small.result is not None
    assert large.result is not None
    assert small.result["viewpoints"] == large.result["viewpoints"]


def test_a_question_that_fails_is_named_and_the_others_go_on(planted: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    original = runs._executors[VIEWPOINT_BLOCK]
    first = planted.questions.order_by("position", "code").first()
    assert first is not None

    def refuses_one(running: runs.RunningRun) -> runs.Computed:
        if running.run.parameters["question"] == str(first.public_id) and running.run.parameters["first"] == 7:
            raise ZeroDivisionError
        return original(running)

    monkeypatch.setitem(runs._executors, VIEWPOINT_BLOCK, refuses_one)
    run = drawn(planted)

    assert run.result is not None
    assert [line["question"] for line in run.result["failed"]] == [first.code]
    assert run.status == Run.Status.FINISHED


@pytest.mark.parametrize(
    ("changes", "field"), [({"draws": 3}, "draws"), ({"block": 0}, "block"), ({"duplicates": "ignore"}, "duplicates")]
)
def test_settings_that_cannot_be_run_are_named(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as caught:
        Resampling(PARAMETERS, **changes)
    assert list(caught.value.fields) == [field]


def test_settings_survive_their_storage() -> None:
    resampling = Resampling(PARAMETERS, draws=50, block=20, duplicates="copy")
    assert Resampling.from_dict(resampling.to_dict()) == resampling
    assert [(first, resampling.count_from(first)) for first in resampling.starts()] == [(0, 20), (20, 20), (40, 11)]


def test_the_command_prints_what_it_stores(planted: Study) -> None:
    few = ("--draws", "20", "--replicates", "100", "--stability-seeds", "0", "--stability-replicates", "0")
    out = StringIO()
    call_command("overton", "--study", planted.slug, *few, "--origin", "live", stdout=out, stderr=StringIO())

    run = selectors.latest_viewpoints(planted)
    assert run is not None
    assert run.result is not None
    text = out.getvalue()
    first = next(row for row in run.result["viewpoints"]["scores"] if row["source"] == "s1")
    assert f"{first['value']:.3f} [{first['low']:.3f}, {first['high']:.3f}], bias {first['bias']:+.3f}, rank 1" in text
    assert "people and questions drawn anew: 20 draws" in text
    assert run.result["viewpoints_and_questions"]["nested"] is True
    assert f"result SHA-256 {run.result_sha256}" in text


def test_draws_stand_beside_the_scores_of_the_same_settings_alone(planted: Study, client: Client) -> None:
    analyst = MembershipFactory(study=planted, role=Membership.Role.ANALYST).user
    client.force_login(analyst)
    same, other = (
        runs.execute(services.start_scores(study=planted, parameters=each, seed=1, by=None).pk)
        for each in (PARAMETERS, dataclasses.replace(PARAMETERS, threshold=3.0))
    )
    assert same is not None
    assert other is not None
    page = reverse("clustering:statistics", args=[planted.slug, same.public_id])
    assert "viewpoints" not in [section["anchor"] for section in client.get(page).context["sections"]]

    run = drawn(planted)

    sections = {section["anchor"]: section for section in client.get(page).context["sections"]}
    row = sections["viewpoints"]["tables"][0]["table"]["rows"][0]
    score = (run.result or {})["viewpoints"]["scores"][0]
    assert row[1:3] == [f"{score['value']:.3f}", f"{score['low']:.3f} to {score['high']:.3f}"]
    assert "seed 1" in sections["viewpoints"]["means"]
    elsewhere = client.get(reverse("clustering:statistics", args=[planted.slug, other.public_id]))
    assert "viewpoints" not in [section["anchor"] for section in elsewhere.context["sections"]]


def test_people_are_drawn_anew_by_a_button(planted: Study, client: Client) -> None:
    scores = runs.execute(services.start_scores(study=planted, parameters=PARAMETERS, seed=4, by=None).pk)
    assert scores is not None
    address = reverse("clustering:viewpoints", args=[planted.slug, scores.public_id])
    moderator = MembershipFactory(study=planted, role=Membership.Role.MODERATOR).user
    client.force_login(moderator)
    assert client.post(address).status_code == 403
    client.force_login(MembershipFactory(study=planted, role=Membership.Role.ANALYST).user)

    response = client.post(address, follow=True)

    queued = selectors.unfinished_viewpoints(planted)
    assert queued is not None
    assert queued.seed == 4
    assert queued.parameters["threshold"] == scores.parameters["threshold"]
    assert "People are being drawn anew: 0 of" in response.content.decode()
