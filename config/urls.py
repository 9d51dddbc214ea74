"""Every address, by prefix."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from config import views

urlpatterns = [
    path("", views.home, name="home"),
    path("healthz", views.healthz, name="healthz"),
    path("admin/", admin.site.urls),
    path("s/", include("studies.urls_participant")),
    path("studies/", include("studies.urls")),
    path("seeds/", include("voting.seeding.urls")),
    path("results/", include("clustering.urls")),
    path("predictions/", include("prediction.urls")),
    path("audits/", include("annotation.team_urls")),
    path("judge/", include("annotation.urls")),
    path("api/v1/", include("config.api")),
]
