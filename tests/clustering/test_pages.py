"""The results pages: what they show, to whom, and how a run is started and watched."""

from __future__ import annotations

import csv
import hashlib
import io
from typing import Any

import pytest
from django.contrib.auth.models import AbstractUser
from django.test import Client
from django.urls import reverse

from clustering import services
from clustering.inclusion import Inclusion
from clustering.parameters import Parameters
from core import runs
from core.models import Run
from studies.models import Membership, Question, Study
from tests.factories import MembershipFactory, QuestionFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def analyst(planted: Study, client: Client) -> AbstractUser:
    user = MembershipFactory(study=planted, role=Membership.Role.ANALYST).user
    client.force_login(user)
    return user


@pytest.fixture
def run(planted: Study) -> Run:
    queued = services.start_scores(
        study=planted, parameters=Parameters(inclusion=Inclusion(("live",)), replicates=200), seed=1, by=None
    )
    done = runs.execute(queued.pk)
    assert done is not None
    return done


def settings_of_the_form(client: Client, study: Study) -> dict[str, Any]:
    form = client.get(reverse("clustering:results", args=[study.slug])).context["form"]
    return {name: form[name].value() for name in form.fields}


def test_before_the_first_run_the_page_says_what_a_run_does(
    planted: Study, analyst: AbstractUser, client: Client
) -> None:
    response = client.get(reverse("clustering:results", args=[planted.slug]))
    assert response.status_code == 200
    assert "Nothing has been computed yet" in response.content.decode()


def test_the_button_queues_a_run_with_the_defaults_of_the_paper(
    planted: Study, analyst: AbstractUser, client: Client
) -> None:
    response = client.post(reverse("clustering:start", args=[planted.slug]), settings_of_the_form(client, planted))

    assert response.status_code == 302
    queued = Run.objects.get()
    assert queued.created_by == analyst
    assert queued.parameters["threshold"] == 4.0
    assert queued.parameters["inclusion"]["statuses"] == ["complete"]
    page = client.get(response.url).content.decode()
    assert "Waiting for a worker" in page
    assert 'hx-trigger="every 2s"' in page


def test_settings_that_cannot_be_run_come_back_with_a_reason(
    planted: Study, analyst: AbstractUser, client: Client
) -> None:
    settings = settings_of_the_form(client, planted) | {"threshold": "7", "origins": []}
    response = client.post(reverse("clustering:start", args=[planted.slug]), settings)
    assert response.status_code == 422
    assert set(response.context["form"].errors) == {"threshold", "origins"}
    assert not Run.objects.exists()


def test_the_results_show_scores_questions_and_figures(
    planted: Study, analyst: AbstractUser, client: Client, run: Run
) -> None:
    page = client.get(reverse("clustering:results", args=[planted.slug])).content.decode()
    assert "0.667" in page
    assert "figure-scores-spec" in page
    assert "Best across models" in page
    for question in planted.questions.all():
        assert reverse("clustering:question", args=[planted.slug, question.code]) in page


def test_a_question_shows_map_groups_and_coverage(
    planted: Study, analyst: AbstractUser, client: Client, run: Run
) -> None:
    page = client.get(reverse("clustering:question", args=[planted.slug, "q1"])).content.decode()
    assert "opinion-map-spec" in page
    assert "Group A: 8 participants" in page
    assert "✓ 5.00 (8)" in page


def test_a_question_of_an_earlier_run_is_shown_after_its_text_was_amended(
    planted: Study, analyst: AbstractUser, client: Client, run: Run
) -> None:
    old = Question.objects.get(study=planted, code="q1")
    Question.objects.filter(pk=old.pk).update(is_current=False)
    QuestionFactory(study=planted, code="q1", revision=2, text="Another wording?")
    page = client.get(reverse("clustering:question", args=[planted.slug, "q1"]))
    assert page.status_code == 200
    assert old.text in page.content.decode()


def test_the_number_of_queries_does_not_grow_with_people(
    planted: Study, analyst: AbstractUser, client: Client, run: Run, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(20):
        client.get(reverse("clustering:results", args=[planted.slug]))
    with django_assert_max_num_queries(20):
        client.get(reverse("clustering:question", args=[planted.slug, "q1"]))


def test_progress_is_a_fragment_that_stops_asking_and_leads_to_the_results(
    planted: Study, analyst: AbstractUser, client: Client
) -> None:
    queued = services.start_scores(
        study=planted, parameters=Parameters(inclusion=Inclusion(("live",)), replicates=200), seed=1, by=None
    )
    url = reverse("clustering:progress", args=[planted.slug, queued.public_id])
    waiting = client.get(url, headers={"HX-Request": "true"})
    assert "<html" not in waiting.content.decode()
    assert url in waiting.content.decode()
    assert "HX-Redirect" not in waiting

    runs.execute(queued.pk)

    ended = client.get(url, headers={"HX-Request": "true"})
    assert ended["HX-Redirect"] == reverse("clustering:results", args=[planted.slug])
    assert "hx-get" not in ended.content.decode()


def test_a_failed_run_is_explained_until_another_finishes(
    planted: Study, analyst: AbstractUser, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(running: runs.RunningRun) -> runs.Computed:
        raise runs.CannotCompute("The moon is in the wrong house.")

    parameters = Parameters(inclusion=Inclusion(("live",)), replicates=200)
    queued = services.start_scores(study=planted, parameters=parameters, seed=1, by=None)
    with monkeypatch.context() as patched:
        patched.setitem(runs._executors, "overton", refuse)
        runs.execute(queued.pk)
    url = reverse("clustering:results", args=[planted.slug])
    assert "The moon is in the wrong house." in client.get(url).content.decode()

    runs.execute(services.start_scores(study=planted, parameters=parameters, seed=1, by=None).pk)
    assert "The moon" not in client.get(url).content.decode()


def test_a_run_page_says_what_was_computed_from_what(
    planted: Study, analyst: AbstractUser, client: Client, run: Run
) -> None:
    page = client.get(reverse("clustering:run", args=[planted.slug, run.public_id])).content.decode()
    assert run.input_sha256 in page
    assert run.result_sha256 in page
    assert "inclusion.origins" in page
    assert "scikit-learn" in page
    assert client.get(reverse("clustering:runs", args=[planted.slug])).status_code == 200


def test_the_downloaded_result_has_the_hash_of_the_run(
    planted: Study, analyst: AbstractUser, client: Client, run: Run
) -> None:
    content = client.get(reverse("clustering:result-json", args=[planted.slug, run.public_id])).content
    assert hashlib.sha256(content).hexdigest() == run.result_sha256


def test_the_downloaded_scores_are_not_rounded(planted: Study, analyst: AbstractUser, client: Client, run: Run) -> None:
    text = client.get(reverse("clustering:scores-csv", args=[planted.slug, run.public_id])).content.decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["source"] for row in rows} == {"s1", "s2", "best-across-models"}
    assert float(rows[0]["overton_score"]) == pytest.approx(2 / 3, abs=1e-15)


def test_reporting_a_run_is_a_button(planted: Study, analyst: AbstractUser, client: Client, run: Run) -> None:
    client.post(reverse("clustering:report", args=[planted.slug, run.public_id]))
    run.refresh_from_db()
    assert run.is_reported


@pytest.mark.parametrize("name", ["results", "runs", "run", "progress", "result-json", "scores-csv", "question"])
def test_a_stranger_and_an_annotator_see_nothing(
    planted: Study, run: Run, client: Client, stranger: AbstractUser, name: str
) -> None:
    extra = {"results": [], "runs": [], "question": ["q1"]}.get(name, [run.public_id])
    url = reverse(f"clustering:{name}", args=[planted.slug, *extra])
    assert client.get(url).status_code == 302
    client.force_login(stranger)
    assert client.get(url).status_code == 404
    client.force_login(MembershipFactory(study=planted, role=Membership.Role.ANNOTATOR).user)
    assert client.get(url).status_code == 403


def test_another_studys_run_is_not_there(planted: Study, analyst: AbstractUser, client: Client, study: Study) -> None:
    MembershipFactory(study=study, user=analyst, role=Membership.Role.OWNER)
    queued = services.start_scores(study=study, parameters=Parameters(inclusion=Inclusion(("live",))), seed=1, by=None)
    assert client.get(reverse("clustering:run", args=[planted.slug, queued.public_id])).status_code == 404
    assert client.get(reverse("clustering:question", args=[planted.slug, "q1"]), {"run": "x"}).status_code == 404


def test_a_moderator_looks_but_starts_nothing(planted: Study, client: Client) -> None:
    client.force_login(MembershipFactory(study=planted, role=Membership.Role.MODERATOR).user)
    assert client.get(reverse("clustering:results", args=[planted.slug])).status_code == 200
    assert client.post(reverse("clustering:start", args=[planted.slug])).status_code == 403
