"""One table of submits."""

from __future__ import annotations

from django.db import models


class Submit(models.Model):
    """What one post said."""

    person = models.CharField(max_length=36)
    item = models.PositiveIntegerField()
    value = models.PositiveSmallIntegerField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        app_label = "minimal"

    def __str__(self) -> str:
        return f"{self.person}: {self.item} is {self.value}"
