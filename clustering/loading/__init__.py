"""From rows to keys and numbers: what the statistics are computed from.

Participants go by their public code, statements and sources by their code, so that a result can be recomputed from an
export. Rejected statements and previews are never loaded.
"""

from __future__ import annotations

from clustering.loading.ratings import answers_by_source, current_questions, question_ratings, subgroup_values
from clustering.loading.votes import QuestionVotes, first_votes, question_votes

__all__ = [
    "QuestionVotes",
    "answers_by_source",
    "current_questions",
    "first_votes",
    "question_ratings",
    "question_votes",
    "subgroup_values",
]
