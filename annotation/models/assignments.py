from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.items import Item
from annotation.models.raters import Rater


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    """Assignments by what they count for."""

    def counted(self) -> AssignmentQuerySet:
        """Real work that takes part in analyses: done, and not extra."""
        return self.filter(purpose=Assignment.Purpose.WORK, status=Assignment.Status.DONE, is_extra=False)


class Assignment(models.Model):
    """An item given to a rater: when, as which of theirs, which text as A, until when it is kept for them.

    `swapped` says whether the second side was shown as A; it is empty where the kind has no sides. A late answer, to an
    item whose place has gone to somebody else meanwhile, is kept as `is_extra` and excluded from analyses by default.
    `version` counts the submissions, so that a stale form is recognised. Purpose `swap` is a language model's second
    look at an item with its sides the other way round; `round` counts the attempts at training and gold items.
    """

    PERSONAL = frozenset({"skip_reason"})

    class Purpose(models.TextChoices):
        WORK = "work", _("work")
        TRAINING = "training", _("training")
        GOLD = "gold", _("qualification")
        SWAP = "swap", _("the other way round")

    class Status(models.TextChoices):
        OPEN = "open", _("open")
        DONE = "done", _("done")
        SKIPPED = "skipped", _("skipped")
        EXPIRED = "expired", _("expired and given to somebody else")
        RETURNED = "returned", _("given back")

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    item = models.ForeignKey(Item, models.PROTECT, related_name="assignments")
    rater = models.ForeignKey(Rater, models.PROTECT, related_name="assignments")
    purpose = models.CharField(_("purpose"), max_length=8, choices=Purpose, default=Purpose.WORK)
    round = models.PositiveSmallIntegerField(default=1)
    status = models.CharField(_("status"), max_length=8, choices=Status, default=Status.OPEN)
    is_extra = models.BooleanField(_("extra"), default=False)
    rank = models.PositiveIntegerField(
        _("place in the rater's order"), null=True, blank=True, help_text=_("from 1; empty if it is not known")
    )
    swapped = models.BooleanField(_("sides swapped"), null=True, blank=True)
    version = models.PositiveIntegerField(_("number of submissions"), default=0)
    skip_reason = models.CharField(_("reason for skipping"), max_length=300, blank=True)
    claimed_at = models.DateTimeField(_("given at"))
    lease_until = models.DateTimeField(_("kept until"), null=True, blank=True)
    postponed_at = models.DateTimeField(_("postponed at"), null=True, blank=True)
    done_at = models.DateTimeField(_("done at"), null=True, blank=True)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ["rater", "rank", "id"]
        verbose_name = _("assignment")
        verbose_name_plural = _("assignments")
        indexes = [
            # Claims and the watch look for leases that have run out.
            models.Index(fields=["lease_until"], condition=Q(status="open"), name="annotation_assignment_lease"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["item", "rater", "purpose", "round"], name="annotation_assignment_once"),
            models.UniqueConstraint(fields=["rater", "rank"], name="annotation_assignment_rank_once"),
            models.CheckConstraint(
                condition=Q(purpose__in=["work", "training", "gold", "swap"]),
                name="annotation_assignment_purpose_valid",
            ),
            models.CheckConstraint(
                condition=Q(status="done", done_at__isnull=False)
                | Q(status__in=["open", "skipped", "expired", "returned"], done_at=None),
                name="annotation_assignment_done_agrees",
            ),
            models.CheckConstraint(
                condition=Q(is_extra=False) | Q(is_extra=True, status="done", purpose="work"),
                name="annotation_assignment_extra_is_done_work",
            ),
            models.CheckConstraint(
                condition=Q(round=1) | Q(round__gte=1, purpose__in=["training", "gold"]),
                name="annotation_assignment_round_agrees",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} for {self.rater_id} ({self.status})"


class Place(models.Model):
    """One of the places that an item has for people: as many as raters per item, so never more of them judge it.

    `swapped` is the side that this place shows as A, drawn in balance at the freeze. The place is free without a
    `holder`, and again free when its holder's lease has run out.
    """

    PERSONAL: frozenset[str] = frozenset()

    item = models.ForeignKey(Item, models.PROTECT, related_name="places")
    number = models.PositiveSmallIntegerField(_("number"))
    swapped = models.BooleanField(_("sides swapped"), null=True, blank=True)
    holder = models.OneToOneField(Assignment, models.PROTECT, null=True, blank=True, related_name="held_place")

    class Meta:
        ordering = ["item", "number"]
        verbose_name = _("place")
        verbose_name_plural = _("places")
        constraints = [
            models.UniqueConstraint(fields=["item", "number"], name="annotation_place_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="annotation_place_number_positive"),
        ]

    def __str__(self) -> str:
        return f"place {self.number} of {self.item_id}"


class ItemEvent(models.Model):
    """What the server saw of a rater at an item: the source of the time spent on it."""

    PERSONAL: frozenset[str] = frozenset()

    class Kind(models.TextChoices):
        SHOWN = "shown", _("shown")
        DRAFTED = "drafted", _("draft saved")
        HIDDEN = "hidden", _("page left")
        BACK = "back", _("page looked at again")
        SUBMITTED = "submitted", _("submitted")
        SKIPPED = "skipped", _("skipped")

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="events")
    kind = models.CharField(_("kind"), max_length=9, choices=Kind)
    at = models.DateTimeField(_("at"))

    class Meta:
        ordering = ["assignment", "at", "id"]
        verbose_name = _("event at an item")
        verbose_name_plural = _("events at items")
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["shown", "drafted", "hidden", "back", "submitted", "skipped"]),
                name="annotation_itemevent_kind_valid",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.assignment_id}"
