"""Screening of pilot questions: each figure by hand, each reason, each way to be undefined."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from clustering.stats.screening import Criterion, Cutoffs, QuestionScreening, screen, wilson

Row = tuple[str | None, str | None, float | None]
SPLIT: list[Row] = [
    *[("liberal", "democrat", 4.0)] * 8,
    *[("neutral", "democrat", 3.0)] * 2,
    *[("conservative", "republican", 5.0)] * 6,
    *[("neutral", "republican", 4.0)] * 4,
]


def one(rows: list[Row], **cutoffs: Any) -> QuestionScreening:
    return screen(["q"], {"q": rows}, cutoffs=Cutoffs(**cutoffs)).questions[0]


def test_the_figures_are_those_of_a_hand_calculation() -> None:
    found = one(SPLIT)

    assert found.stances == (("liberal", 8), ("conservative", 6), ("neutral", 6))
    assert found.consensus.value == 8 / 20
    assert [(each.party, each.n_neutral, each.n) for each in found.parties] == [
        ("democrat", 2, 10),
        ("republican", 4, 10),
    ]
    assert found.neutral.value == 0.2
    assert found.importance.value == pytest.approx((8 * 4 + 2 * 3 + 6 * 5 + 4 * 4) / 20)
    assert (found.recommendation, found.reasons) == ("keep", ())


def test_near_consensus_is_dropped() -> None:
    found = one([("liberal", "democrat", 4.0)] * 9 + [("liberal", "republican", 4.0)] * 9 + SPLIT[-2:])

    assert found.consensus.value == 0.9
    assert (found.recommendation, found.reasons) == ("drop", ("consensus",))


def test_neutral_in_every_party_is_dropped() -> None:
    rows: list[Row] = [
        *[("neutral", "democrat", 4.0)] * 6,
        *[("liberal", "democrat", 4.0)] * 4,
        *[("neutral", "republican", 4.0)] * 5,
        *[("conservative", "republican", 4.0)] * 5,
    ]

    found = one(rows)

    assert found.neutral.value == 0.5
    assert (found.recommendation, found.reasons) == ("drop", ("neutral",))


def test_neutral_in_one_party_alone_is_not() -> None:
    rows = [("neutral", "democrat", 4.0)] * 10 + [("conservative", "republican", 4.0)] * 10

    assert one(rows).neutral.value == 0
    assert one(rows).recommendation == "keep"


def test_a_party_with_few_people_does_not_decide() -> None:
    found = one([*[("neutral", "democrat", 4.0)] * 9, *[("neutral", "republican", 4.0)] * 9, ("liberal", "green", 4.0)])

    assert [each.is_judged for each in found.parties] == [True, False, True]
    assert found.neutral.value == 1.0
    assert found.neutral.n == 18


def test_low_importance_is_dropped() -> None:
    found = one([(stance, party, 2.0) for stance, party, _importance in SPLIT])

    assert (found.importance.value, found.reasons) == (2.0, ("importance",))


def test_all_reasons_are_named() -> None:
    assert one([("neutral", "a", 1.0)] * 10 + [("neutral", "b", 1.0)] * 10).reasons == (
        "consensus",
        "neutral",
        "importance",
    )


@pytest.mark.parametrize(
    ("rows", "criterion", "reason"),
    [
        ([], "consensus", "no_stances"),
        ([], "neutral", "no_stances"),
        ([], "importance", "no_importances"),
        (SPLIT[:9], "consensus", "few_stances"),
        (SPLIT[:9], "importance", "few_importances"),
        (SPLIT[:10], "neutral", "few_parties"),
        ([(stance, None, 3.0) for stance, _party, _importance in SPLIT], "neutral", "no_parties"),
        ([(stance, party, None) for stance, party, _importance in SPLIT], "importance", "no_importances"),
        ([(None, party, 3.0) for _stance, party, _importance in SPLIT], "neutral", "no_stances"),
    ],
)
def test_what_cannot_be_said_is_undefined_for_a_reason(rows: list[Row], criterion: str, reason: str) -> None:
    found: Criterion = one(rows).criteria[criterion]

    assert (found.undefined, found.is_met, found.is_borderline) == (reason, None, False)
    assert math.isnan(found.value)
    assert math.isnan(found.low)


def test_an_undefined_reason_leaves_the_question_undecided() -> None:
    found = one([(stance, party, None) for stance, party, _importance in SPLIT])

    assert (found.recommendation, found.reasons) == ("undecided", ("no_importances",))


def test_but_a_reason_that_is_met_is_enough() -> None:
    assert one([("liberal", None, None)] * 20).recommendation == "drop"


def test_a_value_at_the_cutoff_reaches_it_whatever_rounding_does() -> None:
    rows = [("liberal", "a", 3.0)] * 7 + [("neutral", "b", 3.0)] * 3

    assert one(rows, consensus=0.1 * 7).consensus.is_met is True  # 0.7000000000000001
    assert one(rows, consensus=0.71).consensus.is_met is False


def test_an_interval_that_holds_the_cutoff_is_borderline() -> None:
    assert one(SPLIT, consensus=0.45).consensus.is_borderline
    assert not one(SPLIT * 50, consensus=0.45).consensus.is_borderline


def test_questions_without_rows_are_in_the_report() -> None:
    report = screen(["b", "a"], {"a": SPLIT})

    assert [each.question for each in report.questions] == ["b", "a"]
    assert (report.n_keep, report.n_drop, report.n_undecided) == (1, 0, 1)


def test_the_report_is_json() -> None:
    text = json.dumps(screen(["q"], {"q": SPLIT[:3]}).to_dict(), allow_nan=False)

    assert json.loads(text)["questions"][0]["consensus"]["value"] is None
    assert json.loads(text)["method_version"] == "1"
    assert json.loads(text)["cutoffs"]["consensus"] == 0.85


@pytest.mark.parametrize(
    "values",
    [
        {"consensus": 0},
        {"consensus": 1.1},
        {"neutral": -0.1},
        {"level": 1.0},
        {"importance": math.nan},
        {"minimum_people": 1},
        {"minimum_party": 0},
        {"minimum_parties": 0},
    ],
    ids=str,
)
def test_cutoffs_that_are_none_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"."):
        Cutoffs(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(("questions", "rows"), [(["q", "q"], {}), (["q"], {"other": SPLIT})])
def test_rows_belong_to_a_question(questions: list[str], rows: dict[str, list[Row]]) -> None:
    with pytest.raises(ValueError, match="question"):
        screen(questions, rows)


def test_an_importance_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        one([("liberal", "a", math.inf)] * 20)


@pytest.mark.parametrize(("hits", "n"), [(0, 1), (1, 1), (0, 20), (20, 20), (7, 20), (850, 1000)])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_wilson_is_that_of_statsmodels(hits: int, n: int, level: float) -> None:
    assert wilson(hits, n, level) == pytest.approx(proportion_confint(hits, n, 1 - level, "wilson"), abs=1e-12)


def test_wilson_without_trials_is_undefined() -> None:
    assert all(map(math.isnan, wilson(0, 0, 0.95)))


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["liberal", "neutral", "conservative", None]),
        st.sampled_from(["a", "b", None]),
        st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0, None]),
    ),
    max_size=60,
)


@given(ROWS, st.randoms())
def test_the_order_of_people_changes_nothing(rows: list[Row], random: Any) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)

    assert screen(["q"], {"q": rows}).to_dict() == screen(["q"], {"q": shuffled}).to_dict()


@given(ROWS)
def test_everybody_twice_changes_no_value(rows: list[Row]) -> None:
    once, twice = one(rows, minimum_people=2, minimum_party=1), one(rows * 2, minimum_people=2, minimum_party=1)

    for name, criterion in once.criteria.items():
        if criterion.undefined is None:
            assert twice.criteria[name].value == pytest.approx(criterion.value, abs=1e-12)
            assert twice.criteria[name].is_met == criterion.is_met


@given(ROWS)
def test_names_of_parties_mean_nothing(rows: list[Row]) -> None:
    other = [(stance, {"a": "b", "b": "a", None: None}[party], importance) for stance, party, importance in rows]

    first, second = one(rows).neutral, one(other).neutral
    assert (first.undefined, first.n, first.is_met) == (second.undefined, second.n, second.is_met)
    assert first.value == second.value or math.isnan(first.value)
