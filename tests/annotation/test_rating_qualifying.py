"""Practice with feedback and qualification before real work; dependent questions, several labels, segments."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.models import Assignment, Judgement, Qualification
from tests.annotation.audits import frozen, pair
from tests.annotation.somebody import Somebody

pytestmark = pytest.mark.django_db

TRAINING = {"purpose": "training", "gold": {"use": ["clearly"]}, "explanation": "Both tie a boat."}
GOLD = {"purpose": "gold", "gold": {"use": ["clearly"]}}
QUALIFICATION = {"training": True, "pass_mark": 1.0, "attempts": 2}


def somebody_at(packet: Any, **options: Any) -> Somebody:
    somebody = Somebody(packet, **options)
    somebody.sign_in()
    somebody.agree()
    return somebody


def qualifying(**changes: Any) -> Any:
    rows = [pair(1), pair(2, **TRAINING), pair(3, **GOLD)]
    return frozen(rows=rows, qualification={**QUALIFICATION, **changes})


@pytest.mark.parametrize("htmx", [False, True])
def test_practice_feedback_qualification_then_work(htmx: bool) -> None:
    somebody = somebody_at(qualifying(), htmx=htmx)

    assert somebody.title == "Practice"
    assert "Both tie a boat." not in somebody.text
    somebody.send("not")
    for _reload in range(2):
        assert somebody.title == "Not quite"
        assert "The right answer: Clearly similar" in somebody.text
        assert "Both tie a boat." in somebody.text
        somebody.look()
    somebody.go_on()
    assert somebody.title == "Qualification"
    somebody.send("clearly")
    assert somebody.title == "You have qualified"
    assert "1 of 1 answers agreed" in somebody.text
    somebody.go_on()
    assert somebody.title == "Please judge"
    somebody.send("clearly")
    assert somebody.title == "Thank you"
    assert Judgement.objects.counted().count() == 1


def test_practice_is_answered_once_also_by_a_second_post_of_the_page() -> None:
    somebody = somebody_at(qualifying())
    sent = somebody.filled("not")
    somebody.post(sent)
    somebody.post({**sent, "answer-use": ["clearly"], "key": ["another"]})

    assert Judgement.objects.get().label.code == "not"
    assert "it was for practice and stays" in somebody.text


def test_a_second_attempt_and_then_a_polite_end() -> None:
    somebody = somebody_at(qualifying(training=False))
    somebody.send("not")
    assert somebody.title == "Not passed yet"
    assert "You can try once more" in somebody.text
    assert not Assignment.objects.filter(round=2).exists()
    somebody.go_on()
    assert somebody.title == "Qualification"
    somebody.send("not")
    for _reload in range(2):
        assert somebody.title == "Thank you for trying"
        assert "<form" not in somebody.page.content.decode().split("<main")[1]
        somebody.look()
    somebody.go_on_anyway()
    assert somebody.title == "Thank you for trying"
    assert list(Qualification.objects.values_list("passed", flat=True)) == [False, False]
    assert not Assignment.objects.filter(purpose="work").exists()


def openness() -> Somebody:
    rows = [{"external_id": "a", "request": "Name a colour."}]
    return somebody_at(frozen("openness", rows))


def test_a_dependent_question_says_when_it_is_asked_and_the_server_decides() -> None:
    somebody = openness()

    assert "Only if you chose “Yes, it is open-ended” at “Open-ended”." in somebody.text
    somebody.send(None, answer__open_ended=["no"], answer__how_many=["above_20"])
    rows = {row.dimension.code: row for row in Judgement.objects.select_related("dimension")}
    assert rows["how_many"].missing == Judgement.Missing.NOT_APPLICABLE


def test_a_dependent_question_that_applies_must_be_answered() -> None:
    somebody = openness()
    somebody.send(None, answer__open_ended=["yes"], answer__how_many=None)

    assert somebody.page.status_code == 422
    assert 'href="#answer-how_many"' in somebody.page.content.decode()
    somebody.send(None, answer__open_ended=["yes"], answer__how_many=["above_20"])
    assert {row.label.code for row in Judgement.objects.all() if row.label} == {"yes", "above_20"}


def label_check() -> Somebody:
    rows = [{"external_id": "a", "text": "A poem.", "proposals": {"categories": ["creative", "ideas"]}}]
    return somebody_at(frozen("label_check", rows))


def labels() -> Any:
    return Judgement.objects.current().get().labels


def test_suggested_labels_are_accepted_by_one_button() -> None:
    somebody = label_check()

    assert somebody.text.count("suggested") >= 2
    assert ("action", "accept") in somebody.form.buttons
    assert "answer-categories" not in somebody.form.fields, "nothing is ticked before"
    somebody.post({**somebody.form.fields, "action": ["accept"]})
    assert labels() == ["creative", "ideas"]


@pytest.mark.parametrize(
    ("chosen", "stored"),
    [(["ideas", "advice"], ["advice", "ideas"]), (["__none__"], []), (["opinion"], ["opinion"])],
)
def test_suggested_labels_are_corrected(chosen: list[str], stored: list[str]) -> None:
    somebody = label_check()
    somebody.send(None, answer__categories=chosen, action=["submit"])

    assert labels() == stored


@pytest.mark.parametrize("chosen", [["__none__", "ideas"], ["__cannot_judge__", "ideas"], ["unheard_of"], None])
def test_boxes_that_contradict_each_other_are_refused(chosen: Any) -> None:
    somebody = label_check()
    somebody.send(None, answer__categories=chosen, action=["submit"])

    assert somebody.page.status_code == 422
    assert not Judgement.objects.exists()


def test_segments_come_in_their_order_with_what_came_before() -> None:
    rows = [
        {"external_id": f"t{n}", "segment": f"segment {n}.", "sequence": "tale", "place": n, "reference": "tale"}
        for n in (3, 1, 2)
    ]
    somebody = somebody_at(frozen("surprise", rows))
    for n in (1, 2, 3):
        shown = somebody.page.context["card"]
        assert [passage.text for passage in shown.passages] == [f"segment {n}."]
        assert [passage.text for passage in shown.earlier] == [f"segment {i}." for i in range(1, n)]
        somebody.send("4")
    assert somebody.title == "Thank you"


def test_a_preference_is_stored_by_text_and_with_what_was_shown() -> None:
    rows = [
        {"external_id": str(n), "request": "Advise me.", "first": f"one {n}", "second": f"two {n}"} for n in range(4)
    ]
    somebody = somebody_at(frozen("preference", rows))
    for _item in rows:
        a, b = (passage for passage in somebody.page.context["sides"])
        assert (a.label, b.label) == ("A", "B")
        somebody.send("first_strong")
    stored = Judgement.objects.select_related("label", "shown_label", "assignment")
    assert {row.shown_label.code for row in stored if row.shown_label} == {"first_strong"}
    assert {(row.swapped, row.label.code) for row in stored if row.label} == {
        (False, "first_strong"),
        (True, "second_strong"),
    }
    assert all(row.swapped == row.assignment.swapped for row in stored)
