"""Predicted ratings, kept apart from measured ones: no query for ratings of participants can meet them."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from studies.models import Enrolment, ModelAnswer, Question, Study
from studies.models.validators import validate_code

LONGEST_NAME = 200
ACCOUNT = settings.AUTH_USER_MODEL


class Candidate(models.Model):
    """A model that no participant has seen: its answers are added to a closed study for prediction alone."""

    PERSONAL = frozenset({"added_by"})

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    study = models.ForeignKey(Study, models.PROTECT, related_name="candidates")
    code = models.CharField(_("code"), max_length=64, validators=[validate_code])
    name = models.CharField(_("name"), max_length=LONGEST_NAME)
    settings = models.JSONField(_("generation settings"), default=dict, blank=True)
    added_at = models.DateTimeField()
    added_by = models.ForeignKey(ACCOUNT, models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["study", "code"]
        verbose_name = _("candidate")
        verbose_name_plural = _("candidates")
        constraints = [models.UniqueConstraint(fields=["study", "code"], name="prediction_candidate_code_unique")]

    def __str__(self) -> str:
        return self.code


class CandidateAnswer(models.Model):
    """A candidate's answer to a question. Never shown to a participant, never changed."""

    PERSONAL: frozenset[str] = frozenset()

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    candidate = models.ForeignKey(Candidate, models.PROTECT, related_name="answers")
    question = models.ForeignKey(Question, models.PROTECT, related_name="candidate_answers")
    text = models.TextField(_("text"))
    added_at = models.DateTimeField()

    class Meta:
        ordering = ["question", "candidate"]
        verbose_name = _("answer of a candidate")
        verbose_name_plural = _("answers of candidates")
        constraints = [
            models.UniqueConstraint(fields=["candidate", "question"], name="prediction_candidateanswer_once"),
            models.CheckConstraint(condition=~Q(text=""), name="prediction_candidateanswer_has_text"),
        ]

    def __str__(self) -> str:
        return f"{self.candidate_id} on {self.question_id}"


class PredictionBatch(models.Model):
    """All that one way of predicting has predicted in one study. The way is what `parameters` say, the hash its key.

    How many points are tried and how often is not part of it: a run over a subset and the full run that follows fill
    the same batch, and no call is paid twice.
    """

    PERSONAL = frozenset({"predicted_by", "predicted_by_name", "created_by"})

    class Method(models.TextChoices):
        FILE = "file", _("from a file")
        HAND = "hand", _("by hand")
        JUDGE = "judge", _("model as judge")
        MEAN_OF_OTHERS = "mean_of_others", _("mean of the person's other ratings")
        MOST_SIMILAR = "most_similar", _("rating of the most similar answer")

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    study = models.ForeignKey(Study, models.PROTECT, related_name="prediction_batches")
    method = models.CharField(_("method"), max_length=16, choices=Method)
    name = models.CharField(_("name"), max_length=LONGEST_NAME)
    parameters = models.JSONField(_("parameters"))
    parameters_sha256 = models.CharField(max_length=64)
    predicted_by = models.ForeignKey(ACCOUNT, models.SET_NULL, null=True, blank=True, related_name="+")
    predicted_by_name = models.CharField(_("predicted by"), max_length=150, blank=True)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(ACCOUNT, models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["study", "id"]
        verbose_name = _("batch of predictions")
        verbose_name_plural = _("batches of predictions")
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="prediction_batch_name_unique"),
            models.UniqueConstraint(
                fields=["study", "method", "parameters_sha256"], name="prediction_batch_one_of_its_parameters"
            ),
            models.CheckConstraint(
                condition=Q(method__in=["file", "hand", "judge", "mean_of_others", "most_similar"]),
                name="prediction_batch_method_valid",
            ),
            models.CheckConstraint(
                condition=(Q(method="hand") & ~Q(predicted_by_name="")) | (~Q(method="hand") & Q(predicted_by_name="")),
                name="prediction_batch_hand_has_a_name",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class PredictionQuerySet(models.QuerySet["Prediction"]):
    """Predictions with their history."""

    def current(self) -> PredictionQuerySet:
        """The last one of each batch, person, answer and repeat."""
        return self.filter(superseded_at=None)


class Prediction(models.Model):
    """What a batch says a participant would rate an answer, or why it says nothing. One repeat of it.

    Written at once when it is known. What is asked anew (another prompt, a hand that changes its mind) supersedes the
    earlier row.
    """

    PERSONAL: frozenset[str] = frozenset()

    class Outcome(models.TextChoices):
        RATING = "rating", _("a rating")
        REFUSED = "refused", _("refused")
        UNREADABLE = "unreadable", _("no rating can be read from the reply")
        UNDEFINED = "undefined", _("cannot be computed")

    batch = models.ForeignKey(PredictionBatch, models.PROTECT, related_name="predictions")
    enrolment = models.ForeignKey(Enrolment, models.PROTECT, related_name="predictions")
    answer = models.ForeignKey(ModelAnswer, models.PROTECT, null=True, blank=True, related_name="predictions")
    candidate_answer = models.ForeignKey(
        CandidateAnswer, models.PROTECT, null=True, blank=True, related_name="predictions"
    )
    repeat = models.PositiveSmallIntegerField(default=1)
    outcome = models.CharField(_("outcome"), max_length=10, choices=Outcome)
    value = models.FloatField(_("predicted rating"), null=True, blank=True)
    reason = models.CharField(_("no rating, because"), max_length=300, blank=True)
    prompt_sha256 = models.CharField(max_length=64, blank=True)
    predicted_at = models.DateTimeField()
    superseded_at = models.DateTimeField(null=True, blank=True)

    objects = PredictionQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        verbose_name = _("prediction")
        verbose_name_plural = _("predictions")
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "enrolment", "answer", "repeat"],
                condition=Q(superseded_at=None, answer__isnull=False),
                name="prediction_prediction_one_of_an_answer",
            ),
            models.UniqueConstraint(
                fields=["batch", "enrolment", "candidate_answer", "repeat"],
                condition=Q(superseded_at=None, candidate_answer__isnull=False),
                name="prediction_prediction_one_of_a_candidate",
            ),
            models.CheckConstraint(
                condition=Q(answer__isnull=False, candidate_answer=None)
                | Q(answer=None, candidate_answer__isnull=False),
                name="prediction_prediction_of_one_answer",
            ),
            models.CheckConstraint(
                condition=Q(outcome__in=["rating", "refused", "unreadable", "undefined"]),
                name="prediction_prediction_outcome_valid",
            ),
            models.CheckConstraint(
                # A comparison with NULL is unknown, and unknown passes a check: say what is not null.
                condition=Q(outcome="rating", value__isnull=False, value__range=(1.0, 5.0), reason="")
                | (~Q(outcome="rating") & Q(value=None) & ~Q(reason="")),
                name="prediction_prediction_rating_or_reason",
            ),
            models.CheckConstraint(condition=Q(repeat__gte=1), name="prediction_prediction_repeat_from_1"),
            models.CheckConstraint(
                condition=Q(superseded_at=None) | Q(superseded_at__gte=F("predicted_at")),
                name="prediction_prediction_superseded_after",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.enrolment_id} by batch {self.batch_id}: {self.value if self.value is not None else self.outcome}"


class JudgeReply(models.Model):
    """What the model said, word for word: the raw output behind a prediction. Erased when the person withdraws."""

    PERSONAL = frozenset({"text", "raw", "refusal"})

    prediction = models.OneToOneField(Prediction, models.PROTECT, related_name="reply")
    text = models.TextField(_("text"), blank=True)
    raw = models.TextField(_("reply as received"), blank=True)
    refusal = models.TextField(_("refusal"), blank=True)
    model = models.CharField(_("model that answered"), max_length=200)
    finish_reason = models.CharField(max_length=100, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=1)
    received_at = models.DateTimeField()

    class Meta:
        verbose_name = _("reply of a judge")
        verbose_name_plural = _("replies of judges")

    def __str__(self) -> str:
        return f"reply behind prediction {self.prediction_id}"
