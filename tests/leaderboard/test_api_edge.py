"""Every address of data: nothing is made twice, unknown parameters are refused, requests are limited."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from django.core.cache import cache
from django.db.models import F

from leaderboard.http import rate_limits
from leaderboard.routes import ROUTES
from runs.models import Revision
from tests import factories

BOARD = "/board/smoke/all/cpu-x86_64/"
UNUSED = {  # read with the rest of a board's or a list's query, and of no effect there
    "failures": {"state", "page"},
    "portability": {"suite", "device", "state", "page"},
    "distribution": {"view", "sort", "ranks"},
    "attribution": {"view", "sort", "ranks", "agent", "model", "trust", "since"},
    "efficiency": {"view", "sort", "ranks", "as_of"},
    "quality": {"view", "sort", "ranks"},
    "compare": {"view", "sort", "ranks", "agent", "model", "trust", "since"},
}
PARTS = ("", "entries.csv", "entries.json", "rates.svg")


class Watched(dict):
    """A query that remembers what it was asked for."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self.seen: set[str] = set()

    def __getitem__(self, name):
        self.seen.add(name)
        return super().__getitem__(name)

    def get(self, name, default=None):
        self.seen.add(name)
        return super().get(name, default)


def test_what_has_not_changed_is_not_made_again(published, client, monkeypatch) -> None:
    published()
    for address in (BOARD, *(f"/api/v1{BOARD}{part}" for part in PARTS)):
        first = client.get(address)
        assert first.status_code == 200
        with monkeypatch.context() as patch:
            patch.setattr("leaderboard.routes.Route.make", lambda *given: 1 / 0)
            again = client.get(address, HTTP_IF_NONE_MATCH=first["ETag"])
        assert (again.status_code, again.content) == (304, b"")


def test_a_change_is_seen_at_once(published, client) -> None:
    published()
    before = client.get(f"/api/v1{BOARD}")["ETag"]
    Revision.objects.create(id=1, number=1)
    assert client.get(f"/api/v1{BOARD}", HTTP_IF_NONE_MATCH=before).status_code == 200


def test_a_page_of_what_is_alive_is_compared_by_its_bytes(published, client) -> None:
    run = published()
    address = f"/api/v1/run/{run.pk}/"
    etag = client.get(address)["ETag"]
    assert client.get(address, HTTP_IF_NONE_MATCH=etag).status_code == 304
    factories.make_attempt(result=run.results.first(), status="running")
    assert client.get(address, HTTP_IF_NONE_MATCH=etag).status_code == 200


def test_an_unknown_parameter_is_refused_by_data_and_left_out_by_pages(published, client) -> None:
    published()
    for part in PARTS:
        answer = client.get(f"/api/v1{BOARD}{part}?sorted=name&as_of=2026-11-02")
        assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
        assert answer.json()["detail"].startswith("Unknown parameter: sorted. This address takes sort, view, agent")
    page = client.get(f"{BOARD}?utm_source=elsewhere&as_of=2026-11-02")
    assert page.status_code == 200
    assert b"utm_source" not in page.content
    assert f"/api/v1{BOARD}entries.csv?as_of=2026-11-02".encode() in page.content


def test_data_takes_the_query_of_its_page(published, entry, client) -> None:
    published(configuration=entry("One"))
    published(configuration=entry("Two"))
    for query in ("", "?agent=Two", "?as_of=2026-10-31", "?trust=claimed", "?sort=name"):
        names = [one.agent for one in client.get(f"{BOARD}{query}").context["page"].entries]
        assert [one["agent"] for one in client.get(f"/api/v1{BOARD}{query}").json()["entries"]] == names
        rows = client.get(f"/api/v1{BOARD}entries.json{query}").json()
        assert [row["name"] for row in rows] == names


def test_every_route_names_what_it_reads_of_a_query(published, suite) -> None:
    """A name that is missing in the list would be refused, or left out, though the page knows it."""
    run, task = published(), suite.tasks.first()
    board = {"suite": "smoke", "category": "all", "device": "cpu-x86_64"}
    category, source, name = task.path.split("/")
    parts = {
        **dict.fromkeys(("board", "history", "distribution", "attribution", "efficiency"), board),
        **dict.fromkeys(("quality", "compare", "generalization"), board),
        "task": {"category": category, "source": source, "name": name},
        **{kind: {"slug": getattr(run.configuration, kind).slug} for kind in ("agent", "model")},
        "configuration": {"slug": run.configuration.slug},
        "run": {"run": run.pk},
        "result": {"result": run.results.first().pk},
    }
    for route in ROUTES:
        query = Watched()
        odd = {name: 999 if kind == "row" else "nothing" for kind, name in re.findall(r"<(\w+):(\w+)>", route.path)}
        route.build(query, **parts.get(route.name, odd))
        assert query.seen - UNUSED.get(route.name, set()) <= set(route.names), route.name


@pytest.fixture
def few_points(settings, monkeypatch):
    """A minute that lasts as long as its test."""
    monkeypatch.setattr(rate_limits, "time", SimpleNamespace(time=lambda: 1_800_000_010.0))
    settings.API_POINTS_A_MINUTE = 12
    cache.clear()
    yield
    cache.clear()


def test_too_many_requests_are_refused_with_the_time_to_wait(db, client, few_points, monkeypatch) -> None:
    assert [client.get("/api/v1/metrics/").status_code for _ in range(13)] == [200] * 12 + [429]
    refused = client.get("/api/v1/metrics/")
    assert (refused["Content-Type"], refused["Retry-After"]) == ("application/problem+json", "50")
    assert "Try again in 50 s" in refused.json()["detail"]
    assert client.get("/metrics/").status_code == 200
    assert client.get("/api/v1/metrics/", REMOTE_ADDR="10.0.0.9").status_code == 200
    monkeypatch.setattr(rate_limits, "time", SimpleNamespace(time=lambda: 1_800_000_061.0))
    assert client.get("/api/v1/metrics/").status_code == 200


def test_a_token_has_the_same_points_from_wherever_it_is_used(db, client, few_points) -> None:
    for number in range(12):
        answer = client.get("/api/v1/metrics/", REMOTE_ADDR=f"10.0.1.{number}", HTTP_AUTHORIZATION="Bearer one")
        assert answer.status_code == 200
    again = {"REMOTE_ADDR": "10.0.1.99"}
    assert client.get("/api/v1/metrics/", HTTP_AUTHORIZATION="Bearer one", **again).status_code == 429
    assert client.get("/api/v1/metrics/", HTTP_AUTHORIZATION="Bearer two", **again).status_code == 200


def test_a_png_costs_as_much_as_ten(db, client, few_points) -> None:
    assert client.get("/api/v1/metrics/nothing.png").status_code == 404
    assert [client.get("/api/v1/metrics/").status_code for _ in range(3)] == [200, 200, 429]


@pytest.mark.parametrize("path", ["/result/7/session/", "/api/v1/result/7/session/"])
def test_making_a_part_of_a_session_costs_what_reading_all_of_it_does(path: str) -> None:
    assert rate_limits.cost_of(path, rate_limits.MAKING) == 15


def test_the_proxys_word_for_an_address_counts_only_behind_a_proxy(rf, settings) -> None:
    request = rf.get("/", HTTP_X_FORWARDED_FOR="1.2.3.4, 5.6.7.8", REMOTE_ADDR="10.0.0.1")
    assert rate_limits.client_address(request) == "10.0.0.1"
    settings.HTTPS = True
    assert rate_limits.client_address(request) == "5.6.7.8"


def test_a_page_costs_points_when_it_is_made_and_none_from_the_cache(transactional_db, client, few_points) -> None:
    published = factories.make_run(suite=factories.make_suite(name="smoke"), status="passed", state="published")
    assert {client.get(BOARD).status_code for _ in range(20)} == {200}  # five points
    assert client.get(f"{BOARD}?view=paper").status_code == 200  # five more
    refused = client.get(f"{BOARD}?agent=Nobody")
    assert (refused.status_code, refused["Retry-After"]) == (429, "50")
    browser = client.get(f"{BOARD}?agent=Nobody", HTTP_ACCEPT="text/html,*/*")
    assert (browser.status_code, browser["Content-Type"][:9]) == (429, "text/html")
    assert {client.get(f"{BOARD}?utm={number}").status_code for number in range(20)} == {200}
    Revision.objects.update(number=F("number") + 1)
    assert client.get(BOARD).status_code == 429  # it would have to be made anew
    assert client.get(f"/run/{published.pk}/", REMOTE_ADDR="10.0.0.9").status_code == 200


def test_the_schema_is_made_once_and_costs_what_a_page_does(transactional_db, client, few_points) -> None:
    first = client.get("/api/v1/schema.json")
    Revision.objects.create(id=1, number=1)  # it does not depend on what is public
    assert client.get("/api/v1/schema.json", HTTP_IF_NONE_MATCH=first["ETag"]).status_code == 304
    assert [client.get("/api/v1/schema.json").status_code for _ in range(5)] == [200] * 5  # 5 and 7 points
    assert client.get("/api/v1/schema.json").status_code == 429


def test_a_value_longer_than_any_name_is_left_out_by_pages_and_refused_by_data(published, client) -> None:
    published()
    long = "x" * 3000
    assert long.encode() not in client.get(f"{BOARD}?agent={long}").content
    assert "expected at most 200 characters" in client.get(f"/api/v1{BOARD}?agent={long}").json()["detail"]
