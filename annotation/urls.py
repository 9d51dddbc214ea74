"""Raters' addresses. None shows a hidden field: an item is named by the random id of its being given to the rater."""

from __future__ import annotations

from django.urls import path

from annotation.rating import views, views_answers, views_arrival

app_name = "judging"
urlpatterns = [
    path("", views_arrival.campaigns, name="campaigns"),
    path("<slug:slug>/", views.work, name="work"),
    path("<slug:slug>/invitation/<str:token>/", views_arrival.invitation, name="invitation"),
    path("<slug:slug>/back/<str:token>/", views_arrival.back, name="back"),
    path("<slug:slug>/item/", views.item, name="item"),
    path("<slug:slug>/items/<uuid:assignment_id>/draft/", views.draft, name="draft"),
    path("<slug:slug>/items/<uuid:assignment_id>/seen/", views.seen, name="seen"),
    path("<slug:slug>/answers/", views_answers.answers, name="answers"),
    path("<slug:slug>/answers/page/<int:number>/", views_answers.answers, name="answers-page"),
    path("<slug:slug>/answers/<uuid:assignment_id>/", views_answers.answer, name="answer"),
]
