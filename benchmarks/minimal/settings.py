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
# Django's default is a connection for each request; the benchmark also measures kept ones, as the platform has.
KEPT_S = int(os.environ.get("MINIMAL_CONNECTION_AGE", "0"))
DATABASES = {
    "default": {
        **dj_database_url.parse(os.environ["DATABASE_URL"]),
        "CONN_MAX_AGE": KEPT_S,
        "CONN_HEALTH_CHECKS": KEPT_S > 0,
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
LOGGING_CONFIG = None
