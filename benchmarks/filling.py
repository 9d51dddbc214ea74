"""A study with as many people, statements and votes as wanted, made by SQL alone."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg

from benchmarks.servers import _manage

SLUG, QUESTION = "filled", "large"


def definition(policy: str) -> str:
    """A study of one question and one answer; JSON is YAML."""
    return json.dumps(
        {
            "schema_version": 1,
            "slug": SLUG,
            "title": "Filled",
            "language": "en",
            "summary": "A study of a benchmark.",
            "contact": "team@example.org",
            "consent": "I take part.",
            "ethics": {"body": "None", "protocol": "0"},
            "blocks": ["consent", "rate", "vote", "debrief"],
            "assignment": {"questions_each": 1, "policy": "balanced", "slot_minutes": 60},
            "vote": {"minimum": 1000, "policy": policy, "mix": 0.5, "moderation": "after"},
            "rate": {"instructions": "Read and rate.", "low": "Not at all", "high": "Fully"},
            "debrief": "Thank you.",
            "questions": [{"code": QUESTION, "domain": "town", "text": "What should the town do?"}],
            "sources": [{"code": "a", "name": "Answer a", "settings": {}}],
            "answers": [{"question": QUESTION, "source": "a", "text": "More buses."}],
            "seeds": [{"question": QUESTION, "code": "first", "text": "More trees."}],
        }
    )


def make_study(environment: dict[str, str], folder: Path, policy: str = "uniform") -> None:
    """The tables and the published study, in the database that the environment names."""
    path = folder / "study.yaml"
    path.write_text(definition(policy), encoding="utf-8")
    _manage(environment, "manage.py", "migrate")
    _manage(environment, "manage.py", "load_study", str(path), "--publish")


def fill(url: str, *, people: int, statements: int, each: int, exposures: bool = False) -> None:
    """Add `people` with votes on `each` of the `statements` that are added, too; tallies agree with the votes.

    A person's statements lie seven apart, and those of the next person begin 31 later: `each` is at most the number of
    statements, which 7 must not divide.
    """
    if each > statements or statements % 7 == 0:
        raise ValueError("each person votes once on a statement: see the docstring")
    names = {"question": QUESTION, "people": people, "statements": statements, "each": each}
    with psycopg.connect(url) as connection:
        for step in (_STATEMENTS, _PEOPLE, _VOTES, *([_EXPOSURES] if exposures else []), _TALLIES):
            connection.execute(step, names)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


_STATEMENTS = """
INSERT INTO voting_statement (public_id, question_id, code, origin, status, is_preview, text, created_at,
                              n_shown, n_agree, n_disagree, n_neutral)
SELECT gen_random_uuid(), question.id, 'filled-' || j, 'import', 'approved', false,
       'Statement ' || j || ': the town should do something about this, and soon.', now(), 0, 0, 0, 0
FROM studies_question question, generate_series(1, %(statements)s) AS j WHERE question.code = %(question)s
"""
_PEOPLE = """
INSERT INTO studies_enrolment (public_id, study_id, public_code, origin, status, recruiter, language, position,
                               started_at, finished_at, last_seen_at, import_batch)
SELECT gen_random_uuid(), question.study_id, md5(i::text), 'imported', 'complete', 'open', 'en', 0,
       now(), now(), now(), 'filled'
FROM studies_question question, generate_series(1, %(people)s) AS i WHERE question.code = %(question)s
"""
_VOTES = """
WITH person AS (SELECT id, row_number() OVER (ORDER BY id) AS place FROM studies_enrolment
                WHERE import_batch = 'filled'),
     statement AS (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM voting_statement
                   WHERE code LIKE 'filled-%%')
INSERT INTO voting_vote (enrolment_id, statement_id, value, cast_at)
SELECT person.id, statement.id, abs(hashint8(person.id * 7919 + statement.id) %% 3) - 1,
       now() + person.place * interval '1 ms'
FROM person CROSS JOIN generate_series(0, %(each)s - 1) AS k
JOIN statement ON statement.place = (person.place * 31 + k * 7) %% %(statements)s
"""
_EXPOSURES = """
INSERT INTO voting_exposure (enrolment_id, statement_id, question_id, nonce, rank, policy, n_eligible)
SELECT vote.enrolment_id, vote.statement_id, statement.question_id, gen_random_uuid(),
       row_number() OVER (PARTITION BY vote.enrolment_id ORDER BY vote.id), 'import', 1
FROM voting_vote vote JOIN voting_statement statement ON statement.id = vote.statement_id
"""
_TALLIES = """
UPDATE voting_statement SET n_shown = counted.n, n_agree = agree, n_disagree = disagree, n_neutral = neutral
FROM (SELECT statement_id, count(*) AS n, count(*) FILTER (WHERE value = 1) AS agree,
             count(*) FILTER (WHERE value = -1) AS disagree, count(*) FILTER (WHERE value = 0) AS neutral
      FROM voting_vote GROUP BY statement_id) counted
WHERE voting_statement.id = counted.statement_id
"""
