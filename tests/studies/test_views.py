from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from studies.definition import canonical, dump_yaml
from studies.forms import MAXIMUM_DEFINITION
from studies.models import Enrolment, Slot, Study
from tests import factories

GETS = ["study", "import", "definition"]
POSTS = ["publish", "pause", "resume", "close", "clone", "preview", "import", "import-seeds"]


def browser(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def url(name: str, study: Study, *args: Any) -> str:
    return reverse(f"studies:{name}", args=[study.slug, *args])


@pytest.fixture
def draft(researcher: Any) -> Study:
    """A draft of the researcher's with one question."""
    study = factories.MembershipFactory(user=researcher, role="owner").study
    factories.QuestionFactory(study=study, code="q1")
    return study


def file(content: str | bytes, name: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)


@pytest.mark.parametrize("name", GETS)
def test_another_groups_researcher_gets_404_on_every_page(study: Study, stranger: Any, name: str) -> None:
    assert browser(stranger).get(url(name, study)).status_code == 404


@pytest.mark.parametrize("name", POSTS)
def test_another_groups_researcher_gets_404_for_every_act(study: Study, stranger: Any, name: str) -> None:
    assert browser(stranger).post(url(name, study)).status_code == 404
    study.refresh_from_db()
    assert study.status == Study.Status.OPEN


def test_another_groups_researcher_gets_404_for_a_version(study: Study, stranger: Any) -> None:
    assert browser(stranger).get(url("version", study, 1)).status_code == 404


@pytest.mark.parametrize("name", POSTS)
def test_an_analyst_sees_and_does_not_act(study: Study, colleague: Any, name: str) -> None:
    assert browser(colleague).post(url(name, study)).status_code == 403


@pytest.mark.parametrize("name", GETS)
def test_who_is_not_signed_in_is_asked_to(study: Study, name: str) -> None:
    response = Client().get(url(name, study))

    assert response.status_code == 302
    assert response["Location"].startswith(reverse("admin:login"))


@pytest.mark.parametrize("name", [name for name in POSTS if name != "import"])
def test_looking_at_an_act_does_nothing(study: Study, researcher: Any, name: str) -> None:
    assert browser(researcher).get(url(name, study)).status_code == 405


def test_the_list_holds_ones_own_studies(study: Study, researcher: Any, stranger: Any) -> None:
    factories.EnrolmentFactory(study=study)
    factories.EnrolmentFactory(study=study, origin=Enrolment.Origin.PREVIEW)

    page = browser(researcher).get(reverse("studies:list"))
    assert [(row.slug, row.n_people) for row in page.context["studies"]] == [(study.slug, 1)]
    assert study.slug not in browser(stranger).get(reverse("studies:list")).content.decode()


def test_a_draft_says_what_keeps_it_from_being_published(draft: Study, researcher: Any) -> None:
    client = browser(researcher)

    page = client.get(url("study", draft)).content.decode()
    assert "ethics body" in page
    answer = client.post(url("publish", draft), follow=True).content.decode()
    assert "cannot be published" in answer
    draft.refresh_from_db()
    assert draft.status == Study.Status.DRAFT


def test_a_study_is_published_paused_opened_and_closed(draft: Study, researcher: Any) -> None:
    source = factories.SourceFactory(study=draft)
    factories.ModelAnswerFactory(question=draft.questions.get(), source=source)
    factories.FormItemFactory(study=draft)
    Study.objects.filter(pk=draft.pk).update(questions_each=1, ethics_body="Board", ethics_protocol="1")
    client = browser(researcher)

    for act, status in (("publish", "open"), ("pause", "paused"), ("resume", "open"), ("close", "closed")):
        response = client.post(url(act, draft))
        assert response["Location"] == url("study", draft)
        draft.refresh_from_db()
        assert draft.status == status


def test_an_open_study_shows_its_links_versions_and_progress(study: Study, researcher: Any) -> None:
    enrolment = factories.EnrolmentFactory(study=study)
    question = study.questions.first()
    factories.SlotFactory(
        enrolment=enrolment, question=question, status=Slot.Status.COMPLETE, completed_at=factories.NOW
    )

    page = browser(researcher).get(url("study", study))
    text = page.content.decode()

    assert f"/s/{study.slug}/</code>" in text
    assert "PROLIFIC_PID={{%PROLIFIC_PID%}}&amp;STUDY_ID={{%STUDY_ID%}}&amp;SESSION_ID={{%SESSION_ID%}}" in text
    assert study.current_version.sha256 in text
    assert study.codes["complete"] in text
    assert [row.n_complete for row in page.context["questions"]] == [1, 0, 0, 0]
    assert page.context["people"].rows == (("complete", (1,), 1),)


def test_codes_that_pay_are_for_editors(study: Study, researcher: Any, colleague: Any) -> None:
    colleague.is_staff = True
    colleague.save()
    pages = [
        url("study", study),
        url("definition", study),
        url("version", study, study.current_version.number),
        reverse("admin:studies_study_change", args=[study.pk]),
        reverse("admin:studies_studyversion_change", args=[study.current_version.pk]),
    ]

    for page in pages:
        response = browser(colleague).get(page)
        assert response.status_code == 200
        assert study.codes["complete"] not in response.content.decode()
    for page in pages[:3]:
        assert study.codes["complete"] in browser(researcher).get(page).content.decode()


def test_previews_count_for_nothing(study: Study, researcher: Any) -> None:
    client = browser(researcher)

    response = client.post(url("preview", study))
    assert response.status_code == 303
    assert client.get(response["Location"]).status_code == 200

    enrolment = Enrolment.objects.get()
    assert enrolment.origin == Enrolment.Origin.PREVIEW
    assert enrolment.version.is_preview
    page = client.get(url("study", study))
    assert page.context["people"].total == 0
    assert [(row.n_complete, row.n_reserved) for row in page.context["questions"]] == [(0, 0)] * 4
    assert dict(page.context["summary"])["People"] == 0


def test_a_draft_can_be_previewed(draft: Study, researcher: Any) -> None:
    Study.objects.filter(pk=draft.pk).update(questions_each=1, blocks=["consent", "write", "debrief"])
    client = browser(researcher)

    response = client.post(url("preview", draft))

    assert response.status_code == 303
    assert client.get(response["Location"]).status_code == 200


def test_a_study_is_cloned_to_a_free_slug(study: Study, researcher: Any) -> None:
    client = browser(researcher)

    taken = client.post(url("clone", study), {"slug": study.slug, "title": "Again"})
    assert taken.status_code == 422
    assert "taken already" in taken.content.decode()
    done = client.post(url("clone", study), {"slug": "again", "title": "Again"})
    assert done["Location"] == reverse("studies:study", args=["again"])
    clone = Study.objects.get(slug="again")
    assert canonical(clone)["questions"] == canonical(study)["questions"]


def test_the_definition_goes_out_and_comes_in_again(study: Study, researcher: Any) -> None:
    Study.objects.filter(pk=study.pk).update(ethics_body="Board", ethics_protocol="2026-17")
    study.refresh_from_db()
    client = browser(researcher)
    text = client.get(url("definition", study)).content.decode()
    assert text == dump_yaml(study)

    changed = {"file": file(text.replace("about q1", "for q1"), "study.yaml"), "reason": ""}
    assert "needs a reason" in client.post(reverse("studies:upload"), changed).content.decode()
    changed = {"file": file(text.replace("about q1", "for q1"), "study.yaml"), "reason": "Better English"}
    done = client.post(reverse("studies:upload"), changed)

    assert done["Location"] == url("study", study)
    study.refresh_from_db()
    assert study.current_version.definition["revisions"]["questions"]["q1"] == 2


def test_a_definition_with_problems_is_answered_with_a_table_by_line(researcher: Any) -> None:
    page = browser(researcher).post(
        reverse("studies:upload"), {"file": file("slug: parks\ntitle: yes\nfoo: 1\n", "study.yaml")}
    )

    assert page.status_code == 422
    places = {(row[1], row[2]) for row in page.context["table"]["rows"]}
    assert places == {(2, 8), (3, 1)}


def test_a_definition_cannot_take_over_another_groups_study(study: Study, stranger: Any) -> None:
    stranger.is_staff = True
    stranger.save()
    content = f'slug: {study.slug}\ntitle: "Mine now"\n'

    page = browser(stranger).post(reverse("studies:upload"), {"file": file(content, "study.yaml"), "reason": "Hm"})

    assert page.status_code == 422
    assert "taken already" in page.content.decode()
    study.refresh_from_db()
    assert study.title != "Mine now"


def test_only_staff_create_studies_from_files(researcher: Any) -> None:
    data = {"file": file('slug: parks\ntitle: "Parks"\n', "study.yaml")}
    assert browser(researcher).post(reverse("studies:upload"), data).status_code == 403

    researcher.is_staff = True
    researcher.save()
    data = {"file": file('slug: parks\ntitle: "Parks"\n', "study.yaml")}
    assert browser(researcher).post(reverse("studies:upload"), data).status_code == 302
    assert Study.objects.get(slug="parks").memberships.get().user == researcher


def test_an_import_is_first_shown_and_then_done(draft: Study, researcher: Any) -> None:
    client = browser(researcher)
    table = "code,text\nq2,Who pays?\nq1,Another?\n"

    dry = client.post(url("import", draft), {"kind": "questions", "file": file(table, "q.csv"), "dry_run": "on"})
    assert dry.status_code == 200
    assert "nothing was written" in dry.content.decode()
    assert "Who pays?" in dry.content.decode()
    assert draft.questions.count() == 1
    done = client.post(url("import", draft), {"kind": "questions", "file": file(table, "q.csv")})

    assert done.status_code == 302
    texts = dict(draft.questions.values_list("code", "text"))
    assert texts == {"q1": "Another?", "q2": "Who pays?"}


def test_problems_of_a_table_are_shown_by_line_and_column(draft: Study, researcher: Any) -> None:
    table = "question,source,text\nq1,s9,Yes.\nq9,,No.\n"

    page = browser(researcher).post(url("import", draft), {"kind": "answers", "file": file(table, "answers.csv")})

    assert page.status_code == 422
    assert "(3, 2)" in str({(row[1], row[2]) for row in page.context["table"]["rows"]})


def test_a_published_study_imports_nothing(study: Study, researcher: Any) -> None:
    client = browser(researcher)
    assert "frozen" in client.get(url("import", study)).content.decode()

    page = client.post(url("import", study), {"kind": "questions", "file": file("code,text\nq9,New?\n", "q.csv")})

    assert page.status_code == 422
    assert not study.questions.filter(code="q9").exists()


def test_seeds_come_only_from_studies_whose_data_one_may_read(draft: Study, study: Study, stranger: Any) -> None:
    factories.FreeResponseFactory(enrolment__study=study, question=study.questions.get(code="q1"))
    factories.MembershipFactory(study=draft, user=stranger, role="editor")

    page = browser(stranger).post(url("import-seeds", draft), {"seeds-other": study.slug})

    assert page.status_code == 422
    assert study.title not in page.content.decode()


def test_free_responses_of_another_study_become_seeds(draft: Study, study: Study, researcher: Any) -> None:
    response = factories.FreeResponseFactory(enrolment__study=study, question=study.questions.get(code="q1"))

    done = browser(researcher).post(url("import-seeds", draft), {"seeds-other": study.slug, "seeds-maximum": "5"})

    assert done.status_code == 302
    seeds = canonical(draft)["seeds"]
    assert seeds == [{"question": "q1", "code": f"{study.slug}.{response.public_id.hex[:12]}", "text": response.text}]


def n_queries(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


@pytest.mark.parametrize("path", ["study", "list", "import", "definition", "api/v1/studies/", "api/v1/questions/"])
def test_a_page_needs_as_many_queries_for_many_rows_as_for_few(study: Study, researcher: Any, path: str) -> None:
    address = f"/{path}" if path.startswith("api") else reverse("studies:list") if path == "list" else url(path, study)
    client = browser(researcher)
    client.get(address)
    counts = []
    for n in (1, 5):
        for _i in range(n):
            enrolment = factories.EnrolmentFactory(study=study)
            question = factories.QuestionFactory(study=study)
            factories.SlotFactory(enrolment=enrolment, question=question)
            factories.ModelAnswerFactory(question=question)
            factories.StatementFactory(question=question)
            factories.MembershipFactory(study=study, role="editor")
            factories.MembershipFactory(user=researcher)
        counts.append(n_queries(client, address))

    assert counts[0] == counts[1]


@pytest.mark.parametrize(("who", "sees"), [("annotator", False), ("moderator", True), ("colleague", True)])
def test_the_list_shows_whose_pages_one_may_open(
    study: Study, request: pytest.FixtureRequest, who: str, sees: bool
) -> None:
    client = browser(request.getfixturevalue(who))

    assert (study.title in client.get(reverse("studies:list")).content.decode()) is sees
    assert (client.get(url("study", study)).status_code == 200) is sees


def test_who_may_not_create_studies_does_not_learn_which_there_are(study: Study, annotator: Any) -> None:
    for slug in (study.slug, "nobody-has-this"):
        content = f'slug: {slug}\ntitle: "Mine"\nquestions:\n  - {{code: q1, text: "Why?"}}\n'
        answer = browser(annotator).post(reverse("studies:upload"), {"file": file(content, "study.yaml")})
        assert answer.status_code == 403


def test_a_definition_too_large_for_the_browser_is_refused_before_it_is_read(researcher: Any) -> None:
    large = file(b"#" * (MAXIMUM_DEFINITION + 1), "study.yaml")

    answer = browser(researcher).post(reverse("studies:upload"), {"file": large})

    assert answer.status_code == 422
    assert "larger than 2 MB" in answer.content.decode()


@pytest.mark.parametrize("name", GETS)
def test_a_page_can_be_asked_for_its_head(study: Study, researcher: Any, name: str) -> None:
    expected = 405 if name == "import" else 200
    assert browser(researcher).head(url(name, study)).status_code == expected
