"""Drawings of a run."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from core.models import Run


class RunFigure(models.Model):
    """The specification of one figure of a run, made by the worker, so that the web process draws nothing."""

    PERSONAL: frozenset[str] = frozenset()

    run = models.ForeignKey(Run, models.PROTECT, related_name="figures")
    name = models.CharField(max_length=32)
    specification = models.JSONField()
    table = models.JSONField(
        default=dict, blank=True, help_text=_("the numbers of the figure: columns (keys) and rows (unrounded)")
    )

    class Meta:
        verbose_name = _("figure")
        verbose_name_plural = _("figures")
        constraints = [models.UniqueConstraint(fields=["run", "name"], name="clustering_runfigure_once")]

    def __str__(self) -> str:
        return f"{self.name} of run {self.run_id}"
