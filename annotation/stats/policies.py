"""What an answer counts as: one rule for missing answers and "cannot judge" each, all of them printed side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from annotation.stats.codes import CANNOT_JUDGE, MISSING, NOT_APPLICABLE, SPECIAL, Judgements
from annotation.stats.scales import IntArray, Scale

__all__ = [
    "METHOD_VERSION",
    "POLICIES",
    "Policy",
    "policies_for",
    "policy_named",
]

METHOD_VERSION = "1"

#: The rules and what they mean. The list is closed.
POLICIES: Mapping[str, str] = {
    "missing": "cannot judge is missing: the item counts with the raters who gave it a label",
    "category": "cannot judge is one more label, without order",
    "listwise": "items that some rater of the set gave no label are left out",
    "strict": "two labels: match against all others; cannot judge is missing",
    "strict_or_not": "two labels: match against all others, and cannot judge is no match",
}


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """A rule that turns answers into labels of a scale.

    Attributes
    ----------
    name : str
        Key of :data:`POLICIES`.
    scale : Scale
        What labels there are under this rule.
    becomes : ndarray of int, shape (3 + q,)
        The label, or ``MISSING``, of "not applicable", "cannot judge", missing and each declared label in turn.
    is_listwise : bool
    """

    name: str
    scale: Scale
    becomes: IntArray
    is_listwise: bool = False

    def applied(self, answers: IntArray) -> IntArray:
        """Labels for answers, shape (n_items, n_raters) of one set of raters."""
        labels: IntArray = self.becomes[answers + SPECIAL]
        if self.is_listwise:
            labels = np.where((labels >= 0).all(axis=1, keepdims=True), labels, MISSING)
        return labels


def policy_named(name: str, judgements: Judgements) -> Policy:
    """A rule by its name.

    Raises
    ------
    ValueError
        If there is no such rule, or a strict one is asked for and no label counts as a match.
    """
    if name not in POLICIES:
        raise ValueError(f"a policy is one of {', '.join(POLICIES)}, not {name!r}")
    scale = judgements.scale
    becomes = np.concatenate([np.full(SPECIAL, MISSING), np.arange(scale.size)]).astype(np.int64)
    cannot_judge = CANNOT_JUDGE + SPECIAL
    if name == "category":
        becomes[cannot_judge] = scale.size
        return Policy(name, scale.with_label(judgements.cannot_judge_label), becomes)
    if name in ("strict", "strict_or_not"):
        if not judgements.matches:
            raise ValueError("no label counts as a match")
        becomes[SPECIAL:] = [label in judgements.matches for label in scale.labels]
        becomes[cannot_judge] = 0 if name == "strict_or_not" else MISSING
        return Policy(name, Scale(("no match", "match")), becomes)
    return Policy(name, scale, becomes, is_listwise=name == "listwise")


def policies_for(judgements: Judgements) -> tuple[Policy, ...]:
    """The rules that make a difference here, the primary one first.

    Without a "cannot judge" the first two are the same, and without anything missing so is the third; a rule that
    changes nothing is left out, and the report says that it is.
    """
    has_cannot_judge = bool((judgements.code == CANNOT_JUDGE).any())
    n_labels = int((judgements.code >= 0).sum())
    is_complete = n_labels == len(judgements.items) * len(judgements.raters)
    names = ["missing"]
    if has_cannot_judge:
        names.insert(0 if judgements.cannot_judge == "category" else 1, "category")
    if not is_complete and judgements.knows_raters and judgements.fits_a_matrix:
        names.append("listwise")
    if judgements.matches and set(judgements.matches) != set(judgements.scale.labels) and judgements.scale.size > 2:
        names += ["strict", "strict_or_not"] if has_cannot_judge else ["strict"]
    elif judgements.matches and has_cannot_judge:
        names.append("strict_or_not")
    return tuple(policy_named(name, judgements) for name in names)


assert (NOT_APPLICABLE, CANNOT_JUDGE, MISSING) == (-SPECIAL, 1 - SPECIAL, 2 - SPECIAL), "codes stand side by side"
