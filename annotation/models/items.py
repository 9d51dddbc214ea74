from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotation.models.campaigns import Campaign
from annotation.models.packets import Dimension, ItemKind, Label, Packet
from studies.models import Enrolment
from studies.models.validators import validate_code


class ItemQuerySet(models.QuerySet["Item"]):
    """Items by purpose."""

    def work(self) -> ItemQuerySet:
        """Those whose judgements are analysed."""
        return self.filter(purpose=Item.Purpose.WORK)


class Item(models.Model):
    """One thing to judge. `key` is drawn at random: it tells neither order nor source nor side.

    What raters see of it is its texts and, where a machine's labels are checked, `proposals` by dimension. Segments of
    one text share `sequence` and are shown in the order of `place`. Everything else stands in `HiddenFields`.
    """

    PERSONAL: frozenset[str] = frozenset()

    class Purpose(models.TextChoices):
        WORK = "work", _("to be judged")
        TRAINING = "training", _("training, with feedback")
        GOLD = "gold", _("gold, for qualification")

    packet = models.ForeignKey(Packet, models.CASCADE, related_name="items")
    kind = models.ForeignKey(ItemKind, models.RESTRICT, related_name="items")
    key = models.CharField(_("key"), max_length=24, unique=True)
    purpose = models.CharField(_("purpose"), max_length=8, choices=Purpose, default=Purpose.WORK)
    proposals = models.JSONField(_("labels to check"), default=dict, blank=True)
    sequence = models.CharField(_("sequence"), max_length=24, blank=True)
    place = models.PositiveIntegerField(_("place in the sequence"), null=True, blank=True)
    salt = models.CharField(max_length=32, blank=True)
    sha256 = models.CharField(_("content hash"), max_length=64)
    erased_at = models.DateTimeField(_("erased at"), null=True, blank=True)

    objects = ItemQuerySet.as_manager()

    class Meta:
        ordering = ["packet", "key"]
        verbose_name = _("item")
        verbose_name_plural = _("items")
        constraints = [
            models.CheckConstraint(
                condition=Q(purpose__in=["work", "training", "gold"]), name="annotation_item_purpose_valid"
            ),
            models.CheckConstraint(
                condition=Q(sequence="", place=None) | (~Q(sequence="") & Q(place__isnull=False)),
                name="annotation_item_sequence_agrees",
            ),
            models.UniqueConstraint(
                fields=["packet", "sequence", "place"],
                condition=~Q(sequence=""),
                name="annotation_item_place_in_sequence_once",
            ),
            models.CheckConstraint(
                condition=(Q(erased_at=None) & ~Q(salt="")) | Q(erased_at__isnull=False, salt=""),
                name="annotation_item_salt_agrees",
            ),
        ]

    def __str__(self) -> str:
        return self.key


class ItemText(models.Model):
    """A text of an item, byte for byte as it was given."""

    PERSONAL = frozenset({"text"})

    item = models.ForeignKey(Item, models.CASCADE, related_name="texts")
    part = models.CharField(_("part"), max_length=64)
    text = models.TextField(_("text"))

    class Meta:
        ordering = ["item", "part"]
        verbose_name = _("text of an item")
        verbose_name_plural = _("texts of items")
        constraints = [models.UniqueConstraint(fields=["item", "part"], name="annotation_itemtext_part_once")]

    def __str__(self) -> str:
        return f"{self.part} of {self.item_id}"


class TextOrigin(models.Model):
    """Where a text came from: hidden like the fields, and the way to it when its author withdraws."""

    PERSONAL = frozenset({"enrolment"})

    class Source(models.TextChoices):
        FREE_RESPONSE = "free_response", _("free response")
        MODEL_ANSWER = "model_answer", _("model answer")
        STATEMENT = "statement", _("statement")

    text = models.OneToOneField(ItemText, models.CASCADE, related_name="origin")
    source = models.CharField(_("source"), max_length=13, choices=Source)
    source_id = models.UUIDField(_("public id of the source"))
    enrolment = models.ForeignKey(
        Enrolment, models.PROTECT, null=True, blank=True, related_name="audited_texts", help_text=_("its author")
    )

    class Meta:
        verbose_name = _("origin of a text")
        verbose_name_plural = _("origins of texts")
        constraints = [
            models.CheckConstraint(
                condition=Q(source__in=["free_response", "model_answer", "statement"]),
                name="annotation_textorigin_source_valid",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source} {self.source_id}"


class HiddenFields(models.Model):
    """What no rater may learn of an item, under a permission of its own. Sealed by salt and hash like the content.

    The columns are those that services and reports work with; `values` holds all others by name. `external_id`, too, is
    hidden, since the ids of a researcher often say from which stratum an item comes.
    """

    PERSONAL: frozenset[str] = frozenset()

    item = models.OneToOneField(Item, models.CASCADE, primary_key=True, related_name="hidden")
    packet = models.ForeignKey(Packet, models.CASCADE, related_name="+")
    external_id = models.CharField(_("external id"), max_length=200)
    stratum = models.CharField(_("stratum"), max_length=200, blank=True)
    reference = models.CharField(_("reference"), max_length=200, blank=True)
    pair = models.CharField(_("pair"), max_length=200, blank=True)
    source = models.CharField(_("source"), max_length=200, blank=True)
    model = models.CharField(_("model"), max_length=200, blank=True)
    is_covered = models.BooleanField(_("covered"), null=True, blank=True)
    distance = models.FloatField(_("distance"), null=True, blank=True)
    repeats = models.ForeignKey(
        Item, models.RESTRICT, null=True, blank=True, related_name="repeated_by", help_text=_("blind repetition of")
    )
    values = models.JSONField(_("other fields"), default=dict, blank=True)
    salt = models.CharField(max_length=32)
    sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ["packet", "external_id"]
        verbose_name = _("hidden fields")
        verbose_name_plural = _("hidden fields")
        permissions = [("view_hidden", "Can see hidden fields before unblinding")]
        indexes = [models.Index(fields=["packet", "stratum"], name="annotation_hidden_by_stratum")]
        constraints = [
            models.UniqueConstraint(
                fields=["packet", "external_id"], name="annotation_hiddenfields_external_id_unique"
            ),
            models.CheckConstraint(condition=~Q(external_id=""), name="annotation_hiddenfields_external_id_there"),
            models.CheckConstraint(
                condition=Q(repeats=None) | ~Q(repeats=F("item")), name="annotation_hiddenfields_repeats_another"
            ),
        ]

    def __str__(self) -> str:
        return self.external_id


class GoldLabel(models.Model):
    """A right answer to a training or gold item, and why. Several rows for a dimension are all right."""

    PERSONAL: frozenset[str] = frozenset()

    item = models.ForeignKey(Item, models.CASCADE, related_name="gold")
    dimension = models.ForeignKey(Dimension, models.CASCADE, related_name="+")
    label = models.ForeignKey(Label, models.CASCADE, related_name="+")
    explanation = models.TextField(_("explanation"), blank=True)

    class Meta:
        ordering = ["item", "dimension", "label"]
        verbose_name = _("gold label")
        verbose_name_plural = _("gold labels")
        constraints = [
            models.UniqueConstraint(fields=["item", "dimension", "label"], name="annotation_goldlabel_once"),
        ]

    def __str__(self) -> str:
        return f"{self.label_id} on {self.dimension_id} of {self.item_id}"


class Scorer(models.Model):
    """A machine that scores items: perplexities of a language model, a reward model, a judge by rubric."""

    PERSONAL: frozenset[str] = frozenset()

    class Family(models.TextChoices):
        PERPLEXITY = "perplexity", _("perplexity of a language model")
        REWARD = "reward", _("reward model")
        JUDGE = "judge", _("judge by a rubric")
        OTHER = "other", _("other")

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="scorers")
    code = models.CharField(_("code"), max_length=64, validators=[validate_code])
    name = models.CharField(_("name"), max_length=200)
    family = models.CharField(_("class"), max_length=10, choices=Family, default=Family.OTHER)
    higher_is_better = models.BooleanField(_("higher is better"), default=True)

    class Meta:
        ordering = ["campaign", "code"]
        verbose_name = _("scorer")
        verbose_name_plural = _("scorers")
        constraints = [
            models.UniqueConstraint(fields=["campaign", "code"], name="annotation_scorer_code_unique"),
            models.CheckConstraint(
                condition=Q(family__in=["perplexity", "reward", "judge", "other"]),
                name="annotation_scorer_family_valid",
            ),
        ]

    def __str__(self) -> str:
        return self.code


class ItemScore(models.Model):
    """A scorer's raw score of an item, or of one of its texts. Hidden from raters like the fields."""

    PERSONAL: frozenset[str] = frozenset()

    scorer = models.ForeignKey(Scorer, models.CASCADE, related_name="scores")
    item = models.ForeignKey(Item, models.CASCADE, related_name="scores")
    part = models.CharField(_("part"), max_length=64, blank=True, help_text=_("Empty: the item as a whole."))
    value = models.FloatField(_("score"))

    class Meta:
        ordering = ["scorer", "item", "part"]
        verbose_name = _("score of an item")
        verbose_name_plural = _("scores of items")
        constraints = [
            models.UniqueConstraint(fields=["scorer", "item", "part"], name="annotation_itemscore_once"),
        ]

    def __str__(self) -> str:
        return f"{self.scorer_id} on {self.item_id}"
