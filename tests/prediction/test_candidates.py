"""Models that nobody has rated: added to closed studies only, apart from measured ones, and the study that follows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from core.errors import BadInput, Conflict, Invalid
from core.models import AuditEvent
from prediction import services
from prediction.models import Candidate, CandidateAnswer
from studies.definition import canonical
from studies.models import ModelAnswer, Study
from studies.services import close, publish_study
from tests.factories import NOW, UserFactory

Write = Callable[..., bytes]
HEADER = "question,source,text,name"
ROWS = [("q1", "new", "What new says.", "Newcomer"), ("q2", "new", "And on this.", "Newcomer")]


def add(study: Study, content: bytes, **options: Any) -> services.AddedCandidates:
    return services.add_candidates(study=study, source=content, name="new.csv", by=None, now=NOW, **options)


def test_answers_are_added_to_a_closed_study(closed: Study, as_csv: Write) -> None:
    before = canonical(closed)
    done = add(closed, as_csv(ROWS, HEADER))
    assert (done.candidates, done.n_rows, done.n_new) == (("new",), 2, 2)
    assert Candidate.objects.get().name == "Newcomer"
    assert AuditEvent.objects.get(event="candidates.added").detail == {"candidates": ["new"], "n_new": 2}
    # Neither the definition nor the sources know of it.
    assert canonical(closed) == before
    assert not ModelAnswer.objects.filter(text="What new says.").exists()


def test_the_same_again_changes_nothing_and_a_dry_run_writes_nothing(closed: Study, as_csv: Write) -> None:
    assert add(closed, as_csv(ROWS, HEADER), dry_run=True).n_new == 2
    assert not Candidate.objects.exists()
    add(closed, as_csv(ROWS, HEADER))
    assert add(closed, as_csv(ROWS, HEADER)).n_new == 0
    assert CandidateAnswer.objects.count() == 2


def test_an_open_study_takes_none(rated: Study, as_csv: Write) -> None:
    with pytest.raises(Conflict, match="closed study"):
        add(rated, as_csv(ROWS, HEADER))
    assert not Candidate.objects.exists()


@pytest.mark.parametrize(
    ("row", "place"),
    [
        (("q9", "new", "Text.", ""), "new.csv:2:1 (question)"),
        (("q1", "s1", "Text.", ""), "new.csv:2:2 (source): Participants have rated"),
        (("q1", "a b", "Text.", ""), "new.csv:2:2 (source): Begin with"),
        (("q1", "new", "", ""), "new.csv:2:3 (text)"),
        (("q1", "new", " \u200b", ""), "new.csv:2:3 (text)"),
    ],
)
def test_what_is_wrong_is_named_by_line_and_column(
    closed: Study, as_csv: Write, row: tuple[str, ...], place: str
) -> None:
    with pytest.raises(BadInput) as caught:
        add(closed, as_csv([row], HEADER))
    assert caught.value.lines()[0].startswith(place)
    assert not Candidate.objects.exists()


def test_another_text_of_the_same_source_is_refused(closed: Study, as_csv: Write) -> None:
    add(closed, as_csv(ROWS, HEADER))
    with pytest.raises(BadInput, match=r"new\.csv:2:3 \(text\): Another text"):
        add(closed, as_csv([("q1", "new", "Now it says this.", "")], HEADER))


def test_a_shortlist_becomes_a_draft_that_can_be_published(closed: Study, as_csv: Write) -> None:
    closed.ethics_body, closed.ethics_protocol = "Ethics board", "1/2025"
    closed.save()
    add(closed, as_csv(ROWS, HEADER))
    owner = UserFactory()
    draft = services.shortlist_study(
        study=closed, codes=["s2", "new"], slug="second-round", title="Second round", by=owner, now=NOW
    )
    assert draft.status == Study.Status.DRAFT
    assert draft.memberships.get().user == owner
    definition = canonical(draft)
    assert [row["code"] for row in definition["sources"]] == ["s2", "new"]
    assert {(row["question"], row["source"]) for row in definition["answers"]} == {
        (question, source) for question in ("q1", "q2") for source in ("s2", "new")
    }
    assert definition["title"] == "Second round"
    assert definition["questions"] == canonical(closed)["questions"]
    assert AuditEvent.objects.get(event="study.shortlisted").detail["models"] == ["new", "s2"]
    publish_study(study=draft, by=owner, now=timezone.now())
    close(study=draft, by=owner, now=timezone.now())


@pytest.mark.parametrize("codes", [[], ["nobody"], ["s1", "nobody"]])
def test_a_shortlist_is_of_the_studys_models(closed: Study, codes: list[str]) -> None:
    with pytest.raises(Invalid):
        services.shortlist_study(study=closed, codes=codes, slug="second-round", by=UserFactory(), now=NOW)
    assert not Study.objects.filter(slug="second-round").exists()
