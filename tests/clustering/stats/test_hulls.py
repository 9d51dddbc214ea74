from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull, QhullError

from clustering.stats.hulls import convex_hull

WHOLE = st.integers(-20, 20)


def test_a_square_has_four_corners_whatever_lies_inside_or_on_its_edges() -> None:
    points = [(0, 0), (2, 0), (2, 2), (0, 2), (1, 1), (1, 0), (2, 1), (0, 0)]
    assert convex_hull(points) == [(0, 0), (2, 0), (2, 2), (0, 2)]


@pytest.mark.parametrize(
    ("points", "corners"),
    [([], []), ([(1, 2)] * 3, [(1, 2)]), ([(0, 0), (3, 3), (1, 1), (2, 2)], [(0, 0), (3, 3)])],
)
def test_what_has_no_inside_has_fewer_corners(points: list[tuple[float, float]], corners: list[object]) -> None:
    assert convex_hull(points) == corners


@given(st.lists(st.tuples(WHOLE, WHOLE), min_size=3, max_size=40))
def test_corners_are_those_of_qhull(points: list[tuple[int, int]]) -> None:
    try:
        expected = ConvexHull(np.array(points, dtype=float))
    except QhullError:  # all on one line
        assert len(convex_hull(points)) < 3
        return
    corners = convex_hull(points)
    assert set(corners) <= {(float(x), float(y)) for x, y in points}
    x, y = np.array(corners).T
    area = 0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1))
    assert area == pytest.approx(expected.volume)  # positive: counter-clockwise


@given(st.permutations([(0, 0), (4, 1), (5, 5), (1, 4), (2, 2)]))
def test_the_order_of_points_changes_nothing(points: list[tuple[int, int]]) -> None:
    assert convex_hull(points) == [(0, 0), (4, 1), (5, 5), (1, 4)]
