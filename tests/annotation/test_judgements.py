"""Answers: what is taken, how it is stored, what is refused."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest

from annotation.answers import Given
from annotation.errors import ConsentMissing, NotQualified, StaleForm
from annotation.models import Assignment, Item, Judgement, JudgementDraft, Submission
from annotation.selectors.cards import card, draft_of, feedback, own_answers
from annotation.services import claims, judgements, raters
from core.errors import Conflict, Invalid
from tests.annotation.audits import (
    answers,
    frozen,
    judge,
    judge_all,
    pair,
    person,
    say,
    say_all_of_model,
    take,
)
from tests.factories import NOW

pytestmark = pytest.mark.django_db
PREFERENCE = [{"external_id": f"p{i}", "request": "Hi", "first": f"one {i}", "second": f"two {i}"} for i in range(6)]
GOLD = {"purpose": "gold", "gold": {"use": ["clearly"]}}


def test_an_answer_may_be_changed_and_the_earlier_one_stays() -> None:
    packet = frozen()
    assignment = take(person(packet), packet)
    say(assignment, "partly")

    say(assignment, "clearly", now=NOW + timedelta(minutes=1))

    earlier, current = Judgement.objects.order_by("pk")
    assert (earlier.label.code, current.label.code) == ("partly", "clearly")
    assert earlier.superseded_at == NOW + timedelta(minutes=1)
    assert [row.number for row in Submission.objects.all()] == [1, 2]


def test_what_stays_the_same_is_not_stored_again() -> None:
    packet = frozen(rows=[pair(1, kind="story")])
    assignment = take(person(packet), packet)
    say(assignment, "partly")

    say(assignment, {**answers(assignment, "partly"), "theme": Given(label="clearly")})

    assert Judgement.objects.count() == 6
    assert Judgement.objects.current().count() == 5


def test_the_same_key_is_the_same_post() -> None:
    packet = frozen()
    assignment = take(person(packet), packet)
    key = uuid.uuid4()
    first = say(assignment, client_key=key)

    again = say(assignment, client_key=key, version=0)

    assert again.is_repeat
    assert again.submission == first.submission


def test_a_stale_form_changes_nothing() -> None:
    packet = frozen()
    assignment = take(person(packet), packet)
    say(assignment, "partly")

    with pytest.raises(StaleForm):
        say(assignment, "clearly", version=0)

    assert StaleForm().http_status == 409
    assert Judgement.objects.get().label.code == "partly"


def test_labels_of_swapped_sides_are_stored_as_their_mirrors() -> None:
    packet = frozen("preference", PREFERENCE, raters_per_item=2)
    rater = person(packet)
    judge_all(rater, packet, "first_strong")

    rows = Judgement.objects.select_related("label", "shown_label", "assignment")

    assert {row.shown_label.code for row in rows} == {"first_strong"}
    assert {(row.swapped, row.label.code) for row in rows} == {(False, "first_strong"), (True, "second_strong")}


def test_a_tie_is_its_own_mirror() -> None:
    packet = frozen("preference", PREFERENCE, raters_per_item=2)

    judge_all(person(packet), packet, "same")

    assert {row.label.code for row in Judgement.objects.all()} == {"same"}


def test_a_card_shows_the_sides_as_they_were_drawn_and_nothing_hidden() -> None:
    rows = [pair(i, source="CANARY-source", model="CANARY-model", stratum="CANARY-stratum") for i in range(6)]
    packet = frozen(rows=rows)
    rater = person(packet)
    seen = set()
    for _ in range(6):
        assignment = take(rater, packet)
        shown = card(assignment)
        texts = [passage.text for passage in shown.passages]
        seen.add(texts[0].startswith("second") == assignment.swapped)
        assert [passage.label for passage in shown.passages] == ["A", "B"]
        assert "CANARY" not in str(shown.to_dict())
        assert "aut-" not in str(shown.to_dict())
        say(assignment)
    assert seen == {True}


def test_models_and_people_get_the_same_card() -> None:
    packet = frozen(n=1)
    human = take(person(packet), packet)
    rater = judge(packet)
    claims.assign_everything(rater=rater, packet=packet, now=NOW)
    other = Assignment.objects.get(rater=rater)
    Assignment.objects.filter(pk=other.pk).update(swapped=human.swapped)
    other.refresh_from_db()

    assert card(human).to_dict() == card(other).to_dict()


def test_a_question_that_does_not_apply_is_not_missing() -> None:
    packet = frozen("openness", [{"external_id": "a", "request": "What is 2 + 2?"}])
    assignment = take(person(packet), packet)

    say(assignment, {"open_ended": Given(label="no"), "how_many": Given(label="above_20")})

    rows = {row.dimension.code: row for row in Judgement.objects.all()}
    assert rows["open_ended"].label.code == "no"
    assert rows["how_many"].missing == Judgement.Missing.NOT_APPLICABLE


def test_a_question_that_applies_must_be_answered() -> None:
    packet = frozen("openness", [{"external_id": "a", "request": "Tell me a joke."}])
    assignment = take(person(packet), packet)

    with pytest.raises(Invalid) as caught:
        say(assignment, {"open_ended": Given(label="yes")})

    assert set(caught.value.fields) == {"how_many"}
    assert not Judgement.objects.exists()


def test_cannot_judge_is_an_answer_of_its_own() -> None:
    packet = frozen()
    say(take(person(packet), packet), {"use": Given(missing="cannot_judge", evidence="Gibberish.\r\n")})

    row = Judgement.objects.get()

    assert (row.missing, row.label, row.evidence) == ("cannot_judge", None, "Gibberish.\n")


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({}, "use"),
        ({"use": Given(label="very")}, "use"),
        ({"use": Given(label="clearly"), "taste": Given(label="clearly")}, "taste"),
        ({"use": Given(missing="not_applicable")}, "use"),
        ({"use": Given(missing="refused")}, "use"),
        ({"use": Given(label="clearly", missing="cannot_judge")}, "use"),
        ({"use": Given(labels=["clearly", "partly"])}, "use"),
        ({"use": Given(label="clearly", evidence="x" * 4001)}, "use"),
        ({"use": Given(label="clearly", evidence="a\0b")}, "use"),
    ],
)
def test_answers_that_are_refused(given: dict[str, Given], where: str) -> None:
    packet = frozen()
    assignment = take(person(packet), packet)

    with pytest.raises(Invalid) as caught:
        say(assignment, given)

    assert where in caught.value.fields
    assert not Submission.objects.exists()


def test_several_labels_are_stored_in_the_declared_order() -> None:
    packet = frozen("label_check", [{"external_id": "a", "text": "Once", "proposals": {"categories": ["advice"]}}])
    assignment = take(person(packet), packet)
    assert card(assignment).asked[0].proposed == ("advice",)

    say(assignment, {"categories": Given(labels=["ideas", "creative"])})
    assert Judgement.objects.get().labels == ["creative", "ideas"]
    say(assignment, {"categories": Given(labels=[])})
    assert Judgement.objects.current().get().labels == []


def test_a_refusal_of_a_model_is_recorded_and_never_guessed() -> None:
    packet = frozen(n=1)
    rater = judge(packet)
    claims.assign_everything(rater=rater, packet=packet, now=NOW)

    say(Assignment.objects.get(), {"use": Given(missing="refused")})

    assert Judgement.objects.get().missing == "refused"


def test_models_judge_everything_beside_the_places_of_people() -> None:
    packet = frozen(n=4)

    assert say_all_of_model(judge(packet), packet) == 4
    assert claims.assign_everything(rater=packet.campaign.raters.get(), packet=packet, now=NOW) == 0
    assert judge_all(person(packet), packet) == 4


def test_two_models_see_each_pair_both_ways_and_one_may_be_asked_both_ways_itself() -> None:
    packet = frozen(n=6)
    one, other = judge(packet, asks_both_ways=True), judge(packet)
    say_all_of_model(one, packet)
    say_all_of_model(other, packet)

    work = Assignment.objects.filter(purpose="work")
    sides = {item: set(work.filter(item=item).values_list("swapped", flat=True)) for item in Item.objects.all()}
    assert set(map(frozenset, sides.values())) == {frozenset({True, False})}
    again = Assignment.objects.filter(purpose="swap")
    assert again.count() == 6
    assert all(row.swapped != work.get(rater=one, item=row.item).swapped for row in again)
    assert Judgement.objects.counted().count() == 12


def test_drafts_are_kept_until_sent() -> None:
    packet = frozen()
    assignment = take(person(packet), packet)
    judgements.save_draft(assignment=assignment, payload={"use": "partly"}, now=NOW)
    judgements.save_draft(assignment=assignment, payload={"use": "not"}, now=NOW)
    assert draft_of(assignment) == {"use": "not"}

    say(assignment)

    assert draft_of(assignment) == {}
    assert not JudgementDraft.objects.exists()
    with pytest.raises(Invalid):
        judgements.save_draft(assignment=assignment, payload={"use": "x" * 100_001}, now=NOW)


def test_own_answers_are_in_terms_of_the_page() -> None:
    packet = frozen()
    assignment = take(person(packet), packet)
    say(assignment)

    assert own_answers(assignment)["use"].shown_label.code == "clearly"


def test_nobody_answers_without_consent_to_the_text_in_force() -> None:
    packet = frozen()
    rater = person(packet)
    assignment = take(rater, packet)
    rater.consents.all().delete()

    with pytest.raises(ConsentMissing):
        say(assignment)


def test_training_comes_first_with_feedback_and_stays() -> None:
    training = {"purpose": "training", "gold": {"use": ["clearly", "partly"]}, "explanation": "Both tie a boat."}
    packet = frozen(
        rows=[pair(1), pair(2, **training)], qualification={"training": True, "pass_mark": None, "attempts": 2}
    )
    rater = person(packet)
    first = take(rater, packet)
    assert first.purpose == "training"
    assert feedback(first) == []

    say(first, "not")

    (told,) = feedback(first)
    assert (told.was_right, told.explanation) == (False, "Both tie a boat.")
    assert set(told.right) == {"Clearly similar", "Partly similar"}
    with pytest.raises(Conflict):
        say(first, "clearly")
    assert take(rater, packet).purpose == "work"
    assert not Judgement.objects.counted().exists()


def gold_packet(**changes: object):
    rows = [pair(1), *(pair(10 + i, **GOLD) for i in range(4))]
    return frozen(rows=rows, qualification={"training": False, "pass_mark": 0.75, "attempts": 2, **changes})


def test_who_passes_the_gold_items_works() -> None:
    packet = gold_packet()
    rater = person(packet)
    for label in ("clearly", "clearly", "not", "clearly"):
        assignment = take(rater, packet)
        assert assignment.purpose == "gold"
        say(assignment, label)
        assert feedback(assignment) == []

    assert take(rater, packet).purpose == "work"
    attempt = rater.qualifications.get()
    assert (attempt.n_asked, attempt.n_right, attempt.passed) == (4, 3, True)


def test_there_are_two_attempts_and_no_third() -> None:
    packet = gold_packet()
    rater = person(packet)
    for _ in range(8):
        say(take(rater, packet), "not")

    with pytest.raises(NotQualified):
        take(rater, packet)
    with pytest.raises(NotQualified):
        take(rater, packet)
    assert [each.passed for each in rater.qualifications.all()] == [False, False]


def test_consent_once_decided_stays() -> None:
    packet = frozen()
    rater = person(packet)

    assert raters.decide_consent(rater=rater, accepted=True, now=NOW).accepted
    with pytest.raises(Conflict):
        raters.decide_consent(rater=rater, accepted=False, now=NOW)
