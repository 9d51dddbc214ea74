"""The admin's configuration: the same app, our site."""

from __future__ import annotations

from django.contrib.admin.apps import AdminConfig


class PolyphonyAdminConfig(AdminConfig):
    """Make `admin.site` the site of config.admin."""

    default_site = "config.admin.PolyphonyAdminSite"
