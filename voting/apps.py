"""Statements, exposures and votes."""

from __future__ import annotations

from django.apps import AppConfig


class VotingConfig(AppConfig):
    """Registers the module of the app."""

    name = "voting"
    verbose_name = "Voting"

    def ready(self) -> None:
        """Offer the vote block, its section and tables."""
        from core.registry import register
        from voting.module import module

        register(module)
