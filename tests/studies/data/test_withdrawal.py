"""Withdrawal erases what a person gave, by the policy that they agreed to, and leaves ids and numbers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.apps import apps
from django.db import models

from core.models import AuditEvent
from studies.data.withdrawal import withdraw_enrolment
from studies.models import (
    Answer,
    ConsentRecord,
    Draft,
    Enrolment,
    ExternalIdentity,
    FreeResponse,
    LateSubmission,
    PageView,
    RepresentationRating,
    Slot,
    Step,
    Study,
    Tombstone,
)
from tests.factories import (
    BLOCKS_WITH_VOTES,
    CODES,
    NOW,
    DraftFactory,
    EnrolmentFactory,
    ExternalIdentityFactory,
    UserFactory,
    published_study,
)
from tests.walking import TEXT, Walker, read_form, read_forms, read_text
from voting.models import Exposure, Statement, Vote

IDS = {
    "PROLIFIC_PID": "5f3e8c1a9b2d4e6f7a8b9c0d",
    "STUDY_ID": "63c0ffee63c0ffee63c0ffee",
    "SESSION_ID": "64a1b2c3d4e5f60718293a4b",
}


def walked(policy: str = "delete_all", *, until: str = "end", blocks: tuple[str, ...] = BLOCKS_WITH_VOTES) -> Walker:
    study = published_study(
        blocks=blocks, n_questions=2, questions_each=2, n_seeds=3, vote={"minimum": 2}, withdrawal_policy=policy
    )
    walker = Walker(study.slug)
    walker.start(**IDS)
    late = read_form(walker.page).step
    walker.send()
    walker.post({"step": late, "decision": "decline", "remark": "a late secret"})
    walker.send(item__remarks="a secret remark")
    walker.walk(until=until)
    return walker


def withdraw(by: Any = None) -> Tombstone:
    return withdraw_enrolment(enrolment=Enrolment.objects.get(), by=by, now=NOW)


def everything_stored() -> str:
    """All columns of all rows of our apps, as text."""
    labels = {"core", "studies", "voting", "clustering"}
    ours = [model for model in apps.get_models() if model._meta.app_label in labels and model is not Study]
    return "\n".join(str(row) for model in ours for row in model._base_manager.values())


@pytest.mark.parametrize("policy", ["delete_all", "keep_votes"])
def test_no_text_no_answer_and_no_id_is_left(db, policy: str) -> None:
    walked(policy)
    before = everything_stored()
    for secret in (TEXT, "a secret remark", "a late secret", *IDS.values()):
        assert secret in before

    withdraw()

    after = everything_stored()
    for secret in (TEXT, "a secret remark", "a late secret", *IDS.values()):
        assert secret not in after
    for model in (FreeResponse, Draft, LateSubmission, ExternalIdentity):
        assert not model.objects.exists()


def test_delete_all_leaves_no_number_either(db) -> None:
    walked("delete_all")

    withdraw()

    for model in (Answer, RepresentationRating, PageView, Step, Vote, Exposure):
        assert not model.objects.exists()
    assert set(Statement.objects.values_list("origin", flat=True)) == {"seed"}
    assert set(Statement.objects.values_list("n_agree", flat=True)) == {0}


def test_keep_votes_leaves_numbers_that_lead_to_nobody(db) -> None:
    walked("keep_votes")
    n_votes = Vote.objects.count()

    withdraw()

    assert Vote.objects.count() == n_votes > 0
    assert RepresentationRating.objects.count() == 4
    assert set(Answer.objects.values_list("missing", flat=True)) == {"withdrawn"}
    assert set(Step.objects.values_list("payload_sha256", flat=True)) == {"withdrawn"}
    peers = Statement.objects.filter(origin="peer")
    assert {(each.text, each.author, each.status) for each in peers} == {("", None, "withdrawn")}


@pytest.mark.parametrize("policy", ["delete_all", "keep_votes"])
def test_the_tombstone_holds_ids_and_numbers(db, policy: str) -> None:
    walked(policy)

    stone = withdraw()

    enrolment = Enrolment.objects.get()
    assert (enrolment.status, enrolment.finished_at is not None) == ("withdrawn", True)
    assert (stone.enrolment_public_id, stone.policy, stone.withdrawn_at) == (enrolment.public_id, policy, NOW)
    assert all(isinstance(number, int) for number in stone.erased.values()), json.dumps(stone.erased)
    assert stone.erased["studies"] > 0
    assert stone.erased["voting"] > 0
    assert ConsentRecord.objects.exists(), "that somebody consented is kept: a date, no person"


def test_the_questions_are_free_for_others(db) -> None:
    walked()

    withdraw()

    assert set(Slot.objects.values_list("status", flat=True)) == {"released"}


def test_withdrawing_twice_changes_nothing(db) -> None:
    walked()

    assert withdraw() == withdraw()
    assert Tombstone.objects.count() == 1


def test_another_person_s_data_stay(db) -> None:
    walker = walked()
    other = Walker(walker.slug)
    other.start()
    other.walk()
    second = Enrolment.objects.order_by("id").last()
    kept = {
        model: set(model.objects.filter(enrolment=second).values_list("pk", flat=True))
        for model in (Answer, FreeResponse, RepresentationRating, Step, Slot)
    }

    withdraw_enrolment(enrolment=Enrolment.objects.order_by("id").first(), by=None, now=NOW)

    for model, keys in kept.items():
        assert set(model.objects.filter(enrolment=second).values_list("pk", flat=True)) == keys
    assert other.look().context["outcome"].kind == "complete"


def test_the_version_s_policy_holds_not_the_draft_s(db) -> None:
    walked("delete_all")
    Study.objects.update(withdrawal_policy="keep_votes")

    assert withdraw().policy == "delete_all"


def test_an_imported_person_is_erased_by_the_study_s_policy(db) -> None:
    ExternalIdentityFactory(enrolment=EnrolmentFactory(origin="imported", version=None))

    assert withdraw().policy == "delete_all"
    assert not ExternalIdentity.objects.exists()


def test_a_researcher_s_act_is_on_record_and_a_person_s_own_is_not(db) -> None:
    enrolments = [EnrolmentFactory(), EnrolmentFactory()]
    researcher = UserFactory()

    withdraw_enrolment(enrolment=enrolments[0], by=researcher, now=NOW)
    withdraw_enrolment(enrolment=enrolments[1], by=None, now=NOW)

    event = AuditEvent.objects.get(event="enrolment.withdraw")
    assert (event.subject_id, event.by) == (str(enrolments[0].public_id), researcher)


def test_every_relation_to_an_enrolment_or_step_is_erased_or_known_to_stay() -> None:
    """A new model that hangs on a person must be added to the erasure, or here with the reason why it stays."""
    stays = {
        "studies.ConsentRecord": "a date and the hash of a published text",
        "clustering.GroupMember": "erased by clustering",
        "voting.VoteBlock": "erased by voting",
        "voting.Exposure": "erased by voting",
        "voting.Vote": "erased by voting",
        "voting.Statement": "erased by voting",
        "annotation.TextOrigin": "erased by annotation",
        "annotation.Rater": "erased by annotation",
        "prediction.Prediction": "erased by prediction",
    }
    erased = {Answer, Draft, ExternalIdentity, FreeResponse, LateSubmission, PageView, RepresentationRating, Slot, Step}
    found = {
        relation.related_model
        for model in (Enrolment, Step)
        for relation in model._meta.related_objects
        if isinstance(relation, models.ManyToOneRel)
    }

    assert {model._meta.label for model in found - erased} == set(stays)


# --- The page -------------------------------------------------------------------------------------------------------


def test_the_person_is_asked_before_anything_is_erased(db) -> None:
    walker = walked(until="rate")

    walker.page = walker.client.get(f"/s/{walker.slug}/withdraw/")

    assert "cannot be undone" in read_text(walker.page)
    assert Enrolment.objects.get().is_active
    assert FreeResponse.objects.exists()


def test_thinking_better_of_it_leads_back(db) -> None:
    walker = walked(until="rate")

    walker.post({"decision": "keep"}, f"/s/{walker.slug}/withdraw/")

    assert walker.kind == "rate"
    assert FreeResponse.objects.exists()


def test_withdrawing_gives_a_receipt_and_the_code_of_that_end(db) -> None:
    walker = walked(until="rate")

    walker.post({"decision": "withdraw"}, f"/s/{walker.slug}/withdraw/")

    assert walker.kind == "withdrawn"
    assert CODES["withdrawn"] in read_text(walker.page)
    assert Enrolment.objects.get().public_code in read_text(walker.page)
    assert f"cc={CODES['withdrawn']}" in walker.page.content.decode()
    assert not read_forms(walker.page)
    assert not FreeResponse.objects.exists()
    walker.look()
    assert walker.kind == "withdrawn", "the receipt can be looked at again"


def test_who_had_finished_keeps_the_code_of_that(db) -> None:
    walker = walked()
    assert f"/s/{walker.slug}/withdraw/" in walker.page.content.decode()

    walker.post({"decision": "withdraw"}, f"/s/{walker.slug}/withdraw/")

    assert walker.kind == "withdrawn"
    assert CODES["complete"] in read_text(walker.page)
    assert Tombstone.objects.get().erased["had_finished"] == 1


def test_a_page_left_open_in_another_tab_stores_nothing_after_withdrawal(db) -> None:
    walker = walked(until="write")
    page = walker.page
    walker.client.post(f"/s/{walker.slug}/withdraw/", {"decision": "withdraw"})

    walker.page = page
    walker.send()

    assert walker.kind == "withdrawn"
    assert not FreeResponse.objects.exists()
    assert not LateSubmission.objects.exists()


def test_a_draft_goes_too(db) -> None:
    walker = walked(until="write")
    DraftFactory(step=Step.objects.get(nonce=read_form(walker.page).step))

    withdraw()

    assert not Draft.objects.exists()


@pytest.mark.parametrize("status", ["withdrawn", "no_consent"])
def test_where_nothing_is_left_to_erase_the_end_is_shown(study, status: str) -> None:
    walker = Walker(study.slug)
    walker.start()
    Enrolment.objects.update(status=status, finished_at=NOW)

    response = walker.client.post(f"/s/{walker.slug}/withdraw/", {"decision": "withdraw"}, follow=True)

    assert response.context["outcome"].kind == status
    assert not Tombstone.objects.exists()


def test_without_a_session_there_is_nothing_to_withdraw(study, client) -> None:
    assert client.get(f"/s/{study.slug}/withdraw/").status_code == 403
    assert client.post(f"/s/{study.slug}/withdraw/", {"decision": "withdraw"}).status_code == 403


@pytest.mark.parametrize("policy", ["delete_all", "keep_votes"])
@pytest.mark.parametrize("until", ["write", "vote", "end"])
def test_nothing_is_kept_of_what_another_tab_sends_after_the_withdrawal(db, policy: str, until: str) -> None:
    walker = walked(policy, until=until)
    steps = [str(nonce) for nonce in Step.objects.order_by("position").values_list("nonce", flat=True)]
    withdraw()

    for step in steps:
        sent = {"step": step, "text": "a secret of another tab " + TEXT, "exposure": step, "value": "agree"}
        answer = walker.post(sent)
        walker.client.post(f"/s/{walker.slug}/draft/", sent)
        assert answer.status_code == 200
        assert "kept aside" not in read_text(answer)

    assert "a secret of another tab" not in everything_stored()
    assert not LateSubmission.objects.exists()
    assert not Draft.objects.exists()
    assert walker.kind == "withdrawn"
