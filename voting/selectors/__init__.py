"""Reads of statements and votes that pages, runs and exports ask for."""

from voting.selectors.cards import Ballot, Card, Pool, ballot_of, pool_for, statements_for
from voting.selectors.progress import VotingProgress, voting_progress

__all__ = [
    "Ballot",
    "Card",
    "Pool",
    "VotingProgress",
    "ballot_of",
    "pool_for",
    "statements_for",
    "voting_progress",
]
