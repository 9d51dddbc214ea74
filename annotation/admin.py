"""Audits in the admin: drafts are loaded from files, what is frozen or measured is read only, acts call services."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation import access
from annotation.models import Campaign, HiddenFields, Item, Packet, Rater
from annotation.services import campaigns, packets, raters
from core.errors import DomainError

#: What filters put behind the name of a column in the address of a list.
LOOKUPS = frozenset({"", "exact", "id__exact", "isnull"})


class ReadOnly(admin.ModelAdmin):
    """Rows that only services write, of the campaigns whose team the user is in."""

    campaign_path = "campaign"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """The rows of the user's campaigns."""
        visible = Campaign.objects.visible_to(request.user)
        return super().get_queryset(request).filter(**{f"{self.campaign_path}__in": visible})

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Only what the list offers as a filter: an address must not ask by hidden fields."""
        name, _separator, how = lookup.partition("__")
        return name in self.list_filter and how in LOOKUPS

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody adds rows by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody changes rows by hand."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody deletes rows by hand."""
        return False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Staff see what their campaigns hold."""
        return bool(request.user.is_active and request.user.is_staff)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Staff see the app."""
        return bool(request.user.is_active and request.user.is_staff)


@admin.register(Campaign)
class CampaignAdmin(ReadOnly):
    """Campaigns, with the acts of their owners."""

    campaign_path = "pk"
    list_display = ("title", "slug", "kind", "study", "current_packet", "paused_at")
    list_filter = ("kind",)
    search_fields = ("title", "slug")
    actions = ("freeze", "pause", "resume")

    @admin.action(description=_("Freeze the draft packet"))
    def freeze(self, request: HttpRequest, queryset: QuerySet[Campaign]) -> None:
        """Freeze the drafts of the chosen campaigns."""
        self._act(request, queryset, packets.freeze, gettext("frozen"))

    @admin.action(description=_("Pause"))
    def pause(self, request: HttpRequest, queryset: QuerySet[Campaign]) -> None:
        """Pause the chosen campaigns."""
        self._act(request, queryset, campaigns.pause, gettext("paused"))

    @admin.action(description=_("Resume"))
    def resume(self, request: HttpRequest, queryset: QuerySet[Campaign]) -> None:
        """Resume the chosen campaigns."""
        self._act(request, queryset, campaigns.resume, gettext("resumed"))

    def _act(self, request: HttpRequest, queryset: QuerySet[Campaign], service: Any, done: str) -> None:
        for campaign in queryset:
            if not access.may(request.user, campaign, access.Role.OWNER):
                messages.error(request, gettext("%(campaign)s: only owners do this.") % {"campaign": campaign})
                continue
            try:
                service(campaign=campaign, by=request.user, now=timezone.now())
            except DomainError as error:
                messages.error(request, f"{campaign}: {error}")
            else:
                messages.success(request, f"{campaign}: {done}.")


@admin.register(Packet)
class PacketAdmin(ReadOnly):
    """Packets with their hashes."""

    list_display = ("campaign", "number", "frozen_at", "sha256", "reason")
    list_filter = ("campaign",)


@admin.register(Item)
class ItemAdmin(ReadOnly):
    """Items by their keys; nothing hidden stands here."""

    campaign_path = "packet__campaign"
    list_display = ("key", "packet", "kind", "erased_at")
    search_fields = ("key",)


@admin.register(HiddenFields)
class HiddenFieldsAdmin(ReadOnly):
    """Hidden fields, for those who may see them in the campaign: not for its raters before unblinding."""

    campaign_path = "packet__campaign"
    list_display = ("external_id", "packet", "stratum", "source", "model", "is_covered", "distance")
    search_fields = ("external_id",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """The fields of the campaigns where the user may see them."""
        visible = Campaign.objects.visible_to(request.user)
        open_to = [each.pk for each in visible if access.may_see_hidden(request.user, each)]
        return super().get_queryset(request).filter(packet__campaign__in=open_to)


@admin.register(Rater)
class RaterAdmin(ReadOnly):
    """Raters and how they came."""

    list_display = ("code", "campaign", "kind", "came_by", "joined_at", "removed_at")
    list_filter = ("kind", "came_by")
    search_fields = ("code",)
    actions = ("remove",)

    @admin.action(description=_("End the work of the raters"))
    def remove(self, request: HttpRequest, queryset: QuerySet[Rater]) -> None:
        """End the work of the chosen raters; their answers stay."""
        for rater in queryset.select_related("campaign"):
            if not access.may(request.user, rater.campaign, access.Role.OWNER):
                messages.error(request, gettext("%(rater)s: only owners do this.") % {"rater": rater})
                continue
            try:
                raters.remove(rater=rater, by=request.user, now=timezone.now())
            except DomainError as error:
                messages.error(request, f"{rater}: {error}")
            else:
                messages.success(request, gettext("%(rater)s: the work is ended.") % {"rater": rater})
