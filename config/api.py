"""The addresses of the interface for programs, /api/v1/."""

from __future__ import annotations

from django.urls import path
from drf_spectacular.views import SpectacularAPIView
from rest_framework.routers import SimpleRouter

from annotation.api import AuditItemViewSet, AuditJudgementViewSet, AuditViewSet
from clustering.api import GroupMemberViewSet, RunViewSet, ScoreViewSet
from clustering.api_groups import GroupingViewSet, GroupStatementViewSet, OpinionGroupViewSet
from prediction.api import PredictionBatchViewSet, PredictionReportViewSet, PredictionViewSet
from studies.api import QuestionViewSet, StudyViewSet
from voting.api import StatementViewSet, VoteViewSet


class SchemaView(SpectacularAPIView):
    """The OpenAPI description, as committed in docs/openapi.yaml."""

    throttle_scope = "schema"


router = SimpleRouter()
router.register("studies", StudyViewSet, basename="study")
router.register("questions", QuestionViewSet, basename="question")
router.register("statements", StatementViewSet, basename="statement")
router.register("votes", VoteViewSet, basename="vote")
router.register("groups", GroupMemberViewSet, basename="group")
router.register("groupings", GroupingViewSet, basename="grouping")
router.register("opinion-groups", OpinionGroupViewSet, basename="opinion-group")
router.register("group-statements", GroupStatementViewSet, basename="group-statement")
router.register("runs", RunViewSet, basename="run")
router.register("scores", ScoreViewSet, basename="score")
router.register("prediction-batches", PredictionBatchViewSet, basename="prediction-batch")
router.register("predictions", PredictionViewSet, basename="prediction")
router.register("prediction-reports", PredictionReportViewSet, basename="prediction-report")
router.register("audits", AuditViewSet, basename="audit")
router.register("audit-items", AuditItemViewSet, basename="audit-item")
router.register("audit-judgements", AuditJudgementViewSet, basename="audit-judgement")

app_name = "api"
urlpatterns = [
    path("schema/", SchemaView.as_view(), name="schema"),
    *router.urls,
]
