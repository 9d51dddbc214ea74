"""The live view of a question: Pol.is' clusterer, continued from run to run."""

from __future__ import annotations

import logging
from typing import Any

from clustering import storing
from clustering.computing.clusterers import loaded_question
from clustering.computing.findings import profile_dict
from clustering.computing.identities import identities_of
from clustering.inclusion import flow_of_n
from clustering.parameters import LIVE, GroupingSettings
from clustering.stats.matrix import VoteMatrix
from clustering.stats.polis.groups import PolisGroups
from clustering.stats.polis.state import PolisState
from core.canonical import content_sha256
from core.models import Run
from core.runs import CannotCompute, Computed, RunningRun
from studies.models import Question

logger = logging.getLogger(__name__)

MOST_CELLS = 20_000_000
"""People times statements from which no figure is drawn: a place for each pair would take too much memory."""


def live(running: RunningRun) -> Computed:
    """The groups as they stand, smoothed by those of the run before."""
    run = running.run
    question = Question.objects.select_related("study").get(public_id=run.subject_id)
    settings = GroupingSettings(**GroupingSettings.read(run.parameters))
    running.progress(0, 1, question.code)
    loaded, clusterer = loaded_question(question, settings)
    votes = loaded.sparse()
    previous, continued = state_before(run)
    found = clusterer.find(votes, run.seed, previous)
    if not isinstance(found, PolisGroups):
        raise CannotCompute("the live view takes the polis clusterer")
    running.heartbeat()
    result: dict[str, Any] = {
        "question": question.code,
        "revision": question.revision,
        "flow": flow_of_n(question, settings.inclusion, len(loaded.enrolments)),
        "n_votes": votes.n_votes,
        # The hash, not the id, of the run that this one continues: the same votes and the same past give the same.
        "continues": continued,
        "groups": found.to_dict(),
        "profiles": profile_dict(found.profiles),
    }
    identities = identities_of(question, LIVE, found)
    matrix = _drawable(loaded.n_cells, votes.to_matrix)
    rows = storing.GroupingRows(question, loaded, matrix, found, found.profiles, LIVE, identities)
    figures = rows.drawn({}) if matrix is not None else []
    digest = content_sha256(
        {
            "parameters": run.parameters,
            "seed": run.seed,
            "votes": found.matrix_sha256,
            "order": found.order_sha256,
            "continues": continued,
        }
    )

    def store(finished: Run) -> None:
        rows.store(finished, figures)
        storing.prune_live(question)

    return Computed(digest, result, store)


def state_before(run: Run) -> tuple[PolisState | None, str]:
    """The state that the run continues, and the hash of the result that holds it; none and empty for a cold start."""
    before = run.continues
    if before is None or before.result is None:
        return None, ""
    try:
        return PolisState.from_dict(before.result["groups"]["state"]), before.result_sha256
    except (KeyError, ValueError) as problem:
        logger.warning("live run %s starts anew: %s", run.public_id, problem)
        return None, ""


def _drawable(n_cells: int, make: Any) -> VoteMatrix | None:
    matrix: VoteMatrix | None = make() if n_cells <= MOST_CELLS else None
    return matrix
