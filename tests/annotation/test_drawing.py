"""Pairs of a study's own texts: seeded, stratified, and with nothing that gives their origin away."""

from __future__ import annotations

import json
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotation.models import Campaign, HiddenFields, Item, TextOrigin
from annotation.selectors.cards import card
from annotation.services import drawing, packets
from annotation.services.drawing import DrawSettings
from core.errors import Conflict, Invalid, NotThere
from core.models import Run
from studies.models import Study
from tests.annotation.audits import frozen, judge_all, new_campaign, person, take
from tests.factories import (
    NOW,
    EnrolmentFactory,
    FreeResponseFactory,
    GroupCoverageFactory,
    GroupingFactory,
    GroupMemberFactory,
    ModelAnswerFactory,
    OpinionGroupFactory,
    QuestionFactory,
    RunFactory,
    SourceFactory,
    StatementFactory,
    StudyFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    """Two questions, two models, eight people who wrote on both and whose texts are statements; groups on the first."""
    study = StudyFactory(slug="city")
    questions = [QuestionFactory(study=study, code=code) for code in ("parks", "buses")]
    sources = [SourceFactory(study=study, code=code) for code in ("small", "large")]
    people = [EnrolmentFactory(study=study) for _ in range(8)]
    for question in questions:
        for source in sources:
            ModelAnswerFactory(question=question, source=source, text=f"{source.code} on {question.code}")
        for i, enrolment in enumerate(people):
            text = f"view {i} on {question.code}"
            response = FreeResponseFactory(enrolment=enrolment, question=question, text=text)
            StatementFactory(
                question=question, text=text, author=enrolment, origin="peer", status="approved", free_response=response
            )
    _results(study, questions[0], people)
    return study


def _results(study: Study, question: Any, people: list[Any]) -> None:
    """On the first question two groups of four: the small model represents A, the large one neither."""
    run = RunFactory(kind="overton", subject_kind="study", subject_id=str(study.public_id), status="finished")
    grouping = GroupingFactory(question=question)
    for number in (0, 1):
        group = OpinionGroupFactory(grouping=grouping, number=number)
        for enrolment in people[number * 4 : number * 4 + 4]:
            GroupMemberFactory(group=group, enrolment=enrolment)
        for answer in question.answers.all():
            covered = number == 0 and answer.source.code == "small"
            GroupCoverageFactory(
                run=run,
                group=group,
                answer=answer,
                n_ratings=4,
                mean_rating=4.5 if covered else 2.0,
                is_covered=covered,
            )
    assert Run.objects.finished().count() >= 1


def new(study: Study) -> Campaign:
    return new_campaign(study=study.slug, raters_per_item=2)


def draw(campaign: Campaign, **settings: Any) -> drawing.DrawReport:
    dry_run = settings.pop("dry_run", False)
    return drawing.draw(
        campaign=campaign,
        settings=DrawSettings(**{"per_stratum": 2, **settings}),
        by=None,
        now=NOW,
        dry_run=dry_run,
    )


def test_pairs_are_drawn_by_stratum_and_each_response_once(study: Study) -> None:
    report = draw(new(study))

    assert report.n_available == {
        "parks/A/covered": 4,
        "parks/A/uncovered": 4,
        "parks/B/uncovered": 4,
        "buses/no group/unknown": 8,
    }
    assert set(report.n_drawn.values()) == {2}
    rows = HiddenFields.objects.all()
    assert Counter(row.source for row in rows) == {"model": 8, "peer": 8}
    assert Counter(Counter(row.reference for row in rows).values()) == {2: 8}
    covered = {(row.stratum, row.is_covered) for row in rows}
    assert covered == {
        ("parks/A/covered", True),
        ("parks/A/uncovered", False),
        ("parks/B/uncovered", False),
        ("buses/no group/unknown", None),
    }
    assert {row.model for row in rows if row.stratum == "parks/A/covered" and row.source == "model"} == {"small"}


def test_nobody_is_paired_with_themselves(study: Study) -> None:
    draw(new(study), per_stratum=4)

    for item in Item.objects.filter(hidden__source="peer"):
        first, second = item.texts.exclude(part="question")
        assert first.text != second.text
        assert first.origin.enrolment_id != second.origin.enrolment_id
        assert first.text.split(" on ")[1] == second.text.split(" on ")[1]


def test_the_same_seed_draws_the_same_and_another_one_others(study: Study) -> None:
    campaign = new(study)
    first = draw(campaign, seed="a")
    again = draw(campaign, seed="a")
    other = draw(new(study), seed="b")

    assert (again.items.n_created, again.items.n_unchanged) == (0, first.items.n_created)
    names = [
        set(HiddenFields.objects.filter(packet__campaign=each).values_list("external_id", flat=True))
        for each in Campaign.objects.order_by("pk")
    ]
    assert names[0] != names[1]
    assert other.items.n_created == first.items.n_created


def test_strata_models_and_partners_can_be_chosen(study: Study) -> None:
    report = draw(new(study), strata=("question",), sources=("large",), partners=("model",), per_stratum=3)

    assert report.n_drawn == {"parks": 3, "buses": 3}
    assert set(HiddenFields.objects.values_list("model", flat=True)) == {"large"}


def test_a_dry_run_draws_nothing(study: Study) -> None:
    report = draw(new(study), dry_run=True)

    assert report.items.n_created == 16
    assert not Item.objects.exists()


def test_where_texts_come_from_is_known_for_withdrawal(study: Study) -> None:
    draw(new(study))

    origins = TextOrigin.objects.all()
    assert Counter(each.source for each in origins) == {"free_response": 16, "model_answer": 8, "statement": 8}
    assert all((each.enrolment_id is None) == (each.source == "model_answer") for each in origins)


def test_the_question_is_shown_and_nothing_of_the_draw(study: Study) -> None:
    campaign = new(study)
    draw(campaign)
    packet = packets.freeze(campaign=campaign, by=None, now=NOW)
    shown = card(take(person(packet), packet))

    assert [passage.label for passage in shown.passages] == ["Question", "A", "B"]
    text = json.dumps({**shown.to_dict(), "rubric": ""})
    for word in ("covered", "model", "peer", "small/", "parks:", "statement"):
        assert word not in text


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"per_stratum": 0}, Invalid),
        ({"strata": ("mood",)}, Invalid),
        ({"partners": ()}, Invalid),
        ({"sources": ("huge",)}, Invalid),
        ({"kind": "nothing"}, Invalid),
    ],
)
def test_what_cannot_be_drawn(study: Study, settings: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        draw(new(study), **settings)


def test_there_must_be_a_study_with_texts() -> None:
    with pytest.raises(Conflict):
        draw(new_campaign())
    with pytest.raises(Conflict):
        draw(new(StudyFactory()))


def run_command(*words: str) -> dict[str, Any]:
    out = StringIO()
    call_command("audit", *words, "--json", stdout=out)
    return json.loads(out.getvalue())


def test_an_audit_from_the_command_line(study: Study, tmp_path: Path) -> None:
    person_ = UserFactory(username="ada")
    file = run_command("new", "pairwise", str(tmp_path / "mine"))["file"]
    path = Path(file)
    path.write_text(path.read_text().replace("kind: pairwise\n", "kind: pairwise\nstudy: city\n", 1))

    assert run_command("load", file, "--by", "ada")["act"] == "created"
    assert run_command("load", file)["act"] == "updated"
    drawn = run_command("draw", "pairwise-audit", "--per-stratum", "1", "--by", "ada")
    assert drawn["items"]["created"] == 8
    assert len(run_command("freeze", "pairwise-audit")["sha256"]) == 64
    packet = Campaign.objects.get().current_packet
    judge_all(person(packet), packet)
    assert run_command("status", "pairwise-audit")["is_complete"] is False
    with pytest.raises(Conflict):
        run_command("lock", "pairwise-audit", "--by", "ada")
    judge_all(person(packet), packet, "partly")
    assert run_command("lock", "pairwise-audit", "--by", "ada")["is_complete"] is True
    with pytest.raises(Invalid):
        run_command("unblind", "pairwise-audit")
    assert run_command("unblind", "pairwise-audit", "--by", "ada") == {"unblinded_by": "ada", "is_as_sealed": True}
    assert run_command("verify", "pairwise-audit")["discrepancies"] == []
    assert run_command("amend", "pairwise-audit", "--reason", "More.")["packet"] == 2
    assert run_command("dump", "pairwise-audit")["study"] == "city"
    assert Campaign.objects.visible_to(person_).exists()


def test_what_the_command_says_of_a_table(tmp_path: Path) -> None:
    campaign = new_campaign("openness", slug="open")
    path = tmp_path / "items.csv"
    path.write_text("external_id,request\na,Tell me a joke.\n")
    out = StringIO()

    call_command("audit", "import", "open", str(path), "--dry-run", stdout=out)

    assert "Dry run, nothing was written. 1 items: 1 new, 0 changed, 0 as before." in out.getvalue()
    assert not campaign.packets.get().items.exists()


def test_names_that_are_not_there() -> None:
    with pytest.raises(NotThere):
        run_command("status", "nowhere")
    frozen(slug="there")
    with pytest.raises(NotThere):
        run_command("lock", "there", "--by", "nobody")
