"""Studies: their definition, people, sessions and data."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class StudiesConfig(AppConfig):
    """Registers the module of the app and its kind of run."""

    name = "studies"
    verbose_name = _("Studies")

    def ready(self) -> None:
        """Offer blocks, sections and tables, and write exports."""
        from core.registry import register
        from core.runs import register_kind
        from studies.data import services
        from studies.module import module

        register(module)
        register_kind(services.KIND, services.compute_export)
