"""Votes of a large question from the database to integer arrays, beside the same by model objects.

Run ``python -m benchmarks.loading``. A database of its own is filled by SQL (100,000 people on 1,000 statements,
5,000,000 votes) and dropped afterwards. Each way runs in a process of its own; printed are processor time, wall time
and the largest memory of that process, and what of it is there before anything is read.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.filling import QUESTION, SLUG, fill, make_study
from benchmarks.servers import ROOT, _database, _with

PEOPLE, STATEMENTS, VOTES_EACH = 100_000, 1_000, 50
TARGET_S, TARGET_MB = 60.0, 500.0


def arrays(question: Any, rule: Any) -> int:
    """The platform's way."""
    from clustering.loading import question_votes

    return question_votes(question, rule).n_votes


def objects(question: Any, rule: Any) -> int:
    """The plain way: a model object a vote, then its codes and value."""
    from studies.models import Enrolment
    from voting.models import Statement, Vote

    people = dict(Enrolment.objects.filter(study=question.study).values_list("pk", "public_code"))
    codes = dict(Statement.objects.filter(question=question).values_list("pk", "code"))
    votes = Vote.objects.current().filter(statement__question=question)
    return len([(people[vote.enrolment_id], codes[vote.statement_id], vote.value) for vote in votes])


WAYS = {"arrays": arrays, "objects": objects}


def measure(way: str) -> dict[str, float]:
    """Load once in this process; seconds and megabytes."""
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    from clustering import loading  # noqa: F401 - what it imports is there before anything is read
    from clustering.inclusion import Inclusion
    from studies.models import Question

    question = Question.objects.select_related("study").get(code=QUESTION, study__slug=SLUG)
    empty, cpu, began = _peak_mb(), time.process_time(), time.perf_counter()
    n = WAYS[way](question, Inclusion(("imported",)))
    return {
        "votes": n,
        "cpu_s": time.process_time() - cpu,
        "wall_s": time.perf_counter() - began,
        "peak_mb": _peak_mb(),
        "empty_mb": empty,
    }


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Fill, measure each way in a process of its own, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=PEOPLE)
    parser.add_argument("--statements", type=int, default=STATEMENTS)
    parser.add_argument("--votes-each", type=int, default=VOTES_EACH)
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        print(json.dumps(measure(options.way)))
        return
    results = {}
    with TemporaryDirectory(prefix="polyphony-benchmark-") as folder, _database(f"pp_load_{os.getpid()}") as url:
        environment = {"DATABASE_URL": url, "POLYPHONY_VAR_DIR": f"{folder}/var", "POLYPHONY_LOG_LEVEL": "ERROR"}
        make_study(environment, Path(folder))
        fill(url, people=options.people, statements=options.statements, each=options.votes_each)
        for way in WAYS:
            command = [sys.executable, "-m", "benchmarks.loading", "--way", way]
            done = subprocess.run(command, cwd=ROOT, env=_with(environment), check=True, capture_output=True, text=True)
            results[way] = json.loads(done.stdout)
    print(f"PostgreSQL, {options.people} people, {options.statements} statements; load average {_load()}")
    print(f"{'':<10}{'votes':>10}{'CPU s':>9}{'wall s':>9}{'peak MB':>10}{'before MB':>11}")
    for way, row in results.items():
        print(
            f"{way:<10}{row['votes']:>10}{row['cpu_s']:>9.2f}{row['wall_s']:>9.2f}"
            f"{row['peak_mb']:>10.0f}{row['empty_mb']:>11.0f}"
        )
    ours, plain = results["arrays"], results["objects"]
    reached = ours["wall_s"] < TARGET_S and ours["peak_mb"] < TARGET_MB
    print(
        f"arrays: {plain['cpu_s'] / ours['cpu_s']:.1f} times less CPU and {plain['peak_mb'] / ours['peak_mb']:.1f} "
        f"times less memory than objects; target {TARGET_S:.0f} s and {TARGET_MB:.0f} MB "
        f"{'reached' if reached else 'MISSED'}"
    )


def _load() -> str:
    return " ".join(f"{each:.1f}" for each in os.getloadavg())


if __name__ == "__main__":
    main()
