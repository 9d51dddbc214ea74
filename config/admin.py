"""The stock admin under Polyphony's name."""

from __future__ import annotations

from django.contrib.admin import AdminSite
from django.utils.translation import gettext_lazy as _


class PolyphonyAdminSite(AdminSite):
    """Management of studies; `admin.site` everywhere is this one."""

    site_header = _("Polyphony administration")
    site_title = _("Polyphony")
    index_title = _("Studies, people and runs")
