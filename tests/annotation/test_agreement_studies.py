"""Votes and ratings of a study as judgements of its participants."""

from __future__ import annotations

import io
import json

import pytest
from django.core.management import call_command

from annotation.reporting.studies import material_of
from core.errors import Invalid, NotThere
from tests.factories import (
    EnrolmentFactory,
    ExposureFactory,
    ModelAnswerFactory,
    QuestionFactory,
    RepresentationRatingFactory,
    StatementFactory,
    StudyFactory,
    VoteFactory,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    study = StudyFactory()
    question = QuestionFactory(study=study, code="q1")
    people = EnrolmentFactory.create_batch(3, study=study)
    for values in ((1, 1, -1), (0, 1, 1)):
        statement = StatementFactory(question=question)
        for person, value in zip(people, values, strict=True):
            VoteFactory(exposure=ExposureFactory(enrolment=person, statement=statement), value=value)
    answer = ModelAnswerFactory(question=question)
    for person, value in zip(people, (4, 5, 4), strict=True):
        RepresentationRatingFactory(enrolment=person, answer=answer, value=value)
    return study


def test_each_question_has_its_votes_and_ratings(study) -> None:
    material = material_of(study)
    assert [each.dimension for each in material.dimensions] == ["votes/q1", "ratings/q1"]
    votes, ratings = material.dimensions
    assert (len(votes.items), len(votes.raters), len(votes.code)) == (2, 3, 6)
    assert (votes.scale.labels, votes.scale.level) == (("disagree", "neutral", "agree"), "ordinal")
    assert sorted(ratings.code.tolist()) == [3, 3, 4]


def test_the_command_reports_a_study(study) -> None:
    out = io.StringIO()
    call_command("agreement", "--study", study.slug, "--replicates", "0", "--json", stdout=out)
    report = json.loads(out.getvalue())
    assert report["source"]["kind"] == "study"
    cell = report["dimensions"][0]["cells"][0]
    assert (cell["n_items"], cell["n_ratings"], cell["raters"]["kind"]) == (2, 6, "all")


def test_what_is_not_there_is_told() -> None:
    with pytest.raises(NotThere, match="no study nowhere"):
        call_command("agreement", "--study", "nowhere")
    with pytest.raises(NotThere, match="no audit nowhere"):
        call_command("agreement", "--campaign", "nowhere")
    with pytest.raises(Invalid, match="ratings file, or a campaign, or a study"):
        call_command("agreement")
