"""Vote matrices for properties: small, sparse, with every degenerate case in reach."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from clustering.stats.matrix import VoteMatrix


@st.composite
def vote_matrices(draw, *, people=(1, 9), statements=(1, 7)):
    shape = draw(st.tuples(st.integers(*people), st.integers(*statements)))
    values = draw(hnp.arrays(np.float64, shape, elements=st.sampled_from([1.0, -1.0, 0.0, np.nan])))
    return VoteMatrix.from_arrays(
        [f"p{row:02d}" for row in range(shape[0])], [f"s{column:02d}" for column in range(shape[1])], values
    )


def as_votes(matrix):
    rows, columns = np.nonzero(matrix.seen)
    return [
        (matrix.participants[row], matrix.statements[column], matrix.values[row, column])
        for row, column in zip(rows, columns, strict=True)
    ]


def random_votes(*, people, statements):
    """Votes by coin toss, so that nobody stands where another one does."""
    values = np.random.default_rng(0).choice([1.0, -1.0], size=(people, statements))
    return VoteMatrix.from_arrays(
        [f"p{i:02d}" for i in range(people)], [f"s{j:02d}" for j in range(statements)], values
    )
