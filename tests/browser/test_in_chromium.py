"""Every page in Chromium: no console message, no axe violation, no sideways scroll, both schemes, with the keyboard."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from django.db import connection
from playwright.sync_api import expect

from leaderboard.routes import ROUTES
from leaderboard.views import PLOTLY
from runs.models import Attempt
from tests.browser.site import make_site
from tests.site_fixtures import clear_caches

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


EMBEDS = tuple(f"/board/smoke/all/cpu-x86_64/embed/{part}/" for part in ("chart/rates", "table/entries"))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Where the first test that makes the site leaves it, since making it takes longer than most tests do."""
    return {"folder": tmp_path_factory.mktemp("site")}


@pytest.fixture
def site(transactional_db, settings, made):
    settings.ARCHIVE_FOLDER = made["folder"] / "archive"
    clear_caches()  # its keys count changes, and each test counts from nothing
    connection.ensure_connection()
    with closing(sqlite3.connect(made["folder"] / "site.sqlite3")) as copy:
        if "site" in made:
            copy.backup(connection.connection)
        else:
            made["site"] = make_site()
            connection.connection.backup(copy)
    return made["site"]


def test_the_site_has_every_kind_of_page(site, client) -> None:
    shown = {client.get(address).context["route"] for address in site.addresses}
    assert shown == {route.name for route in ROUTES}


def test_every_page_is_clean_in_both_schemes_wide_and_narrow(site, visit) -> None:
    visitor = visit()
    for address in (*site.addresses, *EMBEDS):
        page = visitor.go(address)
        if "explore" in address and PLOTLY.is_file():
            expect(page.locator("#explore[data-drawn]")).to_be_attached()
        visitor.judge(address)


def test_from_home_to_board_to_result(site, visit) -> None:
    page = visit().go("/")
    page.get_by_role("link", name="Smoke on x86-64 CPU", exact=True).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Smoke, all categories")
    page.get_by_role("link", name="HIP to HIP").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Smoke, HIP to HIP")
    page.get_by_role("link", name="wrong output").click()
    expect(page.locator(".verdict")).to_contain_text("wrong output")
    page.get_by_role("link", name="Run", exact=False).first.click()


def test_a_result_tells_its_story_without_javascript(site, visit) -> None:
    page = visit(javascript=False).go(f"/result/{site.result.pk}/")
    expect(page.locator(".verdict")).to_contain_text("Builds and is correct on 1 case")
    expect(page.locator("svg.chart")).to_be_visible()
    expect(page.locator(".diff .added")).to_contain_text("line 20 of the candidate")
    expect(page.locator(".gates li.passed")).to_have_count(5)
    page.get_by_text("kernel.hip", exact=True).last.click()  # the whole source unfolds
    expect(page.locator("ol.code")).to_be_visible()


def test_the_keyboard_skips_to_the_content(site, visit) -> None:
    page = visit().go("/board/smoke/all/cpu-x86_64/")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_progress_comes_in_without_a_reload(site, visit) -> None:
    page = visit().go(f"/run/{site.running.pk}/")
    page.evaluate("window.stayed = true")
    expect(page.locator(".progress label")).to_have_text("0 of 6 ended, 6 running")
    Attempt.objects.filter(result__run=site.running).update(
        status="cancelled", lease_until=None, ended_at="2026-11-01T12:01:00Z"
    )
    expect(page.locator(".progress label")).to_contain_text("cancelled")
    expect(page.get_by_role("status")).to_contain_text("cancelled")
    assert page.evaluate("window.stayed")


def test_an_open_result_reloads_when_its_verdict_is_there(site, visit) -> None:
    result = site.running.results.first()
    page = visit().go(f"/result/{result.pk}/")
    expect(page.locator(".verdict")).to_contain_text("running")
    Attempt.objects.filter(result=result).update(status="cancelled", lease_until=None, ended_at="2026-11-01T12:01:00Z")
    expect(page.locator(".verdict")).to_contain_text("cancelled")


def test_polling_survives_a_server_that_is_away(site, visit) -> None:
    visitor = visit()
    page = visitor.go("/queue/")
    page.route("**/queue/progress/", lambda route: route.abort())
    with page.expect_event("requestfailed"):
        pass
    page.unroute("**/queue/progress/")
    with page.expect_response("**/queue/progress/") as answer:
        pass
    assert answer.value.ok
    visitor.faults.clear()  # the refused request, which was the point


@pytest.mark.skipif(not PLOTLY.is_file(), reason="plotly.js was not fetched: make plotly")
def test_a_chart_can_be_explored_and_plotly_finds_nothing_wrong_with_it(site, visit) -> None:
    visitor = visit(scheme="dark")
    page = visitor.go("/board/smoke/all/cpu-x86_64/")
    assert "plotly" not in page.content()
    page.get_by_role("link", name="Explore").click()
    expect(page.locator("#explore[data-drawn] .point").first).to_be_attached()
    assert page.evaluate("Plotly.validate(figure.data, figure.layout) ?? []") == []
    assert page.locator("#explore .point").count() == page.evaluate("figure.data.reduce((n, t) => n + t.x.length, 0)")


def test_a_table_taken_away_is_the_table_shown(site, visit) -> None:
    page = visit().go("/board/smoke/all/cpu-x86_64/")
    with page.expect_download() as taken:
        page.locator("#entries .csv", has_text="CSV").click()
    lines = taken.value.path().read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("rank,name,configuration,correctness,pass_at_1,pass_at_2,")
    assert ",trust,published_at,cost_usd,compilation," in lines[0]
    assert len(lines) == 1 + page.locator("#entries tbody tr:not(.group)").count()
