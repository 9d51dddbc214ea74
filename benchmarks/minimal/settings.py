"""No session, login, protection against forged posts, languages or middleware."""

from __future__ import annotations

import os

import dj_database_url

SECRET_KEY = "a benchmark keeps no secrets"
ALLOWED_HOSTS = ["127.0.0.1"]
INSTALLED_APPS = ["benchmarks.minimal"]
MIDDLEWARE: list[str] = []
ROOT_URLCONF = "benchmarks.minimal.urls"
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
# The same connection as the platform's.
DATABASES = {
    "default": {
        **dj_database_url.parse(os.environ["DATABASE_URL"]),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
LOGGING_CONFIG = None
