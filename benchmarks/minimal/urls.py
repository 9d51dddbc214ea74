"""One address."""

from __future__ import annotations

from django.urls import path

from benchmarks.minimal.views import submit

urlpatterns = [path("", submit)]
