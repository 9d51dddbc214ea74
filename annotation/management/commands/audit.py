"""Run a blind audit from the command line."""

from __future__ import annotations

from argparse import SUPPRESS
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import CommandParser
from django.utils import timezone

from annotation import kinds
from annotation.definition import dump, load_file
from annotation.judging.planning import estimate
from annotation.judging.prompting import shipped_instructions
from annotation.models import Campaign, Packet
from annotation.selectors.completeness import completeness
from annotation.services import campaigns, closing, drawing, importing, items, judging, packets, raters, scores, sharing
from core import runs, strictyaml
from core.endpoints import configured, model_parameters
from core.errors import Conflict, NotThere
from core.management_base import Outcome, PolyphonyCommand
from core.tables import Format
from core.textfiles import read_text

LATER = ("add-judge", "judge", "export")


class Command(PolyphonyCommand):
    """Each action is a service; files with any problem change nothing."""

    help = "Set up, freeze, lock and unblind a blind audit."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the action and what it needs."""
        actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        new = actions.add_parser("new", help="copy the definition and rubrics of a shipped kind into a new folder")
        new.add_argument("kind", choices=Campaign.Kind.values)
        new.add_argument("folder")
        load = actions.add_parser("load", help="create or update a draft campaign from its definition")
        load.add_argument("file", help="the definition, a YAML file; rubrics it names lie in its folder")
        for name, text in (
            ("dump", "print the definition"),
            ("status", "say how far the packet is judged"),
            ("verify", "compute the hashes of the frozen packet anew"),
            ("freeze", "freeze the draft packet"),
            ("unblind", "release the hidden fields of the locked packet, for good"),
        ):
            actions.add_parser(name, help=text).add_argument("campaign")
        amend = actions.add_parser("amend", help="open a draft of the next packet")
        amend.add_argument("campaign")
        amend.add_argument("--reason", required=True)
        lock = actions.add_parser("lock", help="end judging")
        lock.add_argument("campaign")
        lock.add_argument("--override", metavar="REASON", default="", help="lock though incomplete, for this reason")
        self._add_import(actions)
        self._add_draw(actions)
        self._add_models(actions)
        self._add_export(actions)
        for action in ("load", "freeze", "unblind", "amend", "lock", "import", "answers", "scores", "draw", *LATER):
            actions.choices[action].add_argument("--by", metavar="USERNAME", help="the account that does it")
        for action in actions.choices.values():
            action.add_argument("--json", action="store_true", dest="as_json", default=SUPPRESS, help="one document")

    def _add_import(self, actions: Any) -> None:
        for name, what in (("import", "items"), ("answers", "judgements"), ("scores", "scores of machines")):
            take = actions.add_parser(name, help=f"take in a table of {what}: CSV, JSON Lines or Parquet")
            take.add_argument("campaign")
            take.add_argument("file")
            take.add_argument("--dry-run", action="store_true", help="only check the file and say what would be done")

    def _add_draw(self, actions: Any) -> None:
        draw = actions.add_parser("draw", help="draw pairs from the campaign's study")
        draw.add_argument("campaign")
        draw.add_argument("--per-stratum", type=int, required=True, help="references drawn of each stratum")
        draw.add_argument("--strata", nargs="+", choices=drawing.STRATA, default=list(drawing.STRATA))
        draw.add_argument("--partners", nargs="+", choices=drawing.PARTNERS, default=list(drawing.PARTNERS))
        draw.add_argument("--source", nargs="+", default=[], help="codes of models; all if not given")
        draw.add_argument("--kind", default="", help="code of the kind of item")
        draw.add_argument("--seed", default="", help="the packet's if not given")
        draw.add_argument("--dry-run", action="store_true")

    def _add_models(self, actions: Any) -> None:
        add = actions.add_parser("add-judge", help="let a language model judge as a rater of its own")
        add.add_argument("campaign")
        add.add_argument("--endpoint", required=True, help="name of a configured model endpoint")
        add.add_argument("--instructions", metavar="FILE", help="the shipped ones if not given")
        add.add_argument("--parameters", default="{}", help='JSON, as in {"temperature": 0}')
        add.add_argument("--attempts", type=int, default=3, help="replies asked for until one can be read (3)")
        add.add_argument("--both-ways", action="store_true", help="ask each pair both ways round")
        ask = actions.add_parser("judge", help="ask a model about everything it has not judged, here and now")
        ask.add_argument("campaign")
        ask.add_argument("rater", help="code of the rater")
        ask.add_argument("--estimate", action="store_true", help="only say what it takes")

    def _add_export(self, actions: Any) -> None:
        export = actions.add_parser("export", help="write the locked packet with every answer into a folder")
        export.add_argument("campaign")
        export.add_argument("--out", metavar="DIR", required=True, help="a new or empty folder")
        export.add_argument("--private", action="store_true", help="with hidden fields and who the raters are")
        export.add_argument("--format", nargs="+", choices=[str(each) for each in Format], default=["csv", "parquet"])

    def perform(self, **options: Any) -> Outcome:
        """Do the action."""
        act: Callable[..., Outcome] = getattr(self, f"do_{options['action'].replace('-', '_')}")
        return act(**options)

    def do_new(self, **options: Any) -> Outcome:
        """Copy a shipped kind."""
        file = kinds.copy(options["kind"], Path(options["folder"]))
        return Outcome(f"Edit {file} and its rubrics, then: manage.py audit load {file}", {"file": str(file)})

    def do_load(self, **options: Any) -> Outcome:
        """Load a definition."""
        definition = load_file(options["file"])
        by, now = _account(options["by"]), timezone.now()
        campaign, is_new = campaigns.apply_definition(definition=definition, by=by, now=now)
        act = "created" if is_new else "updated"
        data = {"campaign": campaign.slug, "public_id": str(campaign.public_id), "act": act}
        return Outcome(f"The campaign {campaign.slug} was {act}.", data)

    def do_dump(self, **options: Any) -> Outcome:
        """Print the definition of the last packet."""
        definition = dump(_last(_campaign(options)))
        return Outcome(strictyaml.dump(definition), definition)

    def do_import(self, **options: Any) -> Outcome:
        """Take in items."""
        return self._take_in(items.import_items, "items", **options)

    def do_answers(self, **options: Any) -> Outcome:
        """Take in judgements."""
        return self._take_in(importing.import_judgements, "judgements", **options)

    def do_scores(self, **options: Any) -> Outcome:
        """Take in scores."""
        return self._take_in(scores.import_scores, "scores", **options)

    def _take_in(self, service: Callable[..., Any], what: str, **options: Any) -> Outcome:
        path = Path(options["file"])
        report = service(
            campaign=_campaign(options),
            source=path,
            name=path.name,
            by=_account(options["by"]),
            now=timezone.now(),
            dry_run=options["dry_run"],
        )
        return Outcome(_text_of(report, what), report.to_dict())

    def do_draw(self, **options: Any) -> Outcome:
        """Draw items."""
        settings = drawing.DrawSettings(
            per_stratum=options["per_stratum"],
            strata=tuple(options["strata"]),
            partners=tuple(options["partners"]),
            sources=tuple(options["source"]),
            kind=options["kind"],
            seed=options["seed"],
        )
        report = drawing.draw(
            campaign=_campaign(options),
            settings=settings,
            by=_account(options["by"]),
            now=timezone.now(),
            dry_run=options["dry_run"],
        )
        lines = [
            f"  {name}: {report.n_drawn[name]} of {n} references" for name, n in sorted(report.n_available.items())
        ]
        if report.n_without_peer:
            lines.append(f"  {report.n_without_peer} references have no text of a peer to be paired with.")
        return Outcome("\n".join([_text_of(report.items, "items"), *lines]), report.to_dict())

    def do_add_judge(self, **options: Any) -> Outcome:
        """Add a model."""
        file = options["instructions"]
        rater = raters.add_judge(
            campaign=_campaign(options),
            endpoint=options["endpoint"],
            model=configured(options["endpoint"]).model,
            prompt=read_text(Path(file), file, maximum_bytes=100_000) if file else shipped_instructions(),
            parameters=model_parameters(options["parameters"]),
            attempts=options["attempts"],
            asks_both_ways=options["both_ways"],
            by=_account(options["by"]),
            now=timezone.now(),
        )
        return Outcome(f"The model is the rater {rater.code}.", {"rater": rater.code, "model": rater.name})

    def do_judge(self, **options: Any) -> Outcome:
        """Ask a model, or say what it takes."""
        campaign = _campaign(options)
        rater = campaign.raters.filter(code=options["rater"]).select_related("judge").first()
        if rater is None:
            raise NotThere(f"There is no rater {options['rater']}.")
        if options["estimate"]:
            found = estimate(rater, _frozen(campaign))
            cost = "unknown" if found.cost is None else f"{found.cost:.4f} {found.currency}"
            return Outcome(f"{found.n_calls} calls, {found.n_made} made before, cost about {cost}.", found.to_dict())
        run = judging.start(campaign=campaign, rater=rater, by=_account(options["by"]), now=timezone.now())
        runs.execute(run.pk)
        run.refresh_from_db()
        if run.result is None:
            raise Conflict(run.error or "Another worker computes it.", code="not_finished")
        return Outcome(f"{run.result['n_judged']} of {run.result['n_assigned']} are judged.", run.result)

    def do_export(self, **options: Any) -> Outcome:
        """Write an export."""
        content = sharing.export_packet(
            campaign=_campaign(options),
            folder=Path(options["out"]),
            is_public=not options["private"],
            formats=options["format"],
            by=_account(options["by"]),
            now=timezone.now(),
        )
        return Outcome(f"Written to {options['out']}.", content)

    def do_freeze(self, **options: Any) -> Outcome:
        """Freeze the draft."""
        packet = packets.freeze(campaign=_campaign(options), by=_account(options["by"]), now=timezone.now())
        n = packet.items.count()
        data = {"packet": packet.number, "sha256": packet.sha256, "items": n, "items_sha256": packet.items_sha256}
        return Outcome(f"Packet {packet.number} is frozen with {n} items.\nSHA-256 {packet.sha256}", data)

    def do_amend(self, **options: Any) -> Outcome:
        """Open the next draft."""
        packet = packets.amend(
            campaign=_campaign(options), reason=options["reason"], by=_account(options["by"]), now=timezone.now()
        )
        return Outcome(f"Packet {packet.number} is a draft now.", {"packet": packet.number, "reason": packet.reason})

    def do_status(self, **options: Any) -> Outcome:
        """Say how far the packet is judged."""
        counts = completeness(_frozen(_campaign(options)))
        return Outcome(str(counts), counts.to_dict())

    def do_verify(self, **options: Any) -> Outcome:
        """Compute the hashes anew."""
        packet = _frozen(_campaign(options))
        found = packets.discrepancies(packet)
        if found:
            raise Conflict(" ".join(found), code="changed")
        text = f"Packet {packet.number} is as it was frozen.\nSHA-256 {packet.sha256}"
        return Outcome(text, {"packet": packet.number, "sha256": packet.sha256, "discrepancies": []})

    def do_lock(self, **options: Any) -> Outcome:
        """End judging."""
        lock = closing.lock(
            campaign=_campaign(options),
            by=_account(options["by"]),
            now=timezone.now(),
            override_reason=options["override"],
        )
        text = f"The packet is locked.\nSHA-256 of the judgements {lock.judgements_sha256}"
        return Outcome(text, {**lock.counts, "judgements_sha256": lock.judgements_sha256})

    def do_unblind(self, **options: Any) -> Outcome:
        """Release the hidden fields."""
        campaign = _campaign(options)
        act = closing.unblind(campaign=campaign, by=_account(options["by"]), now=timezone.now())
        is_as_sealed = act.mapping_sha256 == act.lock.packet.mapping_sha256
        text = f"Unblinded by {act.unblinded_by_name}."
        if not is_as_sealed:
            text += " The hidden fields are not those that were sealed at the freeze."
        return Outcome(text, {"unblinded_by": act.unblinded_by_name, "is_as_sealed": is_as_sealed})


def _text_of(report: Any, what: str) -> str:
    would = "Dry run, nothing was written. " if report.is_dry_run else ""
    return (
        f"{would}{report.n_rows} {what}: {report.n_created} new, {report.n_updated} changed, "
        f"{report.n_unchanged} as before."
    )


def _campaign(options: dict[str, Any]) -> Campaign:
    campaign = Campaign.objects.filter(slug=options["campaign"]).first()
    if campaign is None:
        raise NotThere(f"There is no campaign {options['campaign']}.")
    return campaign


def _last(campaign: Campaign) -> Packet:
    return campaign.packets.order_by("-number")[0]


def _frozen(campaign: Campaign) -> Packet:
    if campaign.current_packet is None:
        raise Conflict("The campaign has no frozen packet.", code="not_frozen")
    return campaign.current_packet


def _account(username: str | None) -> Any:
    if username is None:
        return None
    account = get_user_model().objects.filter(username=username).first()
    if account is None:
        raise NotThere(f"There is no account {username}.")
    return account
