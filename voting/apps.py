"""Statements, exposures and votes."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class VotingConfig(AppConfig):
    """Registers the module of the app."""

    name = "voting"
    verbose_name = _("Voting")

    def ready(self) -> None:
        """Offer the vote block, its section and tables, and generate seeds."""
        from core.registry import register
        from core.runs import register_kind
        from voting.module import module
        from voting.seeding import services as seeding
        from voting.seeding.settings import SEEDING

        register(module)
        register_kind(SEEDING, seeding.compute)
