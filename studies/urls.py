"""The team's pages about studies."""

from __future__ import annotations

from django.urls import path

from studies import views, views_content
from studies.data import views as data_views

app_name = "studies"
urlpatterns = [
    path("", views.study_list, name="list"),
    path("upload/", views_content.upload, name="upload"),
    path("<slug:slug>/", views.study, name="study"),
    path("<slug:slug>/publish/", views.publish, name="publish"),
    path("<slug:slug>/pause/", views.pause, name="pause"),
    path("<slug:slug>/resume/", views.resume, name="resume"),
    path("<slug:slug>/close/", views.close, name="close"),
    path("<slug:slug>/clone/", views.clone, name="clone"),
    path("<slug:slug>/preview/", views.preview, name="preview"),
    path("<slug:slug>/import/", views_content.import_table, name="import"),
    path("<slug:slug>/import/seeds/", views_content.import_seeds_of, name="import-seeds"),
    path("<slug:slug>/definition/", views_content.definition, name="definition"),
    path("<slug:slug>/exports/", data_views.exports, name="exports"),
    path("<slug:slug>/exports/start/", data_views.start, name="export-start"),
    path("<slug:slug>/exports/<uuid:run_id>/progress/", data_views.progress, name="export-progress"),
    path("<slug:slug>/exports/<uuid:run_id>/download/", data_views.download, name="export-download"),
    path("<slug:slug>/versions/<int:number>/", views_content.version, name="version"),
]
