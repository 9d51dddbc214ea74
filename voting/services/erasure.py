"""What withdrawal does to a person's statements and votes. The one place that deletes votes."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from studies.models import Enrolment, Study
from voting.models import Exposure, Statement, Vote, VoteBlock
from voting.services.tallies import lock_statements, recount


@transaction.atomic
def erase_participation(*, enrolment: Enrolment, policy: str, now: datetime) -> int:
    """Erase by the study's policy and return the number of rows erased or blanked. The caller has locked the enrolment.

    `delete_all` deletes the person's votes, exposures and blocks, and their statements with everybody's votes and
    exposures on them. Other people's blocks keep the number of votes they cast: that work was done. `keep_votes`
    blanks the statements' texts and detaches their author; votes and exposures stay, on them and by the person.
    """
    if policy == Study.WithdrawalPolicy.KEEP_VOTES:
        return _blank_statements(enrolment, now)
    return _delete_all(enrolment)


def _blank_statements(enrolment: Enrolment, now: datetime) -> int:
    own = lock_statements(Statement.objects.filter(author=enrolment).values_list("pk", flat=True))
    return Statement.objects.filter(pk__in=own).update(
        text="", status=Statement.Status.WITHDRAWN, removed_at=now, author=None, free_response=None
    )


def _delete_all(enrolment: Enrolment) -> int:
    own = set(Statement.objects.filter(author=enrolment).values_list("pk", flat=True))
    touched = set(Exposure.objects.filter(enrolment=enrolment).values_list("statement_id", flat=True))
    touched |= set(Vote.objects.filter(enrolment=enrolment).values_list("statement_id", flat=True))
    # Whoever votes on one of them now waits, and then finds a right tally or no statement.
    lock_statements(own | touched, for_deletion=True)
    n_erased = 0
    for rows in (
        Vote.objects.filter(enrolment=enrolment),
        Exposure.objects.filter(enrolment=enrolment),
        VoteBlock.objects.filter(enrolment=enrolment),
        Vote.objects.filter(statement__in=own),
        Exposure.objects.filter(statement__in=own),
        Statement.objects.filter(pk__in=own),
    ):
        n_erased += rows.delete()[0]
    recount(touched - own)
    return n_erased
