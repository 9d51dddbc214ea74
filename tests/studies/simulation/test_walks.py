"""Simulated participants walk through real pages over HTTP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from core.errors import BadInput, Conflict, DomainError, Invalid, NotThere
from studies.models import ExternalIdentity, LateSubmission, Step, Study
from studies.simulation.fleet import Fleet
from studies.simulation.running import Simulation, opinions_of, read_opinions, simulate, simulated_complete
from tests.factories import BLOCKS_WITH_VOTES, published_study
from tests.studies.simulation.believing import broken_promises, enrolments_of, stored
from voting.models import Vote, VoteBlock
from voting.services import verify_tallies


@pytest.fixture
def voting_study(transactional_db: None) -> Study:
    """A study with everything, small."""
    return published_study(n_questions=3, questions_each=2, n_seeds=3, blocks=BLOCKS_WITH_VOTES, vote={"minimum": 2})


def walk(study: Study, live_server: Any, **options: Any) -> Simulation:
    fleet = Fleet(**{"base_url": live_server.url, "seed": 1, "people": 3, "concurrency": 1, **options})
    return simulate(study=study, fleet=fleet, opinions=None, now=timezone.now())


def test_everybody_gets_to_the_code_with_all_answers_stored_as_simulated(voting_study: Study, live_server: Any) -> None:
    report = walk(voting_study, live_server, people=2).report

    assert report.outcomes == {"complete": 2}, report.reasons
    assert set(voting_study.enrolments.values_list("origin", "status")) == {("simulated", "complete")}
    assert {each.code for each in report.walked} == {voting_study.codes["complete"]}
    assert simulated_complete(voting_study) == 2
    assert broken_promises(voting_study, report.walked) == []
    enrolments = enrolments_of(voting_study)
    for each in report.walked:
        assert set(stored(enrolments[each.token_sha256])) == set(each.acknowledged)
    # 2 questions of 2 answers each, and one free response a question.
    kinds = [kind for kind, _question, _about in report.walked[0].acknowledged]
    assert (kinds.count("rating"), kinds.count("response"), kinds.count("vote") >= 4) == (4, 2, True)


def test_the_truth_about_the_groups_is_kept_by_public_code(voting_study: Study, live_server: Any) -> None:
    simulation = walk(voting_study, live_server, people=1, first=5)

    truth = json.loads(simulation.path.read_text(encoding="utf-8"))
    assert (truth["study"], truth["seed"], truth["first"], truth["people"]) == (voting_study.slug, 1, 5, 1)
    for each in truth["participants"]:
        enrolment = voting_study.enrolments.get(public_code=each["public_code"])
        assert set(each["groups"]) == set(enrolment.slots.values_list("question__code", flat=True))


def test_without_an_open_link_they_come_with_ids_as_prolifics_people_do(
    transactional_db: None, live_server: Any
) -> None:
    study = published_study(n_questions=1, questions_each=1, allows_open_link=False)

    assert walk(study, live_server, people=2).report.outcomes == {"complete": 2}
    assert ExternalIdentity.objects.filter(study=study).count() == 2


def test_a_page_that_lacks_a_label_ends_the_walk_with_the_reason(
    voting_study: Study, live_server: Any, settings: Any, tmp_path: Path
) -> None:
    broken = tmp_path / "studies" / "session"
    broken.mkdir(parents=True)
    original = Path(settings.BASE_DIR) / "templates" / "studies" / "session" / "write.html"
    text = original.read_text(encoding="utf-8").replace('<label for="text">', '<label for="other">')
    (broken / "write.html").write_text(text, encoding="utf-8")
    [engine] = settings.TEMPLATES
    settings.TEMPLATES = [{**engine, "DIRS": [tmp_path, *engine["DIRS"]]}]

    report = walk(voting_study, live_server, people=1).report

    assert report.reasons == {"the field text () has no label": 1}
    assert not report.is_whole


def test_a_study_that_is_full_is_an_outcome_and_no_failure(transactional_db: None, live_server: Any) -> None:
    study = published_study(n_questions=1, questions_each=1, places=1)

    report = walk(study, live_server, people=2).report

    assert report.outcomes == {"complete": 1, "full": 1}
    assert report.is_whole


def test_nobody_walks_through_a_study_that_is_not_open(voting_study: Study) -> None:
    Study.objects.filter(pk=voting_study.pk).update(status=Study.Status.PAUSED)
    voting_study.refresh_from_db()

    with pytest.raises(Conflict, match="not open"):
        simulate(study=voting_study, fleet=Fleet("http://127.0.0.1:9", 1, 1), opinions=None, now=timezone.now())


def test_a_walk_that_is_stopped_says_so(voting_study: Study, live_server: Any) -> None:
    fleet = Fleet(base_url=live_server.url, seed=1, people=2, concurrency=1)
    simulation = simulate(study=voting_study, fleet=fleet, opinions=None, now=timezone.now(), is_stopped=lambda: True)

    assert simulation.report.outcomes == {"stopped": 2}
    assert not simulation.report.is_whole


@pytest.mark.races
def test_whatever_a_hostile_participant_tries_everything_is_complete_and_consistent(
    voting_study: Study, live_server: Any
) -> None:
    report = walk(voting_study, live_server, people=8, concurrency=4, is_hostile=True).report

    assert report.outcomes == {"complete": 8}, report.reasons
    assert broken_promises(voting_study, report.walked) == []
    # Nothing counts twice: the database holds exactly what was planned.
    assert voting_study.enrolments.count() == 8
    enrolments = enrolments_of(voting_study)
    for each in report.walked:
        kinds = [kind for kind, _question, _about in stored(enrolments[each.token_sha256])]
        assert (kinds.count("rating"), kinds.count("response")) == (4, 2)
    assert not Step.objects.filter(enrolment__study=voting_study, submitted_at=None).exists()
    assert not VoteBlock.objects.filter(enrolment__study=voting_study, closed_at=None).exists()
    current = Vote.objects.filter(enrolment__study=voting_study, superseded_at=None)
    assert current.count() == current.values("enrolment", "statement").distinct().count()
    assert verify_tallies(study=voting_study).differences == ()
    # What differed and came late is kept aside.
    assert LateSubmission.objects.filter(step__enrolment__study=voting_study).exists()


def test_the_command_reports_and_writes_one_document(
    voting_study: Study, live_server: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command(
        "simulate", study=voting_study.slug, participants=2, base_url=live_server.url, concurrency=1, as_json=True
    )

    printed = capsys.readouterr()
    report = json.loads(printed.out)
    assert (report["people"], report["outcomes"]) == (2, {"complete": 2})
    assert Path(report["truth"]).is_file()
    assert "2 of 2 done" in printed.err


def test_the_command_fails_if_somebody_does_not_get_to_the_end(voting_study: Study) -> None:
    with pytest.raises(DomainError, match=r"1 failed\.\n  1 failed: no answer within 0 s"):
        call_command("simulate", study=voting_study.slug, participants=1, base_url="http://127.0.0.1:9", patience=0.0)


def test_the_command_refuses_what_makes_no_sense(voting_study: Study) -> None:
    with pytest.raises(NotThere, match="no study nowhere"):
        call_command("simulate", study="nowhere")
    with pytest.raises(Invalid, match="at least 1"):
        call_command("simulate", study=voting_study.slug, participants=0)


def test_only_example_studies_have_opinions_of_their_own() -> None:
    assert opinions_of("no-such-study") is None
    found = opinions_of("public-life")
    assert found is not None
    assert found["study"] == "public-life"


@pytest.mark.parametrize(
    ("content", "message"), [("{", "no JSON|not JSON"), ("[]", "no file of planted opinions"), ("{}", "no file of")]
)
def test_a_file_of_opinions_that_is_none_is_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "opinions.json"
    path.write_text(content, encoding="utf-8")

    with pytest.raises(BadInput, match=message):
        read_opinions(path)
    with pytest.raises(BadInput, match="cannot be read"):
        read_opinions(tmp_path / "missing.json")
