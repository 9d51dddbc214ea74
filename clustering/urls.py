"""The results pages of the team."""

from __future__ import annotations

from django.urls import path

from clustering import views

app_name = "clustering"
urlpatterns = [
    path("<slug:slug>/", views.results, name="results"),
    path("<slug:slug>/run/", views.start, name="start"),
    path("<slug:slug>/runs/", views.runs, name="runs"),
    path("<slug:slug>/runs/<uuid:run_id>/", views.run, name="run"),
    path("<slug:slug>/runs/<uuid:run_id>/progress/", views.progress, name="progress"),
    path("<slug:slug>/runs/<uuid:run_id>/report/", views.report, name="report"),
    path("<slug:slug>/runs/<uuid:run_id>/result.json", views.result_json, name="result-json"),
    path("<slug:slug>/runs/<uuid:run_id>/scores.csv", views.scores_csv, name="scores-csv"),
    path("<slug:slug>/questions/<str:code>/", views.question, name="question"),
]
