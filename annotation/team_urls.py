"""The team's pages of audits."""

from __future__ import annotations

from django.urls import include, path

from annotation.team import views, views_end, views_judges, views_packet, views_raters, views_share, views_watch

app_name = "audits"
urlpatterns = [
    path("", views.campaign_list, name="list"),
    path("-/new/", views.create, name="create"),
    path("-/load/", views.load, name="load"),
    path("<slug:slug>/", views.campaign, name="campaign"),
    path("<slug:slug>/definition.yaml", views.definition, name="definition"),
    path("<slug:slug>/pause/", views.pause, name="pause"),
    path("<slug:slug>/resume/", views.resume, name="resume"),
    path("<slug:slug>/team/add/", views.add_member, name="member-add"),
    path("<slug:slug>/team/remove/", views.remove_member, name="member-remove"),
    path("<slug:slug>/items/", views_packet.item_list, name="items"),
    path("<slug:slug>/items/import/", views_packet.import_items, name="items-import"),
    path("<slug:slug>/items/draw/", views_packet.draw, name="draw"),
    path("<slug:slug>/freeze/", views_packet.freeze, name="freeze"),
    path("<slug:slug>/amend/", views_packet.amend, name="amend"),
    path("<slug:slug>/raters/", views_raters.rater_list, name="raters"),
    path("<slug:slug>/raters/add/", views_raters.add, name="rater-add"),
    path("<slug:slug>/raters/invite/", views_raters.invite, name="invite"),
    path("<slug:slug>/invitations/<uuid:invitation_id>/revoke/", views_raters.revoke, name="revoke"),
    path("<slug:slug>/raters/<uuid:rater_id>/remove/", views_raters.remove, name="rater-remove"),
    path("<slug:slug>/models/", views_judges.judge_list, name="judges"),
    path("<slug:slug>/models/add/", views_judges.add, name="judge-add"),
    path("<slug:slug>/models/answers/", views_judges.import_answers, name="answers"),
    path("<slug:slug>/models/<uuid:rater_id>/", views_judges.judge, name="judge"),
    path("<slug:slug>/models/<uuid:rater_id>/start/", views_judges.start, name="judge-start"),
    path("<slug:slug>/models/<uuid:rater_id>/progress/", views_judges.progress, name="judge-progress"),
    path("<slug:slug>/progress/", views_watch.watch, name="watch"),
    path("<slug:slug>/lock/", views_end.lock, name="lock"),
    path("<slug:slug>/unblind/", views_end.unblind, name="unblind"),
    path("<slug:slug>/adjudication/", views_end.adjudication, name="adjudication"),
    path("<slug:slug>/adjudication/<str:key>/<str:code>/", views_end.decide, name="decide"),
    path("", include("annotation.report_urls")),
    path("<slug:slug>/exports/", views_share.exports, name="exports"),
    path("<slug:slug>/exports/start/", views_share.start, name="export-start"),
    path("<slug:slug>/exports/<uuid:run_id>/progress/", views_share.progress, name="export-progress"),
    path("<slug:slug>/exports/<uuid:run_id>/", views_share.download, name="export-download"),
]
