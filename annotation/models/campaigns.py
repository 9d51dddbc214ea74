from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from studies.models import Study
from studies.models.validators import validate_language, validate_slug


class CampaignQuerySet(models.QuerySet["Campaign"]):
    """Campaigns by who may see them as one of the team."""

    def visible_to(self, user: Any) -> CampaignQuerySet:
        """The campaigns in whose team `user` is; a superuser sees all, a stranger and a mere rater none."""
        if not user.is_authenticated or not user.is_active:
            return self.none()
        if user.is_superuser:
            return self
        return self.filter(members__user=user).distinct()


class Campaign(models.Model):
    """An annotation effort: its name and its team. All that a rater's answer depends on is in its packets."""

    PERSONAL = frozenset({"contact", "created_by"})

    class Kind(models.TextChoices):
        PAIRWISE = "pairwise", _("pairwise audit")
        RATING = "rating", _("absolute rating")
        PREFERENCE = "preference", _("preference between two answers")
        ENTAILMENT = "entailment", _("entailment")
        OPENNESS = "openness", _("open-endedness")
        SURPRISE = "surprise", _("surprise along a text")
        LABEL_CHECK = "label_check", _("check of a machine's labels")

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    slug = models.SlugField(
        _("slug"),
        max_length=64,
        unique=True,
        validators=[validate_slug],
        help_text=_("The name in links: a-z, 0-9 and hyphens."),
    )
    title = models.CharField(_("title"), max_length=200)
    kind = models.CharField(_("kind"), max_length=11, choices=Kind)
    study = models.ForeignKey(
        Study,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="campaigns",
        help_text=_("Whose texts are judged. Empty: the items are imported."),
    )
    language = models.CharField(_("language"), max_length=16, default="en", validators=[validate_language])
    contact = models.CharField(_("contact"), max_length=200, blank=True, help_text=_("How raters reach the team."))
    current_packet = models.ForeignKey(
        "annotation.Packet", models.PROTECT, null=True, blank=True, related_name="+", editable=False
    )
    paused_at = models.DateTimeField(_("paused at"), null=True, blank=True, editable=False)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")

    objects = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        verbose_name = _("campaign")
        verbose_name_plural = _("campaigns")
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    kind__in=[
                        "pairwise",
                        "rating",
                        "preference",
                        "entailment",
                        "openness",
                        "surprise",
                        "label_check",
                    ]
                ),
                name="annotation_campaign_kind_valid",
            ),
        ]

    def __str__(self) -> str:
        return self.title


class CampaignMember(models.Model):
    """A role of an account in the team of a campaign. Raters are no members: they judge blindly."""

    PERSONAL = frozenset({"user"})

    class Role(models.TextChoices):
        OWNER = "owner", _("owner")
        ANALYST = "analyst", _("analyst")
        ADJUDICATOR = "adjudicator", _("adjudicator")
        WATCHER = "watcher", _("watcher")

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="campaign_memberships")
    role = models.CharField(_("role"), max_length=11, choices=Role)

    class Meta:
        ordering = ["campaign", "id"]
        verbose_name = _("member of a campaign")
        verbose_name_plural = _("members of campaigns")
        constraints = [
            models.UniqueConstraint(fields=["campaign", "user"], name="annotation_campaignmember_one_role"),
            models.CheckConstraint(
                condition=Q(role__in=["owner", "analyst", "adjudicator", "watcher"]),
                name="annotation_campaignmember_role_valid",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.role} of {self.campaign_id}"


class Rubric(models.Model):
    """Instructions for one kind of item, in Markdown. A row never changes; another wording is the next number."""

    PERSONAL: frozenset[str] = frozenset()

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="rubrics")
    code = models.CharField(_("code"), max_length=64)
    number = models.PositiveIntegerField(_("version"))
    text = models.TextField(_("text"))
    sha256 = models.CharField(max_length=64)
    written_at = models.DateTimeField()

    class Meta:
        ordering = ["campaign", "code", "number"]
        verbose_name = _("rubric")
        verbose_name_plural = _("rubrics")
        constraints = [
            models.UniqueConstraint(fields=["campaign", "code", "number"], name="annotation_rubric_number_unique"),
            models.UniqueConstraint(fields=["campaign", "code", "sha256"], name="annotation_rubric_text_unique"),
            models.CheckConstraint(condition=Q(number__gte=1), name="annotation_rubric_number_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.code} v{self.number}"


class ConsentText(models.Model):
    """What raters agree to before their first item. A row never changes; another wording is the next number."""

    PERSONAL: frozenset[str] = frozenset()

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="consent_texts")
    number = models.PositiveIntegerField(_("version"))
    text = models.TextField(_("text"))
    sha256 = models.CharField(max_length=64)
    written_at = models.DateTimeField()

    class Meta:
        ordering = ["campaign", "number"]
        verbose_name = _("consent text")
        verbose_name_plural = _("consent texts")
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="annotation_consenttext_number_unique"),
            models.CheckConstraint(condition=Q(number__gte=1), name="annotation_consenttext_number_positive"),
        ]

    def __str__(self) -> str:
        return f"consent v{self.number}"
