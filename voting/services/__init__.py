"""Every write to statements and votes."""

from voting.services.erasure import erase_participation
from voting.services.moderation import approve_statement, reject_statement
from voting.services.statements import add_peer_statement, load_seeds, release_seeds, remove_seed, seed_problems
from voting.services.tallies import TallyDifference, TallyReport, recount, verify_tallies
from voting.services.votes import NextCard, cast_vote, close_block, draw_next, lock_block, open_block, show_statement

__all__ = [
    "NextCard",
    "TallyDifference",
    "TallyReport",
    "add_peer_statement",
    "approve_statement",
    "cast_vote",
    "close_block",
    "draw_next",
    "erase_participation",
    "load_seeds",
    "lock_block",
    "open_block",
    "recount",
    "reject_statement",
    "release_seeds",
    "remove_seed",
    "seed_problems",
    "show_statement",
    "verify_tallies",
]
