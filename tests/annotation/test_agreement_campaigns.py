"""The report of a campaign: from locked answers to numbers."""

from __future__ import annotations

import io
import json
from datetime import timedelta

import pytest
from django.core.management import call_command

from annotation.models import Judgement
from annotation.reporting.loading import material_of
from annotation.services import agreeing, closing
from annotation.stats.codes import CANNOT_JUDGE
from core.errors import Conflict
from core.runs import execute
from tests.annotation.audits import frozen, judge, judge_all, pair, person, say, say_all_of_model, take
from tests.factories import NOW, UserFactory

pytestmark = pytest.mark.django_db
STRATA = ("covered_near", "uncovered_far")


def judged(n: int = 6, *, with_model: bool = True):
    rows = [
        pair(
            i,
            stratum=STRATA[i % 2],
            covered=i % 2 == 0,
            distance=i / 10,
            reference=f"r{i // 2}",
            source=f"s{i % 3}",
        )
        for i in range(n)
    ]
    packet = frozen(rows=rows)
    one, other = person(packet), person(packet)
    for place in range(n):
        say(take(one, packet), "clearly" if place % 2 else "not")
    judge_all(other, packet, "clearly")
    if with_model:
        say_all_of_model(judge(packet), packet, "partly")
    return packet


def unblinded(packet):
    owner = UserFactory()
    closing.lock(campaign=packet.campaign, by=owner, now=NOW + timedelta(hours=1))
    closing.unblind(campaign=packet.campaign, by=owner, now=NOW + timedelta(hours=2))
    return packet.campaign


def report_of(campaign, **options):
    run = agreeing.queue(campaign=campaign, by=None, now=NOW, replicates=50, **options)
    done = execute(run.pk)
    assert done.error == ""
    return done.result


def dimension_of(report, name):
    return next(each for each in report["dimensions"] if each["dimension"] == name)


def test_nobody_looks_at_agreement_while_people_judge() -> None:
    packet = judged(2)
    with pytest.raises(Conflict, match="Lock the packet first"):
        agreeing.queue(campaign=packet.campaign, by=None, now=NOW)


def test_the_report_has_every_set_of_raters_and_stratum() -> None:
    report = report_of(unblinded(judged()))
    dimension = dimension_of(report, "aut/use")
    names = {(cell["stratum"], cell["raters"]["name"]) for cell in dimension["cells"]}
    assert {stratum for stratum, _name in names} == {None, *STRATA}
    assert {"all", "humans"} <= {name for _stratum, name in names}
    everybody = next(c for c in dimension["cells"] if c["stratum"] is None and c["raters"]["kind"] == "all")
    assert (everybody["n_items"], everybody["n_ratings"]) == (6, 18)
    assert dimension["unit"] == "references"
    assert dimension["beside"]["rates"][0]["strata"][""]["n"] == 18
    assert report["source"]["facts"]["hidden_fields_used"] is True


def test_before_unblinding_no_hidden_field_is_used() -> None:
    packet = judged()
    closing.lock(campaign=packet.campaign, by=UserFactory(), now=NOW + timedelta(hours=1))
    report = report_of(packet.campaign)
    text = json.dumps(report)
    assert not any(word in text for word in (*STRATA, 'r1"', "aut-0"))
    assert dimension_of(report, "aut/use")["unit"] == "items"


def test_equal_data_give_equal_bytes() -> None:
    campaign = unblinded(judged())
    first, second = report_of(campaign), report_of(campaign)
    assert first == second
    assert first["sha256"] == second["sha256"]


def test_cannot_judge_is_told_from_missing() -> None:
    packet = judged(2, with_model=False)
    row = Judgement.objects.counted().filter(dimension__code="use").first()
    Judgement.objects.filter(pk=row.pk).update(label=None, shown_label=None, missing="cannot_judge")
    material = material_of(packet, with_hidden=False)
    use = next(each for each in material.dimensions if each.dimension == "aut/use")
    assert (use.code == CANNOT_JUDGE).sum() == 1


def test_the_command_makes_the_same_report() -> None:
    campaign = unblinded(judged())
    out = io.StringIO()
    call_command("agreement", "--campaign", campaign.slug, "--replicates", "50", "--json", stdout=out)
    assert json.loads(out.getvalue()) == report_of(campaign)
