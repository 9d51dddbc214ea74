"""Settings of a run to calls of the clusterers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from clustering.loading import QuestionVotes, first_votes, question_votes
from clustering.parameters import GroupingSettings
from clustering.stats.clusterers import DYNAMIC, POLIS, Grouping, cluster
from clustering.stats.groups import Grid
from clustering.stats.matrix import VoteMatrix
from clustering.stats.polis.state import PolisState
from clustering.stats.polis.votes import SparseVotes
from clustering.stats.readings import Readings
from core.runs import CannotCompute
from studies.models import Question


def grid_of(settings: GroupingSettings) -> Grid:
    """The published grid with what the settings replace in it."""
    lists: dict[str, Any] = {
        name: tuple(value) if name != "n_seeds" else value for name, value in settings.grid.items()
    }
    if settings.minimum_size is not None:
        lists["minimum_size"] = (settings.minimum_size,)
    try:
        return Grid(**lists)
    except (TypeError, ValueError) as problem:
        raise CannotCompute(str(problem)) from problem


@dataclass(frozen=True, slots=True)
class Clusterer:
    """The clusterer that the settings name, for one question.

    Attributes
    ----------
    settings : GroupingSettings
    authors : statement code to the author's public code
    order : public codes in the order of first votes; *polis* alone uses it
    hidden : codes of rejected statements, which *polis* alone may take in
    """

    settings: GroupingSettings
    authors: dict[str, str]
    order: Sequence[str]
    hidden: tuple[str, ...]

    def find(self, votes: VoteMatrix | SparseVotes, seed: int, previous: PolisState | None = None) -> Grouping:
        """Opinion groups of these votes."""
        settings = self.settings
        if settings.method == POLIS:
            options: dict[str, Any] = {
                "moderation": settings.moderation,
                "own_votes": settings.own_votes,
                "minimum_votes": settings.enough_votes,
                **{name: getattr(settings, name) for name in ("fewest_people", "max_base", "max_groups")},
                "hidden": self.hidden,
            }
            return cluster(
                votes, method=POLIS, seed=seed, authors=self.authors, order=self.order, previous=previous, **options
            )
        defaults, chosen = asdict(Readings()), asdict(settings.all_readings())
        readings = {name: value for name, value in chosen.items() if value != defaults[name]}
        return cluster(votes, method=DYNAMIC, seed=seed, authors=self.authors, grid=grid_of(settings), **readings)

    def members(self, votes: VoteMatrix, seed: int) -> dict[str, int]:
        """The group of everybody who is in one."""
        return self.find(votes, seed).members()


def loaded_question(question: Question, settings: GroupingSettings) -> tuple[QuestionVotes, Clusterer]:
    """The votes of a question and the clusterer for them."""
    is_polis = settings.method == POLIS
    with_rejected = is_polis and settings.moderation == "zero"
    loaded = question_votes(question, settings.inclusion, with_rejected=with_rejected)
    order = first_votes(question, loaded) if is_polis else ()
    return loaded, Clusterer(settings, loaded.authors, order, loaded.rejected)
