"""The database refuses rows of studies that contradict themselves or each other."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from studies.models import Enrolment
from tests.constraints import refuses
from tests.factories import (
    NOW,
    AnswerFactory,
    ConsentRecordFactory,
    EnrolmentFactory,
    ExternalIdentityFactory,
    FormItemFactory,
    FreeResponseFactory,
    LateSubmissionFactory,
    MembershipFactory,
    ModelAnswerFactory,
    QuestionFactory,
    RepresentationRatingFactory,
    SlotFactory,
    SourceFactory,
    StepFactory,
    StudyFactory,
    StudyVersionFactory,
    published_study,
)

pytestmark = pytest.mark.django_db
Factory = Callable[..., Any]


@pytest.mark.parametrize(
    ("name", "factory", "changes"),
    [
        ("studies_study_status_valid", published_study, {"status": "asleep"}),
        ("studies_study_assignment_policy_valid", StudyFactory, {"assignment_policy": "whim"}),
        ("studies_study_withdrawal_policy_valid", StudyFactory, {"withdrawal_policy": "shrug"}),
        ("studies_study_open_has_version", StudyFactory, {"status": "open", "current_version": None}),
        ("studies_study_write_range", StudyFactory, {"write_minimum": 301, "write_maximum": 300}),
        ("studies_study_write_maximum_range", StudyFactory, {"write_minimum": 0, "write_maximum": 0}),
        ("studies_study_write_maximum_range", StudyFactory, {"write_maximum": 10_001}),
        ("studies_study_pay_amount_range", StudyFactory, {"pay_amount": "-0.01"}),
        ("studies_study_pay_minutes_range", StudyFactory, {"pay_minutes": 0}),
        ("studies_study_places_range", StudyFactory, {"places": 0}),
        ("studies_study_session_minutes_range", StudyFactory, {"session_minutes": 4}),
        ("studies_study_questions_each_range", StudyFactory, {"questions_each": 0}),
        ("studies_study_slot_minutes_range", StudyFactory, {"slot_minutes": 4}),
        ("studies_studyversion_number_agrees", StudyVersionFactory, {"is_preview": True, "number": 1}),
        ("studies_membership_role_valid", MembershipFactory, {"role": "king"}),
        ("studies_formitem_kind_valid", FormItemFactory, {"kind": "dance"}),
        ("studies_enrolment_origin_valid", EnrolmentFactory, {"origin": "mars"}),
        ("studies_enrolment_status_valid", EnrolmentFactory, {"status": "asleep", "finished_at": NOW}),
        ("studies_enrolment_finished_at_agrees", EnrolmentFactory, {"status": "complete", "finished_at": None}),
        ("studies_enrolment_has_version", EnrolmentFactory, {"origin": "live", "version": None}),
        ("studies_enrolment_has_version", EnrolmentFactory, {"origin": "simulated", "version": None}),
        ("studies_slot_status_valid", SlotFactory, {"status": "lost", "completed_at": None}),
        ("studies_slot_completed_at_agrees", SlotFactory, {"status": "complete", "completed_at": None}),
        ("studies_step_submitted_agrees", StepFactory, {"submitted_at": NOW, "payload_sha256": ""}),
        (
            "studies_answer_one_column",
            AnswerFactory,
            {"value_choice": "a", "value_choices": None, "value_integer": 1, "value_text": None, "missing": None},
        ),
        ("studies_freeresponse_importance_range", FreeResponseFactory, {"importance": 6}),
        ("studies_representationrating_value_range", RepresentationRatingFactory, {"value": 0}),
        (
            "studies_representationrating_superseded_after",
            RepresentationRatingFactory,
            {"rated_at": NOW, "superseded_at": NOW - timedelta(seconds=1)},
        ),
    ],
)
def test_a_row_that_contradicts_itself_is_refused(name: str, factory: Factory, changes: dict[str, Any]) -> None:
    refuses(name, factory(), **changes)


def test_an_answer_is_one_value_or_the_reason_for_none() -> None:
    columns = {"value_choice": None, "value_choices": None, "value_integer": None, "value_text": None, "missing": None}
    row = AnswerFactory()
    values = {"value_choice": "a", "value_choices": ["a"], "value_integer": 1, "value_text": "", "missing": "skipped"}
    for name, value in values.items():
        assert type(row).objects.filter(pk=row.pk).update(**{**columns, name: value}) == 1
    refuses("studies_answer_one_column", row, **columns)


def test_a_study_counts_its_versions_and_a_member_has_one_role() -> None:
    study = StudyFactory()
    first, second = StudyVersionFactory(study=study, number=1), StudyVersionFactory(study=study, number=2)
    refuses("studies_studyversion_number_unique", second, number=first.number)
    member, other = MembershipFactory(study=study), MembershipFactory(study=study)
    refuses("studies_membership_one_role", other, user=member.user)


def test_codes_name_one_thing_in_a_study() -> None:
    study = StudyFactory()
    first, second = QuestionFactory(study=study), QuestionFactory(study=study)
    refuses("studies_question_one_current", second, code=first.code, revision=2)
    refuses("studies_question_revision_unique", second, code=first.code, is_current=False)
    source, another = SourceFactory(study=study), SourceFactory(study=study)
    refuses("studies_source_code_unique", another, code=source.code)
    item, further = FormItemFactory(study=study), FormItemFactory(study=study)
    refuses("studies_formitem_code_unique", further, code=item.code)


def test_a_source_answers_a_question_once_at_a_time() -> None:
    answer = ModelAnswerFactory()
    other = ModelAnswerFactory(question=answer.question, source=SourceFactory(study=answer.question.study))
    refuses("studies_modelanswer_one_current", other, source=answer.source, revision=2)
    refuses("studies_modelanswer_revision_unique", other, source=answer.source, is_current=False)


def test_a_person_is_enrolled_once() -> None:
    first = EnrolmentFactory()
    second = EnrolmentFactory(study=first.study)
    refuses("studies_enrolment_code_unique", second, public_code=first.public_code)
    identity = ExternalIdentityFactory(enrolment=first, study=first.study, session_id="a" * 24)
    other = ExternalIdentityFactory(enrolment=second, study=first.study, session_id="b" * 24)
    person = {"recruiter": identity.recruiter, "external_id": identity.external_id}
    refuses("studies_externalidentity_person_once", other, **person)
    session = {"recruiter": identity.recruiter, "session_id": identity.session_id}
    refuses("studies_externalidentity_session_once", other, **session)


def test_a_person_decides_on_consent_once() -> None:
    consent = ConsentRecordFactory()
    other = ConsentRecordFactory(enrolment=EnrolmentFactory(study=consent.enrolment.study))
    refuses("studies_consentrecord_once", other, enrolment=consent.enrolment)


def test_a_person_gets_a_question_once_and_in_one_place() -> None:
    slot = SlotFactory(number=1)
    other = SlotFactory(enrolment=slot.enrolment, question=QuestionFactory(study=slot.enrolment.study), number=2)
    refuses("studies_slot_question_once", other, question=slot.question)
    refuses("studies_slot_number_once", other, number=1)


def test_a_walk_has_one_step_in_each_place_and_keeps_a_late_post_once() -> None:
    step = StepFactory(position=0)
    refuses("studies_step_position_once", StepFactory(enrolment=step.enrolment, position=1), position=0)
    late = LateSubmissionFactory(step=step, payload_sha256="a" * 64)
    other = LateSubmissionFactory(step=step, payload_sha256="b" * 64)
    refuses("studies_latesubmission_once", other, payload_sha256=late.payload_sha256)


def test_a_person_answers_writes_and_rates_once_at_a_time() -> None:
    answer = AnswerFactory()
    refuses("studies_answer_once", AnswerFactory(enrolment=answer.enrolment), item_code=answer.item_code)
    response = FreeResponseFactory()
    question = QuestionFactory(study=response.enrolment.study)
    other = FreeResponseFactory(enrolment=response.enrolment, question=question)
    refuses("studies_freeresponse_once", other, question=response.question)
    rating = RepresentationRatingFactory()
    earlier = RepresentationRatingFactory(enrolment=rating.enrolment, answer=rating.answer, superseded_at=NOW)
    refuses("studies_representationrating_one_current", earlier, superseded_at=None)


def test_previews_hold_no_place() -> None:
    study = StudyFactory()
    for origin in Enrolment.Origin.values:
        EnrolmentFactory(study=study, origin=origin)
    assert set(study.enrolments.holding_a_place().values_list("origin", flat=True)) == {"live", "simulated"}
    assert set(study.enrolments.counted().values_list("origin", flat=True)) == {"live", "simulated", "imported"}
