"""The part of a study's definition that is about judging: the settings of the `annotate` block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import AnnotateSettings, Campaign, CampaignMember
from annotation.models.block import ITEMS
from annotation.services import block
from core.strictyaml import Integer, Spec, Text
from core.strictyaml import Mapping as MappingSpec
from studies.models import Membership, Study
from studies.models.validators import SLUG

BLOCK = "annotate"


class AnnotateSection:
    """`annotate`: in which campaign participants judge, and how many items each. Each key may be left out."""

    key = BLOCK

    def schema(self) -> Spec:
        """The keys, with the model's defaults."""
        says = _("Use lower-case letters a-z, digits and single hyphens between them.")
        default: Any = AnnotateSettings._meta.get_field("items")
        return MappingSpec(
            {
                "campaign": Text(blank=True, maximum=64, pattern=SLUG, pattern_says=says, required=False, default=""),
                "items": Integer(
                    minimum=ITEMS.least, maximum=ITEMS.most, required=False, default=default.get_default()
                ),
            }
        )

    def load(self, study: Study, value: Mapping[str, Any]) -> None:
        """Write the settings into the draft."""
        block.save_settings(study=study, campaign=value["campaign"], items=value["items"])

    def dump(self, study: Study) -> dict[str, Any]:
        """The draft's settings, the defaults if nobody has set any."""
        settings = AnnotateSettings.objects.filter(study=study).first() or AnnotateSettings(study=study)
        return {"campaign": settings.campaign, "items": settings.items}

    def problems(self, study: Study, definition: Mapping[str, Any]) -> Sequence[str]:
        """Participants can judge only in a campaign that is there, by leave of its team, and frozen."""
        if BLOCK not in definition["blocks"]:
            return ()
        slug = definition[self.key]["campaign"]
        if not slug:
            return [_("Name the campaign in which participants judge.")]
        campaign = Campaign.objects.select_related("current_packet").filter(slug=slug).first()
        if campaign is None or not _has_leave(study, campaign):
            # One message for both: it tells nobody which campaigns of others there are.
            message = _("There is no campaign %(slug)s of which an owner of this study is an owner, too.")
            return [message % {"slug": slug}]
        if campaign.current_packet is None or not campaign.current_packet.is_frozen:
            return [_("The packet of the campaign %(slug)s is not frozen yet.") % {"slug": slug}]
        return ()

    def freeze(self, study: Study, now: datetime) -> None:
        """Sessions run from the version, so the draft's settings may change."""


def _has_leave(study: Study, campaign: Campaign) -> bool:
    """Whether the campaign judges this study's own texts, or somebody owns both."""
    if campaign.study_id == study.pk:
        return True
    owners = Membership.objects.filter(study=study, role=Membership.Role.OWNER).values("user")
    return CampaignMember.objects.filter(campaign=campaign, role=CampaignMember.Role.OWNER, user__in=owners).exists()
