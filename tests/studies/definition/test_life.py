from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from core.canonical import content_sha256
from core.errors import Conflict, Invalid
from core.models import AuditEvent
from studies import errors, services
from studies.definition import Definition, canonical, load_bytes
from studies.models import ModelAnswer, Question, Study


def read(text: str) -> Definition:
    return load_bytes(text.encode(), "study.yaml")


@pytest.fixture
def published(draft: Study, owner: Any, now: datetime) -> Study:
    services.publish_study(study=draft, by=owner, now=now)
    return draft


def test_publishing_freezes_and_hashes_the_definition(draft: Study, owner: Any, now: datetime) -> None:
    version = services.publish_study(study=draft, by=owner, now=now)

    assert version.number == 1
    assert version.definition == canonical(draft)
    assert version.sha256 == content_sha256(version.definition)
    assert draft.status == Study.Status.OPEN
    assert draft.current_version == version
    assert not Question.objects.filter(is_frozen=False).exists()
    assert not ModelAnswer.objects.filter(is_frozen=False).exists()


def test_publishing_makes_an_opaque_code_for_each_outcome(published: Study) -> None:
    codes = published.codes

    assert sorted(codes) == ["complete", "full", "no_consent", "screened_out", "timed_out", "withdrawn"]
    assert len(set(codes.values())) == 6
    assert all(len(code) == 8 for code in codes.values())


def test_a_definition_that_cannot_be_published_says_why_and_changes_nothing(
    db: None, owner: Any, now: datetime
) -> None:
    definition = read('slug: parks\ntitle: "Parks"\nquestions: [{code: q1, text: "Close at night?"}]\n')
    study, _is_new = services.apply_definition(definition=definition, by=owner, now=now)

    with pytest.raises(errors.NotPublishable) as caught:
        services.publish_study(study=study, by=owner, now=now)

    assert {"consent", "contact", "ethics.body", "ethics.protocol", "questions", "sources"} <= set(caught.value.fields)
    study.refresh_from_db()
    assert study.status == Study.Status.DRAFT
    assert study.codes == {}
    assert not study.versions.exists()


def test_a_missing_answer_is_named_by_question_and_source(draft: Study, owner: Any, now: datetime) -> None:
    ModelAnswer.objects.get(question__code="q2", source__code="s1").delete()

    with pytest.raises(errors.NotPublishable, match="q2/s1"):
        services.publish_study(study=draft, by=owner, now=now)


def test_a_study_is_published_once(published: Study, owner: Any, now: datetime) -> None:
    with pytest.raises(Conflict):
        services.publish_study(study=published, by=owner, now=now)


def test_a_frozen_definition_refuses_to_be_loaded_over(published: Study, whole: str, now: datetime) -> None:
    with pytest.raises(Conflict, match="frozen"):
        services.apply_definition(definition=read(whole.replace("night", "noon")), by=None, now=now)

    assert Question.objects.get(code="q1").text == "Should parks close at night?"


def test_an_amendment_needs_a_reason(published: Study, whole: str, owner: Any, now: datetime) -> None:
    with pytest.raises(Invalid, match="reason"):
        services.amend(study=published, definition=read(whole.replace("night", "noon")), reason="  ", by=owner, now=now)


def test_an_amendment_without_a_change_is_refused(published: Study, whole: str, owner: Any, now: datetime) -> None:
    with pytest.raises(Conflict, match="nothing to amend"):
        services.amend(study=published, definition=read(whole), reason="To be sure", by=owner, now=now)


def test_a_changed_text_becomes_a_revision_and_the_old_row_stays(
    published: Study, whole: str, owner: Any, now: datetime
) -> None:
    before = published.current_version

    version = services.amend(
        study=published, definition=read(whole.replace("night", "noon")), reason="A typing error", by=owner, now=now
    )

    assert (version.number, version.reason) == (2, "A typing error")
    assert version.definition["revisions"]["questions"] == {"q1": 2, "q2": 1}
    assert version.definition["revisions"]["answers"] == {"q1/s1": 2, "q1/s2": 2, "q2/s1": 1, "q2/s2": 1}
    old, new = Question.objects.filter(code="q1").order_by("revision")
    assert (old.text, old.is_current, old.is_frozen) == ("Should parks close at night?", False, True)
    assert (new.text, new.is_current, new.is_frozen) == ("Should parks close at noon?", True, True)
    assert old.answers.count() == new.answers.count() == 2
    before.refresh_from_db()
    assert before.definition["questions"][0]["text"] == "Should parks close at night?"


def test_codes_stay_when_a_study_is_amended(published: Study, whole: str, owner: Any, now: datetime) -> None:
    codes = dict(published.codes)

    services.amend(
        study=published, definition=read(whole.replace("night", "noon")), reason="A typing error", by=owner, now=now
    )

    assert published.codes == codes


def test_going_back_to_a_text_takes_its_revision_up_again(
    published: Study, whole: str, owner: Any, now: datetime
) -> None:
    for text, reason in ((whole.replace("night", "noon"), "Try noon"), (whole, "Back to night")):
        version = services.amend(study=published, definition=read(text), reason=reason, by=owner, now=now)

    assert version.number == 3
    assert version.definition["revisions"]["questions"] == {"q1": 1, "q2": 1}
    assert Question.objects.filter(code="q1").count() == 2


def test_an_amendment_may_take_a_question_away(published: Study, whole: str, owner: Any, now: datetime) -> None:
    text = "\n".join(line for line in whole.splitlines() if "q2" not in line).replace(
        "questions_each: 2", "questions_each: 1"
    )

    version = services.amend(study=published, definition=read(text), reason="Too long", by=owner, now=now)

    assert [row["code"] for row in version.definition["questions"]] == ["q1"]
    assert len(version.definition["answers"]) == 2
    assert Question.objects.get(code="q2").is_current is False


def test_published_settings_of_a_source_stay(published: Study, whole: str, owner: Any, now: datetime) -> None:
    definition = read(whole.replace("temperature: 0.7", "temperature: 0.9"))

    with pytest.raises(Conflict, match="s1"):
        services.amend(study=published, definition=definition, reason="Warmer", by=owner, now=now)


def test_an_item_does_not_change_its_kind(published: Study, whole: str, owner: Any, now: datetime) -> None:
    definition = read(whole.replace("kind: integer", "kind: text"))

    with pytest.raises(Conflict, match="age"):
        services.amend(study=published, definition=definition, reason="Ages as text", by=owner, now=now)


def test_the_life_of_a_study_goes_one_way(published: Study, owner: Any, now: datetime) -> None:
    services.pause(study=published, by=owner, now=now)
    assert published.status == Study.Status.PAUSED
    with pytest.raises(Conflict):
        services.pause(study=published, by=owner, now=now)

    services.resume(study=published, by=owner, now=now)
    assert published.status == Study.Status.OPEN

    services.close(study=published, by=owner, now=now)
    with pytest.raises(Conflict):
        services.resume(study=published, by=owner, now=now)


def test_every_act_leaves_an_event(published: Study, owner: Any, now: datetime) -> None:
    services.pause(study=published, by=owner, now=now)

    events = AuditEvent.objects.filter(study_id=str(published.public_id)).order_by("pk")
    assert [event.event for event in events] == ["study.created", "study.loaded", "study.published", "study.paused"]
    assert {event.by_name for event in events} == {"olga"}


def test_who_creates_a_study_owns_it(draft: Study, owner: Any) -> None:
    assert draft.memberships.get().user == owner
    assert draft.memberships.get().role == "owner"


def test_a_slug_is_taken_once(draft: Study, owner: Any, now: datetime) -> None:
    with pytest.raises(errors.SlugTaken):
        services.create_study(slug="parks", title="Others", by=owner, now=now)


def test_the_last_owner_stays(draft: Study, owner: Any, now: datetime) -> None:
    with pytest.raises(Conflict, match="owner"):
        services.remove_member(study=draft, user=owner, by=owner, now=now)
    with pytest.raises(Conflict, match="owner"):
        services.add_member(study=draft, user=owner, role="editor", by=owner, now=now)


def test_a_study_of_nobody_can_be_given_a_team(draft: Study, owner: Any, now: datetime, django_user_model: Any) -> None:
    draft.memberships.all().delete()
    ed = django_user_model.objects.create_user("ed")

    services.add_member(study=draft, user=ed, role="editor", by=owner, now=now)

    assert draft.memberships.get().role == "editor"


def test_a_member_has_one_role(draft: Study, owner: Any, now: datetime, django_user_model: Any) -> None:
    ed = django_user_model.objects.create_user("ed")

    for role in ("analyst", "editor"):
        services.add_member(study=draft, user=ed, role=role, by=owner, now=now)

    assert draft.memberships.get(user=ed).role == "editor"
