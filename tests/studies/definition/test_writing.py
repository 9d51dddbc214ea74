from __future__ import annotations

from datetime import datetime
from typing import Any

from core.canonical import canonical_json
from studies import services
from studies.definition import canonical, dump_yaml, load_bytes
from studies.models import Question, Study


def load(study: Study, text: str, now: datetime) -> None:
    services.apply_definition(definition=load_bytes(text.encode(), "study.yaml"), by=None, now=now)


def test_a_draft_says_what_its_file_says(draft: Study) -> None:
    definition = canonical(draft)

    assert definition["pay"] == {"amount": "4.50", "currency": "USD", "minutes": 20}
    assert definition["form"][0] == {
        "code": "age",
        "kind": "integer",
        "label": "How old are you?",
        "hint": "",
        "options": [],
        "minimum": 18,
        "maximum": 120,
    }
    assert definition["form"][1]["options"][0] == {"value": "female", "label": "Female", "screens_out": False}
    assert definition["revisions"]["answers"] == {"q1/s1": 1, "q1/s2": 1, "q2/s1": 1, "q2/s2": 1}


def test_loading_twice_changes_nothing(draft: Study, whole: str, now: datetime) -> None:
    before, ids = canonical(draft), set(Question.objects.values_list("pk", flat=True))

    load(draft, whole, now)

    assert canonical(Study.objects.get()) == before
    assert set(Question.objects.values_list("pk", flat=True)) == ids


def test_loading_takes_away_what_the_file_no_longer_has(draft: Study, whole: str, now: datetime) -> None:
    load(draft, 'slug: parks\ntitle: "Only"\nquestions: [{code: q2, text: "New?"}]\n', now)

    definition = canonical(Study.objects.get())
    assert [row["text"] for row in definition["questions"]] == ["New?"]
    assert [item["code"] for item in definition["form"]] == ["age", "sex", "ethnicity", "education", "party"]
    assert (definition["sources"], definition["answers"]) == ([], [])
    assert definition["revisions"]["questions"] == {"q2": 1}


def test_a_form_without_items_stays_so(draft: Study, now: datetime) -> None:
    load(draft, 'slug: parks\ntitle: "Only"\nform: []\n', now)

    assert canonical(Study.objects.get())["form"] == []
    assert "form: []" in dump_yaml(Study.objects.get())


def test_the_usual_form_lets_people_choose_several_ethnicities(draft: Study, now: datetime) -> None:
    load(draft, 'slug: parks\ntitle: "Only"\n', now)

    kinds = {item.code: item.kind for item in Study.objects.get().form_items.all()}
    assert kinds["ethnicity"] == "multiple"


def test_the_file_of_a_draft_makes_an_equal_study(draft: Study, now: datetime) -> None:
    load(draft, dump_yaml(draft).replace("slug: parks", "slug: other"), now)

    other = Study.objects.get(slug="other")
    assert canonical_json(canonical(other) | {"slug": "parks"}) == canonical_json(canonical(draft))


def test_a_clone_equals_its_original(draft: Study, owner: Any, now: datetime) -> None:
    services.publish_study(study=draft, by=owner, now=now)

    clone = services.clone_study(study=draft, slug="parks-2", title="Again", by=owner, now=now)

    names = ("slug", "title", "codes")
    original = {key: value for key, value in canonical(draft).items() if key not in names}
    assert {key: value for key, value in canonical(clone).items() if key not in names} == original
    assert clone.status == Study.Status.DRAFT
    assert clone.seed != draft.seed
    assert not clone.codes
