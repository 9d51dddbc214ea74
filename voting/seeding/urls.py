"""The team's page of generated seeds."""

from __future__ import annotations

from django.urls import path

from voting.seeding import views

app_name = "seeding"
urlpatterns = [
    path("<slug:slug>/", views.seeds, name="seeds"),
    path("<slug:slug>/start/", views.start, name="start"),
    path("<slug:slug>/progress/", views.progress, name="progress"),
    path("<slug:slug>/<uuid:draft_id>/", views.decide, name="decide"),
]
