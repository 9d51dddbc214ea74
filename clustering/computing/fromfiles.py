"""Groups and scores of files, by the same calls as those of a study's runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from clustering.computing.clusterers import Clusterer
from clustering.computing.findings import findings_of
from clustering.computing.scores import settings_of
from clustering.files import CoverageFile, FileVotes, RatingsFile
from clustering.parameters import GroupingSettings, Parameters
from clustering.stats.clusterers import POLIS, Grouping
from clustering.stats.partitions import adjusted_rand
from clustering.stats.ratings import RatingMatrix
from clustering.stats.report import OvertonReport, QuestionInput, overton_report, report_from_coverages


def groups_of_file(votes: FileVotes, settings: GroupingSettings, seed: int) -> dict[str, Any]:
    """Opinion groups of one question of a file: the parts of a run's result, and how far published groups agree."""
    is_polis = settings.method == POLIS
    loaded = votes.loaded(settings.inclusion, with_rejected=is_polis and settings.moderation == "zero")
    there = set(loaded.participants)
    order = tuple(person for person in votes.order if person in there) if is_polis else ()
    done = findings_of(loaded, Clusterer(settings, loaded.authors, order, loaded.rejected), settings, seed)
    return {
        "question": votes.question,
        "file": votes.file,
        "kind": votes.kind,
        "n_rows": votes.n_rows,
        "n_changes": votes.n_changes,
        "n_rejected": len(votes.rejected),
        "flow": votes.flow(settings.inclusion, len(loaded.participants)),
        **done.parts,
        "published": _beside_published(votes, done.found),
    }


def _beside_published(votes: FileVotes, found: Grouping) -> dict[str, Any] | None:
    """Adjusted Rand index with the groups that the file says, over people grouped in both; None without any."""
    if not votes.published:
        return None
    numbers = {name: number for number, name in enumerate(sorted(set(votes.published.values())))}
    theirs = np.array([numbers.get(votes.published.get(key, ""), -1) for key in found.participants], dtype=np.int64)
    index = adjusted_rand(found.labels, theirs)
    both = (found.labels >= 0) & (theirs >= 0)
    return {
        "n_groups": len(numbers),
        "n_published": len(votes.published),
        "n_both": int(both.sum()),
        "adjusted_rand": None if np.isnan(index) else index,
    }


def scores_of_file(given: RatingsFile | CoverageFile, parameters: Parameters, seed: int) -> OvertonReport:
    """Everything of OvertonScore that the file allows."""
    settings = settings_of(parameters)
    if isinstance(given, CoverageFile):
        return report_from_coverages(given.rows, seed=seed, settings=settings, external=parameters.external)
    questions = [
        QuestionInput(
            code=question.question,
            domain=question.domain,
            ratings=RatingMatrix.from_ratings(question.ratings, sources=question.sources),
            members=question.members,
        )
        for question in given.questions
    ]
    return overton_report(questions, seed=seed, settings=settings, external=parameters.external)
