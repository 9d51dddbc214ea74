"""The results pages of the team."""

from __future__ import annotations

from django.urls import path

from clustering import views, views_files, views_questions, views_screening, views_statistics

app_name = "clustering"
urlpatterns = [
    path("<slug:slug>/", views.results, name="results"),
    path("<slug:slug>/run/", views.start, name="start"),
    path("<slug:slug>/screening/", views_screening.screening, name="screening"),
    path("<slug:slug>/screening.csv", views_screening.screening_csv, name="screening-csv"),
    path("<slug:slug>/runs/", views.runs, name="runs"),
    path("<slug:slug>/runs/<uuid:run_id>/", views.run, name="run"),
    path("<slug:slug>/runs/<uuid:run_id>/progress/", views.progress, name="progress"),
    path("<slug:slug>/runs/<uuid:run_id>/report/", views.report, name="report"),
    path("<slug:slug>/runs/<uuid:run_id>/statistics/", views_statistics.statistics, name="statistics"),
    path("<slug:slug>/runs/<uuid:run_id>/viewpoints/", views_statistics.draw, name="viewpoints"),
    path("<slug:slug>/runs/<uuid:run_id>/result.json", views.result_json, name="result-json"),
    path("<slug:slug>/runs/<uuid:run_id>/scores.csv", views.scores_csv, name="scores-csv"),
    path("<slug:slug>/runs/<uuid:run_id>/document/", views_files.report_file, name="report-file"),
    path("<slug:slug>/runs/<uuid:run_id>/figures/<slug:name>/", views_files.figure, name="figure"),
    path("<slug:slug>/runs/<uuid:run_id>/figures/<slug:name>.csv", views_files.figure_csv, name="figure-csv"),
    path("<slug:slug>/files/<uuid:file_id>/", views_files.file, name="file"),
    path("<slug:slug>/files/<uuid:file_id>/download/", views_files.file_download, name="file-download"),
    path("<slug:slug>/questions/<str:code>/", views_questions.question, name="question"),
    path("<slug:slug>/questions/<str:code>/groups/<str:letter>/", views_questions.group, name="group"),
    path("<slug:slug>/questions/<str:code>/groups/<str:letter>/name/", views_questions.name_group, name="name-group"),
]
