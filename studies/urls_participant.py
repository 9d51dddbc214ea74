"""Participants' addresses. None shows an id: who it is stands in the cookie, which is sent to this study alone."""

from __future__ import annotations

from django.urls import path

from studies.recruitment import views as recruitment
from studies.session import views as session

app_name = "participant"
urlpatterns = [
    path("<slug:slug>/", recruitment.landing, name="landing"),
    path("<slug:slug>/start/", recruitment.start, name="start"),
    path("<slug:slug>/resume/<str:token>/", recruitment.resume, name="resume"),
    path("<slug:slug>/page/", session.page, name="page"),
    path("<slug:slug>/draft/", session.draft, name="draft"),
    path("<slug:slug>/withdraw/", session.withdraw, name="withdraw"),
]
