"""Statements and votes for programs: read-only. The team sees statements, who may read data sees votes."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import mixins, serializers, viewsets

from studies.access import readable_studies, team_studies
from studies.models import Enrolment
from voting.models import Statement, Vote

STUDY = OpenApiParameter("study", OpenApiTypes.STR, description="Only of the study with this slug.")
QUESTION = OpenApiParameter("question", OpenApiTypes.STR, description="Only of questions with this code.")
STATUS = OpenApiParameter(
    "status", OpenApiTypes.STR, enum=Statement.Status.values, description="Only statements in this state."
)
HISTORY = OpenApiParameter(
    "history", OpenApiTypes.BOOL, description="true: superseded votes too; otherwise current ones only."
)


class StatementSerializer(serializers.ModelSerializer):
    """A statement with its tallies."""

    id = serializers.UUIDField(source="public_id", read_only=True)
    study = serializers.SlugField(source="question.study.slug", read_only=True)
    question = serializers.CharField(source="question.code", read_only=True)
    question_revision = serializers.IntegerField(source="question.revision", read_only=True)
    author = serializers.CharField(
        source="author.public_code", read_only=True, allow_null=True, default=None, help_text="Public code, if known."
    )

    class Meta:
        model = Statement
        fields = (
            "id",
            "study",
            "question",
            "question_revision",
            "code",
            "origin",
            "status",
            "author",
            "text",
            "created_at",
            "n_shown",
            "n_agree",
            "n_disagree",
            "n_neutral",
        )
        read_only_fields = fields


class VoteSerializer(serializers.ModelSerializer):
    """A vote. What was not shown or not answered has none."""

    study = serializers.SlugField(source="statement.question.study.slug", read_only=True)
    question = serializers.CharField(source="statement.question.code", read_only=True)
    question_revision = serializers.IntegerField(source="statement.question.revision", read_only=True)
    statement = serializers.CharField(source="statement.code", read_only=True)
    participant = serializers.CharField(source="enrolment.public_code", read_only=True)
    value = serializers.IntegerField(read_only=True, help_text="1 agree, -1 disagree, 0 neutral.")

    class Meta:
        model = Vote
        fields = (
            "study",
            "question",
            "question_revision",
            "statement",
            "participant",
            "value",
            "cast_at",
            "superseded_at",
        )
        read_only_fields = fields


@extend_schema_view(list=extend_schema(parameters=[STUDY, QUESTION, STATUS]))
class StatementViewSet(viewsets.ReadOnlyModelViewSet):
    """Statements in the order of creation; previews' are left out."""

    serializer_class = StatementSerializer
    queryset = Statement.objects.filter(is_preview=False)
    throttle_scope = "read"
    lookup_field = "public_id"
    lookup_url_kwarg = "id"

    def get_queryset(self) -> QuerySet[Statement]:
        """Keep to the account's studies, and to what was asked for."""
        asked = self.request.query_params
        statements = super().get_queryset().filter(question__study__in=team_studies(self.request.user))
        statements = _narrowed(statements, asked, study="question__study__slug", question="question__code")
        if "status" in asked:
            statements = statements.filter(status=asked["status"])
        return statements.select_related("question__study", "author")


@extend_schema_view(list=extend_schema(parameters=[STUDY, QUESTION, HISTORY]))
class VoteViewSet(mixins.ListModelMixin, viewsets.GenericViewSet):
    """Votes in the order cast; previews' are left out."""

    serializer_class = VoteSerializer
    queryset = Vote.objects.exclude(enrolment__origin=Enrolment.Origin.PREVIEW)
    throttle_scope = "read"

    def get_queryset(self) -> QuerySet[Vote]:
        """Keep to the account's studies, and to what was asked for."""
        asked = self.request.query_params
        votes = super().get_queryset().filter(statement__question__study__in=readable_studies(self.request.user))
        votes = _narrowed(votes, asked, study="statement__question__study__slug", question="statement__question__code")
        if asked.get("history", "").lower() not in {"true", "1"}:
            votes = votes.filter(superseded_at=None)
        return votes.select_related("statement__question__study", "enrolment")


def _narrowed(rows: QuerySet[Any], asked: Any, **paths: str) -> QuerySet[Any]:
    return rows.filter(**{path: asked[name] for name, path in paths.items() if name in asked})
