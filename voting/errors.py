"""What can go wrong with votes and statements, as a person is told."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from core.errors import Conflict, Invalid


class BlockClosed(Conflict):
    """A vote came after the voting on its question was finished."""

    default_message = _("You have finished voting on this question. Your votes there can no longer be changed.")
    default_code = "block_closed"


class VotesMissing(Conflict):
    """Somebody wants to go on with fewer votes than are required."""

    default_code = "votes_missing"


class StatementGone(Conflict):
    """A statement was erased, with all votes on it, while somebody voted on it."""

    default_message = _("This statement was withdrawn a moment ago. Please load the page again to see the next one.")
    default_code = "statement_gone"


class NotModeratable(Conflict):
    """Moderation has no say about a statement in its present state."""

    default_code = "not_moderatable"


class SeedProblem(Invalid):
    """A seed statement cannot be taken in or changed."""

    default_code = "seed_problem"
