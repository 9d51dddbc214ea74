"""Statements, exposures and votes."""

from __future__ import annotations

from django.apps import AppConfig


class VotingConfig(AppConfig):
    name = "voting"
    verbose_name = "Voting"

    def ready(self) -> None:
        from core.registry import register
        from voting.module import module

        register(module)
