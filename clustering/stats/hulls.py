"""Convex hulls of a few points in the plane."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["METHOD_VERSION", "Point", "convex_hull"]

METHOD_VERSION = "1"

Point = tuple[float, float]


def convex_hull(points: Iterable[Point]) -> list[Point]:
    """Corners of the smallest convex shape around points.

    Parameters
    ----------
    points : iterable of (x, y)
        Finite numbers, any unit, repeated at will.

    Returns
    -------
    list of (x, y)
        Counter-clockwise from the leftmost (of those the lowest) point, without points that lie on an edge. Points
        on one line have two corners, a single place has one, nothing has none.

    References
    ----------
    .. [1] A. M. Andrew, Another efficient algorithm for convex hulls in two dimensions, Information Processing
       Letters 9(5), 1979.
    """
    places = sorted({(float(x), float(y)) for x, y in points})
    if len(places) < 3:
        return places
    lower, upper = _chain(places), _chain(places[::-1])
    return lower[:-1] + upper[:-1]


def _chain(places: list[Point]) -> list[Point]:
    """One side of the hull: turn left at every corner."""
    chain: list[Point] = []
    for place in places:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], place) <= 0:
            chain.pop()
        chain.append(place)
    return chain


def _turn(first: Point, second: Point, third: Point) -> float:
    """Positive if the way through three points turns left."""
    return (second[0] - first[0]) * (third[1] - first[1]) - (second[1] - first[1]) * (third[0] - first[0])
