"""Studies and questions for programs: read-only, of the studies in whose team the account is."""

from __future__ import annotations

from typing import Any

from django.db.models import Prefetch, QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, viewsets

from studies.access import team_studies
from studies.models import ModelAnswer, Question, Study

STUDY = OpenApiParameter("study", OpenApiTypes.STR, description="Only of the study with this slug.")
HISTORY = OpenApiParameter(
    "history", OpenApiTypes.BOOL, description="true: earlier revisions too; otherwise current ones only."
)


class StudySerializer(serializers.ModelSerializer):
    """A study. Its definition as participants saw it is that of the version with the hash."""

    id = serializers.UUIDField(source="public_id", read_only=True)
    version = serializers.IntegerField(source="current_version.number", read_only=True, allow_null=True, default=None)
    sha256 = serializers.CharField(source="current_version.sha256", read_only=True, allow_null=True, default=None)
    published_at = serializers.DateTimeField(
        source="current_version.published_at", read_only=True, allow_null=True, default=None
    )

    class Meta:
        model = Study
        fields = ("id", "slug", "title", "status", "language", "created_at", "version", "sha256", "published_at")
        read_only_fields = fields


class StudyDetailSerializer(StudySerializer):
    """A study with its published definition, null for a draft. Completion codes are left out: they pay."""

    definition = serializers.SerializerMethodField()

    class Meta(StudySerializer.Meta):
        fields = (*StudySerializer.Meta.fields, "definition")
        read_only_fields = fields

    def get_definition(self, study: Study) -> dict[str, Any] | None:
        """The frozen definition without its codes."""
        if study.current_version is None:
            return None
        return {key: value for key, value in study.current_version.definition.items() if key != "codes"}


class ModelAnswerSerializer(serializers.ModelSerializer):
    """A source's answer to a question."""

    id = serializers.UUIDField(source="public_id", read_only=True)
    source = serializers.CharField(source="source.code", read_only=True)

    class Meta:
        model = ModelAnswer
        fields = ("id", "source", "revision", "is_current", "text")
        read_only_fields = fields


class QuestionSerializer(serializers.ModelSerializer):
    """A question with the answers of all sources."""

    id = serializers.UUIDField(source="public_id", read_only=True)
    study = serializers.SlugField(source="study.slug", read_only=True)
    answers = ModelAnswerSerializer(many=True, read_only=True)

    class Meta:
        model = Question
        fields = ("id", "study", "code", "revision", "is_current", "domain", "text", "answers")
        read_only_fields = fields


class StudyViewSet(viewsets.ReadOnlyModelViewSet):
    """Studies; one with its published definition."""

    queryset = Study.objects.all()
    throttle_scope = "read"
    lookup_field = "slug"

    def get_queryset(self) -> QuerySet[Study]:
        """Keep to the account's studies."""
        return team_studies(self.request.user).select_related("current_version")

    def get_serializer_class(self) -> type[StudySerializer]:
        """One study comes with its definition, a list without."""
        return StudyDetailSerializer if self.action == "retrieve" else StudySerializer


@extend_schema(parameters=[STUDY, HISTORY])
class QuestionViewSet(viewsets.ReadOnlyModelViewSet):
    """Questions with their model answers."""

    serializer_class = QuestionSerializer
    queryset = Question.objects.all()
    throttle_scope = "read"
    lookup_field = "public_id"
    lookup_url_kwarg = "id"

    def get_queryset(self) -> QuerySet[Question]:
        """Keep to the account's studies, and to what was asked for."""
        asked = self.request.query_params
        questions = super().get_queryset().filter(study__in=team_studies(self.request.user))
        answers = ModelAnswer.objects.select_related("source").order_by("source__position", "source__code", "revision")
        if asked.get("history", "").lower() not in {"true", "1"}:
            questions, answers = questions.filter(is_current=True), answers.filter(is_current=True)
        if "study" in asked:
            questions = questions.filter(study__slug=asked["study"])
        return questions.select_related("study").prefetch_related(Prefetch("answers", queryset=answers))
