"""From planted opinions to opinion groups: sessions over HTTP, votes as they come in, the groups that are found."""

from __future__ import annotations

import json
import statistics
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path

import pytest
from sklearn.metrics import adjusted_rand_score

from tests.e2e.serving import Platform, fresh_database

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

PEOPLE = 45
SLUG = "two-questions"


def definition() -> str:
    """A study of two questions, which everybody gets; JSON is YAML."""
    questions = ("buses", "museums")
    return json.dumps(
        {
            "schema_version": 1,
            "slug": SLUG,
            "title": "Two questions",
            "language": "en",
            "summary": "A study of a test.",
            "contact": "team@example.org",
            "consent": "I take part.",
            "ethics": {"body": "Board of a test", "protocol": "1"},
            "blocks": ["consent", "write", "rate", "vote", "debrief"],
            "assignment": {"questions_each": 2, "policy": "balanced", "slot_minutes": 60},
            "vote": {"minimum": 8, "policy": "uniform", "mix": 0.5, "moderation": "after"},
            "rate": {"instructions": "Read and rate.", "low": "Not at all", "high": "Fully"},
            "debrief": "Thank you.",
            "questions": [
                {"code": code, "domain": "town", "text": f"What should the town do about {code}?"} for code in questions
            ],
            "sources": [{"code": code, "name": f"Answer {code}", "settings": {}} for code in ("a", "b")],
            "answers": [
                {"question": question, "source": source, "text": f"What {source} says on {question}."}
                for question in questions
                for source in ("a", "b")
            ],
            "seeds": [
                {"question": question, "code": f"{question}-{n}", "text": f"Seed {n} on {question}."}
                for question in questions
                for n in range(1, 11)
            ],
        }
    )


def test_planted_groups_are_found_again(tmp_path: Path) -> None:
    with ExitStack() as stack:
        platform = Platform(tmp_path, stack, database=stack.enter_context(fresh_database()))
        path = tmp_path / "study.yaml"
        path.write_text(definition(), encoding="utf-8")
        platform.manage("load_study", str(path), "--publish")
        platform.start_web()
        simulated = json.loads(
            platform.manage(
                *("simulate", "--study", SLUG, "--participants", str(PEOPLE), "--seed", "4", "--json"),
                *("--base-url", platform.address),
            )
        )
        platform.manage("overton", "--study", SLUG, "--seed", "1")
        found = platform.ask("groups", slug=SLUG)

    truth = json.loads(Path(simulated["truth"]).read_text(encoding="utf-8"))
    planted = {each["public_code"]: each["groups"] for each in truth["participants"]}
    pairs: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for question, public_code, group in found:
        pairs[question].append((planted[public_code][question], group))
    agreement = {question: adjusted_rand_score(*zip(*each, strict=True)) for question, each in pairs.items()}

    assert simulated["outcomes"] == {"complete": PEOPLE}
    assert {question: len(each) for question, each in pairs.items()} == {"buses": PEOPLE, "museums": PEOPLE}
    assert statistics.mean(agreement.values()) > 0.8, agreement
