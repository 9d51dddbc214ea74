"""Values of the shared vectors for ratings, typed in: `vectors/ratings/003_*.`"""

from __future__ import annotations

import numpy as np
import pytest

from annotation.stats.dispersion import disagreement, entropy, top_share, tukey_fences, tukey_kept


def test_entropy_is_in_bits_and_unanimity_is_zero():
    counts = [
        [25, 0, 0, 0, 0],
        [5, 5, 5, 5, 5],
        [13, 12, 0, 0, 0],
        [10, 5, 5, 3, 2],
        [1, 1, 1, 1, 21],
        [0, 2, 8, 12, 3],
    ]
    expected = [0, 2.3219280949, 0.9988455360, 2.1161182138, 0.9543095546, 1.6928786893]
    assert entropy(counts) == pytest.approx(expected, abs=1e-9)
    assert np.isnan(entropy([[0, 0]])[0])


def test_disagreement_is_at_most_one_half_also_for_ties():
    first, second, tie = [25, 13, 12, 15, 0, 10, 3], [0, 12, 12, 5, 0, 10, 17], [0, 0, 1, 5, 25, 5, 5]
    assert disagreement(first, second, tie) == pytest.approx([0, 0.48, 0.5, 0.3, 0.5, 0.5, 0.22], abs=1e-12)


VALUES = [1, 2, 2, 3, 3, 3, 4, 4, 5, 12]


@pytest.mark.parametrize(
    ("k", "fences", "kept"),
    [(0.5, (1.375, 4.875), 7), (1, (0.5, 5.75), 9), (1.5, (-0.375, 6.625), 9), (3, (-3.0, 9.25), 9)],
)
def test_fences_of_tukey(k, fences, kept):
    assert tukey_fences(VALUES, k) == fences
    assert tukey_kept(VALUES, k).sum() == kept


def test_ties_at_the_border_are_all_kept():
    assert top_share([3.0, 1.0, 2.0, 2.0], 0.5).tolist() == [True, False, True, True]
    assert top_share([np.nan, 1.0], 1.0).tolist() == [False, True]
    with pytest.raises(ValueError, match="share"):
        top_share([1.0], 0)
