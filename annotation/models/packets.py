from __future__ import annotations

import uuid

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.campaigns import Campaign, Rubric
from core.randomness import new_seed
from studies.models.validators import Limits, validate_code

RATERS_PER_ITEM = Limits(0, 1000)
"""None: the item is judged by models and by raters from files alone."""
ITEMS_PER_RATER = Limits(1, 1_000_000)
LEASE_MINUTES = Limits(1, 10_080)
ATTEMPTS = Limits(1, 10)
SHARE = [MinValueValidator(0), MaxValueValidator(1)]


class PacketQuerySet(models.QuerySet["Packet"]):
    """Packets by state."""

    def drafts(self) -> PacketQuerySet:
        """Those that may still be edited; at most one a campaign."""
        return self.filter(frozen_at=None)


class Packet(models.Model):
    """All that an answer depends on: settings, kinds of items with their dimensions and rubrics, the items.

    Edited until it is frozen, then never again; an amendment is another packet that names this one and a reason. The
    hash of a frozen packet is over its definition, its order seed and the hashes of its items, each of which is of a
    random salt and the content, so that content can be erased and the rest still verified. `mapping_sha256` seals the
    hidden fields in the same way, so that what is released at unblinding can be shown to be what was there before.
    """

    PERSONAL = frozenset({"frozen_by"})

    class SkipPolicy(models.TextChoices):
        NEVER = "never", _("items cannot be skipped")
        LATER = "later", _("a skipped item comes again at the end")
        OTHERS = "others", _("a skipped item goes to somebody else")

    class Unit(models.TextChoices):
        ITEM = "item", _("item")
        PAIR = "pair", _("pair")
        REFERENCE = "reference", _("reference")

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="packets")
    number = models.PositiveIntegerField(_("number"))
    amended_from = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="amendments")
    reason = models.CharField(_("reason for the amendment"), max_length=500, blank=True)

    seed = models.CharField(
        _("order seed"), max_length=64, default=new_seed, help_text=_("Orders and sides derive from it.")
    )
    raters_per_item = models.PositiveSmallIntegerField(
        _("raters per item"), default=2, validators=RATERS_PER_ITEM.validators()
    )
    items_per_rater = models.PositiveIntegerField(
        _("most items for a rater"),
        null=True,
        blank=True,
        validators=ITEMS_PER_RATER.validators(),
        help_text=_("Empty: no limit."),
    )
    is_counterbalanced = models.BooleanField(
        _("counterbalanced"), default=True, help_text=_("Which text is A and which B is drawn in balance.")
    )
    lease_minutes = models.PositiveIntegerField(
        _("minutes an item is kept for a rater"), default=60, validators=LEASE_MINUTES.validators()
    )
    skip_policy = models.CharField(_("skipping"), max_length=6, choices=SkipPolicy, default=SkipPolicy.LATER)
    resampling_unit = models.CharField(_("unit of resampling"), max_length=9, choices=Unit, default=Unit.ITEM)
    primary_analysis = models.JSONField(
        _("primary analysis"), default=dict, blank=True, help_text=_("Declared before anything is unblinded.")
    )
    hidden_fields = models.JSONField(
        _("hidden fields"), default=list, blank=True, help_text=_("Names of the fields that no rater may learn.")
    )
    needs_training = models.BooleanField(_("training items first"), default=False)
    pass_mark = models.FloatField(_("pass mark on gold items"), null=True, blank=True, validators=SHARE)
    attempts = models.PositiveSmallIntegerField(
        _("attempts at qualification"), default=2, validators=ATTEMPTS.validators()
    )

    created_at = models.DateTimeField()
    frozen_at = models.DateTimeField(_("frozen at"), null=True, blank=True)
    frozen_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    definition = models.JSONField(_("definition"), null=True, blank=True)
    items_sha256 = models.CharField(max_length=64, blank=True)
    mapping_sha256 = models.CharField(max_length=64, blank=True)
    sha256 = models.CharField(_("content hash"), max_length=64, blank=True)

    objects = PacketQuerySet.as_manager()

    class Meta:
        ordering = ["campaign", "number"]
        verbose_name = _("packet")
        verbose_name_plural = _("packets")
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="annotation_packet_number_unique"),
            models.UniqueConstraint(
                fields=["campaign"], condition=Q(frozen_at=None), name="annotation_packet_one_draft"
            ),
            models.CheckConstraint(
                condition=Q(frozen_at=None, definition__isnull=True, sha256="", items_sha256="", mapping_sha256="")
                | (
                    Q(frozen_at__isnull=False, definition__isnull=False)
                    & ~Q(sha256="")
                    & ~Q(items_sha256="")
                    & ~Q(mapping_sha256="")
                ),
                name="annotation_packet_frozen_agrees",
            ),
            models.CheckConstraint(
                condition=Q(amended_from=None, reason="") | (Q(amended_from__isnull=False) & ~Q(reason="")),
                name="annotation_packet_amended_with_reason",
            ),
            models.CheckConstraint(
                condition=Q(skip_policy__in=["never", "later", "others"]), name="annotation_packet_skip_policy_valid"
            ),
            models.CheckConstraint(
                condition=Q(resampling_unit__in=["item", "pair", "reference"]), name="annotation_packet_unit_valid"
            ),
            models.CheckConstraint(
                condition=RATERS_PER_ITEM.condition("raters_per_item"), name="annotation_packet_raters_per_item_range"
            ),
            models.CheckConstraint(
                condition=ITEMS_PER_RATER.condition("items_per_rater", null=True),
                name="annotation_packet_items_per_rater_range",
            ),
            models.CheckConstraint(
                condition=LEASE_MINUTES.condition("lease_minutes"), name="annotation_packet_lease_minutes_range"
            ),
            models.CheckConstraint(
                condition=Q(pass_mark=None) | Q(pass_mark__isnull=False, pass_mark__range=(0.0, 1.0)),
                name="annotation_packet_pass_mark_range",
            ),
            models.CheckConstraint(condition=ATTEMPTS.condition("attempts"), name="annotation_packet_attempts_range"),
        ]

    def __str__(self) -> str:
        return f"packet {self.number}"

    @property
    def is_frozen(self) -> bool:
        """Whether nothing of it may be edited any more."""
        return self.frozen_at is not None


class ItemKind(models.Model):
    """A kind of item within a packet: its texts, its rubric and, through its dimensions, what is asked about it.

    `parts` lists the texts in the order in which they are shown: `{"code", "label", "role"}`, of which `side` are the
    two that are shown as A and B in a drawn order, `context` is what one needs to know, `text` is what is judged.
    """

    PERSONAL: frozenset[str] = frozenset()

    packet = models.ForeignKey(Packet, models.CASCADE, related_name="kinds")
    code = models.CharField(_("code"), max_length=64, validators=[validate_code])
    name = models.CharField(_("name"), max_length=200)
    position = models.PositiveSmallIntegerField(_("position"), default=0)
    parts = models.JSONField(_("texts"))
    rubric = models.ForeignKey(Rubric, models.PROTECT, related_name="kinds")

    class Meta:
        ordering = ["packet", "position", "code"]
        verbose_name = _("kind of item")
        verbose_name_plural = _("kinds of items")
        constraints = [models.UniqueConstraint(fields=["packet", "code"], name="annotation_itemkind_code_unique")]

    def __str__(self) -> str:
        return self.code

    @property
    def sides(self) -> list[str]:
        """The codes of the two texts that are shown as A and B; none if the kind has no sides."""
        return [part["code"] for part in self.parts if part["role"] == "side"]


class Dimension(models.Model):
    """A scale on which items of a kind are judged. It may depend on the answer to an earlier one."""

    PERSONAL: frozenset[str] = frozenset()

    class Scale(models.TextChoices):
        NOMINAL = "nominal", _("labels without order")
        ORDINAL = "ordinal", _("labels in order")
        INTERVAL = "interval", _("labels with values of equal distance")
        MULTIPLE = "multiple", _("any number of labels")

    class Evidence(models.TextChoices):
        OFF = "off", _("not asked")
        OPTIONAL = "optional", _("optional")
        REQUIRED = "required", _("required")

    class CannotJudge(models.TextChoices):
        ABSENT = "absent", _("there is no such answer")
        MISSING = "missing", _("the item is missing for this rater")
        CATEGORY = "category", _("an answer like any other")

    kind = models.ForeignKey(ItemKind, models.CASCADE, related_name="dimensions")
    code = models.CharField(_("code"), max_length=64, validators=[validate_code])
    name = models.CharField(_("name"), max_length=200)
    question = models.TextField(_("question"))
    position = models.PositiveSmallIntegerField(_("position"), default=0)
    scale = models.CharField(_("scale"), max_length=8, choices=Scale)
    is_required = models.BooleanField(_("required"), default=True)
    evidence = models.CharField(_("evidence"), max_length=8, choices=Evidence, default=Evidence.OFF)
    cannot_judge = models.CharField(
        _("cannot judge counts as"), max_length=8, choices=CannotJudge, default=CannotJudge.MISSING
    )
    cannot_judge_label = models.CharField(_("label of cannot judge"), max_length=120, blank=True)
    cannot_judge_meaning = models.CharField(_("what cannot judge means"), max_length=500, blank=True)
    depends_on = models.ForeignKey("self", models.CASCADE, null=True, blank=True, related_name="dependents")
    depends_labels = models.JSONField(
        _("asked only after"), default=list, blank=True, help_text=_("Codes of labels of the other dimension.")
    )

    class Meta:
        ordering = ["kind", "position", "code"]
        verbose_name = _("dimension")
        verbose_name_plural = _("dimensions")
        constraints = [
            models.UniqueConstraint(fields=["kind", "code"], name="annotation_dimension_code_unique"),
            models.CheckConstraint(
                condition=Q(scale__in=["nominal", "ordinal", "interval", "multiple"]),
                name="annotation_dimension_scale_valid",
            ),
            models.CheckConstraint(
                condition=Q(evidence__in=["off", "optional", "required"]), name="annotation_dimension_evidence_valid"
            ),
            models.CheckConstraint(
                condition=Q(cannot_judge="absent", cannot_judge_label="")
                | (Q(cannot_judge__in=["missing", "category"]) & ~Q(cannot_judge_label="")),
                name="annotation_dimension_cannot_judge_agrees",
            ),
            models.CheckConstraint(
                condition=Q(depends_on=None, depends_labels=[]) | (Q(depends_on__isnull=False) & ~Q(depends_labels=[])),
                name="annotation_dimension_depends_on_labels",
            ),
        ]

    def __str__(self) -> str:
        return self.code


class Label(models.Model):
    """A possible answer on a dimension; `position` is its place in the declared order.

    A label that speaks of a side ("A is better") has its `mirror`: what is stored is the label with the texts in their
    stored order, whichever way round they were shown.
    """

    PERSONAL: frozenset[str] = frozenset()

    dimension = models.ForeignKey(Dimension, models.CASCADE, related_name="labels")
    code = models.CharField(_("code"), max_length=64, validators=[validate_code])
    text = models.CharField(_("text"), max_length=200)
    hint = models.CharField(_("hint"), max_length=500, blank=True)
    position = models.PositiveSmallIntegerField(_("position"))
    value = models.FloatField(_("value"), null=True, blank=True, help_text=_("The number that means and ranks use."))
    is_match = models.BooleanField(_("counts as a match in the strict summary"), default=False)
    mirror = models.ForeignKey("self", models.CASCADE, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["dimension", "position"]
        verbose_name = _("label")
        verbose_name_plural = _("labels")
        constraints = [
            models.UniqueConstraint(fields=["dimension", "code"], name="annotation_label_code_unique"),
            models.UniqueConstraint(fields=["dimension", "position"], name="annotation_label_position_unique"),
        ]

    def __str__(self) -> str:
        return self.code
