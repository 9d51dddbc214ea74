import json

import numpy as np
import pytest
import scipy.stats

from clustering.stats.coverage import question_coverage
from clustering.stats.inputs import QuestionInput, panel_of_inputs
from clustering.stats.intervals import mean_over_questions
from clustering.stats.planning import expected_width, plan_precision, variance_components, within_variances
from clustering.stats.ratings import RatingMatrix
from clustering.stats.resampled import people_times, resampled_coverage
from tests.clustering.stats.panels import plain_panel, planted_questions


@pytest.mark.parametrize("rule", ["mean", "majority"])
def test_everybody_counted_once_is_the_coverage(rule):
    for question in planted_questions(3, missing=0.6, n_people=15):
        people = question.ratings.participants
        groups = np.array([question.members[person] for person in people])
        members = {person: question.members[person] for person in people}

        found = resampled_coverage(question.ratings.values, groups, np.ones((1, len(people))), rule=rule)
        expected = question_coverage(question.ratings, members, question="q", rule=rule)

        assert found.unweighted[0] == pytest.approx(expected.coverage, nan_ok=True)
        assert found.weighted[0] == pytest.approx(expected.coverage_weighted, nan_ok=True)
        assert found.best[0] == pytest.approx(expected.best_coverage, nan_ok=True)
        assert found.best_weighted[0] == pytest.approx(expected.best_coverage_weighted, nan_ok=True)


def test_somebody_counted_twice_is_two_people_alike():
    (question,) = planted_questions(5, n_questions=1, n_people=12)
    people = question.ratings.participants
    groups = np.array([question.members[person] for person in people])
    times = people_times(len(people), np.random.default_rng(1), 40)

    found = resampled_coverage(question.ratings.values, groups, times)

    for row, counts in enumerate(times):
        copies = [(f"{person}-{copy}", i) for i, person in enumerate(people) for copy in range(counts[i])]
        cells = [
            (name, source, value)
            for name, i in copies
            for source, value in zip(question.ratings.sources, question.ratings.values[i], strict=True)
            if not np.isnan(value)
        ]
        expected = question_coverage(
            RatingMatrix.from_ratings(cells, sources=question.ratings.sources),
            {name: int(groups[i]) for name, i in copies},
            question="q",
        )
        assert found.unweighted[row] == pytest.approx(expected.coverage, nan_ok=True)
        assert found.weighted[row] == pytest.approx(expected.coverage_weighted, nan_ok=True)


def test_nobody_in_a_group_has_no_coverage():
    found = resampled_coverage(np.zeros((0, 2)), np.zeros(0, dtype=np.int64), np.zeros((3, 0)))

    assert np.isnan(found.unweighted).all()
    assert found.unweighted.shape == (3, 2)


def test_a_design_as_in_the_data_has_the_width_of_the_data():
    coverage = np.random.default_rng(0).beta(2, 3, (30, 1))
    panel = plain_panel(coverage)
    (estimate,) = mean_over_questions(coverage, seed=0, replicates=20_000)
    (expanded,) = mean_over_questions(coverage, seed=0, replicates=20_000, method="expanded")

    components = variance_components(panel, None)[0]
    plan = expected_width(components, n_questions=30)
    wide = expected_width(components, n_questions=30, interval="expanded")

    assert components.total == pytest.approx(coverage.var(ddof=1))
    assert plan.standard_error == pytest.approx(scipy.stats.sem(coverage[:, 0]))
    assert plan.width == pytest.approx(estimate.high - estimate.low, rel=0.03)
    assert wide.width == pytest.approx(expanded.high - expanded.low, rel=0.04)


def test_coverages_alone_plan_questions_but_not_people():
    table = plan_precision(plain_panel(np.array([[0.5, 0.2], [0.1, 0.4]])), None, questions=(10, 40), people=(60,))
    unweighted = [plan for plan in table.plans if plan.variant == "unweighted" and plan.source == "m0"]

    assert [(plan.n_questions, plan.n_people) for plan in unweighted] == [(10, None), (10, 60), (40, None), (40, 60)]
    assert unweighted[1].undefined == "coverages alone do not tell what more people would change"
    assert unweighted[0].width > unweighted[2].width
    assert {p.undefined for p in table.plans if p.variant == "weighted"} == {"the sizes of the groups are not known"}
    json.dumps(table.to_dict(), allow_nan=False)


def test_one_question_plans_nothing_and_small_designs_are_refused():
    components = variance_components(plain_panel(np.array([[0.5]])), None)[0]

    assert expected_width(components, n_questions=5).undefined == "fewer than two questions with a coverage"
    with pytest.raises(ValueError, match="at least 2 questions"):
        expected_width(components, n_questions=1)


def study(rng, n_questions, n_people):
    """Questions of four groups of unequal shares; two answers of different worth."""
    questions = []
    for number in range(n_questions):
        means = rng.normal([3.9, 3.4], 0.7, (4, 2))
        groups = rng.choice(4, n_people, p=[0.4, 0.3, 0.2, 0.1])
        ratings = np.clip(np.rint(means[groups] + rng.normal(0, 1.0, (n_people, 2))), 1, 5)
        cells = [(f"p{i:03d}", f"m{j}", float(ratings[i, j])) for i in range(n_people) for j in range(2)]
        members = {f"p{i:03d}": int(group) for i, group in enumerate(groups)}
        questions.append(QuestionInput(f"q{number:03d}", "", RatingMatrix.from_ratings(cells), members))
    return questions


@pytest.mark.slow
@pytest.mark.parametrize(("n_questions", "n_people"), [(20, 120), (60, 30), (60, 60)])
def test_planned_widths_are_near_those_of_studies_of_that_design(n_questions, n_people):
    rng = np.random.default_rng(31)
    planned, real = [], []
    for _ in range(20):
        pilot = study(rng, 20, 40)
        panel = panel_of_inputs(pilot)
        within = within_variances(pilot, panel.sources, seed=0, replicates=60)
        planned.append(
            [
                expected_width(part, n_questions=n_questions, n_people=n_people).width
                for part in variance_components(panel, within)
            ]
        )
    for trial in range(20):
        panel = panel_of_inputs(study(rng, n_questions, n_people))
        real.append(
            [
                estimate.high - estimate.low
                for values in (panel.coverage, panel.coverage_weighted)
                for estimate in mean_over_questions(values, seed=trial, replicates=1000)
            ]
        )
    ratio = np.mean(planned, axis=0) / np.mean(real, axis=0)
    error = np.hypot(scipy.stats.sem(planned), scipy.stats.sem(real)) / np.mean(real, axis=0)
    print(f"{n_questions} questions, {n_people} people: planned/real {ratio} (Monte-Carlo error {error})")
    assert (np.abs(ratio - 1) < 0.12).all()
