from __future__ import annotations

from datetime import datetime

from django.db import models
from django.utils.translation import gettext_lazy as _


class PulseQuerySet(models.QuerySet["Pulse"]):
    """Pulses, noted by the tasks themselves."""

    def beat(self, name: str, *, at: datetime) -> None:
        """Note that the periodic task `name` has just done its work."""
        self.update_or_create(name=name, defaults={"at": at})


class Pulse(models.Model):
    """When a periodic task last did its work: how the health check knows that beat and a worker are alive."""

    PERSONAL: frozenset[str] = frozenset()

    name = models.CharField(_("task"), max_length=32, unique=True)
    at = models.DateTimeField(_("last done at"))

    objects = PulseQuerySet.as_manager()

    class Meta:
        verbose_name = _("pulse")
        verbose_name_plural = _("pulses")

    def __str__(self) -> str:
        return f"{self.name}: {self.at.isoformat()}"
