"""Opinion groups from votes, OvertonScore from groups and ratings."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ClusteringConfig(AppConfig):
    """Registers the module of the app and its kinds of run."""

    name = "clustering"
    verbose_name = _("Opinion groups")

    def ready(self) -> None:
        """Offer tables and pages, and compute groups and scores."""
        from clustering import services
        from clustering.module import module
        from clustering.parameters import GROUPS, LIVE, OVERTON, VIEWPOINT_BLOCK, VIEWPOINTS
        from clustering.reporting import services as reporting
        from clustering.reporting.selectors import FIGURE, REPORT
        from core.registry import register
        from core.runs import register_kind

        register(module)
        register_kind(GROUPS, services.compute_groups)
        register_kind(OVERTON, services.compute_overton)
        register_kind(LIVE, services.compute_live)
        register_kind(VIEWPOINTS, services.compute_viewpoints)
        register_kind(VIEWPOINT_BLOCK, services.compute_viewpoint_block)
        register_kind(FIGURE, reporting.compute_figure)
        register_kind(REPORT, reporting.compute_report)
