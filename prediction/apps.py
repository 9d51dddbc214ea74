"""The automated benchmark: predicted ratings, how good they are, and models that nobody has rated yet."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PredictionConfig(AppConfig):
    """Registers the module of the app and its kinds of run."""

    name = "prediction"
    verbose_name = _("Predicted ratings")

    def ready(self) -> None:
        """Offer tables and pages, predict and report."""
        from core.registry import register
        from core.runs import register_kind
        from prediction import services
        from prediction.module import module
        from prediction.parameters import PREDICTION, PREDICTION_REPORT

        register(module)
        register_kind(PREDICTION, services.compute_predictions)
        register_kind(PREDICTION_REPORT, services.compute_report)
