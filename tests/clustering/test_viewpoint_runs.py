"""Scores over participants drawn anew: in blocks, resumed, the same for any division of the work."""

from __future__ import annotations

from typing import Any

import pytest

from clustering import selectors, services
from clustering.inclusion import Inclusion
from clustering.parameters import VIEWPOINT_BLOCK, Parameters, Resampling
from core import runs
from core.errors import Invalid
from core.models import Run
from studies.models import Study

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
