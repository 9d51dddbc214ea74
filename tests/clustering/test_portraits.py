"""Portraits of groups: evidence, what sets apart, who the members are, and what is not told of few."""

from __future__ import annotations

from typing import Any

import pytest

from clustering import services
from clustering.inclusion import Inclusion
from clustering.models import GroupStatement, OpinionGroup
from clustering.parameters import Parameters
from clustering.portraits import FEW_PEOPLE, Portrait, Said, portraits, ungrouped
from clustering.selectors import question_result
from core import runs
from studies.models import Answer, Question, Study
from tests.factories import NOW

pytestmark = pytest.mark.django_db


def said(**changes: Any) -> Said:
    columns: dict[str, Any] = {
        "code": "s1", "text": "A text", "n_agree": 4, "n_disagree": 1, "n_neutral": 0, "others_agree": 3,
        "others_disagree": 5, "others_votes": 10, "rank": None, "direction": 1,
    }  # fmt: skip
    return Said(**{**columns, **changes})


@pytest.fixture
def found(planted: Study) -> list[Portrait]:
    parameters = Parameters(inclusion=Inclusion(("live",)), replicates=200)
    run = runs.execute(services.start_scores(study=planted, parameters=parameters, seed=1, by=None).pk)
    assert run is not None
    result = question_result(run, Question.objects.get(study=planted, code="q1"))
    assert result is not None
    assert result.grouping is not None
    assert ungrouped(result.grouping) == 0
    return portraits(planted, result.grouping)


def test_shares_are_of_the_groups_own_votes_beside_all_others() -> None:
    row = said()
    assert (row.n_votes, row.share, row.others_share) == (5, 0.8, 0.3)
    assert said(direction=-1).share == 0.2
    assert said(others_votes=0).others_share is None


@pytest.mark.parametrize(("n_agree", "is_weak"), [(0, True), (2, True), (3, False), (4, False)])
def test_few_votes_are_weak_evidence(n_agree: int, is_weak: bool) -> None:
    assert said(n_agree=n_agree, n_disagree=2).is_weak is is_weak


def test_a_vote_of_one_is_no_clear_majority_beside_many() -> None:
    assert said(n_agree=1, n_disagree=0).strength < said(n_agree=9, n_disagree=1).strength


def test_a_planted_group_is_set_apart_by_its_own_statements(found: list[Portrait]) -> None:
    assert [portrait.group.size for portrait in found] == [8, 8, 8]
    for portrait in found:
        apart = {row.code for row in portrait.apart}
        assert apart
        assert all(
            row.direction == (1 if row.share > 0.5 and row.n_agree > row.n_disagree else -1) for row in portrait.apart
        )
        assert not apart & {row.code for row in portrait.shared}
        assert portrait.n_votes == sum(row.n_votes for row in portrait.statements)


def test_what_is_said_by_others_is_counted_apart(found: list[Portrait]) -> None:
    row = found[0].statements[0]
    everybody = GroupStatement.objects.filter(
        group__grouping=found[0].group.grouping_id, statement__code=row.code
    ).values_list("n_agree", flat=True)
    assert row.n_agree + row.others_agree == sum(everybody)


def answers(study: Study, people: list[Any], n: int) -> None:
    version = study.current_version
    assert version is not None
    options = [{"value": "f", "label": "Female"}, {"value": "m", "label": "Male"}]
    form = [
        {"code": "sex", "kind": "single", "label": "Sex?", "options": options},
        {"code": "age", "kind": "integer", "label": "Age?", "options": []},
        {"code": "remarks", "kind": "text", "label": "Remarks?", "options": []},
    ]
    type(version).objects.filter(pk=version.pk).update(definition={**version.definition, "form": form})
    for place, person in enumerate(people[:n]):
        common = {"enrolment_id": person, "answered_at": NOW}
        Answer.objects.create(item_code="sex", value_choice="f" if place else "m", **common)
        Answer.objects.create(item_code="age", value_integer=20 + place, **common)
        Answer.objects.create(item_code="remarks", value_text="I am Jo", **common)


def test_members_are_told_of_by_shares_and_a_median_only(planted: Study, found: list[Portrait]) -> None:
    group = found[0].group
    answers(planted, list(group.members.values_list("enrolment_id", flat=True)), 8)
    planted.refresh_from_db()
    sex, age = portraits(planted, group.grouping)[0].traits

    assert (sex.label, sex.n, sex.shares) == ("Sex?", 8, [("Female", 7), ("Male", 1)])
    assert (age.n, age.median) == (8, 23.5)


@pytest.mark.parametrize("n", [FEW_PEOPLE - 1, FEW_PEOPLE])
def test_an_item_that_few_answered_is_not_told(planted: Study, found: list[Portrait], n: int) -> None:
    group = found[0].group
    answers(planted, list(group.members.values_list("enrolment_id", flat=True)), n)
    planted.refresh_from_db()
    assert bool(portraits(planted, group.grouping)[0].traits) is (n >= FEW_PEOPLE)


def test_of_a_small_group_nothing_is_told(planted: Study, found: list[Portrait]) -> None:
    group = found[0].group
    answers(planted, list(group.members.values_list("enrolment_id", flat=True)), 8)
    OpinionGroup.objects.filter(pk=group.pk).update(size=FEW_PEOPLE - 1)
    planted.refresh_from_db()
    small = portraits(planted, group.grouping)[0]

    assert small.is_small
    assert small.traits == []
