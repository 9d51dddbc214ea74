import json

import numpy as np
import pytest
import scipy.stats

from clustering.stats.coverage import question_coverage
from clustering.stats.inputs import QuestionInput, panel_of_inputs
from clustering.stats.intervals import mean_over_questions
from clustering.stats.planning import design_moments, plan_precision
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


def plans_of(table, source="m0", variant="unweighted"):
    return {(p.n_questions, p.n_people): p for p in table.plans if (p.source, p.variant) == (source, variant)}


def test_a_design_as_in_the_data_has_the_width_of_the_data():
    coverage = np.random.default_rng(0).beta(2, 3, (30, 1))
    for interval in ("percentile", "expanded"):
        (estimate,) = mean_over_questions(coverage, seed=0, replicates=20_000, method=interval)
        table = plan_precision(plain_panel(coverage), (), questions=(30,), interval=interval)
        plan = plans_of(table)[30, None]

        assert plan.standard_error == pytest.approx(scipy.stats.sem(coverage[:, 0]))
        assert plan.width == pytest.approx(estimate.high - estimate.low, rel=0.04)


def test_coverages_alone_plan_questions_but_not_people():
    table = plan_precision(plain_panel(np.array([[0.5, 0.2], [0.1, 0.4]])), (), questions=(10, 40), people=(60,))
    plans = plans_of(table)

    assert list(plans) == [(10, None), (10, 60), (40, None), (40, 60)]
    assert plans[10, 60].undefined == "coverages alone do not tell what other people would change"
    assert plans[10, None].people_undefined == "coverages alone do not tell what other people would change"
    assert plans[10, None].width > plans[40, None].width
    assert {p.undefined for p in table.plans if p.variant == "weighted"} == {"the sizes of the groups are not known"}
    json.dumps(table.to_dict(), allow_nan=False)


def test_one_question_plans_nothing_and_small_designs_are_refused():
    panel = plain_panel(np.array([[0.5]]))

    (plan,) = plans_of(plan_precision(panel, (), questions=(5,))).values()
    assert plan.undefined == "fewer than two questions with a coverage"
    for questions, people in (((1,), ()), ((5,), (0,))):
        with pytest.raises(ValueError, match="at least 2 questions"):
            plan_precision(panel, (), questions=questions, people=people)


def test_more_people_help_the_interval_over_people():
    questions = planted_questions(0, n_questions=10)
    panel = panel_of_inputs(questions)
    moments = design_moments(questions, panel.sources, people=(None, 40, 400), seed=0)

    plans = plans_of(plan_precision(panel, moments, questions=(10,), people=(40, 400)))

    # A question has some 40 people in groups, so None and 40 are alike but for their draws.
    assert plans[10, 40].people_width == pytest.approx(plans[10, None].people_width, rel=0.25)
    assert plans[10, 400].people_width < 0.8 * plans[10, 40].people_width
    assert plans[10, 400].people_width < plans[10, 400].width


def study(rng, n_questions, n_people, given=None):
    """Questions of four groups of unequal shares; two answers of different worth."""
    questions = []
    for number in range(n_questions):
        means = rng.normal([3.9, 3.4], 0.7, (4, 2)) if given is None else given[number]
        groups = rng.choice(4, n_people, p=[0.4, 0.3, 0.2, 0.1])
        ratings = np.clip(np.rint(means[groups] + rng.normal(0, 1.0, (n_people, 2))), 1, 5)
        cells = [(f"p{i:03d}", f"m{j}", float(ratings[i, j])) for i in range(n_people) for j in range(2)]
        members = {f"p{i:03d}": int(group) for i, group in enumerate(groups)}
        questions.append(QuestionInput(f"q{number:03d}", "", RatingMatrix.from_ratings(cells), members))
    return questions


def planned(pilot, n_questions, n_people):
    """Width, and width over people, of each source and variant."""
    panel = panel_of_inputs(pilot)
    moments = design_moments(pilot, panel.sources, people=(n_people,), seed=0, replicates=60)
    table = plan_precision(panel, moments, questions=(n_questions,), people=(n_people,))
    return [(plan.width, plan.people_width) for plan in table.plans if plan.n_people == n_people]


@pytest.mark.slow
@pytest.mark.parametrize(("n_questions", "n_people"), [(20, 120), (60, 20), (60, 40)])
def test_planned_widths_are_near_those_of_studies_of_that_design(n_questions, n_people):
    rng = np.random.default_rng(31)
    plans = np.array([planned(study(rng, 20, 40), n_questions, n_people) for _ in range(25)])[:, :, 0]
    real = []
    for trial in range(25):
        panel = panel_of_inputs(study(rng, n_questions, n_people))
        real.append(
            [
                estimate.high - estimate.low
                for values in (panel.coverage, panel.coverage_weighted)
                for estimate in mean_over_questions(values, seed=trial, replicates=1000)
            ]
        )
    ratio = plans.mean(axis=0) / np.mean(real, axis=0)
    error = np.hypot(scipy.stats.sem(plans), scipy.stats.sem(real)) / np.mean(real, axis=0)
    print(f"{n_questions} questions, {n_people} people: planned/real {ratio.round(3)} (error {error.round(3)})")
    assert (np.abs(ratio - 1) < 0.1 + 2 * error).all()
    assert abs(ratio.mean() - 1) < 0.1


@pytest.mark.slow
@pytest.mark.parametrize("n_people", [40, 120])
def test_planned_widths_over_people_are_near_those_of_repeating_the_same_questions(n_people):
    rng = np.random.default_rng(8)
    n_questions, repeats = 20, 60
    means = rng.normal([3.9, 3.4], 0.7, (n_questions, 4, 2))
    plans = [planned(study(rng, n_questions, 40, means), n_questions, n_people) for _ in range(10)]
    drawn = [panel_of_inputs(study(rng, n_questions, n_people, means)) for _ in range(repeats)]
    real = np.concatenate(
        [
            np.std([values.mean(axis=0) for values in variant], axis=0, ddof=1)
            for variant in ([panel.coverage for panel in drawn], [panel.coverage_weighted for panel in drawn])
        ]
    )
    ratio = np.array(plans)[:, :, 1].mean(axis=0) / (2 * scipy.stats.norm.ppf(0.975) * real)
    error = 1 / np.sqrt(2 * repeats)
    print(f"{n_people} people, the same questions: planned/real {ratio.round(3)} (error {error:.2f})")
    assert (np.abs(ratio - 1) < 0.25 + 2 * error).all()
