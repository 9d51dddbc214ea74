"""The automated benchmark: predicted ratings, how good they are, and models that nobody has rated yet."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PredictionConfig(AppConfig):
    """Registers the module of the app and its kinds of run."""

    name = "prediction"
    verbose_name = _("Predicted ratings")
