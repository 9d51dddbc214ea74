"""Opinion groups for programs: how each question was grouped, how good that is, and what the groups stand for."""

from __future__ import annotations

from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field, extend_schema_view
from rest_framework import mixins, serializers, viewsets

from clustering.models import Grouping, GroupName, GroupStatement, OpinionGroup
from core.models import Run
from studies.access import team_studies

STUDY = OpenApiParameter("study", OpenApiTypes.STR, description="Only of the study with this slug.")
QUESTION = OpenApiParameter("question", OpenApiTypes.STR, description="Only of questions with this code.")
RUN = OpenApiParameter(
    "run", OpenApiTypes.UUID, description="Only of this run of groups, or of the parts of this run of scores."
)
RANKED = OpenApiParameter("ranked", OpenApiTypes.BOOL, description="true: only statements that characterise a group.")
# What grows with the square of the participants is given with one grouping, not in lists.
ONLY_ALONE = ("pairs", "person", "participants")


class GroupingSerializer(serializers.ModelSerializer):
    """How a question was grouped: by which method, how good, how stable, and what to collect if it is poor."""

    id = serializers.UUIDField(source="run.public_id", read_only=True, help_text="The run of groups.")
    scores_run = serializers.UUIDField(
        source="run.parent.public_id", read_only=True, allow_null=True, default=None, help_text="The run of scores."
    )
    study = serializers.SlugField(source="question.study.slug", read_only=True)
    question = serializers.CharField(source="question.code", read_only=True)
    question_revision = serializers.IntegerField(source="question.revision", read_only=True)
    method = serializers.CharField(source="line", read_only=True, help_text="dynamic, polis, or live.")
    seed = serializers.IntegerField(source="run.seed", read_only=True)
    parameters = serializers.JSONField(source="run.parameters", read_only=True)
    quality = serializers.SerializerMethodField()
    stability = serializers.SerializerMethodField(help_text="Alone with the shares of pairs and people.")
    advice = serializers.SerializerMethodField()

    class Meta:
        model = Grouping
        fields = (
            *("id", "scores_run", "study", "question", "question_revision", "method", "seed", "parameters"),
            *("n_participants", "n_statements", "n_votes", "n_groups", "silhouette", "undefined"),
            *("quality", "stability", "advice"),
        )
        read_only_fields = fields

    @extend_schema_field(OpenApiTypes.OBJECT)
    def get_quality(self, grouping: Grouping) -> dict[str, Any] | None:
        """The figures to judge the groups by, as the run stored them; null for live views."""
        return (grouping.run.result or {}).get("quality")

    @extend_schema_field(OpenApiTypes.OBJECT)
    def get_advice(self, grouping: Grouping) -> dict[str, Any] | None:
        """What is poor and what to collect, as the run stored it; null for live views."""
        return (grouping.run.result or {}).get("advice")

    @extend_schema_field(OpenApiTypes.OBJECT)
    def get_stability(self, grouping: Grouping) -> dict[str, Any] | None:
        """Stability over seeds and over participants drawn anew, as the run stored it; null for live views."""
        stability = (grouping.run.result or {}).get("stability")
        if not stability or not stability.get("bootstrap") or not self.context.get("in_list"):
            return stability
        short = {name: value for name, value in stability["bootstrap"].items() if name not in ONLY_ALONE}
        return {**stability, "bootstrap": short}


class OpinionGroupSerializer(serializers.ModelSerializer):
    """An opinion group: its letter is the same from run to run, its number is the place by size."""

    grouping = serializers.UUIDField(source="grouping.run.public_id", read_only=True)
    study = serializers.SlugField(source="grouping.question.study.slug", read_only=True)
    question = serializers.CharField(source="grouping.question.code", read_only=True)
    question_revision = serializers.IntegerField(source="grouping.question.revision", read_only=True)
    group = serializers.CharField(source="letter", read_only=True)
    name = serializers.CharField(read_only=True, allow_null=True, help_text="The name the team gave it, if any.")

    class Meta:
        model = OpinionGroup
        fields = ("grouping", "study", "question", "question_revision", "group", "name", "number", "size")
        read_only_fields = fields


class GroupStatementSerializer(serializers.ModelSerializer):
    """How a group voted on a statement, and how far that sets it apart."""

    grouping = serializers.UUIDField(source="group.grouping.run.public_id", read_only=True)
    question = serializers.CharField(source="group.grouping.question.code", read_only=True)
    group = serializers.CharField(source="group.letter", read_only=True)
    statement = serializers.CharField(source="statement.code", read_only=True)

    class Meta:
        model = GroupStatement
        fields = (
            *("grouping", "question", "group", "statement", "n_agree", "n_disagree", "n_neutral"),
            *("rank", "direction", "repness", "repness_test"),
        )
        read_only_fields = fields


@extend_schema_view(list=extend_schema(parameters=[STUDY, QUESTION, RUN]))
class GroupingViewSet(viewsets.ReadOnlyModelViewSet):
    """Groupings of questions by finished runs, in the order of their making."""

    serializer_class = GroupingSerializer
    queryset = Grouping.objects.all()
    throttle_scope = "read"
    lookup_field = "run__public_id"
    lookup_url_kwarg = "id"

    def get_queryset(self) -> QuerySet[Grouping]:
        """Keep to the account's studies, and to what was asked for."""
        groupings = super().get_queryset().filter(scope(self.request, ""))
        return groupings.select_related("run__parent", "question__study").defer("run__parent__result")

    def get_serializer_context(self) -> dict[str, Any]:
        """Tell the serializer whether many are written."""
        return {**super().get_serializer_context(), "in_list": self.action == "list"}


@extend_schema(parameters=[STUDY, QUESTION, RUN])
class OpinionGroupViewSet(mixins.ListModelMixin, viewsets.GenericViewSet):
    """Opinion groups of finished runs, the largest first within each question."""

    serializer_class = OpinionGroupSerializer
    queryset = OpinionGroup.objects.all()
    throttle_scope = "read"

    def get_queryset(self) -> QuerySet[OpinionGroup]:
        """Keep to the account's studies, and to what was asked for."""
        names = GroupName.objects.filter(
            question=OuterRef("grouping__question"),
            line=OuterRef("grouping__line"),
            identity=OuterRef("identity"),
            superseded_at=None,
            is_draft=False,
        )
        groups = super().get_queryset().filter(scope(self.request, "grouping__"))
        groups = groups.annotate(name=Subquery(names.values("name")[:1]))
        return groups.select_related("grouping__run", "grouping__question__study").defer("grouping__run__result")


@extend_schema(parameters=[STUDY, QUESTION, RUN, RANKED])
class GroupStatementViewSet(mixins.ListModelMixin, viewsets.GenericViewSet):
    """Votes of groups on statements, by run, group and statement in the order stored."""

    serializer_class = GroupStatementSerializer
    queryset = GroupStatement.objects.all()
    throttle_scope = "read"

    def get_queryset(self) -> QuerySet[GroupStatement]:
        """Keep to the account's studies, and to what was asked for."""
        rows = super().get_queryset().filter(scope(self.request, "group__grouping__"))
        if self.request.query_params.get("ranked", "").lower() in {"true", "1"}:
            rows = rows.filter(rank__isnull=False)
        related = rows.select_related("group__grouping__run", "group__grouping__question", "statement")
        return related.defer("group__grouping__run__result")


def scope(request: Any, path: str) -> Q:
    """What of groupings, at `path`, the account may see and the request asks for."""
    asked = request.query_params
    rule = Q(
        **{
            f"{path}question__study__in": team_studies(request.user),
            f"{path}run__status": Run.Status.FINISHED,
        }
    )
    if "study" in asked:
        rule &= Q(**{f"{path}question__study__slug": asked["study"]})
    if "question" in asked:
        rule &= Q(**{f"{path}question__code": asked["question"]})
    if "run" in asked:
        run = serializers.UUIDField().run_validation(asked["run"])
        rule &= Q(**{f"{path}run__public_id": run}) | Q(**{f"{path}run__parent__public_id": run})
    return rule
