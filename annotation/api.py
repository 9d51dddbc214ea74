"""Audits for programs: read-only, for their teams. Answers can be read after the lock, hidden fields by those who may.

Whoever judges gets nothing here that would tell them what is hidden: the only parameters are those that are named, and
any other is refused with the same answer, whatever its name and value.
"""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import mixins, serializers, viewsets
from rest_framework.exceptions import ValidationError

from annotation import access
from annotation.models import Campaign, Item, Judgement
from annotation.selectors.teams import standing_of

AUDIT = OpenApiParameter("audit", OpenApiTypes.STR, description="Only of the audit with this slug.")
PAGING = frozenset({"cursor", "page_size", "format"})


class OnlyNamed:
    """Refuses every parameter that is not named, so that nothing can be sorted or filtered by what is hidden."""

    parameters: frozenset[str] = frozenset({"audit"})

    def initial(self, request: Any, *args: Any, **kwargs: Any) -> None:
        """Look at the parameters after the account has been checked."""
        super().initial(request, *args, **kwargs)  # type: ignore[misc]
        if set(request.query_params) - self.parameters - PAGING:
            raise ValidationError({"detail": "There is a parameter that is not known here."})


class AuditSerializer(serializers.ModelSerializer):
    """A blind audit and how far it is."""

    study = serializers.SerializerMethodField(help_text="Slug of the study whose texts are judged, or null.")
    kind = serializers.CharField(read_only=True, help_text="Which kind of audit it is.")
    stage = serializers.SerializerMethodField(help_text="draft, judging, locked or unblinded.")
    packet = serializers.SerializerMethodField(help_text="Number of the frozen packet, or null.")
    packet_sha256 = serializers.SerializerMethodField(help_text="Its content hash, or null.")
    counts = serializers.SerializerMethodField(help_text="How many judgements there are of how many, or null.")

    class Meta:
        model = Campaign
        fields = ("public_id", "slug", "title", "kind", "study", "stage", "packet", "packet_sha256", "counts")
        read_only_fields = fields

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_study(self, campaign: Campaign) -> str | None:
        """Slug of the study."""
        return None if campaign.study is None else campaign.study.slug

    def get_stage(self, campaign: Campaign) -> str:
        """Where it stands."""
        return standing_of(campaign).stage

    @extend_schema_field(serializers.IntegerField(allow_null=True))
    def get_packet(self, campaign: Campaign) -> int | None:
        """Number of the packet."""
        return None if campaign.current_packet is None else campaign.current_packet.number

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_packet_sha256(self, campaign: Campaign) -> str | None:
        """Hash of the packet."""
        return None if campaign.current_packet is None else campaign.current_packet.sha256

    @extend_schema_field(serializers.DictField(allow_null=True))
    def get_counts(self, campaign: Campaign) -> dict[str, Any] | None:
        """How far it is."""
        counts = standing_of(campaign).counts
        return None if counts is None else counts.to_dict()


class AuditItemSerializer(serializers.ModelSerializer):
    """An item of a frozen packet, by its opaque key."""

    audit = serializers.CharField(source="packet.campaign.slug", read_only=True)
    kind = serializers.CharField(source="kind.code", read_only=True)
    purpose = serializers.CharField(read_only=True, help_text="work, training or gold.")
    texts = serializers.SerializerMethodField(help_text="Its texts by the code of the part.")
    hidden = serializers.SerializerMethodField(help_text="What no rater knows, or null for who may not see it.")

    class Meta:
        model = Item
        fields = ("audit", "key", "kind", "purpose", "sha256", "texts", "hidden")
        read_only_fields = fields

    @extend_schema_field(serializers.DictField(child=serializers.CharField()))
    def get_texts(self, item: Item) -> dict[str, str]:
        """The texts."""
        return {text.part: text.text for text in item.texts.all()}

    @extend_schema_field(serializers.DictField(allow_null=True))
    def get_hidden(self, item: Item) -> dict[str, Any] | None:
        """The hidden fields."""
        if item.packet.campaign_id not in self.context["open_campaigns"]:
            return None
        row = item.hidden
        names = ("external_id", "stratum", "reference", "pair", "source", "model", "distance", "values")
        return {name: getattr(row, name) for name in names} | {"covered": row.is_covered}


class AuditJudgementSerializer(serializers.ModelSerializer):
    """An answer of a rater to an item of a locked packet."""

    audit = serializers.CharField(source="assignment.item.packet.campaign.slug", read_only=True)
    item = serializers.CharField(source="assignment.item.key", read_only=True)
    rater = serializers.CharField(source="assignment.rater.code", read_only=True)
    rater_kind = serializers.CharField(source="assignment.rater.kind", read_only=True, help_text="person or model.")
    dimension = serializers.CharField(source="dimension.code", read_only=True)
    label = serializers.SerializerMethodField(help_text="In terms of the texts in their stored order, or null.")
    labels = serializers.ListField(child=serializers.CharField(), read_only=True, allow_null=True)
    missing = serializers.CharField(read_only=True, allow_null=True, help_text="Why there is no label.")

    class Meta:
        model = Judgement
        fields = ("audit", "item", "rater", "rater_kind", "dimension", "label", "labels", "missing", "swapped", "rank")
        read_only_fields = fields

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_label(self, judgement: Judgement) -> str | None:
        """The label."""
        return None if judgement.label is None else judgement.label.code


class AuditViewSet(OnlyNamed, mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet):
    """Audits in whose team the account is, in the order in which they were made."""

    serializer_class = AuditSerializer
    queryset = Campaign.objects.all()
    throttle_scope = "read"
    lookup_field = "slug"
    parameters: frozenset[str] = frozenset()

    def get_queryset(self) -> QuerySet[Campaign]:
        """Keep to the account's audits."""
        return Campaign.objects.visible_to(self.request.user).select_related("study", "current_packet")


class OfAnAudit:
    """Rows of the audits in whose team the account is, or of one of them."""

    request: Any

    def audits(self) -> QuerySet[Campaign]:
        """The audits that are asked about."""
        found = Campaign.objects.visible_to(self.request.user)
        slug = self.request.query_params.get("audit")
        return found if slug is None else found.filter(slug=slug)


@extend_schema(parameters=[AUDIT])
class AuditItemViewSet(OfAnAudit, OnlyNamed, mixins.ListModelMixin, viewsets.GenericViewSet):
    """Items of frozen packets, in the order in which they were stored."""

    serializer_class = AuditItemSerializer
    queryset = Item.objects.all()
    throttle_scope = "read"

    def get_queryset(self) -> QuerySet[Item]:
        """Keep to the current packets of the account's audits."""
        packets = self.audits().values("current_packet")
        rows = super().get_queryset().filter(packet__in=packets)
        return rows.select_related("packet__campaign", "kind", "hidden").prefetch_related("texts")

    def get_serializer_context(self) -> dict[str, Any]:
        """Say of which audits the account may see hidden fields."""
        visible = [] if getattr(self, "swagger_fake_view", False) else self.audits()
        may = {each.pk for each in visible if access.may_see_hidden(self.request.user, each)}
        return {**super().get_serializer_context(), "open_campaigns": may}


@extend_schema(parameters=[AUDIT])
class AuditJudgementViewSet(OfAnAudit, OnlyNamed, mixins.ListModelMixin, viewsets.GenericViewSet):
    """Current answers to work of locked packets, extra ones left out, in the order in which they were stored."""

    serializer_class = AuditJudgementSerializer
    queryset = Judgement.objects.all()
    throttle_scope = "read"

    def get_queryset(self) -> QuerySet[Judgement]:
        """Keep to the locked packets of the account's audits."""
        packets = self.audits().filter(current_packet__lock__isnull=False).values("current_packet")
        rows = Judgement.objects.counted().filter(assignment__item__packet__in=packets)
        return rows.select_related("assignment__item__packet__campaign", "assignment__rater", "dimension", "label")
