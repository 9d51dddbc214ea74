"""The executor of reports on predictions. Imported by the worker alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Q

from clustering.inclusion import Inclusion
from clustering.loading import question_ratings
from clustering.parameters import GROUPS, Parameters
from clustering.selectors import reported_run
from clustering.stats.adjusted import adjusted_scores
from clustering.stats.coverage import QuestionCoverage, question_coverage
from clustering.stats.lomo import LomoResult, leave_one_out, precision_at
from clustering.stats.panel import VARIANTS, CoveragePanel, Variant, panel_of_coverages
from clustering.stats.plain import plain
from clustering.stats.ratings import RatingMatrix
from core.canonical import content_sha256
from core.models import Run
from core.runs import Computed, RunningRun
from prediction.judging.context import shown_value
from prediction.models import Candidate, Prediction, PredictionBatch
from prediction.parameters import Reporting
from prediction.points import Point, measured
from prediction.stats.accuracy import accuracy_report
from prediction.stats.parity import subgroup_parity
from prediction.stats.rounding import averaged
from prediction.stats.table import PredictionTable
from studies.models import Answer, FormItem, Question, Source, Study

NO_GROUPS = "the study has no finished run of groups and scores"
SEVERAL = "several"


@dataclass(frozen=True, slots=True)
class Predicted:
    """What one batch predicts: one value a point, made of its repeats."""

    batch: PredictionBatch
    values: dict[Point, float]
    outcomes: dict[str, int]
    most_repeats: int

    def to_dict(self) -> dict[str, Any]:
        """What the report says of the batch."""
        return {
            "batch": str(self.batch.public_id),
            "name": self.batch.name,
            "method": self.batch.method,
            "n_points": len(self.values),
            "outcomes": self.outcomes,
            "most_repeats": self.most_repeats,
        }


@dataclass(frozen=True, slots=True)
class Groups:
    """Opinion groups of the questions of a finished run of scores, and the measured ratings they are judged by."""

    run: Run
    parameters: Parameters
    questions: tuple[Question, ...]
    members: dict[str, dict[str, int]]


def report(running: RunningRun) -> Computed:
    """Compare batches with each other and with the measured ratings: errors, parity, scores, leaderboard."""
    run = running.run
    study = Study.objects.get(public_id=run.subject_id)
    settings = Reporting.from_dict(run.parameters)
    known = measured(study, settings.inclusion)
    batches = [predicted_of(batch) for batch in _batches(study, settings)]
    table = PredictionTable.from_ratings(known.ratings, {each.batch.name: each.values for each in batches})
    steps = 2 + len(batches)
    running.progress(0, steps)
    accuracy = accuracy_report(
        table, seed=run.seed, unit=settings.unit, replicates=settings.replicates, level=settings.level
    )
    running.progress(1, steps)
    groups = groups_of(study)
    people = demographics(study)
    parity, scores = [], []
    for number, each in enumerate(batches, 2):
        parity.append(
            subgroup_parity(table, each.batch.name, people, seed=run.seed, permutations=settings.permutations).to_dict()
        )
        scores.append({"method": each.batch.name} | _scores(study, groups, each, settings.level))
        running.progress(number, steps)
    result = {
        "study": study.slug,
        "n_ratings": len(known.ratings),
        "batches": [each.to_dict() for each in batches],
        "accuracy": accuracy.to_dict(),
        "parity": parity,
        "groups": _groups_dict(groups),
        "scores": scores,
    }
    digest = content_sha256(
        {
            "parameters": run.parameters,
            "seed": run.seed,
            "ratings": [[*point, value] for point, value in known.ratings.items()],
            "predictions": [
                [each.batch.name, sorted([*point, v] for point, v in each.values.items())] for each in batches
            ],
            "demographics": people,
            "groups": groups.run.result_sha256 if groups else None,
        }
    )
    return Computed(digest, result)


def _batches(study: Study, settings: Reporting) -> list[PredictionBatch]:
    rows = PredictionBatch.objects.filter(study=study, public_id__in=settings.batches)
    return list(rows.order_by("name"))


def predicted_of(batch: PredictionBatch) -> Predicted:
    """The current predictions of a batch of present answers, repeats averaged and rounded half up."""
    present = Q(answer__is_current=True, answer__question__is_current=True)
    present |= Q(candidate_answer__question__is_current=True)
    rows = Prediction.objects.current().filter(present, batch=batch).order_by()
    columns = (
        "enrolment__public_code",
        "answer__question__code",
        "answer__source__code",
        "candidate_answer__question__code",
        "candidate_answer__candidate__code",
        "outcome",
        "value",
    )
    repeats: dict[Point, list[float]] = {}
    outcomes: Counter[str] = Counter()
    for person, question, source, new_question, candidate, outcome, value in rows.values_list(*columns).iterator(
        10_000
    ):
        outcomes[outcome] += 1
        if value is not None:
            repeats.setdefault((person, question or new_question, source or candidate), []).append(value)
    most = max(map(len, repeats.values()), default=0)
    points = sorted(repeats)
    wide = np.full((len(points), most), np.nan)
    for row, point in enumerate(points):
        values = sorted(repeats[point])
        wide[row, : len(values)] = values
    return Predicted(
        batch, dict(zip(points, averaged(wide).tolist(), strict=True)), dict(sorted(outcomes.items())), most
    )


def demographics(study: Study) -> dict[str, dict[str, str]]:
    """Participants' groups by form item with choices; who chose several of one item is in the group "several"."""
    kinds = (FormItem.Kind.SINGLE, FormItem.Kind.MULTIPLE)
    items = {item.code: item for item in study.form_items.filter(kind__in=kinds)}
    found: dict[str, dict[str, str]] = {f"form: {code}": {} for code in sorted(items)}
    rows = Answer.objects.filter(enrolment__study=study, item_code__in=list(items), missing=None)
    for answer in rows.select_related("enrolment"):
        several = answer.value_choices is not None and len(answer.value_choices) > 1
        group = SEVERAL if several else shown_value(items[answer.item_code], answer)
        if group:
            found[f"form: {answer.item_code}"][answer.enrolment.public_code] = group
    return {category: dict(sorted(groups.items())) for category, groups in found.items()}


def groups_of(study: Study) -> Groups | None:
    """The groups of the reported run of scores; None if there is no run."""
    run = reported_run(study)
    if run is None:
        return None
    parts = {part.subject_id: part for part in run.parts.filter(kind=GROUPS)}
    questions = tuple(Question.objects.filter(public_id__in=list(parts)).order_by("position", "code"))
    members = {}
    for question in questions:
        found = (parts[str(question.public_id)].result or {}).get("groups", {})
        pairs = zip(found.get("participants", []), found.get("labels", []), strict=True)
        members[question.code] = {code: label for code, label in pairs if label >= 0}
    return Groups(run, Parameters.from_dict(run.parameters), questions, members)


def _groups_dict(groups: Groups | None) -> dict[str, Any]:
    if groups is None:
        return {"run": None, "undefined": NO_GROUPS}
    return {
        "run": str(groups.run.public_id),
        "result_sha256": groups.run.result_sha256,
        "rule": groups.parameters.rule,
        "threshold": groups.parameters.threshold,
        "undefined": None,
    }


def _scores(study: Study, groups: Groups | None, predicted: Predicted, level: float) -> dict[str, Any]:
    """What the batch's predictions make of OvertonScores: leave one model out, and the leaderboard."""
    if groups is None:
        return {"undefined": NO_GROUPS, "lomo": None, "leaderboard": None}
    inclusion = groups.parameters.inclusion
    candidates = sorted(Candidate.objects.filter(study=study).values_list("code", flat=True))
    pairs = [_coverages(question, groups, predicted, inclusion, candidates) for question in groups.questions]
    counts = [pair.n_predicted for pair in pairs]
    shares = {source: _share([by.get(source, (0, 0)) for by in counts]) for source in sorted(set().union(*counts))}
    human = panel_of_coverages([pair.measured for pair in pairs])
    judged = panel_of_coverages([pair.predicted for pair in pairs])
    both = panel_of_coverages([pair.with_candidates for pair in pairs])
    return {
        "undefined": None,
        "lomo": {variant: _lomo(human, judged, variant, level) for variant in VARIANTS},
        "leaderboard": {variant: _leaderboard(study, both, candidates, variant, level) for variant in VARIANTS},
        "share_predicted": shares,
    }


@dataclass(frozen=True, slots=True)
class _Pair:
    """Coverage of one question by measured ratings, by predictions of them, and with candidates beside the measured.

    `n_predicted` counts by source how many members of groups have a prediction, of how many who could.
    """

    measured: QuestionCoverage
    predicted: QuestionCoverage
    with_candidates: QuestionCoverage
    n_predicted: dict[str, tuple[int, int]]


def _coverages(
    question: Question, groups: Groups, predicted: Predicted, inclusion: Inclusion, candidates: list[str]
) -> _Pair:
    ratings = [(person, source, float(value)) for person, source, value in question_ratings(question, inclusion)]
    members = groups.members[question.code]
    raters = {person for person, _source, _value in ratings}
    own = {
        (person, source): value
        for (person, code, source), value in predicted.values.items()
        if code == question.code and person in raters
    }
    is_measured = {(person, source) for person, source, _value in ratings}
    sources = sorted({source for _person, source in is_measured})
    judged = [(person, source, value) for (person, source), value in own.items() if (person, source) in is_measured]
    replaced = {source for _person, _code, source in predicted.values}
    new = [(person, source, value) for (person, source), value in own.items() if source in candidates]

    def covered(rows: list[tuple[str, str, float]], columns: list[str]) -> QuestionCoverage:
        rule: Any = groups.parameters.rule
        return question_coverage(
            RatingMatrix.from_ratings(rows, sources=columns),
            members,
            question=question.code,
            threshold=groups.parameters.threshold,
            rule=rule,
        )

    counts = {
        source: (
            sum(1 for person, column in own if column == source and person in members),
            sum(1 for person, column in is_measured if column == source and person in members),
        )
        for source in sources
    } | {
        code: (
            sum(1 for person, column in own if column == code and person in members),
            len(raters & set(members)),
        )
        for code in candidates
    }
    return _Pair(
        covered(ratings, sources),
        covered(judged, [source for source in sources if source in replaced]),
        covered(ratings + new, [*sources, *candidates]),
        counts,
    )


def _share(pairs: list[tuple[int, int]]) -> float | None:
    whole = sum(possible for _predicted, possible in pairs)
    return sum(predicted for predicted, _possible in pairs) / whole if whole else None


def _lomo(human: CoveragePanel, judged: CoveragePanel, variant: Variant, level: float) -> dict[str, Any]:
    """Leave one model out, refitted in both readings of the regression, with precision at k of the replaced scores."""
    found: dict[str, Any] = {}
    for mode in ("ordinary", "paper"):
        chosen: Any = mode
        if reason := adjusted_scores(human, variant=variant, mode=chosen, level=level).undefined:
            found[mode] = {"undefined": reason}
            continue
        result = leave_one_out(human, judged, variant=variant, mode=chosen, level=level)
        found[mode] = result.to_dict() | _targets(result)
    return found


def _targets(result: LomoResult) -> dict[str, Any]:
    """The score of each model when it is the predicted one, beside the measured, and how the best k agree."""
    predicted = [float(run.scores[result.sources.index(run.target)]) for run in result.runs]
    human = [float(result.human[result.sources.index(run.target)]) for run in result.runs]
    rows = [
        {"source": run.target, "measured": plain(one), "predicted": plain(two), "difference": plain(two - one)}
        for run, one, two in zip(result.runs, human, predicted, strict=True)
    ]
    defined = [(one, two) for one, two in zip(human, predicted, strict=True) if np.isfinite([one, two]).all()]
    precision = {
        str(k): precision_at([one for one, _two in defined], [two for _one, two in defined], k)
        for k in range(1, len(defined))
    }
    return {"targets": rows, "precision_at": precision}


def _leaderboard(
    study: Study, panel: CoveragePanel, candidates: list[str], variant: Variant, level: float
) -> dict[str, Any]:
    """Measured models and predicted candidates in one regression, the highest first; who is predicted says so."""
    names = dict(Source.objects.filter(study=study).values_list("code", "name"))
    names |= dict(Candidate.objects.filter(study=study).values_list("code", "name"))
    table = adjusted_scores(panel, variant=variant, level=level)
    rows = [
        {
            "code": score.source,
            "name": names.get(score.source, score.source),
            "is_predicted": score.source in candidates,
            **{
                name: plain(getattr(score, name))
                for name in ("raw", "adjusted", "deviation", "low", "high", "p_value", "p_holm")
            },
            "undefined": score.undefined,
        }
        for score in table.scores
    ]
    rows.sort(key=lambda row: (row["adjusted"] is None, -(row["adjusted"] or 0.0), row["code"]))
    return {"mode": table.mode, "undefined": table.undefined, "rows": rows}
