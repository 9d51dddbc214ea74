"""The team's pages of predictions: what they show, to whom, and what their buttons do."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import AbstractUser
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from core import runs
from core.models import Run
from prediction.models import Candidate, Prediction, PredictionBatch
from studies.models import Membership, RepresentationRating, Study
from tests.core.fake_endpoint import FakeEndpoint
from tests.factories import CandidateAnswerFactory, MembershipFactory, PredictionBatchFactory, PredictionFactory
from tests.prediction.conftest import points

pytestmark = pytest.mark.django_db
Write = Callable[..., bytes]


@pytest.fixture
def analyst(rated: Study, client: Client) -> AbstractUser:
    user = MembershipFactory(study=rated, role=Membership.Role.ANALYST).user
    client.force_login(user)
    return user


@pytest.fixture
def fake(settings: Any) -> Iterator[FakeEndpoint]:
    with FakeEndpoint() as server:
        server.answer = lambda data: "Rating: 4"
        settings.ENDPOINTS = {"fake": server.endpoint()}
        yield server


def address(name: str, study: Study, *more: Any) -> str:
    return reverse(f"prediction:{name}", args=[study.slug, *more])


def filled(client: Client, study: Study, form: str = "form", **changes: Any) -> dict[str, Any]:
    """What the form on the overview sends, as it stands there but for `changes`."""
    found = client.get(address("overview", study)).context[form]
    values = {name: found[name].value() for name in found.fields}
    return {name: value for name, value in (values | changes).items() if value is not None}


def upload(content: bytes, **values: Any) -> dict[str, Any]:
    return {"file": SimpleUploadedFile("guesses.csv", content), **values}


def test_before_anything_is_predicted_the_page_says_what_can_be(
    rated: Study, analyst: AbstractUser, client: Client
) -> None:
    page = client.get(address("overview", rated)).content.decode()
    assert "Nothing yet." in page
    assert "POLYPHONY_ENDPOINTS" in page


def test_a_judge_is_asked_after_the_estimate_is_confirmed(
    rated: Study, analyst: AbstractUser, client: Client, fake: FakeEndpoint
) -> None:
    values = filled(client, rated, subset=10)
    estimate = client.post(address("start", rated), values)

    page = estimate.content.decode()
    assert "Calls to make" in page
    assert "unknown: the endpoint has no price" in page
    assert not Run.objects.exists()
    assert fake.n_calls == 0

    confirmed: dict[str, list[str]] = {"confirmed": ["1"]}
    for name, value in estimate.context["posted"]:
        confirmed.setdefault(name, []).append(value)
    response = client.post(address("start", rated), confirmed)

    run = Run.objects.get()
    assert response.url == address("run", rated, run.public_id)
    assert (run.created_by, run.parameters["repeats"], run.parameters["subset"]) == (analyst, 3, 10)
    assert "Waiting for a worker" in client.get(response.url).content.decode()
    runs.execute(run.pk)
    done = client.get(response.url).content.decode()
    assert "FS+FR fake" in done
    assert "Calls answered" in done


def test_a_baseline_starts_at_once(rated: Study, analyst: AbstractUser, client: Client) -> None:
    response = client.post(address("start", rated), filled(client, rated))
    run = Run.objects.get()
    assert run.parameters["method"] == "mean_of_others"
    assert response.url == address("run", rated, run.public_id)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"method": "judge"}, "variant"),
        ({"model_parameters": "{"}, "model_parameters"),
        ({"model_parameters": "[1]"}, "model_parameters"),
        ({"repeats": "99"}, "repeats"),
        ({"endpoint": "nowhere"}, "endpoint"),
        ({"origins": []}, "origins"),
    ],
)
def test_settings_that_cannot_be_run_come_back_with_a_reason(
    rated: Study, analyst: AbstractUser, client: Client, changes: dict[str, Any], field: str
) -> None:
    response = client.post(address("start", rated), filled(client, rated, **changes))
    assert response.status_code == 422
    assert field in response.context["form"].errors
    assert not Run.objects.exists()


def test_a_file_is_shown_first_and_then_taken(
    rated: Study, analyst: AbstractUser, client: Client, as_csv: Write
) -> None:
    content = as_csv(points(rated))
    shown = client.post(address("upload", rated), upload(content, dry_run="on"))
    assert "72 of them new" in shown.content.decode()
    assert not Prediction.objects.exists()
    client.post(address("upload", rated), upload(content, method="oracle"))
    assert PredictionBatch.objects.get().name == "oracle"
    assert Prediction.objects.count() == 72


def test_a_wrong_file_is_explained_by_line_and_column(
    rated: Study, analyst: AbstractUser, client: Client, as_csv: Write
) -> None:
    response = client.post(address("upload", rated), upload(as_csv([("nobody", "q1", "s1", 3)])))
    assert response.status_code == 422
    page = response.content.decode()
    assert "Nothing was written" in page
    assert "no such participant" in page


def test_a_report_is_a_button_and_its_tables_stand_on_the_page(
    rated: Study, analyst: AbstractUser, client: Client, as_csv: Write
) -> None:
    client.post(address("upload", rated), upload(as_csv(points(rated))))
    client.post(address("start", rated), filled(client, rated))
    runs.execute(Run.objects.get().pk)
    response = client.post(
        address("report", rated), filled(client, rated, "report_form", replicates=200, permutations=99)
    )
    run = Run.objects.get(kind="prediction_report")
    assert response.url == address("run", rated, run.public_id)
    runs.execute(run.pk)
    for url in (response.url, address("overview", rated)):
        page = client.get(url).content.decode()
        assert "How near the predictions come" in page
        assert "guesses" in page
        assert "p by people" in page
        assert "no finished run of groups and scores" in page
    (program,) = client.get("/api/v1/prediction-reports/", {"study": rated.slug}).json()["results"]
    assert program["run"] == str(run.public_id)
    assert program["result"] == Run.objects.get(pk=run.pk).result
    assert client.get("/api/v1/prediction-reports/", {"study": "elsewhere"}).json()["results"] == []
    content = client.get(address("result-json", rated, run.public_id)).content
    assert hashlib.sha256(content).hexdigest() == Run.objects.get(pk=run.pk).result_sha256


def test_a_report_on_another_studys_batch_is_refused(
    rated: Study, analyst: AbstractUser, client: Client, study: Study
) -> None:
    foreign = PredictionFactory(batch__study=study).batch
    values = filled(client, rated, "report_form") | {"batches": [str(foreign.public_id)]}
    response = client.post(address("report", rated), values)
    assert response.status_code == 422
    assert not Run.objects.exists()


def test_progress_is_a_fragment_that_stops_asking_and_leads_to_the_run(
    rated: Study, analyst: AbstractUser, client: Client
) -> None:
    client.post(address("start", rated), filled(client, rated))
    run = Run.objects.get()
    url = address("progress", rated, run.public_id)
    waiting = client.get(url, headers={"HX-Request": "true"})
    assert "<html" not in waiting.content.decode()
    assert "HX-Redirect" not in waiting
    runs.execute(run.pk)
    assert client.get(url, headers={"HX-Request": "true"})["HX-Redirect"] == address("run", rated, run.public_id)


# --- by hand


def test_a_person_predicts_one_answer_at_a_time_without_seeing_the_rating(
    rated: Study, analyst: AbstractUser, client: Client
) -> None:
    response = client.get(address("by-hand", rated))
    card = response.context["card"]
    page = response.content.decode()
    assert card.answer.text in page
    assert (card.n_done, card.n_points) == (0, 72)
    assert len(card.examples) == 2
    rating = RepresentationRating.objects.get(enrolment_id=card.target.enrolment_id, answer=card.answer)
    values = {"participant": card.target.participant, "answer": card.answer.public_id}

    client.post(address("by-hand", rated), values | {"rating": "2"})

    prediction = Prediction.objects.get()
    assert (prediction.value, prediction.enrolment_id) == (2, rating.enrolment_id)
    assert (prediction.batch.method, prediction.batch.predicted_by) == ("hand", analyst)
    assert prediction.batch.predicted_by_name == analyst.get_username()
    following = client.get(address("by-hand", rated)).context["card"]
    assert following.n_done == 1
    assert following.target != card.target

    client.post(address("by-hand", rated), values | {"rating": "none"})
    current = Prediction.objects.current().get()
    assert (current.outcome, current.value) == ("refused", None)
    assert Prediction.objects.count() == 2


def test_two_people_get_the_same_order_and_a_batch_each(rated: Study, analyst: AbstractUser, client: Client) -> None:
    first = client.get(address("by-hand", rated)).context["card"]
    values = {"participant": first.target.participant, "answer": first.answer.public_id, "rating": "3"}
    client.post(address("by-hand", rated), values)
    other = MembershipFactory(study=rated, role=Membership.Role.ANALYST).user
    client.force_login(other)
    assert client.get(address("by-hand", rated)).context["card"].target == first.target
    client.post(address("by-hand", rated), values)
    assert PredictionBatch.objects.count() == 2
    names = set(PredictionBatch.objects.values_list("name", flat=True))
    assert names == {"by hand", "by hand (2)"}


def test_a_choice_is_needed_and_what_is_not_the_studys_is_not_there(
    rated: Study, analyst: AbstractUser, client: Client, study: Study
) -> None:
    card = client.get(address("by-hand", rated)).context["card"]
    values = {"participant": card.target.participant, "answer": str(card.answer.public_id)}
    assert client.post(address("by-hand", rated), values).status_code == 422
    for changes in (
        {"answer": str(study.questions.first().answers.first().public_id)},
        {"answer": str(uuid.uuid4())},
        {"answer": "x"},
        {"participant": "nobody"},
        {"participant": ""},
    ):
        assert client.post(address("by-hand", rated), values | {"rating": "3"} | changes).status_code == 404
    for rating in ("0", "6", "2.5", "x"):
        assert client.post(address("by-hand", rated), values | {"rating": rating}).status_code == 422
    assert not Prediction.objects.exists()


# --- new models


def test_an_editor_adds_models_to_a_closed_study_and_makes_a_shortlist(
    closed: Study, client: Client, as_csv: Write
) -> None:
    client.force_login(MembershipFactory(study=closed, role=Membership.Role.EDITOR).user)
    content = as_csv([("q1", "new", "What new says.")], "question,source,text")
    shown = client.post(address("models-add", closed), upload(content, dry_run="on"))
    assert "1 of them new" in shown.content.decode()
    client.post(address("models-add", closed), upload(content))
    assert Candidate.objects.get().code == "new"
    page = client.get(address("models", closed)).content.decode()
    assert "(predicted)" in page
    assert "(measured)" in page

    response = client.post(
        address("shortlist", closed), {"models": ["new", "s1"], "slug": "second-round", "title": "Second round"}
    )
    assert response.url == reverse("studies:study", args=["second-round"])
    assert client.get(response.url).status_code == 200


def test_a_shortlist_without_models_or_with_a_taken_slug_comes_back(closed: Study, client: Client) -> None:
    client.force_login(MembershipFactory(study=closed, role=Membership.Role.EDITOR).user)
    empty = client.post(address("shortlist", closed), {"slug": "second-round", "title": "Second"})
    assert empty.status_code == 422
    taken = client.post(address("shortlist", closed), {"models": ["s1"], "slug": closed.slug, "title": "Second"})
    assert taken.status_code == 422
    assert "slug" in taken.context["shortlist_form"].errors


def test_a_wrong_table_of_models_is_explained(closed: Study, client: Client, as_csv: Write) -> None:
    client.force_login(MembershipFactory(study=closed, role=Membership.Role.EDITOR).user)
    content = as_csv([("q1", "s1", "Mine.")], "question,source,text")
    response = client.post(address("models-add", closed), upload(content))
    assert response.status_code == 422
    assert "Participants have rated this source" in response.content.decode()


def test_texts_are_escaped(closed: Study, client: Client) -> None:
    client.force_login(MembershipFactory(study=closed, role=Membership.Role.EDITOR).user)
    attack = "<script>alert(1)</script>"
    CandidateAnswerFactory(candidate__study=closed, candidate__name=attack)
    PredictionFactory(batch__study=closed, batch__name=attack)
    closed.questions.first().answers.update(text=attack)
    for name in ("models", "overview", "by-hand"):
        assert attack not in client.get(address(name, closed)).content.decode()


@pytest.mark.parametrize("name", ["overview", "by-hand", "models"])
def test_ids_are_unique_and_every_label_finds_its_field(closed: Study, client: Client, name: str) -> None:
    client.force_login(MembershipFactory(study=closed, role=Membership.Role.EDITOR).user)
    PredictionFactory(batch__study=closed)
    page = client.get(address(name, closed)).content.decode()
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids)), sorted(each for each in ids if ids.count(each) > 1)
    assert set(re.findall(r'\sfor="([^"]+)"', page)) <= set(ids)
    described = {
        each for value in re.findall(r'aria-(?:describedby|labelledby)="([^"]+)"', page) for each in value.split()
    }
    assert described <= set(ids)


# --- access

PAGES = ["overview", "run", "progress", "result-json", "by-hand", "models"]
POSTS = ["start", "upload", "report", "by-hand", "models-add", "shortlist"]


@pytest.fixture
def finished(rated: Study) -> Run:
    from clustering.inclusion import Inclusion
    from prediction import services
    from prediction.parameters import Asking

    asking = Asking(inclusion=Inclusion(("live",)), method="mean_of_others")
    done = runs.execute(services.start_predictions(study=rated, asking=asking, by=None).pk)
    assert done is not None
    return done


@pytest.mark.parametrize("name", PAGES)
def test_a_stranger_and_an_annotator_see_nothing(
    rated: Study, finished: Run, client: Client, stranger: AbstractUser, name: str
) -> None:
    extra = [finished.public_id] if name in {"run", "progress", "result-json"} else []
    url = address(name, rated, *extra)
    assert client.get(url).status_code == 302
    client.force_login(stranger)
    assert client.get(url).status_code == 404
    client.force_login(MembershipFactory(study=rated, role=Membership.Role.ANNOTATOR).user)
    assert client.get(url).status_code == 403
    client.force_login(MembershipFactory(study=rated, role=Membership.Role.ANALYST).user)
    assert client.get(url).status_code == 200


@pytest.mark.parametrize("name", POSTS)
def test_a_moderator_starts_nothing(rated: Study, client: Client, name: str) -> None:
    client.force_login(MembershipFactory(study=rated, role=Membership.Role.MODERATOR).user)
    assert client.post(address(name, rated)).status_code == 403
    assert not Run.objects.exists()


def test_another_studys_run_is_not_there(
    rated: Study, analyst: AbstractUser, client: Client, study: Study, finished: Run
) -> None:
    MembershipFactory(study=study, user=analyst, role=Membership.Role.OWNER)
    for name in ("run", "progress", "result-json"):
        assert client.get(address(name, study, finished.public_id)).status_code == 404
        assert client.get(address(name, rated, uuid.uuid4())).status_code == 404


def test_the_number_of_queries_does_not_grow_with_predictions(
    rated: Study, analyst: AbstractUser, client: Client, finished: Run, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(25):
        client.get(address("overview", rated))
    with django_assert_max_num_queries(20):
        client.get(address("by-hand", rated))


# --- for programs


def test_the_interface_for_programs_gives_predictions_of_ones_own_studies(
    rated: Study, analyst: AbstractUser, client: Client, finished: Run, stranger: AbstractUser
) -> None:
    batch = PredictionBatch.objects.get()
    new = CandidateAnswerFactory(candidate__study=rated, candidate__code="new", question=rated.questions.first())
    person = rated.enrolments.first()
    PredictionFactory(batch=batch, enrolment=person, answer=None, candidate_answer=new, value=2)
    PredictionBatchFactory()

    batches = client.get("/api/v1/prediction-batches/").json()["results"]
    assert [row["public_id"] for row in batches] == [str(batch.public_id)]
    rows = client.get("/api/v1/predictions/", {"batch": str(batch.public_id), "page_size": 100}).json()["results"]
    assert len(rows) == 73
    assert rows[-1]["source"] == "new"
    assert [row["is_candidate"] for row in rows] == [False] * 72 + [True]
    assert client.get("/api/v1/predictions/", {"study": "elsewhere"}).json()["results"] == []
    assert client.get("/api/v1/predictions/", {"batch": "x"}).status_code == 400
    client.force_login(stranger)
    assert client.get("/api/v1/predictions/").json()["results"] == []
    assert client.get("/api/v1/prediction-batches/").json()["results"] == []


# --- exports


def test_exported_predictions_come_back_as_a_file(rated: Study, finished: Run, tmp_path: Any) -> None:
    from core.tables import write_table
    from prediction.exports import tables

    CandidateAnswerFactory(candidate__study=rated)
    written = {table.name: write_table(table, table.rows(rated), tmp_path) for table in tables()}
    assert {name: one.n_rows for name, one in written.items()} == {
        "prediction_batches": 1,
        "predictions": 72,
        "prediction_replies": 0,
        "candidates": 1,
        "candidate_answers": 1,
    }
