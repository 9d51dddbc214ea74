"""The house itself, and the admin's configuration: the same app, our site."""

from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig


class HouseConfig(AppConfig):
    """What belongs to no app: the task queue, and the command that starts everything."""

    name = "config"

    def ready(self) -> None:
        """Make ours the task queue of every process: without it, a page would speak to a broker nobody configured."""
        import_module("config.celery")


class PolyphonyAdminConfig(AdminConfig):
    """Make `admin.site` the site of config.admin."""

    default_site = "config.admin.PolyphonyAdminSite"
