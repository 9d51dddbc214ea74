"""What `voting` offers a study through the registry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.registry import PeerText, StudyModule
from studies import access
from studies.models import Enrolment, FreeResponse, Study
from voting import exports, selectors, services
from voting.blocks import VoteRunner
from voting.models import Statement
from voting.sections import BLOCK, SeedSection, VoteSection
from voting.seeding import services as seeding


def on_free_response(free_response: FreeResponse, definition: Mapping[str, Any], now: datetime) -> None:
    """Make a free response a statement, if the study has people vote."""
    if BLOCK in definition["blocks"]:
        services.add_peer_statement(free_response=free_response, moderation=definition["vote"]["moderation"], now=now)


def summary(study: Study) -> Sequence[tuple[Any, Any]]:
    """The numbers of the study's page."""
    progress = selectors.voting_progress(study=study)
    return [
        (_("Statements of participants"), sum(each.n_peers for each in progress)),
        (_("Statements waiting for moderation"), sum(each.n_pending for each in progress)),
        (_("Votes"), sum(each.n_votes for each in progress)),
    ]


def erase(enrolment: Enrolment, policy: str) -> int:
    """What withdrawal does here."""
    now = timezone.now()
    n_drafts = seeding.erase_examples(enrolment=enrolment, now=now)
    return n_drafts + services.erase_participation(enrolment=enrolment, policy=policy, now=now)


def pages(study: Study, user: Any) -> Sequence[tuple[Any, str]]:
    """Where the team moderates and has seeds written, for those who may."""
    found = []
    if access.may(user, study, access.Role.MODERATOR):
        query = urlencode({"study": study.slug})
        found.append((_("Statements and moderation"), f"{reverse('admin:voting_statement_changelist')}?{query}"))
    if study.status == Study.Status.DRAFT and access.may(user, study, access.Role.EDITOR):
        found.append((_("Generated seeds"), reverse("seeding:seeds", args=[study.slug])))
    return found


def admin_inlines() -> Sequence[Any]:
    """The settings of the vote block, on the page of a draft."""
    # The admin's modules may be imported only once all apps are there.
    from voting.admin import VoteSettingsInline

    return [VoteSettingsInline]


def peer_texts(study: Study) -> Iterable[PeerText]:
    """The statements that may be shown, previews' aside."""
    rows = Statement.objects.approved().filter(question__study=study, is_preview=False).exclude(text="")
    for row in rows.order_by("question__code", "code").values_list("question_id", "public_id", "text", "author_id"):
        yield PeerText(*row)


module = StudyModule(
    slug="voting",
    label=gettext_lazy("Voting"),
    blocks=(VoteRunner(),),
    sections=(VoteSection(), SeedSection()),
    tables=exports.tables,
    summary=summary,
    erase=erase,
    pages=pages,
    admin_inlines=admin_inlines,
    on_free_response=on_free_response,
    peer_texts=peer_texts,
)
