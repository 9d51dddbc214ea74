"""Drawing pairs from a study's own data: a free response with a model's answer, and with a statement of a peer.

A *reference* is a free response. It is drawn within its stratum (question, opinion group, whether the answer represents
the group, as asked for) and paired once with the answer and once with a peer's text on the same question. No embeddings
are needed. The same seed draws the same pairs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from annotation.items.wanted import Wanted
from annotation.models import Campaign, ItemKind, Packet
from annotation.services.items import ItemReport, Origin, write_drawn
from annotation.services.packets import draft_of
from core import registry
from core.errors import Conflict, Invalid, nearest
from core.randomness import drawn_order, generator_for
from core.registry import PeerText, Viewpoint
from studies.models import Enrolment, FreeResponse, ModelAnswer, Study

STRATA = ("question", "group", "covered")
PARTNERS = ("model", "peer")


@dataclass(frozen=True, slots=True)
class DrawSettings:
    """What is drawn: how many references a stratum, what makes a stratum, with whom, of which models and kind."""

    per_stratum: int
    strata: tuple[str, ...] = STRATA
    partners: tuple[str, ...] = PARTNERS
    sources: tuple[str, ...] = ()
    kind: str = ""
    seed: str = ""


@dataclass(slots=True)
class DrawReport:
    """What was drawn, by stratum: references there were and references taken; `items` is what became of the pairs."""

    n_available: Counter[str] = field(default_factory=Counter)
    n_drawn: Counter[str] = field(default_factory=Counter)
    n_without_peer: int = 0
    seed: str = ""
    items: ItemReport = field(default_factory=ItemReport)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "seed": self.seed,
            "available": dict(sorted(self.n_available.items())),
            "drawn": dict(sorted(self.n_drawn.items())),
            "without_peer": self.n_without_peer,
            "items": self.items.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Unit:
    """A free response with an answer to its question, and the stratum that the two fall into."""

    response: FreeResponse
    answer: ModelAnswer
    stratum: str
    group: str
    covered: bool | None

    @property
    def reference(self) -> str:
        """The name of the free response."""
        return f"{self.response.question.code}:{self.response.enrolment.public_code}"


def draw(*, campaign: Campaign, settings: DrawSettings, by: Any, now: datetime, dry_run: bool = False) -> DrawReport:
    """Draw pairs into the draft packet of the campaign; drawing again with the same seed changes nothing.

    Raises
    ------
    Invalid
        If the settings name what there is not.
    Conflict
        If the campaign has no study, no kind for pairs, or there is nothing to draw from.
    """
    study = campaign.study
    if study is None:
        raise Conflict(_("The campaign names no study to draw from. Import items instead."), code="no_study")
    packet = draft_of(campaign)
    _check(settings)
    kind = _kind_of(packet, settings.kind)
    units = _units(study, settings)
    if not units:
        raise Conflict(_("The study has no free responses to questions that a model has answered."), code="no_texts")
    report = DrawReport(seed=settings.seed or packet.seed)
    chosen = _chosen(units, settings, report)
    pairs = _pairs(chosen, _peers(study) if "peer" in settings.partners else {}, settings, kind, report)
    report.items = write_drawn(
        campaign=campaign, items=pairs, by=by, now=now, dry_run=dry_run, seed=report.seed, n=len(chosen)
    )
    return report


def _check(settings: DrawSettings) -> None:
    if settings.per_stratum < 1:
        raise Invalid(fields={"per_stratum": [_("Draw one or more of each stratum.")]})
    for name, given, known in (("strata", settings.strata, STRATA), ("partners", settings.partners, PARTNERS)):
        for each in given:
            if each not in known:
                raise Invalid(fields={name: [nearest(each, known)]})
    if not settings.partners:
        raise Invalid(fields={"partners": [_("Choose with whom the responses are paired.")]})


def _kind_of(packet: Packet, code: str) -> ItemKind:
    """The kind that is asked for, else the only one with two sides, else the one of these with a context."""
    sided = [kind for kind in packet.kinds.all() if kind.sides]
    if code:
        sided = [kind for kind in sided if kind.code == code]
    elif len(sided) > 1:
        sided = [kind for kind in sided if any(part["role"] == "context" for part in kind.parts)]
    if len(sided) != 1:
        names = ", ".join(packet.kinds.values_list("code", flat=True))
        message = _("Say which kind of item with two sides the pairs are of (--kind). The packet has: %(names)s.")
        raise Invalid(message % {"names": names}, code="which_kind")
    return sided[0]


def _units(study: Study, settings: DrawSettings) -> list[Unit]:
    """Every free response with every answer to its question, in the order of their codes."""
    answers: dict[int, list[ModelAnswer]] = defaultdict(list)
    rows = ModelAnswer.objects.filter(question__study=study, question__is_current=True, is_current=True)
    known = set(rows.values_list("source__code", flat=True))
    for code in settings.sources:
        if code not in known:
            raise Invalid(fields={"sources": [nearest(code, known)]})
    for answer in rows.select_related("source").order_by("question__code", "source__code"):
        if not settings.sources or answer.source.code in settings.sources:
            answers[answer.question_id].append(answer)
    views = {(view.question_id, view.enrolment_id): view for view in _viewpoints(study)}
    responses = (
        FreeResponse.objects.filter(question__in=answers)
        .exclude(text="")
        .exclude(enrolment__origin=Enrolment.Origin.PREVIEW)
        .select_related("question", "enrolment")
        .order_by("question__code", "enrolment__public_code")
    )
    return [
        _unit(response, answer, views.get((response.question_id, response.enrolment_id)), settings.strata)
        for response in responses
        for answer in answers[response.question_id]
    ]


def _unit(response: FreeResponse, answer: ModelAnswer, view: Viewpoint | None, strata: Sequence[str]) -> Unit:
    covered = None if view is None else view.covered.get(answer.pk)
    group = "" if view is None else view.group
    said = {None: "unknown", True: "covered", False: "uncovered"}
    names = {"question": response.question.code, "group": group or "no group", "covered": said[covered]}
    return Unit(response, answer, "/".join(names[name] for name in strata) or "all", group, covered)


def _viewpoints(study: Study) -> list[Viewpoint]:
    return [view for module in registry.modules() if module.viewpoints for view in module.viewpoints(study)]


def _peers(study: Study) -> dict[int, list[PeerText]]:
    """The peers' texts by question."""
    found: dict[int, list[PeerText]] = defaultdict(list)
    for module in registry.modules():
        for text in module.peer_texts(study) if module.peer_texts else ():
            found[text.question_id].append(text)
    return found


def _chosen(units: Sequence[Unit], settings: DrawSettings, report: DrawReport) -> list[Unit]:
    """The references of each stratum, each response at most once in the whole draw."""
    by_stratum: dict[str, list[Unit]] = defaultdict(list)
    for unit in units:
        by_stratum[unit.stratum].append(unit)
    used: set[int] = set()
    chosen: list[Unit] = []
    # The smallest strata choose first: what falls into several is left to those that have little else.
    for stratum in sorted(by_stratum, key=lambda name: (len(by_stratum[name]), name)):
        members = by_stratum[stratum]
        report.n_available[stratum] = len({unit.response.pk for unit in members})
        for unit in drawn_order(members, seed=report.seed, code=stratum, purpose="draw of references"):
            if report.n_drawn[stratum] < settings.per_stratum and unit.response.pk not in used:
                used.add(unit.response.pk)
                chosen.append(unit)
                report.n_drawn[stratum] += 1
    return chosen


def _pairs(
    chosen: Sequence[Unit],
    peers: Mapping[int, Sequence[PeerText]],
    settings: DrawSettings,
    kind: ItemKind,
    report: DrawReport,
) -> list[tuple[Wanted, list[Origin]]]:
    found = []
    for unit in chosen:
        if "model" in settings.partners:
            answer = unit.answer
            origin = Origin(kind.sides[1], "model_answer", answer.public_id, None)
            found.append(_pair(unit, kind, answer.text, origin, source="model", model=answer.source.code))
        if "peer" in settings.partners:
            peer = _peer_for(unit, peers.get(unit.response.question_id, ()), report.seed)
            if peer is None:
                report.n_without_peer += 1
                continue
            origin = Origin(kind.sides[1], "statement", peer.public_id, peer.enrolment_id)
            found.append(_pair(unit, kind, peer.text, origin, source="peer", model=""))
    return found


def _peer_for(unit: Unit, peers: Sequence[PeerText], seed: str) -> PeerText | None:
    """A text of somebody else on the same question; None if there is none."""
    own = unit.response
    others = [peer for peer in peers if peer.enrolment_id != own.enrolment_id and peer.text != own.text]
    if not others:
        return None
    return generator_for(seed, unit.reference, "draw of a peer").choice(others)


def _pair(unit: Unit, kind: ItemKind, text: str, origin: Origin, *, source: str, model: str) -> Any:
    response = unit.response
    first, second = kind.sides
    context = {part["code"]: response.question.text for part in kind.parts if part["role"] == "context"}
    name = f"{unit.reference}:{model or source}"
    wanted = Wanted(
        external_id=name,
        kind=kind.code,
        purpose="work",
        texts={**context, first: response.text, second: text},
        hidden={
            "stratum": unit.stratum,
            "reference": unit.reference,
            "pair": name,
            "source": source,
            "model": model,
            "is_covered": unit.covered,
            "distance": None,
        },
        values={"question": response.question.code, "group": unit.group},
        proposals={},
        gold={},
    )
    return wanted, [Origin(first, "free_response", response.public_id, response.enrolment_id), origin]
