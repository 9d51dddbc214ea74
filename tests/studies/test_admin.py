from __future__ import annotations

from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from core.models import AuditEvent, Run
from studies import models
from studies.admin_common import RecordsAdmin
from studies.models import Enrolment, Membership, Study
from tests import factories

OF_STUDIES = sorted(
    (model for model in admin.site._registry if model._meta.app_label in {"studies", "core"}), key=lambda m: m.__name__
)
RECORDS = [model for model in OF_STUDIES if isinstance(admin.site._registry[model], RecordsAdmin)]


def address(model: Any, page: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


@pytest.fixture
def staff(researcher: Any) -> Client:
    """A browser of who owns `study`; no superuser."""
    researcher.is_staff = True
    researcher.save()
    client = Client()
    client.force_login(researcher)
    return client


@pytest.fixture
def foreign(stranger: Any) -> Client:
    """A browser of another group's researcher."""
    stranger.is_staff = True
    stranger.save()
    client = Client()
    client.force_login(stranger)
    return client


def row_of(model: Any, study: Study) -> Any:
    """A row of `model` that belongs to `study`."""
    special = {
        Study: lambda: study,
        Run: lambda: factories.RunFactory(subject_id=str(study.public_id)),
        AuditEvent: lambda: factories.AuditEventFactory(study_id=str(study.public_id)),
        models.Question: lambda: study.questions.first(),
        models.StudyVersion: lambda: study.versions.first(),
        models.ModelAnswer: lambda: models.ModelAnswer.objects.filter(question__study=study).first(),
        models.Tombstone: lambda: factories.TombstoneFactory(study=study),
        models.PageView: lambda: factories.PageViewFactory(step__enrolment__study=study),
        models.LateSubmission: lambda: factories.LateSubmissionFactory(step__enrolment__study=study),
        Enrolment: lambda: factories.EnrolmentFactory(study=study),
    }
    if model in special:
        return special[model]()
    return getattr(factories, f"{model.__name__}Factory")(enrolment__study=study)


def test_every_model_of_ours_has_a_page() -> None:
    without = {models.Membership, models.Source, models.FormItem, models.Draft}

    ours = {getattr(models, name) for name in models.__all__} | {AuditEvent, Run}
    assert ours - set(OF_STUDIES) == without


@pytest.mark.parametrize("model", OF_STUDIES, ids=lambda model: model.__name__)
def test_each_page_opens_for_a_superuser(study: Study, superuser: Any, model: Any) -> None:
    client = Client()
    client.force_login(superuser)
    row = row_of(model, study)

    assert client.get(address(model, "changelist")).status_code == 200
    assert client.get(address(model, "changelist"), {"q": "x"}).status_code == 200
    assert client.get(address(model, "change", row.pk)).status_code == 200
    assert client.get(address(model, "history", row.pk)).status_code == 200


@pytest.mark.parametrize("model", OF_STUDIES, ids=lambda model: model.__name__)
def test_a_researcher_sees_their_own_rows_and_others_do_not(
    study: Study, staff: Client, foreign: Client, researcher: Any, stranger: Any, model: Any
) -> None:
    row = row_of(model, study)
    for user in (researcher, stranger):
        give_identity_permission(user)

    assert staff.get(address(model, "change", row.pk)).status_code == 200
    for page in ("change", "history"):
        assert foreign.get(address(model, page, row.pk)).status_code == 404
    listed = foreign.get(address(model, "changelist"))
    assert row not in list(listed.context["cl"].result_list)
    assert study.slug not in listed.content.decode()


def give_identity_permission(user: Any) -> None:
    user.user_permissions.add(Permission.objects.get(codename="export_externalidentity"))


def test_the_first_page_shows_staff_what_they_may_see(study: Study, staff: Client) -> None:
    for page in (reverse("admin:index"), reverse("admin:app_list", args=["studies"])):
        text = staff.get(page).content.decode()
        assert "/admin/studies/study/" in text
        assert "/admin/studies/externalidentity/" not in text


@pytest.mark.parametrize("model", RECORDS, ids=lambda model: model.__name__)
def test_measured_data_is_only_looked_at(study: Study, superuser: Any, model: Any) -> None:
    client = Client()
    client.force_login(superuser)
    row = row_of(model, study)

    assert client.get(address(model, "add")).status_code == 403
    assert client.post(address(model, "change", row.pk), {}).status_code == 403
    assert client.post(address(model, "delete", row.pk), {"post": "yes"}).status_code == 403
    assert model.objects.filter(pk=row.pk).exists()
    assert b"_save" not in client.get(address(model, "change", row.pk)).content


@pytest.mark.parametrize("model", OF_STUDIES, ids=lambda model: model.__name__)
def test_a_list_needs_as_many_queries_for_many_rows_as_for_few(superuser: Any, model: Any) -> None:
    client = Client()
    client.force_login(superuser)
    counts = []
    for n in (1, 4):
        for _i in range(n):
            row_of(model, factories.published_study(n_questions=1, n_answers=1))
        client.get(address(model, "changelist"))
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert client.get(address(model, "changelist")).status_code == 200
        counts.append(len(queries))

    assert counts[0] == counts[1]


def test_the_page_of_a_draft_needs_as_many_queries_for_many_parts(superuser: Any) -> None:
    client = Client()
    client.force_login(superuser)
    draft = factories.StudyFactory()
    counts = []
    for n in (1, 5):
        for _i in range(n):
            factories.QuestionFactory(study=draft)
            factories.SourceFactory(study=draft)
            factories.FormItemFactory(study=draft)
            factories.MembershipFactory(study=draft)
        for page in (address(Study, "change", draft.pk), address(models.ModelAnswer, "add")):
            client.get(page)  # what is looked up once and kept is kept now
            with CaptureQueriesContext(connection) as queries:
                assert client.get(page).status_code == 200
            counts.append(len(queries))

    assert counts[:2] == counts[2:]


def test_recruiters_ids_need_their_own_permission(study: Study, staff: Client, researcher: Any) -> None:
    identity = factories.ExternalIdentityFactory(enrolment__study=study)

    assert staff.get(address(models.ExternalIdentity, "changelist")).status_code == 403
    give_identity_permission(researcher)
    page = staff.get(address(models.ExternalIdentity, "changelist"))
    assert identity.external_id in page.content.decode()


def test_an_annotator_sees_no_data(study: Study, annotator: Any) -> None:
    annotator.is_staff = True
    annotator.save()
    client = Client()
    client.force_login(annotator)
    enrolment = factories.EnrolmentFactory(study=study)

    assert client.get(address(Enrolment, "change", enrolment.pk)).status_code == 404
    assert client.get(address(Study, "change", study.pk)).status_code == 404


def study_form(**given: Any) -> dict[str, Any]:
    """What the page that creates a study posts."""
    parts = ("questions", "sources", "form_items", "vote_settings", "annotate_settings", "memberships")
    management = {f"{part}-{name}": "0" for part in parts for name in ("TOTAL_FORMS", "INITIAL_FORMS")}
    return {
        **management,
        "title": "Parks",
        "slug": "parks",
        "seed": "abc",
        "language": "en",
        "time_zone": "UTC",
        "withdrawal_policy": "delete_all",
        "allows_open_link": "on",
        "blocks": "consent\r\nform\r\nwrite\r\nrate\r\nvote\r\ndebrief",
        "questions_each": "1",
        "assignment_policy": "balanced",
        "slot_minutes": "60",
        "write_minimum": "75",
        "write_maximum": "300",
        "stance_options": "for = In favour\r\nagainst = Against",
        "importance_low": "low",
        "importance_high": "high",
        "rate_low": "low",
        "rate_high": "high",
        "vote_settings-TOTAL_FORMS": "1",
        "vote_settings-0-minimum": "7",
        "vote_settings-0-policy": "mixed",
        "vote_settings-0-mix": "0.25",
        "vote_settings-0-moderation": "after",
        "summary": "First line.\r\n\r\nSecond line. ",
        **given,
    }


def source(**given: str) -> dict[str, str]:
    names = {"code": "s1", "name": "One", "position": "0", "settings": "{}", **given}
    return {"sources-TOTAL_FORMS": "1", **{f"sources-0-{name}": value for name, value in names.items()}}


def form_item(**given: str) -> dict[str, str]:
    names = {"code": "age", "kind": "single", "label": "Age", "position": "0", "options": "", **given}
    return {"form_items-TOTAL_FORMS": "1", **{f"form_items-0-{name}": value for name, value in names.items()}}


def test_staff_create_a_study_and_own_it(db: None, django_user_model: Any) -> None:
    olga = django_user_model.objects.create_user("olga", is_staff=True)
    client = Client()
    client.force_login(olga)
    assert client.get(address(Study, "add")).status_code == 200

    response = client.post(
        address(Study, "add"),
        study_form(**form_item(options="young = Under 30\r\nold = 30 or more [screens out]")),
    )

    assert response.status_code == 302, response.context["errors"]
    study = Study.objects.get()
    assert study.memberships.get().user == olga
    assert study.memberships.get().role == Membership.Role.OWNER
    assert study.created_by == olga
    assert study.summary == "First line.\n\nSecond line. "
    assert study.stance_options == [{"value": "for", "label": "In favour"}, {"value": "against", "label": "Against"}]
    assert study.form_items.get().options == [
        {"value": "young", "label": "Under 30", "screens_out": False},
        {"value": "old", "label": "30 or more", "screens_out": True},
    ]
    assert study.vote_settings.minimum == 7
    assert AuditEvent.objects.get().event == "study.created"


def test_a_study_created_without_a_form_asks_the_usual_items(staff: Client) -> None:
    page = staff.get(address(Study, "add")).content.decode()
    assert "liberal = Liberal" in page
    assert "consent\nform\nwrite" in page.replace("\r\n", "\n")

    staff.post(address(Study, "add"), study_form())

    items = Study.objects.get(slug="parks").form_items.values_list("code", flat=True)
    assert list(items) == ["age", "sex", "ethnicity", "education", "party"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"blocks": "consent\r\nvoting\r\ndebrief"}, "Line 2: There is no block “voting”. Did you mean “vote”?"),
        ({"stance_options": "for = In favour\r\nagainst"}, "Line 2: Write “value = label”"),
        ({"stance_options": "a = A\r\n\r\na = B"}, "“a” stands there more than once"),
        ({"codes": "complete = ABCDEFGH\r\ndone = HGFEDCBA"}, "Line 2: There is no outcome “done”"),
        ({"slug": "Parks_1"}, "Use lower-case letters"),
        ({"time_zone": "Mars/Olympus"}, "There is no such time zone"),
        ({"title": " "}, "This field is required"),
        (
            {"sources-TOTAL_FORMS": "1", "sources-0-code": "s 1", "sources-0-name": "One"},
            "Begin with a letter or digit",
        ),
        (source(settings="[1]"), "Write a JSON object"),
        (source(settings='{"a": NaN}'), "This cannot be stored"),
        (source(settings='{"a": 12345678901234567890}'), "This cannot be stored"),
        ({"write_minimum": "400"}, "The fewest characters must not exceed the most"),
        (form_item(options="first option = One"), "Line 1: The value “first option” must be letters"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(staff: Client, given: dict[str, str], says: str) -> None:
    response = staff.post(address(Study, "add"), study_form(**given))

    assert response.status_code == 200
    assert says in response.content.decode()


def test_a_published_study_is_read_only(study: Study, staff: Client) -> None:
    page = staff.get(address(Study, "change", study.pk)).content.decode()

    assert 'name="title"' not in page
    assert 'name="questions-0-text"' not in page
    assert "memberships-0-role" in page
    staff.post(address(Study, "change", study.pk), study_form(title="Other"))
    study.refresh_from_db()
    assert study.title != "Other"


def test_an_editor_cannot_change_the_team(study: Study, django_user_model: Any) -> None:
    editor = factories.MembershipFactory(study=factories.StudyFactory(), role="editor")
    editor.user.is_staff = True
    editor.user.save()
    client = Client()
    client.force_login(editor.user)

    page = client.get(address(Study, "change", editor.study_id)).content.decode()

    assert 'name="title"' in page
    assert 'name="memberships-0-role"' not in page


def act(client: Client, action: str, rows: list[Any], *, confirmed: bool = True) -> Any:
    data = {"action": action, "_selected_action": [row.pk for row in rows]}
    if confirmed:
        data["confirmed"] = "yes"
    return client.post(address(type(rows[0]), "changelist"), data, follow=True)


def test_an_action_asks_before_it_acts(study: Study, staff: Client) -> None:
    page = act(staff, "pause", [study], confirmed=False)

    assert "Are you sure?" in page.content.decode()
    study.refresh_from_db()
    assert study.status == Study.Status.OPEN


def test_studies_are_paused_resumed_closed_and_cloned_from_the_list(study: Study, staff: Client) -> None:
    for action, status in (("pause", "paused"), ("resume", "open"), ("close", "closed")):
        act(staff, action, [study])
        study.refresh_from_db()
        assert study.status == status

    act(staff, "clone", [study])
    clone = Study.objects.get(slug=f"{study.slug}-copy")
    assert clone.status == Study.Status.DRAFT
    assert clone.questions.count() == study.questions.count()


def test_publishing_says_why_it_is_not_possible(staff: Client, researcher: Any) -> None:
    draft = factories.MembershipFactory(user=researcher, role="owner").study

    page = act(staff, "publish", [draft])

    assert "ethics body" in page.content.decode()
    draft.refresh_from_db()
    assert draft.status == Study.Status.DRAFT


def test_an_analyst_cannot_act_on_a_study(study: Study, colleague: Any) -> None:
    colleague.is_staff = True
    colleague.save()
    client = Client()
    client.force_login(colleague)

    page = act(client, "close", [study])

    assert "your role in this study does not allow this" in page.content.decode()
    study.refresh_from_db()
    assert study.status == Study.Status.OPEN


def test_withdrawing_erases_what_somebody_gave(study: Study, staff: Client) -> None:
    answer = factories.AnswerFactory(enrolment__study=study)

    act(staff, "withdraw", [answer.enrolment])

    answer.enrolment.refresh_from_db()
    assert answer.enrolment.status == Enrolment.Status.WITHDRAWN
    assert not models.Answer.objects.exists()


def test_a_preview_begins_in_the_walk(study: Study, staff: Client) -> None:
    response = staff.post(address(Study, "changelist"), {"action": "preview", "_selected_action": [study.pk]})

    assert response.status_code == 303
    assert Enrolment.objects.get().origin == Enrolment.Origin.PREVIEW


def test_answers_of_drafts_are_written_in_their_list(staff: Client, researcher: Any, study: Study) -> None:
    draft = factories.MembershipFactory(user=researcher, role="owner").study
    question, source = factories.QuestionFactory(study=draft), factories.SourceFactory(study=draft)
    page = staff.get(address(models.ModelAnswer, "add")).content.decode()
    assert f"{draft.slug}: {question.code}" in page
    assert f"{study.slug}:" not in page

    data = {"question": question.pk, "source": source.pk, "text": "Yes.\r\nWhy not?"}
    staff.post(address(models.ModelAnswer, "add"), data)
    again = staff.post(address(models.ModelAnswer, "add"), data)

    assert models.ModelAnswer.objects.get(question=question).text == "Yes.\nWhy not?"
    assert "has an answer to the question already" in again.content.decode()


def test_a_frozen_answer_is_read_only(study: Study, staff: Client) -> None:
    answer = models.ModelAnswer.objects.first()
    assert answer is not None

    response = staff.post(
        address(models.ModelAnswer, "change", answer.pk),
        {"question": answer.question_id, "source": answer.source_id, "text": "Other"},
    )

    assert response.status_code == 403


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("study", "codes__complete__startswith=C"),
        ("study", "codes__has_key=complete"),
        ("studyversion", "definition__codes__complete__startswith=C"),
        ("enrolment", "token_sha256__startswith=a"),
        ("enrolment", "status__regex=((a%2B)%2B)%2B"),
        ("enrolment", "study__slug=x"),
    ],
)
def test_a_list_answers_only_what_its_filters_ask(study: Study, colleague: Any, page: str, query: str) -> None:
    """Otherwise who may not see completion codes could spell them out, letter by letter."""
    colleague.is_staff = True
    colleague.save()
    client = Client()
    client.force_login(colleague)

    assert client.get(f"/admin/studies/{page}/?{query}").status_code == 400


@pytest.mark.parametrize(
    "query", ["study=alpha", "status=complete", "status__exact=complete", "recruiter=", "started_at__year=2025", "q=P0"]
)
def test_the_filters_beside_a_list_work(study: Study, staff: Client, query: str) -> None:
    assert staff.get(f"/admin/studies/enrolment/?{query}").status_code == 200


@pytest.mark.parametrize("key", ["", "abc", "1 OR 1", "\0", "9" * 5000])
def test_an_action_on_what_is_no_key_is_a_bad_request(study: Study, staff: Client, key: str) -> None:
    answer = staff.post("/admin/studies/study/", {"action": "close", "_selected_action": [key], "confirmed": "yes"})

    assert answer.status_code == 400
    study.refresh_from_db()
    assert study.status == Study.Status.OPEN


@pytest.mark.django_db(transaction=True)
def test_a_post_to_the_history_of_a_study_changes_nothing(study: Study, staff: Client) -> None:
    assert staff.post(address(Study, "history", study.pk), {}).status_code == 200


def test_of_two_who_save_a_draft_the_second_is_told(staff: Client, researcher: Any) -> None:
    draft = factories.MembershipFactory(user=researcher, role="owner").study
    page = address(Study, "change", draft.pk)
    posted = study_form(slug=draft.slug, seen=staff.get(page).context["adminform"].form["seen"].value())
    team = {
        "memberships-TOTAL_FORMS": "1",
        "memberships-INITIAL_FORMS": "1",
        "memberships-0-id": str(draft.memberships.get().pk),
        "memberships-0-study": str(draft.pk),
        "memberships-0-username": researcher.username,
        "memberships-0-role": "owner",
    }

    first = staff.post(page, posted | team | {"title": "First"})
    second = staff.post(page, posted | team | {"title": "Second"})

    assert first.status_code == 302
    assert "Somebody has changed this draft" in second.content.decode()
    draft.refresh_from_db()
    assert draft.title == "First"
