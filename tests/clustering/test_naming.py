"""Viewpoints keep their letter and name from run to run of a clusterer."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model

from clustering import selectors, services
from clustering.inclusion import Inclusion
from clustering.models import Grouping, GroupMember, GroupName, OpinionGroup
from clustering.parameters import GROUPS, Parameters
from core import runs
from core.errors import Conflict, Invalid
from core.models import AuditEvent
from studies.models import Question, Study
from tests.factories import NOW, GroupingFactory, OpinionGroupFactory
from voting.models import Vote

pytestmark = pytest.mark.django_db


def grouped(question: Question, *, method: str = "dynamic", seed: int = 1) -> Grouping:
    settings = Parameters(
        inclusion=Inclusion(("live",)), method=method, stability_seeds=0, stability_replicates=0, enough_votes=1
    )
    run = runs.queue_run(
        kind=GROUPS,
        subject_kind="question",
        subject_id=question.public_id,
        parameters=settings.grouping(),
        seed=seed,
    )
    done = runs.execute(run.pk)
    assert done is not None
    grouping: Grouping = done.grouping
    return grouping


def identity_of(grouping: Grouping) -> dict[int, int]:
    rows = GroupMember.objects.filter(grouping=grouping, group__isnull=False)
    return dict(rows.values_list("enrolment_id", "group__identity"))


@pytest.fixture
def question(planted: Study) -> Question:
    question = planted.questions.first()
    assert question is not None
    return question


def test_a_group_that_shrinks_keeps_letter_and_name(question: Question) -> None:
    before = grouped(question)
    largest = before.groups.get(number=0)
    services.name_group(group=largest, name="Better  buses ", by=None)
    leaving = list(largest.members.values_list("enrolment_id", flat=True)[:3])
    Vote.objects.filter(enrolment__in=leaving, statement__question=question).delete()

    after = grouped(question)

    assert identity_of(after) == {key: value for key, value in identity_of(before).items() if key not in leaving}
    [named] = [group for group in after.groups.all() if group.identity in selectors.group_names(after)]
    assert (named.number, named.letter) == (2, "A")
    assert selectors.group_names(after)[named.identity].name == "Better buses"
    assert [group["origin"] for group in after.identities["groups"]] == ["kept"] * 3


def test_identities_do_not_change_the_result(question: Question) -> None:
    first, second = grouped(question), grouped(question)
    assert first.run.result_sha256 == second.run.result_sha256
    assert second.identities != {}


def test_each_clusterer_has_letters_of_its_own(question: Question) -> None:
    dynamic, polis = grouped(question), grouped(question, method="polis")

    assert (dynamic.line, polis.line) == ("dynamic", "polis")
    assert polis.run.parameters["row_order"] == "first vote"
    assert sorted(group.letter for group in polis.groups.all()) == ["A", "B", "C"]
    services.name_group(group=dynamic.groups.get(number=0), name="Buses", by=None)
    assert selectors.group_names(polis) == {}


def test_the_reported_run_decides_over_the_latest(planted: Study, question: Question) -> None:
    settings = Parameters(inclusion=Inclusion(("live",)), replicates=100, stability_seeds=0, stability_replicates=0)
    run = services.start_scores(study=planted, parameters=settings, seed=1, by=None)
    runs.execute(run.pk)
    run.refresh_from_db()
    services.report_run(run=run, by=None)
    later = grouped(question)
    for group in later.groups.all():
        OpinionGroup.objects.filter(pk=group.pk).update(identity=group.identity + 10)

    newest = grouped(question)

    assert sorted(group.identity for group in newest.groups.all()) == [0, 1, 2]
    assert max(newest.identities["taken"]) == 12


def test_a_name_is_superseded_and_never_lost() -> None:
    group = OpinionGroupFactory()
    person = get_user_model().objects.create_user("ann")
    first = services.name_group(group=group, name="Buses", by=person, now=NOW)
    same = services.name_group(group=group, name="Buses", by=None, now=NOW)
    second = services.name_group(group=group, name="Trams", by=person, now=NOW + timedelta(seconds=1))
    gone = services.name_group(group=group, name=" ", by=person, now=NOW + timedelta(seconds=2))

    assert first == same
    assert first != second
    assert gone is None
    assert selectors.group_names(group.grouping) == {}
    assert [(name.name, name.superseded_at is None) for name in GroupName.objects.order_by("pk")] == [
        ("Buses", False),
        ("Trams", False),
    ]
    events = list(AuditEvent.objects.order_by("pk").values_list("event", "by_name"))
    assert events == [("group.named", "ann"), ("group.named", "ann"), ("group.unnamed", "ann")]
    assert "Buses" not in str(list(AuditEvent.objects.values_list("detail", flat=True)))


def test_a_draft_gives_way_to_a_person_and_not_the_reverse() -> None:
    group = OpinionGroupFactory()
    draft = services.name_group(group=group, name="Perhaps buses", by=None, is_draft=True, now=NOW)
    assert draft is not None
    assert draft.is_draft
    approved = services.name_group(group=group, name="Perhaps buses", by=None, now=NOW)
    assert approved is not None
    assert not approved.is_draft

    with pytest.raises(Conflict, match="a person gave it"):
        services.name_group(group=group, name="Trams", by=None, is_draft=True)
    assert selectors.group_names(group.grouping) == {group.identity: approved}


def test_a_name_is_short() -> None:
    group = OpinionGroupFactory(grouping=GroupingFactory())
    with pytest.raises(Invalid):
        services.name_group(group=group, name="x" * 121, by=None)
    with pytest.raises(Invalid):
        services.name_group(group=group, name="a\0b", by=None)
