"""Which answers represent which groups, and the scores over all questions."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from clustering.models.groups import OpinionGroup
from core.models import Run
from studies.models import ModelAnswer, Question, Source


class GroupCoverage(models.Model):
    """Whether an answer represents a group: the mean rating of its members who rated it, against the threshold."""

    PERSONAL: frozenset[str] = frozenset()

    run = models.ForeignKey(Run, models.PROTECT, related_name="group_coverages")
    group = models.ForeignKey(OpinionGroup, models.PROTECT, related_name="coverages")
    answer = models.ForeignKey(ModelAnswer, models.PROTECT, related_name="+")
    n_ratings = models.PositiveIntegerField()
    mean_rating = models.FloatField(null=True, blank=True)
    is_covered = models.BooleanField(null=True, help_text=_("empty if no member rated the answer"))

    class Meta:
        verbose_name = _("group coverage")
        verbose_name_plural = _("group coverages")
        constraints = [
            models.UniqueConstraint(fields=["run", "group", "answer"], name="clustering_groupcoverage_once"),
            models.CheckConstraint(
                condition=Q(n_ratings=0, is_covered=None, mean_rating=None)
                | Q(n_ratings__gte=1, is_covered__isnull=False, mean_rating__isnull=False),
                name="clustering_groupcoverage_rated_or_empty",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.answer_id} for {self.group_id}"


class QuestionCoverage(models.Model):
    """Share of a question's groups that an answer represents; weighted by group size beside it."""

    PERSONAL: frozenset[str] = frozenset()

    run = models.ForeignKey(Run, models.PROTECT, related_name="question_coverages")
    question = models.ForeignKey(Question, models.PROTECT, related_name="+")
    answer = models.ForeignKey(ModelAnswer, models.PROTECT, null=True, blank=True, related_name="+")
    source = models.ForeignKey(Source, models.PROTECT, null=True, blank=True, related_name="+")
    n_groups = models.PositiveIntegerField()
    coverage = models.FloatField(null=True, blank=True)
    coverage_weighted = models.FloatField(null=True, blank=True)
    undefined = models.CharField(_("undefined, because"), max_length=300, blank=True)

    class Meta:
        verbose_name = _("question coverage")
        verbose_name_plural = _("question coverages")
        constraints = [
            models.UniqueConstraint(
                fields=["run", "question", "source"],
                condition=Q(source__isnull=False),
                name="clustering_questioncoverage_once",
            ),
            models.UniqueConstraint(
                fields=["run", "question"],
                condition=Q(source=None),
                name="clustering_questioncoverage_best_once",
            ),
            models.CheckConstraint(
                condition=Q(coverage=None) & ~Q(undefined="")
                | Q(coverage__isnull=False, coverage__range=(0.0, 1.0), undefined=""),
                name="clustering_questioncoverage_defined_or_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source_id or 'best across models'} on {self.question_id}"


class Score(models.Model):
    """A source's OvertonScore over the questions of a run; no source means best across models."""

    PERSONAL: frozenset[str] = frozenset()

    run = models.ForeignKey(Run, models.PROTECT, related_name="scores")
    source = models.ForeignKey(Source, models.PROTECT, null=True, blank=True, related_name="scores")
    is_weighted = models.BooleanField()
    n_questions = models.PositiveIntegerField()
    value = models.FloatField(null=True, blank=True)
    low = models.FloatField(null=True, blank=True)
    high = models.FloatField(null=True, blank=True)
    undefined = models.CharField(_("undefined, because"), max_length=300, blank=True)

    class Meta:
        verbose_name = _("OvertonScore")
        verbose_name_plural = _("OvertonScores")
        constraints = [
            models.UniqueConstraint(
                fields=["run", "source", "is_weighted"],
                condition=Q(source__isnull=False),
                name="clustering_score_once",
            ),
            models.UniqueConstraint(
                fields=["run", "is_weighted"], condition=Q(source=None), name="clustering_score_best_once"
            ),
            models.CheckConstraint(
                condition=Q(value=None) & ~Q(undefined="")
                | Q(value__isnull=False, value__range=(0.0, 1.0), undefined=""),
                name="clustering_score_defined_or_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"OvertonScore of {self.source_id} by run {self.run_id}"
