"""The place of annotation in the house."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AnnotationConfig(AppConfig):
    """Annotation campaigns."""

    name = "annotation"
    verbose_name = _("Annotation")

    def ready(self) -> None:
        """Offer erasure to the studies whose people judge or are judged; ask models and export in the worker."""
        from annotation.module import module
        from annotation.selectors import reports
        from annotation.services import agreeing, judging, sharing
        from core.registry import register
        from core.runs import register_kind

        register(module)
        register_kind(reports.KIND, agreeing.compute)
        register_kind(judging.KIND, judging.compute)
        register_kind(sharing.KIND, sharing.compute)
