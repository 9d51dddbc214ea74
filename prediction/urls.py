"""The team's pages of predictions."""

from __future__ import annotations

from django.urls import path

from prediction import views, views_hand, views_new

app_name = "prediction"
urlpatterns = [
    path("<slug:slug>/", views.overview, name="overview"),
    path("<slug:slug>/start/", views.start, name="start"),
    path("<slug:slug>/file/", views.upload, name="upload"),
    path("<slug:slug>/report/", views.report, name="report"),
    path("<slug:slug>/runs/<uuid:run_id>/", views.run, name="run"),
    path("<slug:slug>/runs/<uuid:run_id>/progress/", views.progress, name="progress"),
    path("<slug:slug>/runs/<uuid:run_id>/result.json", views.result_json, name="result-json"),
    path("<slug:slug>/by-hand/", views_hand.by_hand, name="by-hand"),
    path("<slug:slug>/models/", views_new.models, name="models"),
    path("<slug:slug>/models/add/", views_new.add, name="models-add"),
    path("<slug:slug>/models/shortlist/", views_new.shortlist, name="shortlist"),
]
