"""Groups and scores for programs: read-only, of finished runs of the studies in whose team the account is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field, extend_schema_view
from rest_framework import mixins, serializers, viewsets

from clustering.models import GroupMember, Score
from clustering.parameters import GROUPS, LIVE, OVERTON, VIEWPOINTS
from core.models import Run
from studies.access import team_studies
from studies.models import Question, Study

KINDS = (GROUPS, OVERTON, LIVE, VIEWPOINTS)
KIND = OpenApiParameter("kind", OpenApiTypes.STR, enum=KINDS, description="Only runs of this kind.")

STUDY = OpenApiParameter("study", OpenApiTypes.STR, description="Only of the study with this slug.")
QUESTION = OpenApiParameter("question", OpenApiTypes.STR, description="Only of questions with this code.")
RUN = OpenApiParameter("run", OpenApiTypes.UUID, description="Only of the run of scores with this id.")


class ScoreSerializer(serializers.ModelSerializer):
    """An OvertonScore; no source means best across models."""

    run = serializers.UUIDField(source="run.public_id", read_only=True)
    source = serializers.CharField(source="source.code", read_only=True, allow_null=True, default=None)
    value = serializers.FloatField(read_only=True, allow_null=True, help_text="0 to 1; null if undefined.")

    class Meta:
        model = Score
        fields = ("run", "source", "is_weighted", "n_questions", "value", "low", "high", "undefined")
        read_only_fields = fields


class GroupMemberSerializer(serializers.ModelSerializer):
    """In which opinion group of which run a participant is."""

    run = serializers.UUIDField(source="grouping.run.parent.public_id", read_only=True, help_text="Run of scores.")
    question = serializers.CharField(source="grouping.question.code", read_only=True)
    question_revision = serializers.IntegerField(source="grouping.question.revision", read_only=True)
    participant = serializers.CharField(source="enrolment.public_code", read_only=True)
    group = serializers.SerializerMethodField(help_text="Its letter, the same from run to run; null if in no group.")

    class Meta:
        model = GroupMember
        fields = ("run", "question", "question_revision", "participant", "group", "x", "y", "n_votes")
        read_only_fields = fields

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_group(self, member: GroupMember) -> str | None:
        """The label that pages and exports print."""
        return None if member.group is None else member.group.letter


class RunSerializer(serializers.ModelSerializer):
    """A computation with everything that identifies it: parameters, seed, hashes and versions."""

    id = serializers.UUIDField(source="public_id", read_only=True)
    parent = serializers.UUIDField(source="parent.public_id", read_only=True, allow_null=True, default=None)

    class Meta:
        model = Run
        fields = (
            *("id", "kind", "subject_kind", "subject_id", "parent", "parameters", "seed", "status", "is_reported"),
            *("queued_at", "started_at", "finished_at", "input_sha256", "result_sha256", "versions", "error"),
        )
        read_only_fields = fields


@extend_schema_view(list=extend_schema(parameters=[STUDY, KIND]))
class RunViewSet(viewsets.ReadOnlyModelViewSet):
    """Runs of groups and scores in the order of their making; subjects go by the ids of studies and questions."""

    serializer_class = RunSerializer
    queryset = Run.objects.filter(kind__in=KINDS)
    throttle_scope = "read"
    lookup_field = "public_id"
    lookup_url_kwarg = "id"

    def get_queryset(self) -> QuerySet[Run]:
        """Keep to the account's studies, and to what was asked for."""
        studies = _asked_studies(self.request)
        questions = Question.objects.filter(study__in=studies).values_list("public_id", flat=True)
        of_study = Q(subject_kind="study", subject_id__in=_keys(studies.values_list("public_id", flat=True)))
        of_question = Q(subject_kind="question", subject_id__in=_keys(questions))
        runs = super().get_queryset().filter(of_study | of_question)
        if "kind" in self.request.query_params:
            runs = runs.filter(kind=self.request.query_params["kind"])
        return runs.select_related("parent").defer("result", "parent__result")


@extend_schema(parameters=[STUDY, RUN])
class ScoreViewSet(mixins.ListModelMixin, viewsets.GenericViewSet):
    """OvertonScores of all finished runs, in the order of the runs."""

    serializer_class = ScoreSerializer
    queryset = Score.objects.all()
    throttle_scope = "read"

    def get_queryset(self) -> QuerySet[Score]:
        """Keep to the account's studies, and to what was asked for."""
        scores = super().get_queryset().filter(run__in=_asked_runs(self.request))
        return scores.select_related("run", "source")


@extend_schema(parameters=[STUDY, QUESTION, RUN])
class GroupMemberViewSet(mixins.ListModelMixin, viewsets.GenericViewSet):
    """Members of opinion groups of all finished runs, in the order of the runs."""

    serializer_class = GroupMemberSerializer
    queryset = GroupMember.objects.all()
    throttle_scope = "read"

    def get_queryset(self) -> QuerySet[GroupMember]:
        """Keep to the account's studies, and to what was asked for."""
        members = super().get_queryset().filter(grouping__run__parent__in=_asked_runs(self.request))
        if "question" in self.request.query_params:
            members = members.filter(grouping__question__code=self.request.query_params["question"])
        return members.select_related("grouping__run__parent", "grouping__question", "enrolment", "group")


def _asked_runs(request: Any) -> QuerySet[Run]:
    keys = _keys(_asked_studies(request).values_list("public_id", flat=True))
    runs = Run.objects.finished().filter(subject_kind="study", subject_id__in=keys)
    if "run" in request.query_params:
        asked = serializers.UUIDField().run_validation(request.query_params["run"])
        runs = runs.filter(public_id=asked)
    return runs


def _asked_studies(request: Any) -> QuerySet[Study]:
    studies = team_studies(request.user)
    return studies.filter(slug=request.query_params["study"]) if "study" in request.query_params else studies


def _keys(public_ids: Iterable[UUID]) -> list[str]:
    """Ids as runs keep those of their subjects."""
    return [str(public_id) for public_id in public_ids]
