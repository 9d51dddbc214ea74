from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from studies.models import Study
from studies.models.validators import SMALL, Limits

ITEMS = Limits(1, SMALL)


class AnnotateSettings(models.Model):
    """The annotate block of a study's draft: which campaign its participants judge in, and how many items each.

    The campaign is named by its slug, so that a definition can be loaded before its audit.
    """

    PERSONAL: frozenset[str] = frozenset()

    study = models.OneToOneField(Study, models.CASCADE, related_name="annotate_settings")
    campaign = models.CharField(_("campaign"), max_length=64, blank=True, help_text=_("The slug of a blind audit."))
    items = models.PositiveSmallIntegerField(_("items for each person"), default=10, validators=ITEMS.validators())

    class Meta:
        verbose_name = _("settings of judging")
        verbose_name_plural = _("settings of judging")
        constraints = [
            models.CheckConstraint(
                condition=ITEMS.condition("items"),
                name="annotation_annotatesettings_items_range",
                violation_error_message=_("Let each person judge at least one item."),
            ),
        ]

    def __str__(self) -> str:
        return f"judging in {self.study_id}"
