"""Predicted ratings for programs: read-only, of the studies in whose team the account is, apart from measured ones."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import mixins, serializers, viewsets

from core.models import Run
from prediction.models import Prediction, PredictionBatch
from prediction.parameters import PREDICTION_REPORT
from studies.access import team_studies

STUDY = OpenApiParameter("study", OpenApiTypes.STR, description="Only of the study with this slug.")
BATCH = OpenApiParameter("batch", OpenApiTypes.UUID, description="Only of the batch with this id.")


class PredictionBatchSerializer(serializers.ModelSerializer):
    """One way of predicting in a study."""

    study = serializers.CharField(source="study.slug", read_only=True)
    method = serializers.CharField(read_only=True, help_text="file, hand, judge, mean_of_others or most_similar.")
    parameters = serializers.DictField(read_only=True, help_text="What decides what it predicts.")

    class Meta:
        model = PredictionBatch
        fields = ("public_id", "study", "method", "name", "parameters", "created_at")
        read_only_fields = fields


class PredictionSerializer(serializers.ModelSerializer):
    """A predicted rating, which nobody gave; one repeat of it."""

    batch = serializers.UUIDField(source="batch.public_id", read_only=True)
    participant = serializers.CharField(source="enrolment.public_code", read_only=True)
    question = serializers.SerializerMethodField()
    source = serializers.SerializerMethodField(help_text="Code of the source, or of the candidate.")
    is_candidate = serializers.SerializerMethodField(help_text="Whether nobody has rated the model.")
    rating = serializers.FloatField(source="value", read_only=True, allow_null=True, help_text="1 to 5, or null.")
    outcome = serializers.CharField(read_only=True, help_text="rating, refused, unreadable or undefined.")

    class Meta:
        model = Prediction
        fields = (
            "batch",
            "participant",
            "question",
            "source",
            "is_candidate",
            "repeat",
            "outcome",
            "rating",
            "reason",
            "predicted_at",
        )
        read_only_fields = fields

    def get_question(self, prediction: Prediction) -> str:
        """Code of the question."""
        answer = prediction.answer or prediction.candidate_answer
        assert answer is not None
        return answer.question.code

    def get_source(self, prediction: Prediction) -> str:
        """Code of who gave the answer."""
        if prediction.answer is not None:
            return prediction.answer.source.code
        assert prediction.candidate_answer is not None
        return prediction.candidate_answer.candidate.code

    @extend_schema_field(serializers.BooleanField())
    def get_is_candidate(self, prediction: Prediction) -> bool:
        """Whether the answer is a candidate's."""
        return prediction.candidate_answer_id is not None


class PredictionReportSerializer(serializers.ModelSerializer):
    """A report on predictions: errors, parity, scores and leaderboard, as pages and commands give them."""

    run = serializers.UUIDField(source="public_id", read_only=True)
    parameters = serializers.DictField(read_only=True)
    result = serializers.DictField(read_only=True, help_text="Numbers unrounded; null with a reason beside it.")

    class Meta:
        model = Run
        fields = ("run", "parameters", "seed", "finished_at", "input_sha256", "result_sha256", "result")
        read_only_fields = fields


@extend_schema(parameters=[STUDY])
class PredictionReportViewSet(mixins.ListModelMixin, viewsets.GenericViewSet):
    """Finished reports on predictions, in the order in which they were queued."""

    serializer_class = PredictionReportSerializer
    queryset = Run.objects.filter(kind=PREDICTION_REPORT, subject_kind="study")
    throttle_scope = "read"

    def get_queryset(self) -> QuerySet[Run]:
        """Keep to the account's studies, and to what was asked for."""
        studies = team_studies(self.request.user)
        if "study" in self.request.query_params:
            studies = studies.filter(slug=self.request.query_params["study"])
        keys = [str(public_id) for public_id in studies.values_list("public_id", flat=True)]
        return super().get_queryset().filter(status=Run.Status.FINISHED, subject_id__in=keys)


@extend_schema(parameters=[STUDY])
class PredictionBatchViewSet(mixins.ListModelMixin, viewsets.GenericViewSet):
    """Ways of predicting, in the order in which they were begun."""

    serializer_class = PredictionBatchSerializer
    queryset = PredictionBatch.objects.all()
    throttle_scope = "read"

    def get_queryset(self) -> QuerySet[PredictionBatch]:
        """Keep to the account's studies, and to what was asked for."""
        batches = super().get_queryset().filter(study__in=team_studies(self.request.user))
        if "study" in self.request.query_params:
            batches = batches.filter(study__slug=self.request.query_params["study"])
        return batches.select_related("study")


@extend_schema(parameters=[STUDY, BATCH])
class PredictionViewSet(mixins.ListModelMixin, viewsets.GenericViewSet):
    """Predictions that count, in the order in which they were made."""

    serializer_class = PredictionSerializer
    queryset = Prediction.objects.all()
    throttle_scope = "read"

    def get_queryset(self) -> QuerySet[Prediction]:
        """Keep to the account's studies, and to what was asked for."""
        rows = super().get_queryset().filter(superseded_at=None, batch__study__in=team_studies(self.request.user))
        if "study" in self.request.query_params:
            rows = rows.filter(batch__study__slug=self.request.query_params["study"])
        if "batch" in self.request.query_params:
            asked = serializers.UUIDField().run_validation(self.request.query_params["batch"])
            rows = rows.filter(batch__public_id=asked)
        return rows.select_related(
            "batch",
            "enrolment",
            "answer__question",
            "answer__source",
            "candidate_answer__question",
            "candidate_answer__candidate",
        )
