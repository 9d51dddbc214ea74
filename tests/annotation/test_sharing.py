"""Exports: what is for everybody holds nothing hidden and nobody's identity, whatever the format."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.answers import Given
from annotation.models import CampaignMember, Item, Judgement, Packet, Rater
from annotation.selectors.archives import KEPT
from annotation.services import campaigns, closing, raters, sharing
from core import runs
from core.errors import Conflict, NotAllowed
from core.models import Run
from core.tables import check_manifest
from tests.annotation.audits import frozen, judge, judge_all, pair, say_all_of_model
from tests.factories import NOW, UserFactory

pytestmark = pytest.mark.django_db

HIDDEN = {
    "stratum": "canary-stratum",
    "reference": "canary-reference",
    "pair": "canary-pair",
    "source": "canary-source",
    "model": "canary-model",
    "distance": 0.123456789,
}
IDENTITY = ["canary-account", "canary-recruitment", "canary-invitation", "canary-name", "canary-author"]
WORDS = ["canary-evidence", "canary-reason"]


@pytest.fixture
def storage(settings: Any, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    return settings.MEDIA_ROOT


@pytest.fixture
def packet(db: None) -> Packet:
    """A locked packet with two people, one of whom was removed, a model, a disagreement and a decision."""
    rows = [{**pair(i), **HIDDEN, "external_id": f"canary-id-{i}", "covered": True} for i in range(3)]
    found = frozen(rows=rows)
    campaign = found.campaign
    account = UserFactory(username="canary-account")
    first = raters.add_account(
        campaign=campaign, account=account, by=None, now=NOW, recruitment="canary-recruitment", name="canary-name"
    )
    raters.decide_consent(rater=first, accepted=True, now=NOW)
    judge_all(first, found)
    Judgement.objects.update(evidence="canary-evidence")
    _invitation, token = raters.invite(
        campaign=campaign, name="canary-invitation", limit=1, expires_at=NOW + timedelta(days=1), by=None, now=NOW
    )
    second, _token = raters.accept_invitation(token=token, now=NOW)
    raters.decide_consent(rater=second, accepted=True, now=NOW)
    judge_all(second, found, "not")
    raters.remove(rater=second, by=None, now=NOW)
    say_all_of_model(judge(found), found)
    closing.lock(campaign=campaign, by=None, now=NOW)
    item = Item.objects.order_by("key")[0]
    author = UserFactory(username="canary-author")
    dimension = item.kind.dimensions.get()
    closing.adjudicate(
        item=item, dimension=dimension, given=Given(label="partly"), reason="canary-reason", by=author, now=NOW
    )
    campaign.refresh_from_db()
    found.campaign = campaign
    return found


def archive(packet: Packet, *, is_public: bool, formats: Any = ("csv", "parquet", "jsonl"), by: Any = None) -> Run:
    """An export, computed."""
    run = sharing.start(campaign=packet.campaign, is_public=is_public, formats=formats, by=by, now=timezone.now())
    runs.execute(run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED, run.error
    return run


def unpacked(run: Run, folder: Path) -> Path:
    """The folder in an archive."""
    assert run.result is not None
    with default_storage.open(run.result["file"]) as file, zipfile.ZipFile(file) as packed:
        packed.extractall(folder)
    return next(folder.iterdir())


def everything_in(folder: Path) -> str:
    """All that a reader can find: names and contents, Parquet decoded."""
    import pyarrow.parquet as pq

    parts = [folder.name]
    for path in sorted(folder.iterdir()):
        parts.append(path.name)
        is_table = path.suffix == ".parquet"
        parts.append(json.dumps(pq.read_table(path).to_pylist(), default=str) if is_table else path.read_text("utf-8"))
        if is_table:
            parts.append(str(pq.read_schema(path).metadata))
    return "\n".join(parts)


def rows_of(folder: Path, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((folder / f"{name}.csv").read_text("utf-8"))))


def test_the_public_export_holds_nothing_hidden_and_nobody(packet: Packet, storage: Path, tmp_path: Path) -> None:
    folder = unpacked(archive(packet, is_public=True), tmp_path / "out")
    found = everything_in(folder)

    for value in [*HIDDEN.values(), *IDENTITY, *WORDS, "canary-id"]:
        assert str(value) not in found
    for rater in Rater.objects.all():
        assert rater.code not in found
        assert str(rater.public_id) not in found
    assert {path.stem for path in folder.glob("*.csv")}.isdisjoint({"hidden_fields", "scores", "consents"})
    check_manifest(folder)


def test_the_private_export_holds_all_of_it(packet: Packet, storage: Path, tmp_path: Path) -> None:
    folder = unpacked(archive(packet, is_public=False), tmp_path / "out")
    found = everything_in(folder)

    for value in [*HIDDEN.values(), "canary-account", "canary-recruitment", "canary-author", *WORDS, "canary-id-0"]:
        assert str(value) in found
    check_manifest(folder)


def test_answers_of_a_removed_rater_stay_in_both(packet: Packet, storage: Path, tmp_path: Path) -> None:
    for is_public in (True, False):
        folder = unpacked(archive(packet, is_public=is_public, formats=["csv"]), tmp_path / str(is_public))
        judgements = rows_of(folder, "judgements")

        assert len(judgements) == 9
        assert {row["rater"] for row in judgements} == {row["rater"] for row in rows_of(folder, "raters")}
        assert sum(row["label"] == "not" for row in judgements) == 3


def test_every_file_is_in_the_manifest_and_every_column_in_the_dictionary(
    packet: Packet, storage: Path, tmp_path: Path
) -> None:
    folder = unpacked(archive(packet, is_public=True, formats=["csv"]), tmp_path / "out")
    content = json.loads((folder / "manifest.json").read_text("utf-8"))
    listed = {entry["file"]: entry for entry in content["tables"]}
    dictionary = {(row["table"], row["column"]) for row in rows_of(folder, "data_dictionary")}

    assert {path.name for path in folder.glob("*.csv")} == set(listed)
    for name, entry in listed.items():
        rows = rows_of(folder, Path(name).stem)
        assert entry["rows"] == len(rows)
        if entry["name"] != "data_dictionary":
            assert {(entry["name"], column) for column in entry["columns"]} <= dictionary
    assert content["about"]["packet"]["sha256"] == packet.sha256
    assert content["about"]["choice"] == {"public": True, "formats": ["csv"]}


def test_texts_leave_as_they_came(storage: Path, tmp_path: Path) -> None:
    text = '\ufefftwo\r\nlines\r, "quotes", =1+1, NA, 007, \u202eRTL\u202c, \U0001f469\u200d\U0001f4bb, <img onerror>'
    packet = frozen(rows=[pair(1, first=text)], raters_per_item=1)
    closing.lock(campaign=packet.campaign, by=None, now=NOW, override_reason="a test")

    folder = unpacked(archive(packet, is_public=True), tmp_path / "out")

    with (folder / "texts.csv").open(encoding="utf-8", newline="") as file:
        assert {row["text"] for row in csv.DictReader(file)} == {text, "second text 1"}


def test_before_the_lock_nothing_leaves(storage: Path) -> None:
    packet = frozen()

    with pytest.raises(Conflict, match="Lock"):
        archive(packet, is_public=True)


def test_the_private_one_is_for_those_who_may_see_hidden_fields(packet: Packet, storage: Path) -> None:
    campaign = packet.campaign
    analyst = UserFactory()
    campaigns.add_member(campaign=campaign, user=analyst, role=CampaignMember.Role.ANALYST, by=None, now=NOW)

    with pytest.raises(NotAllowed):
        archive(packet, is_public=False, by=analyst)
    private = archive(packet, is_public=False)
    client = Client()
    client.force_login(analyst)
    address = reverse("audits:export-download", args=[campaign.slug, private.public_id])
    assert client.get(address).status_code == 302

    closing.unblind(campaign=campaign, by=UserFactory(), now=NOW)
    response = client.get(address)
    response.close()
    assert response.status_code == 200


def test_archives_of_other_campaigns_and_old_ones_are_not_given(packet: Packet, storage: Path) -> None:
    run = archive(packet, is_public=True, formats=["csv"])
    other = frozen().campaign
    client = Client()
    owner = UserFactory()
    campaigns.add_member(campaign=other, user=owner, role=CampaignMember.Role.OWNER, by=None, now=NOW)
    client.force_login(owner)

    assert client.get(reverse("audits:export-download", args=[other.slug, run.public_id])).status_code == 404
    assert sharing.purge(now=timezone.now()) == 0
    assert sharing.purge(now=timezone.now() + KEPT) == 1


def test_an_archive_from_before_somebody_withdrew_is_not_given(packet: Packet, storage: Path) -> None:
    run = archive(packet, is_public=True, formats=["csv"])
    Item.objects.filter(pk=Item.objects.all()[0].pk).update(salt="", erased_at=timezone.now())

    with pytest.raises(Conflict, match="withdrawn"):
        sharing.take_archive(campaign=packet.campaign, run=run, by=None, now=timezone.now())


def test_two_public_exports_call_a_rater_the_same(packet: Packet, storage: Path, tmp_path: Path) -> None:
    first, second = (
        rows_of(unpacked(archive(packet, is_public=True, formats=form), tmp_path / form[0]), "judgements")
        for form in (["csv"], ["csv", "jsonl"])
    )

    assert first == second
    assert {row["rater"] for row in first} == {"person-1", "person-2", "model-1"}


def test_the_public_rows_have_an_order_of_their_own(packet: Packet) -> None:
    """The order of the codes, by which the database sorts, would tell who is first."""
    from annotation.exports import Scope, tables

    scope = Scope.of(packet, is_public=True)
    judgements = next(table for table in tables(scope) if table.name == "judgements")
    keys = [(row[0], row[1]) for row in judgements.rows()]

    assert keys == sorted(keys)
