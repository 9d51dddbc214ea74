"""The annotate block on the page of a study in the admin."""

from __future__ import annotations

from django.contrib import admin

from annotation.models import AnnotateSettings
from studies.admin_inlines import DraftInline


class AnnotateSettingsInline(DraftInline, admin.StackedInline):
    """In which campaign participants judge, and how many items each."""

    model = AnnotateSettings
    fields = (("campaign", "items"),)
    can_delete = False
