"""The vote block and the seeds in the definition of a study."""

from __future__ import annotations

from typing import Any

import pytest

from core import registry
from core.errors import BadInput
from core.strictyaml import ListOf, MapNode, dump, load, validate
from studies.models import Study
from tests.factories import QuestionFactory, StatementFactory, StudyFactory
from tests.voting.booth import NOW
from voting.models import Statement, VoteSettings
from voting.sections import SeedSection, VoteSection

VOTE, SEEDS = VoteSection(), SeedSection()
DEFAULTS = {"minimum": 10, "policy": "uniform", "mix": 0.5, "moderation": "after"}


def read(section: Any, text: str) -> Any:
    return validate(load(text, "study.yaml"), section.schema())


def test_both_sections_are_registered() -> None:
    assert {"vote", "seeds"} <= {section.key for section in registry.sections()}
    assert registry.block_runner("vote").per_question


def test_what_is_left_out_is_as_the_model_says() -> None:
    assert validate(MapNode("study.yaml", 1, 1, ()), VOTE.schema()) == DEFAULTS


@pytest.mark.parametrize(
    "text",
    [
        "minimum: 0",
        "minimum: 1001",
        "minimum: ten",
        "policy: best",
        "mix: 1.5",
        "mix: -0.1",
        "moderation: never",
        "minimun: 10",
        "moderation: no",
    ],
)
def test_a_wrong_setting_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        read(VOTE, f"# votes\n{text}\n")

    assert caught.value.problems[0].line == 2


@pytest.mark.django_db
def test_settings_come_back_as_they_were_written() -> None:
    study, settings = StudyFactory(), {"minimum": 7, "policy": "mixed", "mix": 0.25, "moderation": "before"}

    VOTE.load(study, settings)
    VOTE.load(study, settings)

    assert VOTE.dump(study) == settings
    assert read(VOTE, dump(VOTE.dump(study))) == settings
    assert VoteSettings.objects.count() == 1


@pytest.mark.django_db
def test_a_study_without_settings_has_the_defaults() -> None:
    assert VOTE.dump(StudyFactory()) == DEFAULTS


@pytest.mark.django_db
def test_a_whole_number_as_mix_is_dumped_as_the_database_gives_it() -> None:
    study = StudyFactory()

    VOTE.load(study, read(VOTE, "mix: 1"))

    assert repr(VOTE.dump(study)["mix"]) == "1.0"


@pytest.fixture
def study(db: None) -> Study:
    """A draft with q2 before q1."""
    study = StudyFactory()
    QuestionFactory(study=study, code="q1", position=2)
    QuestionFactory(study=study, code="q2", position=1)
    return study


ROWS = [
    {"question": "q2", "code": "B", "text": "Two\nlines."},
    {"question": "q2", "code": "a", "text": "= 1 + 1"},
    {"question": "q1", "code": "a", "text": "yes"},
]


def test_seeds_come_back_by_question_and_code(study: Study) -> None:
    SEEDS.load(study, list(reversed(ROWS)))

    assert SEEDS.dump(study) == ROWS
    assert read(SEEDS, dump({"seeds": ROWS}).partition("\n")[2]) == ROWS


def test_seeds_may_stand_in_a_table() -> None:
    assert isinstance(SEEDS.schema(), ListOf)


def test_publishing_lets_the_seeds_in(study: Study) -> None:
    SEEDS.load(study, ROWS)

    SEEDS.freeze(study, NOW)

    assert set(Statement.objects.values_list("status", "approved_at")) == {("approved", NOW)}
    assert SEEDS.dump(study) == ROWS


def test_rejected_seeds_and_statements_of_others_are_not_in_the_definition(study: Study) -> None:
    SEEDS.load(study, ROWS)
    SEEDS.freeze(study, NOW)
    Statement.objects.filter(code="B").update(status="rejected")
    StatementFactory(question=study.questions.get(code="q1"), origin="peer")

    assert SEEDS.dump(study) == ROWS[1:]


def test_seeds_of_a_question_that_is_no_longer_asked_are_not_in_the_definition(study: Study) -> None:
    SEEDS.load(study, ROWS)
    study.questions.filter(code="q1").update(is_current=False)

    assert SEEDS.dump(study) == ROWS[:2]


def test_without_own_texts_each_question_needs_seeds(study: Study) -> None:
    definition = {
        "blocks": ["consent", "vote", "debrief"],
        "seeds": ROWS[:2],
        "questions": [{"code": "q1"}, {"code": "q2"}],
    }

    assert ["q1" in str(problem) for problem in SEEDS.problems(study, definition)] == [True]
    assert not SEEDS.problems(study, {**definition, "blocks": ["write", "vote"]})
    assert not SEEDS.problems(study, {**definition, "blocks": ["write"]})
    assert not VOTE.problems(study, definition)
