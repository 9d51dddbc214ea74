"""What a link says about who arrives."""

from __future__ import annotations

import time

import pytest
from django.http import QueryDict

from studies.recruitment.arrival import parse_arrival

PID = "5f3e8c1a9b2d4e6f7a8b9c0d"
SESSION = "64a1b2c3d4e5f60718293a4b"
STUDY = "63c0ffee63c0ffee63c0ffee"
BOTH = {"recruitment": {"open": True, "prolific": True}}


def arrival(query: str, definition=BOTH):
    return parse_arrival(QueryDict(query), definition)


def prolific(pid: str = PID, session: str = SESSION, study: str = STUDY) -> str:
    query = QueryDict(mutable=True)
    query.update({"PROLIFIC_PID": pid, "STUDY_ID": study, "SESSION_ID": session})
    return query.urlencode()


def test_a_link_without_ids_is_the_open_link() -> None:
    found = arrival("utm_source=mail")

    assert (found.recruiter, found.is_identified, found.problem) == ("open", False, "")


def test_prolific_s_ids_are_read() -> None:
    found = arrival(prolific())

    assert (found.recruiter, found.external_id, found.session_id, found.study_ref) == ("prolific", PID, SESSION, STUDY)
    assert found.problem == ""


@pytest.mark.parametrize(
    "pid",
    [PID.upper(), f"  {PID}", f"{PID}\n", f"\t{PID} \r\n", PID.replace("5", "\uff15")],
    ids=["upper case", "blank before", "newline after", "padded", "full width digit"],
)
def test_an_id_typed_or_pasted_otherwise_is_the_same_person(pid: str) -> None:
    found = arrival(prolific(pid))

    assert (found.external_id, found.problem) == (PID, "")
    assert found.external_id_raw == pid


@pytest.mark.parametrize(
    ("pid", "session", "study"),
    [
        ("{{%PROLIFIC_PID%}}", "{{%SESSION_ID%}}", "{{%STUDY_ID%}}"),
        (PID, "{{%SESSION_ID%}}", STUDY),
        (PID, SESSION, "{{%STUDY_ID%}}"),
        ("%7B%7B%25PROLIFIC_PID%25%7D%7D", SESSION, STUDY),
        ("undefined", SESSION, STUDY),
        ("null", SESSION, STUDY),
        ("", SESSION, STUDY),
        (PID, "", STUDY),
        (PID, "undefined", STUDY),
        ("somebody@example.org", SESSION, STUDY),
        (PID[:-1], SESSION, STUDY),
        (PID + "0", SESSION, STUDY),
        ("g" + PID[1:], SESSION, STUDY),
        (PID + "\0", SESSION, STUDY),
        (PID, "a b", STUDY),
        (PID, SESSION, "<script>"),
    ],
)
def test_ids_that_cannot_be_paid_enrol_nobody(pid: str, session: str, study: str) -> None:
    found = arrival(prolific(pid, session, study))

    assert found.problem
    assert not found.is_identified


@pytest.mark.parametrize("name", ["PROLIFIC_PID", "STUDY_ID", "SESSION_ID"])
def test_one_id_alone_makes_it_a_prolific_link_that_is_not_complete(name: str) -> None:
    assert "lacks the ids" in arrival(f"{name}={PID}").problem


def test_the_study_s_own_id_may_be_missing() -> None:
    found = arrival(f"PROLIFIC_PID={PID}&SESSION_ID={SESSION}")

    assert (found.problem, found.study_ref) == ("", "")


def test_an_id_given_twice_is_refused_unless_both_are_equal() -> None:
    other = "0" * 24

    assert arrival(f"{prolific()}&PROLIFIC_PID={other}").problem
    assert not arrival(f"{prolific()}&PROLIFIC_PID={PID}").problem


def test_a_study_for_prolific_alone_refuses_the_open_link() -> None:
    assert arrival("", {"recruitment": {"open": False, "prolific": True}}).problem


def test_a_study_without_prolific_says_so() -> None:
    found = arrival(prolific(), {"recruitment": {"open": True, "prolific": False}})

    assert "does not take participants from Prolific" in found.problem


def test_the_form_of_the_start_page_says_the_same_again() -> None:
    first = arrival(prolific(PID.upper()))
    query = QueryDict(mutable=True)
    for name, value in first.hidden():
        query[name] = value

    assert parse_arrival(query, BOTH) == first


@pytest.mark.parametrize("name", ["PROLIFIC_PID", "STUDY_ID", "SESSION_ID"])
def test_an_id_that_nobody_could_have_is_refused_without_being_folded(name: str) -> None:
    query = QueryDict(prolific(), mutable=True)
    query[name] = "a" + "\u0315" * 200_000 + "\u0300" * 200_000
    started = time.process_time()

    found = parse_arrival(query, BOTH)

    assert found.problem
    assert time.process_time() - started < 5, "folding takes the square of the length: minutes"
