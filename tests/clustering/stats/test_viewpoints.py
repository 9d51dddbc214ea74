import json
from itertools import pairwise

import numpy as np
import pytest

from clustering.stats.coverage import question_coverage
from clustering.stats.matrix import VoteMatrix
from clustering.stats.ratings import RatingMatrix
from clustering.stats.viewpoint_intervals import viewpoint_table
from clustering.stats.viewpoints import ViewpointBlock, ViewpointInput, viewpoint_block

OPTIONS = {"seed": 7, "rule": "mean"}


def by_two_statements(votes, seed):
    """Groups by the votes on the first two statements: four at most, nobody alone."""
    codes = (votes.values[:, 0] > 0) * 2 + (votes.values[:, 1] > 0)
    sizes = np.bincount(codes, minlength=4)
    return {person: int(code) for person, code in zip(votes.participants, codes, strict=True) if sizes[code] > 1}


def asked(code, rng, n_people=30, n_sources=2):
    """A question whose people vote by camp, and rate by camp."""
    camps = rng.choice(4, n_people, p=[0.4, 0.3, 0.2, 0.1])
    votes = np.where((camps[:, None] >> np.array([1, 0])) & 1, 1.0, -1.0)
    means = np.array([[4.6, 3.0], [4.1, 4.4], [3.7, 4.2], [3.0, 4.0]])[:, :n_sources]
    ratings = np.clip(np.rint(means[camps] + rng.normal(0, 0.9, (n_people, n_sources))), 1, 5)
    people = [f"p{i:02d}" for i in range(n_people)]
    return ViewpointInput(
        code,
        VoteMatrix.from_arrays(people, ["s0", "s1"], votes),
        RatingMatrix.from_ratings(
            [(person, f"m{j}", float(ratings[i, j])) for i, person in enumerate(people) for j in range(n_sources)]
        ),
    )


@pytest.fixture(scope="module")
def questions():
    rng = np.random.default_rng(11)
    return [asked(f"q{index}", rng) for index in range(3)]


def blocks_of(questions, cuts, **options):
    return [
        viewpoint_block(question, by_two_statements, **(OPTIONS | options), first=first, count=last - first)
        for question in questions
        for first, last in pairwise(cuts)
    ]


@pytest.mark.parametrize("nested", [False, True])
def test_any_division_of_the_work_gives_the_same_bytes(questions, nested):
    whole = blocks_of(questions, [0, 41])
    parts = blocks_of(questions[::-1], [0, 1, 13, 30, 41])[::-1]

    one, other = (viewpoint_table(blocks, nested=nested).to_dict() for blocks in (whole, parts))

    assert json.dumps(one, allow_nan=False) == json.dumps(other, allow_nan=False)


def test_a_block_survives_json_to_the_bit(questions):
    (block,) = blocks_of(questions[:1], [0, 6])

    back = ViewpointBlock.from_dict(json.loads(json.dumps(block.to_dict(), allow_nan=False)))

    assert back.to_dict() == block.to_dict()
    assert back.unweighted.tobytes() == block.unweighted.tobytes()


def test_replicate_zero_is_the_data_as_they_are(questions):
    for duplicates in ("weigh", "copy"):
        for question in questions:
            (block,) = blocks_of([question], [0, 1], duplicates=duplicates)
            members = by_two_statements(question.votes, 7)
            expected = question_coverage(question.ratings, members, question=question.code)

            assert block.unweighted[0] == pytest.approx(expected.coverage)
            assert block.weighted[0] == pytest.approx(expected.coverage_weighted)
            assert block.best[0] == pytest.approx(expected.best_coverage)
            assert block.n_groups[0] == len(expected.group_labels)
            assert block.n_distinct[0] == 30


def test_a_person_drawn_twice_is_clustered_once_and_counts_twice(questions):
    seen = []

    def remember(votes, seed):
        seen.append(votes.participants)
        return by_two_statements(votes, seed)

    viewpoint_block(questions[0], remember, **OPTIONS, first=1, count=20)

    assert all(len(set(people)) == len(people) < 30 for people in seen)
    assert np.mean([len(people) / 30 for people in seen]) == pytest.approx(1 - (29 / 30) ** 30, abs=0.05)


def test_or_is_as_many_people_with_the_same_votes(questions):
    seen = []

    def remember(votes, seed):
        seen.append(votes)
        return by_two_statements(votes, seed)

    block = viewpoint_block(questions[0], remember, **OPTIONS, first=1, count=20, duplicates="copy")

    assert {len(votes.participants) for votes in seen} == {30}
    weighed = viewpoint_block(questions[0], by_two_statements, **OPTIONS, first=1, count=20)
    # A clusterer that looks at each person alone sees the same groups, but that a person drawn twice is two people.
    same = block.n_groups == weighed.n_groups
    assert same.mean() > 0.5
    assert block.unweighted[same] == pytest.approx(weighed.unweighted[same])
    assert block.weighted[same] == pytest.approx(weighed.weighted[same])


def test_the_table_tells_scores_ranks_and_numbers_of_groups(questions):
    table = viewpoint_table(blocks_of(questions, [0, 201]))

    assert [(score.source, score.variant) for score in table.scores] == [
        (source, variant) for variant in ("unweighted", "weighted") for source in ("m0", "m1", "best across sources")
    ]
    for score in table.scores:
        assert score.n_replicates == 200
        assert score.low <= score.mean <= score.high
        assert score.bias == pytest.approx(score.mean - score.value)
        assert score.centred_low >= 0
        assert score.centred_high - score.centred_low <= score.high - score.low + 1e-12
    for rows in (table.ranks, table.ranks_weighted):
        assert sum(row.p_first for row in rows) == pytest.approx(1)
    for numbers in table.groups:
        assert sum(numbers.counts.values()) == 200
        assert max(numbers.counts) <= 4


def test_drawing_questions_too_widens_the_intervals(questions):
    rng = np.random.default_rng(3)
    many = [asked(f"q{index}", rng, n_people=40) for index in range(8)]
    # Questions that differ for certain: nobody is content with the answers to four of them.
    for index in range(4):
        many[index] = ViewpointInput(
            many[index].code,
            many[index].votes,
            RatingMatrix.from_ratings(
                [(person, source, 1.0) for person in many[index].ratings.participants for source in ("m0", "m1")]
            ),
        )
    blocks = blocks_of(many, [0, 201])

    people, both = viewpoint_table(blocks), viewpoint_table(blocks, nested=True)

    assert both.scores[0].value == people.scores[0].value
    assert both.scores[0].standard_error > 2 * people.scores[0].standard_error


def test_questions_in_which_nobody_is_grouped_have_no_coverage(questions):
    blocks = [
        viewpoint_block(question, lambda votes, seed: {}, **OPTIONS, first=0, count=5) for question in questions[:1]
    ]

    table = viewpoint_table(blocks)

    assert table.undefined == "no question has a coverage"
    assert {score.undefined for score in table.scores} == {"no question has a coverage"}
    assert table.groups[0].share_without_coverage == 1
    json.dumps(table.to_dict(), allow_nan=False)


def test_blocks_that_do_not_fit_are_refused(questions):
    whole = blocks_of(questions, [0, 5])

    with pytest.raises(ValueError, match="each once"):
        viewpoint_table([*whole, whole[0]])
    with pytest.raises(ValueError, match="each once"):
        viewpoint_table(blocks_of(questions, [1, 5]))
    with pytest.raises(ValueError, match="different settings"):
        viewpoint_table([*whole[1:], *blocks_of(questions[:1], [0, 5], rule="majority")])
    with pytest.raises(ValueError, match="at least one block"):
        viewpoint_table([])
    with pytest.raises(ValueError, match="at least 0"):
        viewpoint_block(questions[0], by_two_statements, seed=0, first=0, count=0)
    with pytest.raises(ValueError, match="duplicates"):
        viewpoint_block(questions[0], by_two_statements, seed=0, first=0, count=1, duplicates="drop")


def test_progress_is_told(questions):
    told = []
    viewpoint_block(questions[0], by_two_statements, **OPTIONS, first=3, count=4, progress=told.append)

    assert told == [1, 2, 3, 4]


@pytest.mark.slow
def test_intervals_over_people_hold_the_expected_score():
    rng = np.random.default_rng(5)
    trials, n_questions, n_people = 200, 4, 60

    def table(trial):
        questions = [asked(f"q{index}", rng, n_people) for index in range(n_questions)]
        return viewpoint_table(blocks_of(questions, [0, 81], seed=trial))

    tables = [table(trial) for trial in range(trials)]
    names = [(score.source, score.variant) for score in tables[0].scores]
    # What the pipeline gives on average with as many people: the truth the intervals are about.
    truth = np.mean([[score.value for score in one.scores] for one in tables], axis=0)
    for kind in ("", "centred_"):
        hits = np.mean(
            [
                [
                    getattr(s, f"{kind}low") <= t <= getattr(s, f"{kind}high")
                    for s, t in zip(one.scores, truth, strict=True)
                ]
                for one in tables
            ],
            axis=0,
        )
        print(f"{kind or 'percentile '}: {dict(zip(names, hits, strict=True))}")
    bias = np.mean([[score.bias for score in one.scores] for one in tables], axis=0)
    print(f"bias: {dict(zip(names, bias.round(4), strict=True))}")
    print(f"Monte-Carlo error of a rate: {np.sqrt(0.95 * 0.05 / trials):.3f}")
    assert (hits > 0.85).all()
