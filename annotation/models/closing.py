from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotation.models.items import Item
from annotation.models.packets import Dimension, Label, Packet


class Lock(models.Model):
    """The end of judging a packet. It is complete, or somebody has said why it is locked nevertheless."""

    PERSONAL = frozenset({"locked_by", "locked_by_name"})

    packet = models.OneToOneField(Packet, models.PROTECT, related_name="lock")
    is_complete = models.BooleanField(_("complete"))
    override_reason = models.CharField(_("why it is locked though incomplete"), max_length=500, blank=True)
    counts = models.JSONField(_("counts"))
    judgements_sha256 = models.CharField(_("hash of the judgements"), max_length=64)
    locked_at = models.DateTimeField(_("locked at"))
    locked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    locked_by_name = models.CharField(_("locked by"), max_length=150)

    class Meta:
        verbose_name = _("lock")
        verbose_name_plural = _("locks")
        constraints = [
            models.CheckConstraint(
                condition=Q(is_complete=True, override_reason="") | (Q(is_complete=False) & ~Q(override_reason="")),
                name="annotation_lock_complete_or_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"lock of packet {self.packet_id}"


class Unblinding(models.Model):
    """The one act that releases the hidden fields of a locked packet, by a named person. It cannot be undone."""

    PERSONAL = frozenset({"unblinded_by", "unblinded_by_name"})

    lock = models.OneToOneField(Lock, models.PROTECT, related_name="unblinding")
    mapping_sha256 = models.CharField(
        _("hash of what was released"), max_length=64, help_text=_("that of the packet if nothing was altered")
    )
    unblinded_at = models.DateTimeField(_("unblinded at"))
    unblinded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    unblinded_by_name = models.CharField(_("unblinded by"), max_length=150)

    class Meta:
        verbose_name = _("unblinding")
        verbose_name_plural = _("unblindings")
        constraints = [
            models.CheckConstraint(condition=~Q(unblinded_by_name=""), name="annotation_unblinding_named"),
        ]

    def __str__(self) -> str:
        return f"unblinding of lock {self.lock_id}"


class AdjudicationQuerySet(models.QuerySet["Adjudication"]):
    """Adjudications with their history."""

    def current(self) -> AdjudicationQuerySet:
        """The last one of each item and dimension."""
        return self.filter(superseded_at=None)


class Adjudication(models.Model):
    """A label decided upon after the lock, with author and reason. The raters' own judgements stay as they are."""

    PERSONAL = frozenset({"author", "author_name", "reason"})

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    lock = models.ForeignKey(Lock, models.PROTECT, related_name="adjudications")
    item = models.ForeignKey(Item, models.PROTECT, related_name="adjudications")
    dimension = models.ForeignKey(Dimension, models.PROTECT, related_name="adjudications")
    label = models.ForeignKey(Label, models.PROTECT, null=True, blank=True, related_name="adjudications")
    labels = models.JSONField(_("labels"), null=True, blank=True)
    cannot_judge = models.BooleanField(_("cannot be judged"), default=False)
    reason = models.TextField(_("reason"))
    was_blind = models.BooleanField(_("before unblinding"))
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    author_name = models.CharField(_("author"), max_length=150)
    decided_at = models.DateTimeField(_("decided at"))
    superseded_at = models.DateTimeField(_("superseded at"), null=True, blank=True)

    objects = AdjudicationQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        verbose_name = _("adjudication")
        verbose_name_plural = _("adjudications")
        constraints = [
            models.UniqueConstraint(
                fields=["item", "dimension"],
                condition=Q(superseded_at=None),
                name="annotation_adjudication_one_current",
            ),
            models.CheckConstraint(
                condition=Q(label__isnull=False, labels__isnull=True, cannot_judge=False)
                | Q(label=None, labels__isnull=False, cannot_judge=False)
                | Q(label=None, labels__isnull=True, cannot_judge=True),
                name="annotation_adjudication_one_answer",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="annotation_adjudication_has_reason"),
            models.CheckConstraint(condition=~Q(author_name=""), name="annotation_adjudication_named"),
            models.CheckConstraint(
                condition=Q(superseded_at=None) | Q(superseded_at__isnull=False, superseded_at__gte=F("decided_at")),
                name="annotation_adjudication_superseded_after",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.dimension_id} of {self.item_id}"
