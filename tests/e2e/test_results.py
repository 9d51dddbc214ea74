"""The results page in a browser: figures are drawn, numbers are there without scripts, a run is watched to its end."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from clustering.services import start_scores
from core import runs
from core.models import Run
from studies.models import Membership, Study
from tests.e2e.conftest import OpenWindow, sign_in
from tests.e2e.planting import N_EACH, N_GROUPS, RUN_SETTINGS, planted_study
from tests.e2e.watching import Watch
from tests.factories import MembershipFactory, published_study

pytestmark = pytest.mark.e2e

N_QUESTIONS = N_SOURCES = 2
LONG_NAME = "A model whose makers gave it a long name"
MARKS = ".role-mark path"
TEXTS = ".role-mark text"


@pytest.fixture
def study(live_server: Any) -> Study:
    study = planted_study()
    study.sources.filter(code="s1").update(name=LONG_NAME)
    return study


@pytest.fixture
def finished(study: Study) -> Run:
    done = runs.execute(start_scores(study=study, by=None, **RUN_SETTINGS).pk)
    assert done is not None
    assert done.status == Run.Status.FINISHED
    return done


@pytest.fixture
def watch(study: Study, open_window: OpenWindow, live_server: Any) -> Watch:
    """The window of an analyst."""
    return analyst_window(study, open_window, live_server)


@pytest.fixture
def tab(watch: Watch) -> Page:
    return watch.context.new_page()


def analyst_window(study: Study, open_window: OpenWindow, live_server: Any, **options: Any) -> Watch:
    watch = open_window(**{"viewport": {"width": 1280, "height": 900}, **options})
    sign_in(watch, MembershipFactory(study=study, role=Membership.Role.ANALYST).user, live_server)
    return watch


@pytest.mark.parametrize("width", [320, 1280])
def test_the_figures_are_drawn_and_fit(width: int, study: Study, finished: Run, tab: Page) -> None:
    tab.set_viewport_size({"width": width, "height": 900})
    tab.goto(reverse("clustering:results", args=[study.slug]))
    scores, coverage = tab.locator("#figure-scores svg"), tab.locator("#figure-coverage svg")

    expect(scores.locator(".mark-symbol" + MARKS)).to_have_count((N_SOURCES + 1) * 2)
    expect(coverage.locator(".mark-rect" + MARKS)).to_have_count(N_QUESTIONS * N_SOURCES)
    assert coverage.locator(".mark-text" + TEXTS).all_text_contents() == ["0.67", "0.00"] * N_QUESTIONS
    assert set(words_of(scores)) >= {"Model s2", "OvertonScore", "unweighted", "weighted"}
    assert LONG_NAME.replace(" ", "") in "".join(words_of(scores)).replace(" ", "")  # on several lines
    assert is_within(tab, "#figure-scores")
    assert width < 480 or is_within(tab, "#figure-coverage")


@pytest.mark.parametrize("width", [320, 1280])
def test_the_opinion_map_shows_everybody_and_names_the_groups(
    width: int, study: Study, finished: Run, tab: Page
) -> None:
    tab.set_viewport_size({"width": width, "height": 900})
    tab.goto(reverse("clustering:question", args=[study.slug, "q1"]))
    drawing = tab.locator("#figure-opinion_map svg")

    expect(drawing.locator(".mark-symbol" + MARKS)).to_have_count(N_GROUPS * N_EACH)
    colours = drawing.locator(".mark-symbol" + MARKS).evaluate_all(
        "marks => new Set(marks.map((mark) => mark.getAttribute('fill'))).size"
    )
    assert colours == N_GROUPS
    legend = words_of(drawing.locator(".role-legend"))
    assert {"Group", "A", "B", "C", "Votes cast"} <= set(legend)
    assert is_within(tab, "#figure-opinion_map")
    assert colour_of(drawing) != ""


def test_pointing_at_a_mark_tells_its_numbers(study: Study, finished: Run, tab: Page) -> None:
    tab.goto(reverse("clustering:results", args=[study.slug]))
    tab.locator("#figure-scores .mark-symbol" + MARKS).first.hover()

    expect(tab.locator("#vg-tooltip-element.visible")).to_contain_text("0.667")


def test_without_scripts_the_numbers_are_there_as_tables(
    study: Study, finished: Run, open_window: OpenWindow, live_server: Any
) -> None:
    tab = analyst_window(study, open_window, live_server, java_script_enabled=False).context.new_page()
    tab.goto(reverse("clustering:results", args=[study.slug]))
    assert cells_of(tab, "[aria-label='OvertonScore of each source']")[0][:2] == [LONG_NAME, "0.667"]
    tab.click("#figure-coverage summary >> nth=0")
    assert cells_of(tab, "#figure-coverage") == [["q1", "0.67", "0.00"], ["q2", "0.67", "0.00"]]
    expect(tab.locator("#figure-coverage .chart").get_by_text("The drawing needs JavaScript")).to_be_visible()
    tab.goto(reverse("clustering:question", args=[study.slug, "q1"]))
    tab.click("#figure-opinion_map summary >> nth=0")

    assert [row[:2] for row in cells_of(tab, "#figure-opinion_map")] == [[group, str(N_EACH)] for group in "ABC"]


def test_a_run_is_started_watched_and_leads_to_its_results(study: Study, watch: Watch) -> None:
    tab = watch.context.new_page()
    tab.goto(reverse("clustering:results", args=[study.slug]))
    tab.get_by_role("button", name="Compute groups and scores").click()
    expect(tab.locator("#run-progress")).to_contain_text("Waiting for a worker")
    queued = Run.objects.get()
    Run.objects.filter(pk=queued.pk).update(progress_done=1, progress_total=2, progress_note="q2")
    tab.reload()
    expect(tab.locator("#run-progress")).to_contain_text("q2")
    with tab.expect_response(lambda response: response.url.endswith("/progress/")) as asked:
        pass
    assert asked.value.status == 200
    expect(tab.locator("#run-progress progress")).to_have_attribute("value", "1")
    watch.expects_outage = True
    with tab.expect_event("requestfailed"):
        watch.context.set_offline(True)
    expect(tab.locator("#problem")).to_be_empty()
    watch.context.set_offline(False)
    runs.execute(queued.pk)

    expect(tab.locator("#figure-scores .mark-symbol" + MARKS)).to_have_count((N_SOURCES + 1) * 2)
    assert tab.locator("#run-progress").count() == 0


def test_a_question_without_groups_says_why(open_window: OpenWindow, live_server: Any) -> None:
    empty = published_study(n_questions=1)
    tab = analyst_window(empty, open_window, live_server).context.new_page()
    runs.execute(start_scores(study=empty, by=None, **RUN_SETTINGS).pk)
    tab.goto(reverse("clustering:question", args=[empty.slug, "q1"]))
    expect(tab.locator("main .undefined")).to_contain_text("There are no opinion groups")
    tab.goto(reverse("clustering:results", args=[empty.slug]))

    expect(tab.locator("main .undefined").first).to_contain_text("undefined, because")


def words_of(drawing: Any) -> list[str]:
    """The words of a drawing."""
    return list(drawing.locator("text").all_text_contents())


def cells_of(tab: Page, table: str) -> list[list[str]]:
    """What stands in the cells of a table, row by row, as far as it is seen."""
    return [row.locator("th, td").all_inner_texts() for row in tab.locator(f"{table} tbody tr:visible").all()]


def is_within(tab: Page, figure: str) -> bool:
    """Whether the whole drawing is seen without scrolling in its frame."""
    script = "chart => chart.clientWidth > 0 && chart.scrollWidth <= chart.clientWidth"
    return bool(tab.locator(f"{figure} .chart").evaluate(script))


def colour_of(drawing: Any) -> str:
    """The colour in which the first mark is really painted."""
    return str(drawing.locator(".mark-symbol" + MARKS).first.evaluate("mark => getComputedStyle(mark).fill"))
