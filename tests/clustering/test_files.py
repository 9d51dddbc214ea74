"""Figures and reports as files: who gets them, what is in them, how long they are kept."""

from __future__ import annotations

import hashlib
import re
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import AbstractUser
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from clustering import services as scoring
from clustering.inclusion import Inclusion
from clustering.models import OpinionGroup, RunFigure
from clustering.parameters import Parameters
from clustering.reporting import selectors, services
from clustering.reporting.rendering import inline, rendered
from clustering.reporting.selectors import FIGURE, REPORT
from core import runs
from core.errors import Conflict, Invalid
from core.models import AuditEvent, Run
from studies.models import Membership, Study, Tombstone
from tests.factories import NOW, MembershipFactory

pytestmark = pytest.mark.django_db

BEGINS = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}


@pytest.fixture(autouse=True)
def storage(tmp_path: Path, settings: Any) -> None:
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def run(planted: Study) -> Run:
    parameters = Parameters(inclusion=Inclusion(("live",)), replicates=200, stability_seeds=2, stability_replicates=5)
    done = runs.execute(scoring.start_scores(study=planted, parameters=parameters, seed=1, by=None).pk)
    assert done is not None
    return done


@pytest.fixture
def part(run: Run) -> Run:
    return run.parts.order_by("pk")[0]


@pytest.fixture
def analyst(planted: Study, client: Client) -> AbstractUser:
    user = MembershipFactory(study=planted, role=Membership.Role.ANALYST).user
    client.force_login(user)
    return user


def asked(client: Client, study: Study, run: Run, name: str, form: str) -> Run:
    """The run that a press on a format of a figure queued."""
    response = client.post(reverse("clustering:figure", args=[study.slug, run.public_id, name]), {"format": form})
    assert response.status_code == 302
    return Run.objects.get(kind=FIGURE, public_id=response.url.rstrip("/").rpartition("/")[2])


@pytest.mark.parametrize("form", BEGINS)
def test_a_figure_is_asked_for_drawn_and_downloaded(
    planted: Study, part: Run, analyst: AbstractUser, client: Client, form: str
) -> None:
    made = asked(client, planted, part, "opinion_map", form)
    page = reverse("clustering:file", args=[planted.slug, made.public_id])
    waiting = client.get(page).content.decode()
    assert "Waiting for a worker" in waiting
    assert 'hx-trigger="every 1s"' in waiting
    assert f'href="{page}"' in waiting  # without scripts, a link looks again

    runs.execute(made.pk)

    fragment = client.get(page, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in fragment
    assert "hx-get" not in fragment
    download = reverse("clustering:file-download", args=[planted.slug, made.public_id])
    assert download in fragment
    response = client.get(download)
    content = b"".join(response.streaming_content)
    assert content.startswith(BEGINS[form])
    made.refresh_from_db()
    assert made.result is not None
    assert hashlib.sha256(content).hexdigest() == made.result["sha256"]
    assert response["Content-Disposition"] == f'attachment; filename="{planted.slug}-q1-opinion_map.{form}"'
    assert AuditEvent.objects.filter(event="figure.downloaded").count() == 1


def test_a_figure_is_drawn_with_texts_letters_and_the_colours_of_a_light_page(part: Run) -> None:
    row = RunFigure.objects.get(run=part, name="opinion_map")
    svg = rendered(row.specification, "svg").decode()

    assert "First dimension" in svg
    assert "#1d3f8f" in svg
    assert "var(" not in svg
    assert "Liberation Sans" in svg


def test_letters_of_a_figure_are_inside_the_pdf(part: Run) -> None:
    row = RunFigure.objects.get(run=part, name="silhouettes")
    assert re.search(rb"/FontName\s*/\w+\+LiberationSans", rendered(row.specification, "pdf"))


def test_equal_figures_are_equal_files(part: Run) -> None:
    row = RunFigure.objects.get(run=part, name="agreement")
    assert rendered(row.specification, "svg") == rendered(row.specification, "svg")


def test_a_figure_that_was_made_is_not_made_again(
    planted: Study, part: Run, analyst: AbstractUser, client: Client
) -> None:
    first = asked(client, planted, part, "loadings", "svg")
    runs.execute(first.pk)
    assert asked(client, planted, part, "loadings", "svg") == first

    first.refresh_from_db()
    assert first.result is not None
    default_storage.delete(first.result["file"])
    assert asked(client, planted, part, "loadings", "svg") != first


def test_every_figure_of_a_run_has_a_file_in_each_way(planted: Study, run: Run, part: Run) -> None:
    names = set(RunFigure.objects.filter(run__in=[run, part]).values_list("name", flat=True))
    assert names >= {
        *("opinion_map", "loadings", "agreement", "silhouettes", "together", "seeds"),
        *("scores", "coverage", "thresholds", "ratings-1", "ratings-4"),
    }
    for row in RunFigure.objects.filter(run__in=[run, part]):
        assert rendered(row.specification, "svg").startswith(b"<svg"), row.name
        assert row.table["rows"], row.name


def test_the_numbers_come_at_once_and_unrounded(
    planted: Study, run: Run, analyst: AbstractUser, client: Client
) -> None:
    response = client.get(reverse("clustering:figure-csv", args=[planted.slug, run.public_id, "scores"]))
    head, first, *_rest = response.content.decode().splitlines()
    assert head == "source,variant,n_questions,value,low,high"
    assert float(first.split(",")[3]) == pytest.approx(2 / 3, abs=1e-15)


@pytest.mark.parametrize("form", ["", "gif", "html"])
def test_an_unknown_format_is_refused_with_words(
    planted: Study, run: Run, analyst: AbstractUser, client: Client, form: str
) -> None:
    url = reverse("clustering:figure", args=[planted.slug, run.public_id, "scores"])
    page = client.post(url, {"format": form}, follow=True).content.decode()
    assert "SVG, PNG or PDF" in page
    assert not Run.objects.filter(kind=FIGURE).exists()


@pytest.mark.parametrize(
    "name", ["figure", "figure-csv", "report-file", "file", "file-download", "statistics", "group"]
)
def test_a_stranger_and_an_annotator_get_nothing(
    planted: Study, run: Run, client: Client, stranger: AbstractUser, name: str
) -> None:
    row = RunFigure.objects.get(run=run, name="scores")
    made = services.start_figure(study=planted, row=row, form="svg", by=None, now=NOW)
    extra: dict[str, list[Any]] = {
        "figure": [run.public_id, "scores"],
        "figure-csv": [run.public_id, "scores"],
        "file": [made.public_id],
        "file-download": [made.public_id],
        "group": ["q1", "A"],
    }
    url = reverse(f"clustering:{name}", args=[planted.slug, *extra.get(name, [run.public_id])])
    ask = client.post if name in {"figure", "report-file"} else client.get
    assert ask(url).status_code == 302
    client.force_login(stranger)
    assert ask(url).status_code == 404
    client.force_login(MembershipFactory(study=planted, role=Membership.Role.ANNOTATOR).user)
    assert ask(url).status_code == 403


def test_another_studys_figure_and_file_are_not_there(
    planted: Study, run: Run, study: Study, analyst: AbstractUser, client: Client
) -> None:
    MembershipFactory(study=study, user=analyst, role=Membership.Role.OWNER)
    row = RunFigure.objects.get(run=run, name="scores")
    made = services.start_figure(study=planted, row=row, form="svg", by=None, now=NOW)
    for name, extra in {"figure-csv": [run.public_id, "scores"], "file": [made.public_id]}.items():
        assert client.get(reverse(f"clustering:{name}", args=[study.slug, *extra])).status_code == 404
    assert client.get(reverse("clustering:file", args=[planted.slug, run.public_id])).status_code == 404


def test_a_moderator_gets_figures_and_asks_for_no_report(planted: Study, run: Run, client: Client) -> None:
    client.force_login(MembershipFactory(study=planted, role=Membership.Role.MODERATOR).user)
    assert asked(client, planted, run, "scores", "png").kind == FIGURE
    url = reverse("clustering:report-file", args=[planted.slug, run.public_id])
    assert client.post(url, {"audience": "team"}).status_code == 403


def test_a_file_expires_and_is_deleted(planted: Study, run: Run) -> None:
    made = services.start_report(study=planted, run=run, audience="team", by=None, now=timezone.now())
    done = runs.execute(made.pk)
    assert done is not None
    assert done.result is not None
    assert services.purge_files(now=timezone.now()) == 0
    late = timezone.now() + selectors.KEPT
    with pytest.raises(Conflict, match="expired"):
        services.take_file(study=planted, run=done, by=None, now=late)
    assert services.purge_files(now=late) == 1
    assert not default_storage.exists(done.result["file"])


def test_a_file_from_before_a_withdrawal_is_not_handed_out(planted: Study, run: Run) -> None:
    made = services.start_report(study=planted, run=run, audience="team", by=None, now=timezone.now())
    done = runs.execute(made.pk)
    assert done is not None
    at = timezone.now() + timedelta(seconds=1)
    Tombstone.objects.create(study=planted, withdrawn_at=at, enrolment_public_id=uuid4(), policy="all")
    with pytest.raises(Conflict, match="withdrawn"):
        services.take_file(study=planted, run=done, by=None, now=at)


class Reader(HTMLParser):
    """What a file would ask of others, and whether its links lead somewhere."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.requests: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name in {"src", "srcset", "data", "action"} or (name.endswith("href") and tag not in {"a", "use"}):
                self.requests.append(value or "")
            if name == "id":
                self.ids.append(value or "")
            if name.endswith("href") and tag in {"a", "use"}:
                self.targets.append(value or "")


@pytest.fixture
def reports(planted: Study, run: Run) -> Any:
    def written(audience: str) -> str:
        made = services.start_report(study=planted, run=run, audience=audience, by=None, now=timezone.now())
        done = runs.execute(made.pk)
        assert done is not None
        name = services.take_file(study=planted, run=done, by=None, now=timezone.now())
        with default_storage.open(name) as file:
            return str(file.read().decode("utf-8"))

    return written


def test_the_report_needs_no_other_file_and_no_script(reports: Any) -> None:
    html = reports("team")
    read = Reader(html)

    assert read.requests == []
    assert "script" not in read.tags
    assert "link" not in read.tags
    assert "@import" not in html
    assert "url(http" not in html
    assert len(read.ids) == len(set(read.ids))
    assert {target for target in read.targets if not target.startswith("#")} == set()
    assert {target[1:] for target in read.targets} <= set(read.ids)


def test_the_report_says_what_was_computed_from_what(planted: Study, run: Run, reports: Any) -> None:
    html = reports("team")

    for told in (run.input_sha256, run.result_sha256, str(run.public_id), "inclusion.origins", "scikit-learn"):
        assert told in html
    for part in run.parts.all():
        assert part.result_sha256 in html
    n_figures = RunFigure.objects.filter(run__in=[run, *run.parts.all()]).count()
    assert html.count("<svg ") == html.count('role="img"') == n_figures
    assert "0.667" in html
    assert "seed 1" in html


def test_the_report_to_hand_on_tells_nothing_of_small_groups(planted: Study, part: Run, reports: Any) -> None:
    small = OpinionGroup.objects.filter(grouping__run=part).order_by("number").last()
    assert small is not None
    OpinionGroup.objects.filter(pk=small.pk).update(size=4)
    outside, team = (chapter_of(reports(audience)) for audience in ("outside", "team"))

    assert f"Group {small.letter}" in team
    assert f"Group {small.letter}" not in outside
    assert "1 group is too small to be shown" in outside
    assert outside.count('<path aria-label="Group: ') < team.count('<path aria-label="Group: ') or len(outside) < len(
        team
    )


def test_what_a_small_group_says_cannot_be_computed_from_what_is_handed_on(
    planted: Study, part: Run, reports: Any
) -> None:
    small = OpinionGroup.objects.filter(grouping__run=part).order_by("number").last()
    assert small is not None
    OpinionGroup.objects.filter(pk=small.pk).update(size=4)
    outside, team = (chapter_of(reports(audience)) for audience in ("outside", "team"))

    assert ", others " in team
    assert "Mean vote" in team
    assert ", others " not in outside
    assert "Mean vote" not in outside


def chapter_of(html: str) -> str:
    """The chapter of the first question."""
    return html.split('id="question-1"')[1].split('id="question-2"')[0]


def test_ids_inside_drawings_are_their_own() -> None:
    svg = '<svg width="1"><clipPath id="c1"/><g clip-path="url(#c1)"/><use href="#c1"/></svg>'
    assert inline(svg, prefix="q1", label='A "map"') == (
        '<svg role="img" aria-label="A &quot;map&quot;" width="1"><clipPath id="q1-c1"/>'
        '<g clip-path="url(#q1-c1)"/><use href="#q1-c1"/></svg>'
    )


@pytest.mark.parametrize("audience", ["", "public"])
def test_a_report_for_nobody_is_refused(planted: Study, run: Run, audience: str) -> None:
    with pytest.raises(Invalid):
        services.start_report(study=planted, run=run, audience=audience, by=None, now=NOW)
    assert not Run.objects.filter(kind=REPORT).exists()


def test_the_command_writes_the_report_once(
    planted: Study, run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "report.html"
    call_command("study_report", planted.slug, "--out", str(path))
    assert hashlib.sha256(path.read_bytes()).hexdigest() in capsys.readouterr().out
    with pytest.raises(Conflict, match="there already"):
        call_command("study_report", planted.slug, "--out", str(path))


def test_the_command_needs_results(planted: Study, tmp_path: Path) -> None:
    with pytest.raises(Conflict, match="Nothing has been computed"):
        call_command("study_report", planted.slug, "--out", str(tmp_path / "report.html"))
