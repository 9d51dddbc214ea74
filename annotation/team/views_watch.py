"""How far the raters are."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation import access
from annotation.access import Role, campaign_for
from annotation.selectors import teams, watching
from annotation.selectors.times import IDLE_CUT_S
from annotation.team.pages import page

ITEMS_A_PAGE = 50


@require_safe
@never_cache
@login_required
def watch(request: HttpRequest, slug: str) -> HttpResponse:
    """Progress by rater, item and stratum, leases, and who is too fast or says the same every time."""
    campaign = campaign_for(request.user, slug, needs=Role.WATCHER)
    standing = teams.standing_of(campaign)
    context: dict[str, object] = {"standing": standing}
    if standing.packet is not None:
        # Whoever judges must not learn of others' answers, not even that they are all the same.
        with_answers = standing.lock is not None or not access.is_rater(request.user, campaign)
        sees_hidden = access.may_see_hidden(request.user, campaign)
        items = Paginator(watching.item_lines(standing.packet), ITEMS_A_PAGE)
        context |= {
            "raters": watching.rater_lines(standing.packet, with_answers=with_answers),
            "with_answers": with_answers,
            "items": items.get_page(request.GET.get("page")),
            "strata": watching.stratum_lines(standing.packet) if sees_hidden else None,
            "leases": watching.leases(standing.packet, now=timezone.now()),
            "cut": {
                "characters": int(watching.CHARACTERS_PER_SECOND),
                "share": int(watching.FAST_SHARE * 100),
                "timed": watching.LEAST_TIMED,
                "constant": watching.LEAST_CONSTANT,
                "idle": int(IDLE_CUT_S // 60),
                "soon": int(watching.SOON.total_seconds() // 60),
            },
        }
    return page(request, campaign, "watch.html", context)
