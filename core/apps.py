"""The app that every other app stands on and that knows none of them."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class CoreConfig(AppConfig):
    """Runs, tables, text rules and errors."""

    name = "core"
    verbose_name = _("Runs and audit")
