"""Opinion groups of one question: clusters, their profiles, how good and how stable the grouping is."""

from __future__ import annotations

from clustering import storing
from clustering.computing.clusterers import loaded_question
from clustering.computing.findings import findings_of
from clustering.computing.identities import identities_of
from clustering.inclusion import flow_of_n
from clustering.parameters import Parameters
from core.canonical import content_sha256
from core.runs import Computed, RunningRun
from studies.models import Question


def groups(running: RunningRun) -> Computed:
    """Opinion groups of one question."""
    run = running.run
    question = Question.objects.select_related("study").get(public_id=run.subject_id)
    settings = Parameters.from_dict(run.parameters)
    running.progress(0, 3, question.code)
    loaded, clusterer = loaded_question(question, settings)
    flow = flow_of_n(question, settings.inclusion, len(loaded.enrolments))
    done = findings_of(
        loaded, clusterer, settings, run.seed, on_step=lambda step: running.progress(step, 3, question.code)
    )
    result = {"question": question.code, "revision": question.revision, "flow": flow, **done.parts}
    identities = identities_of(question, settings.method, done.found)
    rows = storing.GroupingRows(question, loaded, done.rated, done.found, done.profiles, settings.method, identities)
    # Drawn here, not in the transaction that stores it: on SQLite nobody could write meanwhile.
    figures = rows.drawn(done.stability)
    digest = content_sha256(
        {
            "parameters": settings.grouping(),
            "seed": run.seed,
            "votes": done.matrix.sha256(),
            # Of polis alone: its groups depend on who came first.
            "order": list(clusterer.order),
        }
    )
    return Computed(digest, result, lambda finished: rows.store(finished, figures))
