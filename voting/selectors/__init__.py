"""Reads of statements and votes that pages, runs and exports ask for."""

from voting.selectors.cards import Ballot, Card, Drawn, ballot_of, drawn_for, statements_for
from voting.selectors.progress import VotingProgress, voting_progress

__all__ = [
    "Ballot",
    "Card",
    "Drawn",
    "VotingProgress",
    "ballot_of",
    "drawn_for",
    "statements_for",
    "voting_progress",
]
