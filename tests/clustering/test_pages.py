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
from django.utils.html import escape

from clustering import services
from clustering.inclusion import Inclusion
from clustering.models import GroupMember, GroupName, GroupStatement, OpinionGroup
from clustering.models.groups import LONGEST_NAME
from clustering.parameters import Parameters
from clustering.showing.tables import MISSING
from core import runs
from core.models import Run
from studies.models import Membership, Question, Study
from tests.factories import FormItemFactory, MembershipFactory, QuestionFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def analyst(planted: Study, client: Client) -> AbstractUser:
    user = MembershipFactory(study=planted, role=Membership.Role.ANALYST).user
    client.force_login(user)
    return user


@pytest.fixture
def run(planted: Study) -> Run:
    quick = Parameters(inclusion=Inclusion(("live",)), replicates=200, stability_seeds=0, stability_replicates=0)
    queued = services.start_scores(study=planted, parameters=quick, seed=1, by=None)
    done = runs.execute(queued.pk)
    assert done is not None
    return done


@pytest.fixture
def stable(planted: Study) -> Run:
    few = Parameters(
        inclusion=Inclusion(("live",)), replicates=100, stability_seeds=2, stability_replicates=3, stability_shuffles=5
    )
    done = runs.execute(services.start_scores(study=planted, parameters=few, seed=1, by=None).pk)
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


def test_a_subgroup_by_an_item_that_is_not_there_is_refused(
    planted: Study, analyst: AbstractUser, client: Client
) -> None:
    FormItemFactory(study=planted, code="comment", kind="text")
    start = reverse("clustering:start", args=[planted.slug])
    settings = settings_of_the_form(client, planted)

    for asked, remedy in (
        ("sex, aeg", "Did you mean “age”?"),
        ("comment", "Known here: "),
        ("x" * 9999, "…"),
    ):
        response = client.post(start, settings | {"subgroups": asked})
        assert response.status_code == 422
        assert remedy in response.context["form"].errors["subgroups"][0]
    assert not Run.objects.exists()

    assert client.post(start, settings | {"subgroups": " sex ,"}).status_code == 302
    assert Run.objects.get().parameters["subgroups"] == ["sex"]


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
    for name in ("opinion_map", "loadings", "agreement", "silhouettes", "ratings-1"):
        assert f"figure-{name}-spec" in page
    assert page.count("8 participants") == 3
    assert "✓ 5.00 (8)" in page
    assert reverse("clustering:group", args=[planted.slug, "q1", "A"]) in page
    assert "For the team only".lower() not in page.lower()


def test_a_question_says_how_far_to_trust_its_groups_and_how_they_came_about(
    planted: Study, analyst: AbstractUser, client: Client, stable: Run
) -> None:
    response = client.get(reverse("clustering:question", args=[planted.slug, "q1"]))
    page = response.content.decode()
    part = stable.parts.get(subject_id=planted.questions.get(code="q1").public_id)
    quality, stability = part.result["quality"], part.result["stability"]

    facts = {line["name"]: line for line in response.context["quality"]}
    assert facts["Silhouette on the map"]["value"] == f"{quality['map_silhouette']:.2f}"
    assert facts["Agreement over seeds"]["value"] == f"{stability['seeds']['mean']:.2f}"
    assert facts["Staying together"]["value"] == f"{stability['bootstrap']['overall']:.2f}"
    chance = stability["chance"]
    assert facts["Better than chance?"]["value"] == f"{chance['p_value']:.2f}"
    assert "5 shuffles" in facts["Better than chance?"]["means"]
    # The planted statements have no authors, so nobody votes on a peer's statement.
    assert facts["Cohesion"]["value"] == MISSING
    assert facts["Cohesion"]["means"].startswith("Undefined: ")
    rows = response.context["by_group"]["rows"]
    assert [row[:2] for row in rows] == [["A", 8], ["B", 8], ["C", 8], ["mean over all groups", 24]]
    assert rows[0][-1] == f"{stability['bootstrap']['jaccard'][0]:.2f}"
    assert "Recruit more participants" in page
    for address in (reverse("clustering:question", args=[planted.slug, "q1"]), response.context["groups"][0]["url"]):
        assert "by the dynamic clusterer with seed 1" in client.get(address).content.decode()


def test_with_polis_a_question_shows_what_all_groups_agree_on(
    planted: Study, analyst: AbstractUser, client: Client
) -> None:
    quick = Parameters(inclusion=Inclusion(("live",)), method="polis", replicates=100, stability_replicates=0)
    runs.execute(services.start_scores(study=planted, parameters=quick, seed=1, by=None).pk)

    response = client.get(reverse("clustering:question", args=[planted.slug, "q1"]))

    ranked = response.context["agreed"][-1]["table"]["rows"]
    assert [float(row[1]) for row in ranked] == sorted((float(row[1]) for row in ranked), reverse=True)
    assert all(0 < float(row[1]) < 1 and float(row[2]) > 0 for row in ranked)
    assert "by the polis clusterer" in response.content.decode()


def test_the_page_of_a_group_holds_every_statement_in_full(
    planted: Study, analyst: AbstractUser, client: Client, run: Run
) -> None:
    group = OpinionGroup.objects.get(grouping__run__parent=run, grouping__question__code="q1", number=0)
    page = client.get(reverse("clustering:group", args=[planted.slug, "q1", group.letter])).content.decode()
    for statement in group.statements.select_related("statement"):
        assert escape(statement.statement.text) in page
    assert client.get(reverse("clustering:group", args=[planted.slug, "q1", "Z"])).status_code == 404


def test_a_group_is_named_by_a_form_and_keeps_the_name_on_every_page(
    planted: Study, analyst: AbstractUser, client: Client, run: Run
) -> None:
    url = reverse("clustering:name-group", args=[planted.slug, "q1", "A"])
    response = client.post(url, {"name": "  Free <b>buses</b> "})
    assert response.status_code == 302
    for page in (response.url, reverse("clustering:question", args=[planted.slug, "q1"])):
        html = client.get(page).content.decode()
        assert "Free &lt;b&gt;buses&lt;/b&gt;" in html
        assert "draft name" not in html
    client.post(url, {"name": ""})
    assert "Free &lt;b&gt;" not in client.get(response.url).content.decode()


def test_a_name_that_is_too_long_comes_back_with_the_reason(
    planted: Study, analyst: AbstractUser, client: Client, run: Run
) -> None:
    long = "x" * (LONGEST_NAME + 1)
    response = client.post(reverse("clustering:name-group", args=[planted.slug, "q1", "A"]), {"name": long})
    assert response.status_code == 422
    assert response.context["form"].errors["name"]
    assert long in response.content.decode()
    assert not GroupName.objects.exists()


def test_a_draft_name_is_marked_until_a_person_saves_it(
    planted: Study, analyst: AbstractUser, client: Client, run: Run
) -> None:
    group = OpinionGroup.objects.get(grouping__run__parent=run, grouping__question__code="q1", number=0)
    services.name_group(group=group, name="Drafted", by=None, is_draft=True)
    url = reverse("clustering:group", args=[planted.slug, "q1", group.letter])
    assert "draft name" in client.get(url).content.decode()
    client.post(f"{url}name/", {"name": "Drafted"})
    assert "draft name" not in client.get(url).content.decode()


def test_a_moderator_names_no_group(planted: Study, client: Client, run: Run) -> None:
    client.force_login(MembershipFactory(study=planted, role=Membership.Role.MODERATOR).user)
    url = reverse("clustering:group", args=[planted.slug, "q1", "A"])
    assert "Save the name" not in client.get(url).content.decode()
    assert client.post(f"{url}name/", {"name": "Mine"}).status_code == 403


def test_a_small_group_is_marked_as_for_the_team_and_weak_evidence_as_weak(
    planted: Study, analyst: AbstractUser, client: Client, run: Run
) -> None:
    group = OpinionGroup.objects.get(grouping__run__parent=run, grouping__question__code="q1", number=0)
    OpinionGroup.objects.filter(pk=group.pk).update(size=4)
    GroupStatement.objects.filter(group=group).update(n_agree=1, n_disagree=0, n_neutral=0)
    page = client.get(reverse("clustering:question", args=[planted.slug, "q1"])).content.decode()
    assert "for the team only" in page
    assert "1 of 1 (100 %)" in page
    assert "few votes" in page
    assert "Too few to show" in page


def test_people_in_no_group_are_counted(planted: Study, analyst: AbstractUser, client: Client, run: Run) -> None:
    member = GroupMember.objects.filter(grouping__run__parent=run, grouping__question__code="q1").first()
    assert member is not None
    GroupMember.objects.filter(pk=member.pk).update(group=None)
    page = client.get(reverse("clustering:question", args=[planted.slug, "q1"])).content.decode()
    assert "1 participant is in no group." in page


def test_all_statistics_are_on_a_page_of_their_own(
    planted: Study, analyst: AbstractUser, client: Client, run: Run
) -> None:
    response = client.get(reverse("clustering:statistics", args=[planted.slug, run.public_id]))
    anchors = [section["anchor"] for section in response.context["sections"]]
    assert anchors[:3] == ["ranks", "adjusted", "differences"]
    assert {"sensitivity", "correlates", "planning"} <= set(anchors)
    page = response.content.decode()
    for anchor in anchors:
        assert f'id="{anchor}"' in page
    ranks = response.context["sections"][0]["tables"][0]["table"]["rows"]
    assert [row[1] for row in ranks] == sorted(row[1] for row in ranks)


def test_statistics_hold_what_a_methods_section_needs_and_say_why_a_number_is_missing(
    planted: Study, analyst: AbstractUser, client: Client, run: Run
) -> None:
    response = client.get(reverse("clustering:statistics", args=[planted.slug, run.public_id]))
    tables = {
        (section["anchor"], entry["caption"]): entry
        for section in response.context["sections"]
        for entry in section["tables"]
    }
    report = (run.result or {})["report"]

    own = tables["adjusted", "on question means, unweighted: intervals of the scores themselves"]["table"]["rows"]
    estimate = next(
        dict(zip(part["sources"], part["estimates"], strict=True))["s1"]
        for part in report["overall"]["adjusted_intervals"]
        if (part["mode"], part["variant"], part["repeats"]) == ("ordinary", "unweighted", "counted")
    )
    assert own[0][1:3] == [f"{estimate['value']:.3f}", f"{estimate['low']:.3f} to {estimate['high']:.3f}"]
    assert ("adjusted", "on question means, t quantiles, for new studies, weighted by size") in tables
    assert any("The best 1 (" in note for note in tables["sensitivity", "Threshold, unweighted"]["notes"])
    wins = "Threshold, unweighted: share of the settings at which the source of the line is above that of the column"
    assert tables["sensitivity", wins]["table"]["rows"][0][1:3] == [MISSING, "1.00"]
    assert ("planning", "weighted by size, interval over people, for these questions alone") in tables
    correlates = tables["correlates", "Coverage and the number of groups"]
    assert [row[0] for row in correlates["table"]["rows"][-2:]] == ["mean over the sources", "all sources pooled"]
    # Every question has three groups, so nothing goes along with their number.
    assert correlates["notes"]
    assert escape(correlates["notes"][0]) in response.content.decode()


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
    with django_assert_max_num_queries(29):
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
