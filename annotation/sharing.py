"""An export of an audit as a folder: tables, data dictionary, the frozen definition and a manifest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotation.exports import Scope, tables
from annotation.models import Lock, Packet, Unblinding
from core.canonical import canonical_json, text_sha256
from core.tables import Format, Table, Written, data_dictionary, dictionary_markdown, manifest, write_table
from core.tables import write_manifest as write_content
from studies.data.folder import program

DICTIONARY = "data_dictionary.md"
DEFINITION = "definition.json"
Content = dict[str, Any]
Tell = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Choice:
    """For whom an export is, and how it is written."""

    is_public: bool
    formats: tuple[Format, ...] = (Format.CSV, Format.PARQUET)

    def to_dict(self) -> dict[str, Any]:
        """Canonical form, for the parameters of a run and the manifest."""
        return {"public": self.is_public, "formats": sorted(str(form) for form in self.formats)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Choice:
        """The choice back from a run."""
        return cls(bool(values["public"]), tuple(Format(name) for name in values["formats"]))


def write_folder(*, packet: Packet, folder: Path, choice: Choice, now: datetime, tell: Tell) -> Content:
    """Write everything into `folder`, which is there and empty, and return the manifest. Run it in a snapshot."""
    scope = Scope.of(packet, is_public=choice.is_public)
    found = tables(scope)
    jobs = [(table, form) for table in found for form in choice.formats]
    written: list[Written] = []
    for number, (table, form) in enumerate(jobs):
        tell(number, len(jobs), table.name)
        written.append(write_table(table, table.rows(), folder, form))
    dictionary = data_dictionary(found)
    written.append(write_table(dictionary, dictionary.rows(), folder, Format.CSV))
    files = [
        _written(folder / DICTIONARY, _dictionary_text(found, choice)),
        _written(folder / DEFINITION, canonical_json(packet.definition)),
    ]
    content = manifest(written, now=now, about=_about(packet, choice, files))
    write_content(folder, content)
    return content


def _written(path: Path, text: str) -> dict[str, Any]:
    data = text.encode("utf-8")
    path.write_bytes(data)
    return {"file": path.name, "bytes": len(data), "sha256": text_sha256(text)}


def _about(packet: Packet, choice: Choice, files: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    campaign = packet.campaign
    lock = Lock.objects.filter(packet=packet).first()
    is_unblinded = Unblinding.objects.filter(lock__packet=packet).exists()
    return {
        "audit": {"slug": campaign.slug, "title": campaign.title, "kind": campaign.kind},
        "packet": {
            "number": packet.number,
            "reason": packet.reason,
            "frozen_at": None if packet.frozen_at is None else packet.frozen_at.isoformat(),
            "seed": packet.seed,
            "items_sha256": packet.items_sha256,
            "mapping_sha256": packet.mapping_sha256,
            "sha256": packet.sha256,
        },
        "lock": None
        if lock is None
        else {
            "is_complete": lock.is_complete,
            "override_reason": lock.override_reason,
            "counts": lock.counts,
            "judgements_sha256": lock.judgements_sha256,
        },
        "is_unblinded": is_unblinded,
        "choice": choice.to_dict(),
        "files": list(files),
        "notes": notes_on(choice),
        "program": program(),
    }


def notes_on(choice: Choice) -> list[str]:
    """What whoever uses an export must know."""
    shared = [
        _("Labels speak of the texts in their stored order, shown labels of the page; swapped says which it was."),
        _("What is missing has a reason and is never a label. Extra answers came too late; analyses leave them out."),
    ]
    if choice.is_public:
        return [
            _(
                "For everybody: without hidden fields, without who the raters are, without what raters and the team "
                "wrote, without times. Raters go by names drawn for this export; answers that were changed later "
                "are left out."
            ),
            _("The hash of the hidden fields stands in the manifest, so that they can be compared if they are shown."),
            *shared,
        ]
    return [_("For the team: it holds hidden fields and who the raters are. Do not pass it on."), *shared]


def _dictionary_text(found: Sequence[Table], choice: Choice) -> str:
    notes = "\n".join(f"* {note}" for note in notes_on(choice))
    return f"{dictionary_markdown(found)}\n## {_('Notes')}\n\n{notes}\n"
