"""Statements, exposures and votes."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class VotingConfig(AppConfig):
    """Registers the module of the app."""

    name = "voting"
    verbose_name = _("Voting")

    def ready(self) -> None:
        """Offer the vote block, its section and tables."""
        from core.registry import register
        from voting.module import module

        register(module)
