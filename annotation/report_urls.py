"""Addresses of agreement reports, below those of a campaign."""

from __future__ import annotations

from django.urls import path, re_path

from annotation.team import views_report

_RUN = r"(?P<slug>[-a-zA-Z0-9_]+)/report/(?P<run_id>[0-9a-f-]{36})"

urlpatterns = [
    path("<slug:slug>/report/", views_report.report, name="report"),
    path("<slug:slug>/report/start/", views_report.start, name="report-start"),
    path("<slug:slug>/report/<uuid:run_id>/", views_report.report_of_run, name="report-run"),
    path("<slug:slug>/report/<uuid:run_id>/progress/", views_report.progress, name="report-progress"),
    path("<slug:slug>/report/<uuid:run_id>/agreement.zip", views_report.archive, name="report-archive"),
    re_path(rf"^{_RUN}/agreement\.(?P<form>csv|html|json)$", views_report.file, name="report-file"),
]
