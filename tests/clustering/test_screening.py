"""The screening of a study's questions: what is read, the command, the page and its table."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from clustering.inclusion import Inclusion
from clustering.screening import COLUMNS, screen_study
from clustering.stats.screening import Cutoffs
from core.errors import BadInput, Invalid, NotThere
from studies.models import Enrolment, Study
from tests import factories

pytestmark = pytest.mark.django_db
RULE = Inclusion(("live", "imported"))


def person(study: Study, party: str | None, stances: dict[str, str], importance: int = 4, **columns: Any) -> Enrolment:
    enrolment = factories.EnrolmentFactory(study=study, **columns)
    if party is not None:
        factories.AnswerFactory(enrolment=enrolment, item_code="party", value_choice=party, value_integer=None)
    for code, stance in stances.items():
        factories.FreeResponseFactory(
            enrolment=enrolment, question=study.questions.get(code=code), stance=stance, importance=importance
        )
    return enrolment


@pytest.fixture
def pilot(db: None) -> Study:
    """Two questions: q1 divides, on q2 all agree; q3 nobody answered."""
    study = factories.published_study(n_questions=3, slug="pilot")
    factories.FormItemFactory(
        study=study, code="party", kind="single", label="Party?", options=[{"value": "left", "label": "Left"}]
    )
    for number in range(20):
        party, side = ("left", "liberal") if number % 2 else ("right", "conservative")
        person(study, party, {"q1": "neutral" if number < 4 else side, "q2": "liberal"})
    return study


def browser(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def analyst(pilot: Study) -> Any:
    return factories.MembershipFactory(study=pilot, role="analyst").user


def page(user: Any, study: Study, **query: Any) -> Any:
    return browser(user).get(reverse("clustering:screening", args=[study.slug]), query)


class TestLoading:
    def test_stance_importance_and_party_come_together(self, pilot: Study) -> None:
        report = screen_study(pilot, inclusion=RULE, cutoffs=Cutoffs())

        assert [(each.question, each.recommendation, each.reasons) for each in report.questions] == [
            ("q1", "keep", ()),
            ("q2", "drop", ("consensus",)),
            ("q3", "undecided", ("no_stances", "no_importances")),
        ]
        assert [(party.party, party.n_neutral, party.n) for party in report.questions[0].parties] == [
            ("left", 2, 10),
            ("right", 2, 10),
        ]

    @pytest.mark.parametrize(
        "columns", [{"origin": "simulated"}, {"origin": "preview"}, {"status": "timed_out"}, {"status": "withdrawn"}]
    )
    def test_who_does_not_count_is_left_out(self, pilot: Study, columns: dict[str, str]) -> None:
        person(pilot, "left", {"q3": "liberal"}, **columns)

        assert screen_study(pilot, inclusion=RULE, cutoffs=Cutoffs()).questions[2].n_people == 0

    def test_a_missing_stance_is_none(self, pilot: Study) -> None:
        person(pilot, None, {"q3": ""})

        found = screen_study(pilot, inclusion=RULE, cutoffs=Cutoffs()).questions[2]

        assert (found.n_people, found.stances, found.parties) == (1, (), ())

    def test_answers_of_another_study_are_not_taken(self, pilot: Study) -> None:
        other = factories.published_study(n_questions=1)
        person(other, "left", {"q1": "liberal"})

        assert screen_study(pilot, inclusion=RULE, cutoffs=Cutoffs()).questions[0].n_people == 20

    def test_another_item_may_ask_for_the_party(self, pilot: Study) -> None:
        found = screen_study(pilot, inclusion=RULE, cutoffs=Cutoffs(), party_item="camp").questions[0]

        assert found.neutral.undefined == "no_parties"

    def test_the_number_of_queries_does_not_grow(self, pilot: Study, django_assert_num_queries: Any) -> None:
        with django_assert_num_queries(3):
            screen_study(pilot, inclusion=RULE, cutoffs=Cutoffs())


class TestCommand:
    def printed(self, *arguments: str) -> str:
        out = io.StringIO()
        call_command("screen_questions", *arguments, stdout=out, stderr=io.StringIO())
        return out.getvalue()

    def test_it_prints_each_question_with_why(self, pilot: Study) -> None:
        text = self.printed("--study", "pilot")

        assert "q1: keep" in text
        assert "q2: drop (nearly all take one stance)" in text
        assert "keep 1, drop 1, undecided 1" in text

    def test_json_has_the_cutoffs_beside_the_figures(self, pilot: Study) -> None:
        found = json.loads(self.printed("--study", "pilot", "--consensus", "0.3", "--json"))

        assert found["cutoffs"]["consensus"] == 0.3
        assert [each["recommendation"] for each in found["questions"]] == ["drop", "drop", "undecided"]

    def test_csv_has_a_row_a_question(self, pilot: Study) -> None:
        rows = list(csv.DictReader(io.StringIO(self.printed("--study", "pilot", "--csv"))))

        assert [row["question"] for row in rows] == ["q1", "q2", "q3"]
        assert tuple(rows[0]) == COLUMNS
        assert (rows[1]["consensus"], rows[2]["consensus"]) == ("1.0", "")
        assert rows[2]["consensus_undefined"] == "no_stances"

    def test_a_file_gives_the_same_as_the_study(self, pilot: Study, tmp_path: Path) -> None:
        lines = ["question,participant,stance,party,importance"]
        for number in range(20):
            party, side = ("left", "liberal") if number % 2 else ("right", "conservative")
            lines += [f"q1,p{number},{'neutral' if number < 4 else side},{party},4", f"q2,p{number},liberal,{party},4"]
        (tmp_path / "pilot.csv").write_text("\n".join(lines) + "\n")

        found = json.loads(self.printed(str(tmp_path / "pilot.csv"), "--json"))["questions"]

        assert found == json.loads(self.printed("--study", "pilot", "--json"))["questions"][:2]

    @pytest.mark.parametrize(
        ("text", "word"),
        [
            ("question,participant,stance\nq1,a,liberal\nq1,a,neutral\n", ":3"),
            ("question,participant,stance,importance\nq1,a,liberal,6\n", "importance"),
            ("question,stance\nq1,liberal\n", "participant"),
        ],
    )
    def test_a_file_that_is_wrong_says_where(self, tmp_path: Path, text: str, word: str) -> None:
        (tmp_path / "pilot.csv").write_text(text)

        with pytest.raises(BadInput) as raised:
            self.printed(str(tmp_path / "pilot.csv"))

        assert word in "\n".join(raised.value.lines())

    def test_a_file_that_is_not_there_is_bad_input(self, tmp_path: Path) -> None:
        with pytest.raises(BadInput, match=r"gone\.csv"):
            self.printed(str(tmp_path / "gone.csv"))

    def test_cutoffs_that_are_none_are_bad_input(self, pilot: Study) -> None:
        with pytest.raises(Invalid, match="cut-offs"):
            self.printed("--study", "pilot", "--neutral", "2")

    def test_an_unknown_study_is_said(self, db: None) -> None:
        with pytest.raises(NotThere, match="gone"):
            self.printed("--study", "gone")

    @pytest.mark.parametrize("arguments", [[], ["--study", "pilot", "file.csv"]])
    def test_it_is_a_study_or_a_file(self, arguments: list[str]) -> None:
        with pytest.raises(CommandError):
            self.printed(*arguments)


class TestPage:
    def test_it_shows_recommendations_and_why(self, pilot: Study, analyst: Any) -> None:
        text = page(analyst, pilot).content.decode()

        assert "Keep 1, drop 1, undecided 1." in text
        assert "nearly all take one stance" in text
        assert "nobody gave a stance, nobody rated the importance" in text

    def test_cutoffs_are_in_the_address(self, pilot: Study, analyst: Any) -> None:
        text = page(analyst, pilot, consensus="0.3").content.decode()

        assert "Keep 0, drop 2, undecided 1." in text
        assert "screening.csv?consensus=0.3" in text

    @pytest.mark.parametrize(
        "query",
        [{"consensus": "2"}, {"consensus": "nan"}, {"level": "1"}, {"party_item": "gone"}, {"origins": "preview"}],
        ids=str,
    )
    def test_what_is_no_cutoff_is_said_at_its_field(self, pilot: Study, analyst: Any, query: dict[str, str]) -> None:
        response = page(analyst, pilot, **query)

        assert response.status_code == 422
        assert "error-message" in response.content.decode()
        csv_response = browser(analyst).get(reverse("clustering:screening-csv", args=["pilot"]), query)
        assert csv_response.status_code == 422

    def test_the_table_is_that_of_the_command(self, pilot: Study, analyst: Any) -> None:
        response = browser(analyst).get(reverse("clustering:screening-csv", args=["pilot"]))

        assert response["Content-Type"].startswith("text/csv")
        assert response.content.decode().rstrip("\n") == TestCommand().printed("--study", "pilot", "--csv").rstrip("\n")

    @pytest.mark.parametrize("name", ["screening", "screening-csv"])
    def test_a_stranger_finds_nothing(self, pilot: Study, stranger: Any, name: str) -> None:
        assert browser(stranger).get(reverse(f"clustering:{name}", args=["pilot"])).status_code == 404

    @pytest.mark.parametrize("name", ["screening", "screening-csv"])
    def test_an_annotator_must_not_see_it(self, pilot: Study, name: str) -> None:
        user = factories.MembershipFactory(study=pilot, role="annotator").user

        assert browser(user).get(reverse(f"clustering:{name}", args=["pilot"])).status_code == 403

    def test_a_study_without_stances_or_form_has_a_page(self, analyst: Any) -> None:
        study = factories.MembershipFactory(user=analyst, study__stance_options=[]).study
        factories.QuestionFactory(study=study)

        response = page(analyst, study)

        assert response.status_code == 200
        assert "nobody gave a stance" in response.content.decode()
