"""Reads of statements and votes that pages, runs and exports ask for."""

from voting.selectors.analysis import (
    ANALYSED_ORIGINS,
    ANALYSED_STATEMENTS,
    ANALYSED_STATUSES,
    Tally,
    VoteArrays,
    current_votes,
    first_votes,
    tallies,
    vote_arrays,
    vote_history,
    voters_by_origin_and_status,
)
from voting.selectors.cards import Ballot, Card, Pool, ballot_of, eligible_statements, pool_for
from voting.selectors.progress import VotingProgress, voting_progress

__all__ = [
    "ANALYSED_ORIGINS",
    "ANALYSED_STATEMENTS",
    "ANALYSED_STATUSES",
    "Ballot",
    "Card",
    "Pool",
    "Tally",
    "VoteArrays",
    "VotingProgress",
    "ballot_of",
    "current_votes",
    "eligible_statements",
    "first_votes",
    "pool_for",
    "tallies",
    "vote_arrays",
    "vote_history",
    "voters_by_origin_and_status",
    "voting_progress",
]
