"""What can go wrong in an audit, as a person is told."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.errors import Conflict, Invalid, NotAllowed


class PacketFrozen(Conflict):
    """An edit of a frozen packet."""

    default_code = "packet_frozen"
    default_message = gettext_lazy(
        "The packet is frozen: raters judge exactly this, and its hash is on record. Amend it with a reason; that "
        "makes a new packet."
    )


class NotFreezable(Invalid):
    """The draft cannot be frozen; `problems` says why."""

    default_code = "not_freezable"

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__(_("The packet cannot be frozen: %(why)s") % {"why": " ".join(problems)})


class NotOpen(Conflict):
    """Nobody judges this packet now: it is a draft, paused, replaced, locked."""

    default_code = "not_open"


class PacketLocked(Conflict):
    """An answer to a locked packet."""

    default_code = "packet_locked"
    default_message = gettext_lazy("Judging is finished and locked. Answers can no longer be given or changed.")


class StaleForm(Conflict):
    """The answers were changed elsewhere since the form was shown."""

    default_code = "stale_form"
    default_message = gettext_lazy(
        "Your answers to this item were changed in another window since this page was opened. They are shown as they "
        "are now; please look at them and send the page again."
    )


class ConsentMissing(NotAllowed):
    """A rater has not agreed to the consent text."""

    default_code = "consent_missing"
    default_message = gettext_lazy("Please read and accept the consent text before you judge the first item.")


class NotQualified(NotAllowed):
    """A rater has used up the attempts at qualification."""

    default_code = "not_qualified"
    default_message = gettext_lazy("The qualification was not passed, so there are no items for you. Thank you.")


class RaterRemoved(NotAllowed):
    """A rater who was removed tries to work."""

    default_code = "rater_removed"
    default_message = gettext_lazy("You no longer take part in this campaign. The answers you gave are kept.")


class InvitationClosed(Conflict):
    """An invitation has expired, is used up or was revoked."""

    default_code = "invitation_closed"
    default_message = gettext_lazy("This invitation can no longer be used. Please ask whoever sent it for another.")


class SlugTaken(Conflict):
    """Slugs are unique across all campaigns."""

    default_code = "slug_taken"

    def __init__(self, slug: str) -> None:
        super().__init__(_("The slug “%(slug)s” is taken already. Choose another.") % {"slug": slug})
