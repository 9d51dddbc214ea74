"""How the text of the dynamic clusterer is read where it leaves something open."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

__all__ = ["CHOICES", "METHOD_VERSION", "Readings"]

METHOD_VERSION = "1"

CHOICES: dict[str, tuple[str, ...]] = {
    "space": ("projection", "votes"),
    "scaling": ("default", "participant", "shared", "total", "none"),
    "dimensions": ("voted", "all"),
    "no_overlap": ("mean", "skip", "farthest"),
    "start": ("grow", "shrink"),
    "thresholds": ("distance_splits", "outlier_splits"),
    "small_groups": ("dissolve", "exclude"),
    "order": ("merge_first", "split_first"),
    "resplit": ("forbid", "allow"),
    "silhouette": ("space", "projection", "votes"),
    "singletons": ("zero", "skip"),
    "own_votes": ("exclude", "include"),
    "unit": ("spread", "coordinate"),
}
"""Values of each reading that is a choice, the default first."""


@dataclass(frozen=True, slots=True)
class Readings:
    r"""One reading of each place that appendix C.1 of the paper leaves open; numbers are those of docs/methods.md.

    Attributes
    ----------
    space : {"projection", "votes"}
        1: where distances are taken, the sparsity-scaled plane or the votes themselves.
    scaling : {"default", "participant", "shared", "total", "none"}
        2: how the distance over the :math:`s` shared statements makes up for missing votes. In the vote space
        *shared* divides the sum of squares by :math:`s`, *total* also multiplies it by :math:`d`, *participant*
        multiplies it by :math:`d/d_i` (between two participants by the geometric mean of both factors, between
        two centres as *total*), *none* leaves it. In the projection *participant* is the factor of the place,
        and *none* drops it. *default* is *participant* in the projection and *shared* in the vote space.
    dimensions : {"voted", "all"}
        3: whether :math:`d` counts the statements with a vote of somebody grouped or all columns of the matrix.
    no_overlap : {"mean", "skip", "farthest"}
        4: what a pair without a shared statement counts in a silhouette over votes: the mean of the defined
        distances, nothing, or the largest of them.
    start : {"grow", "shrink"}
        5: from two drawn participants or from `k_max`.
    thresholds : {"distance_splits", "outlier_splits"}
        6 and 7: whether the distance threshold splits and the outlier threshold merges, or the reverse.
    small_groups : {"dissolve", "exclude"}
        8: whether members of groups under the minimum size go to the nearest remaining centre or into no group
        (then they count 0 in the silhouette, so that leaving people out does not pay).
    order : {"merge_first", "split_first"}
        9: after everybody is assigned, whether all merges come before a split or all splits before a merge.
    resplit : {"forbid", "allow"}
        9: whether a point nearer to its centre than the merge radius may be split off.
    max_rounds : int
        9: cap on rounds of assigning, then merging or splitting, at least 1.
    silhouette : {"space", "projection", "votes"}
        10: metric of the silhouette: that of the space, or always one of the two.
    singletons : {"zero", "skip"}
        10: whether a group of one counts 0 in the silhouette or nothing.
    minimum_votes : int
        11: votes from which a participant is grouped, at least 1.
    own_votes : {"exclude", "include"}
        12: whether a vote on one's own statement counts.
    unit : {"spread", "coordinate"}
        13: what the thresholds count in the projection: the root mean squared distance of the participants from
        their middle, or Pol.is' coordinates. The vote space has its own unit.
    axes : int
        14: axes of the projection in which distances are taken, at least 1; the map shows the first two. `k` groups
        lie in `k - 1` dimensions at most, so two axes tell hardly more than three groups apart.

    Raises
    ------
    ValueError
        If a value is unknown or out of range, or a scaling does not exist in the space.
    """

    space: Literal["projection", "votes"] = "projection"
    scaling: Literal["default", "participant", "shared", "total", "none"] = "default"
    dimensions: Literal["voted", "all"] = "voted"
    no_overlap: Literal["mean", "skip", "farthest"] = "mean"
    start: Literal["grow", "shrink"] = "grow"
    thresholds: Literal["distance_splits", "outlier_splits"] = "distance_splits"
    small_groups: Literal["dissolve", "exclude"] = "dissolve"
    order: Literal["merge_first", "split_first"] = "merge_first"
    resplit: Literal["forbid", "allow"] = "forbid"
    max_rounds: int = 60
    silhouette: Literal["space", "projection", "votes"] = "space"
    singletons: Literal["zero", "skip"] = "zero"
    minimum_votes: int = 1
    own_votes: Literal["exclude", "include"] = "exclude"
    unit: Literal["spread", "coordinate"] = "spread"
    axes: int = 2

    def __post_init__(self) -> None:
        """Refuse what nobody can compute."""
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in CHOICES and value not in CHOICES[field.name]:
                raise ValueError(f"{field.name} is one of {', '.join(CHOICES[field.name])}, not {value!r}")
        if min(self.minimum_votes, self.max_rounds, self.axes) < 1:
            raise ValueError("minimum_votes, max_rounds and axes are at least 1")
        if self.space == "projection" and self.scaling in ("shared", "total"):
            raise ValueError(f"scaling {self.scaling!r} is one of distances between votes, not of the projection")

    @property
    def vote_scaling(self) -> Literal["participant", "shared", "total", "none"]:
        """Scaling of distances between votes, also where only the silhouette is taken there."""
        if self.space == "projection" or self.scaling == "default":
            return "shared"
        return self.scaling

    @property
    def metric(self) -> Literal["projection", "votes"]:
        """Where the silhouette is taken."""
        return self.space if self.silhouette == "space" else self.silhouette
