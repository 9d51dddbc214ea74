import json
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustering.stats.inputs import QuestionInput
from clustering.stats.overton import overton_scores
from clustering.stats.panel import CoverageRow, panel_of_coverages, panel_of_rows
from clustering.stats.ratings import RatingMatrix
from clustering.stats.report import ReportSettings, overton_report, report_from_coverages
from tests.clustering.stats.panels import planted_questions

FEW = ReportSettings(replicates=60, plan_replicates=20)


@pytest.fixture(scope="module")
def questions():
    return planted_questions(0)


@pytest.fixture(scope="module")
def report(questions):
    return overton_report(questions, seed=3, settings=FEW, external={"slant": {"m0": -0.1, "m1": 0.2, "m2": 0.0}})


def test_the_report_goes_into_json_and_names_every_part(report):
    result = report.to_dict()
    json.dumps(result, allow_nan=False)

    assert result["method_version"] == "1"
    assert report.not_computed == {}
    assert [part.domain for part in report.domains] == ["politics", "values"]
    assert [(table.choice, table.variant) for table in (*report.rules, *report.thresholds, *report.sizes)] == [
        (choice, variant) for choice in ("rule", "threshold", "minimum_size") for variant in ("unweighted", "weighted")
    ]
    assert [table.attribute for table in report.subgroups] == ["party"]
    assert {row.score for row in report.external} == {
        "raw, unweighted",
        "raw, weighted",
        *(f"adjusted ({mode}), {variant}" for mode in ("paper", "ordinary") for variant in ("unweighted", "weighted")),
    }


def test_scores_of_the_report_are_those_of_the_coverages(report):
    table = overton_scores(report.coverages, seed=3, replicates=60)

    assert report.scores == table


def test_domains_hold_the_questions_of_each(report):
    for part in report.domains:
        rows = [i for i, domain in enumerate(report.panel.domains) if domain == part.domain]
        assert part.scores.questions == tuple(report.panel.questions[row] for row in rows)
        for score, column in zip(part.scores.scores, report.panel.coverage[rows].T, strict=True):
            assert score.unweighted.value == pytest.approx(column.mean())


def test_thresholds_are_tried_within_each_domain(questions, report):
    assert list(report.thresholds_by_domain) == ["politics", "values"]
    for domain, tables in report.thresholds_by_domain.items():
        alone = overton_report([q for q in questions if q.domain == domain], seed=3, settings=FEW)
        assert [table.to_dict() for table in tables] == [table.to_dict() for table in alone.thresholds]


def test_coverages_alone_give_the_same_scores_and_reasons_for_the_rest(report):
    panel = report.panel
    rows = [
        CoverageRow(
            question=question,
            source=source,
            coverage=float(panel.coverage[row, column]),
            n_groups=int(panel.n_groups[row, column]),
            coverage_weighted=float(panel.coverage_weighted[row, column]),
            n_people=int(panel.n_people[row, column]),
            domain=panel.domains[row],
        )
        for row, question in enumerate(panel.questions)
        for column, source in enumerate(panel.sources)
    ]
    random.Random(0).shuffle(rows)

    other = report_from_coverages(rows, seed=3, settings=FEW)

    assert set(other.not_computed) == {
        "by_group_size",
        "rules",
        "thresholds",
        "thresholds_by_domain",
        "sizes",
        "subgroups",
    }
    for one, two in zip(report.scores.scores, other.scores.scores, strict=True):
        assert two.unweighted.value == pytest.approx(one.unweighted.value)
        assert two.weighted.low == pytest.approx(one.weighted.low)
    for left, right in zip(report.overall.adjusted, other.overall.adjusted, strict=True):
        for one, two in zip(left.scores, right.scores, strict=True):
            assert (two.adjusted, two.p_value) == pytest.approx((one.adjusted, one.p_value))
    assert other.scores.best.unweighted.undefined.startswith("a table of coverages does not say")
    json.dumps(other.to_dict(), allow_nan=False)


def relabelled(questions, order):
    """The same study told otherwise: questions, people, groups and ratings in another order and other numbers."""
    result = []
    for question in questions:
        cells = [
            (person, source, float(question.ratings.values[i, j]))
            for i, person in enumerate(question.ratings.participants)
            for j, source in enumerate(question.ratings.sources)
            if not np.isnan(question.ratings.values[i, j])
        ]
        order.shuffle(cells)
        labels = list(range(20))
        order.shuffle(labels)
        members = [(person, labels[group]) for person, group in question.members.items()]
        order.shuffle(members)
        ratings = RatingMatrix.from_ratings(cells, sources=question.ratings.sources)
        result.append(QuestionInput(question.code, question.domain, ratings, dict(members), question.attributes))
    order.shuffle(result)
    return result


@settings(max_examples=5)
@given(order=st.randoms(use_true_random=False))
def test_order_and_names_of_groups_change_nothing(questions, report, order):
    other = overton_report(
        relabelled(questions, order), seed=3, settings=FEW, external={"slant": {"m0": -0.1, "m1": 0.2, "m2": 0.0}}
    )

    one, two = report.to_dict(), other.to_dict()
    for result in (one, two):
        # Group by group the order is that of the labels.
        result.pop("coverages")
        result.pop("by_group_size")
    assert json.dumps(one) == json.dumps(two)
    assert other.by_group_size.pooled.value == pytest.approx(report.by_group_size.pooled.value)


def test_everybody_twice_changes_no_score_but_that_of_small_groups(questions, report):
    doubled = []
    for question in questions:
        cells = [
            (f"{person}{copy}", source, float(question.ratings.values[i, j]))
            for i, person in enumerate(question.ratings.participants)
            for j, source in enumerate(question.ratings.sources)
            if not np.isnan(question.ratings.values[i, j])
            for copy in "ab"
        ]
        members = {f"{person}{copy}": group for person, group in question.members.items() for copy in "ab"}
        ratings = RatingMatrix.from_ratings(cells, sources=question.ratings.sources)
        doubled.append(QuestionInput(question.code, question.domain, ratings, members))

    other = overton_report(doubled, seed=3, settings=FEW)

    assert other.scores == report.scores
    assert other.overall.differences == report.overall.differences


@pytest.mark.parametrize(
    "questions",
    [
        [],
        [QuestionInput("q", "", RatingMatrix.from_ratings([], sources=["m"]), {})],
        [QuestionInput("q", "", RatingMatrix.from_ratings([("a", "m", 5)]), {"a": 0})],
        [QuestionInput("q", "", RatingMatrix.from_ratings([("a", "m", 5)]), {"b": 0})],
        [
            QuestionInput("q", "x", RatingMatrix.from_ratings([("a", "m", 5), ("a", "n", 1)]), {"a": 0}),
            QuestionInput("r", "y", RatingMatrix.from_ratings([("a", "n", 5)]), {"a": 0}),
        ],
    ],
    ids=["no question", "no rating", "one person", "raters in no group", "a source missing"],
)
def test_degenerate_studies_have_reasons(questions):
    report = overton_report(questions, seed=0, settings=FEW)

    json.dumps(report.to_dict(), allow_nan=False)
    for score in (*report.scores.scores, report.scores.best):
        for estimate in (score.unweighted, score.weighted):
            assert np.isnan(estimate.value) == (estimate.undefined is not None)
            assert np.isnan(estimate.low) == (estimate.interval_undefined is not None)
    for table in (*report.overall.adjusted, *report.overall.adjusted_t):
        for row in table.scores:
            assert np.isnan(row.adjusted) == (row.undefined is not None)
            assert np.isnan(row.p_value) == (row.interval_undefined is not None)
    for pairs in report.overall.differences:
        for pair in pairs.pairs:
            assert np.isnan(pair.difference) == (pair.undefined is not None)
            assert np.isnan(pair.p_value) == (pair.interval_undefined is not None)
    for plan in report.planning.plans:
        assert np.isnan(plan.width) == (plan.undefined is not None)


def row(**changes):
    """A row of a table of coverages."""
    return CoverageRow(**({"question": "q", "source": "m", "coverage": 0.5, "n_groups": 2} | changes))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row(), row()], "occurs twice"),
        ([row(coverage=1.2)], "outside 0 to 1"),
        ([row(coverage=float("nan"))], "outside 0 to 1"),
        ([row(coverage_weighted=-0.1)], "outside 0 to 1"),
        ([row(n_groups=0)], "at least one group"),
        ([row(n_people=1)], "no group is empty"),
        ([row(), row(source="n", n_groups=3)], "two numbers of groups"),
        ([row(), row(source="n", domain="other")], "two domains"),
    ],
)
def test_rows_that_cannot_be_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        report_from_coverages(rows, seed=0)


def test_shares_that_are_no_rounded_fractions_stay_as_given():
    given = [row(coverage=0.4, n_groups=3), row(source="n", coverage=0.333, n_groups=3)]

    panel = panel_of_rows(given)

    assert panel.recovered == ()
    assert panel.coverage[0].tolist() == [0.4, 0.333]
    assert panel_of_rows(given[1:]).coverage[0, 0] == pytest.approx(1 / 3)
    assert panel_of_rows(given[1:], recover=False).coverage[0, 0] == 0.333


def test_groups_without_a_say_do_not_weigh():
    ratings = RatingMatrix.from_ratings([("a", "m", 5), ("a", "n", 1), ("b", "n", 1)])
    report = overton_report([QuestionInput("q", "", ratings, {"a": 0, "b": 1, "c": 1})], seed=0, settings=FEW)

    assert report.panel.n_groups.tolist() == [[1, 2]]
    assert report.panel.n_people.tolist() == [[1, 3]]
    assert report.panel.question_groups.tolist() == [2]
    assert panel_of_coverages(report.coverages).coverage.tolist() == [[1.0, 0.0]]
