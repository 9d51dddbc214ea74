"""A study whose results are known before they are computed."""

from __future__ import annotations

from typing import Any

from clustering.inclusion import Inclusion
from clustering.parameters import Parameters
from studies.models import Enrolment, Study
from tests.clustering.conftest import N_EACH, N_GROUPS, plant_ratings, plant_votes
from tests.factories import BLOCKS_WITH_VOTES, NOW, EnrolmentFactory, published_study

RUN_SETTINGS: dict[str, Any] = {"parameters": Parameters(inclusion=Inclusion(("live",)), replicates=200), "seed": 1}


def planted_study(n_questions: int = 2, **columns: Any) -> Study:
    """Two questions or more, three opinion groups of eight people each; the first answer represents two of them."""
    study = published_study(n_questions=n_questions, blocks=BLOCKS_WITH_VOTES, **columns)
    finished = {"study": study, "status": Enrolment.Status.COMPLETE, "finished_at": NOW}
    people = EnrolmentFactory.create_batch(N_GROUPS * N_EACH, **finished)
    for question in study.questions.all():
        plant_votes(question, people)
        plant_ratings(question, people)
    return study
