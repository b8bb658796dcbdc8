"""The response cache: a page is made once and then sent as it is; the next response after a change is new.

A made-up parameter makes nothing anew, and while one request renews a page, others get the one before.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from django.db import connection, connections, transaction
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluator.tasks.suites import suite_digest
from leaderboard.http import response_cache
from runs.models import Attempt, Result, Run, Suite
from runs.services import catalog, publishing, registry
from tests import factories
from tests.site_fixtures import clear_caches

Answer = HttpResponse | StreamingHttpResponse
BOARD = "/board/smoke/all/cpu-x86_64/"
ENTRIES = f"/api/v1{BOARD}entries.csv"
PAGES = (BOARD, "/distribution/smoke/all/cpu-x86_64/", "/compare/smoke/all/cpu-x86_64/", ENTRIES)


@pytest.fixture
def run(transactional_db: None) -> Run:
    """Public, of the agent Alpha, and committed."""
    suite = factories.make_suite(name="smoke")
    configuration = factories.make_configuration(agent=factories.make_agent(name="Alpha"), model=None)
    return published(suite, configuration=configuration)


def published(suite: Suite, **values: object) -> Run:
    return publishing.publish_run(run=factories.make_run(suite=suite, status="passed", **values), actor="test")


def read(client: Client, address: str = BOARD, **headers: str) -> str:
    response = client.get(address, headers=headers)
    assert response.status_code == 200
    return response.getvalue().decode()


def query_count(client: Client, address: str = BOARD, **headers: str) -> int:
    with CaptureQueriesContext(connection) as asked:
        read(client, address, **headers)
    return len(asked)


class Clock:
    """Stands still until it is told to go on."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def second(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("leaderboard.http.etags.time", clock)
    return clock


@pytest.mark.parametrize("address", PAGES)
def test_a_second_reader_costs_one_query(run: Run, client: Client, address: str) -> None:
    assert 1 < query_count(client, address) <= 6
    assert query_count(client, address) == 1


def test_a_cached_response_is_the_one_that_was_made(run: Run, client: Client) -> None:
    made, kept = read(client), read(client)
    compressed = client.get(BOARD, headers={"Accept-Encoding": "gzip"})
    assert made == kept == gzip.decompress(compressed.content).decode()
    assert compressed["Content-Encoding"] == "gzip"
    assert compressed["Vary"] == "Accept-Encoding"
    assert client.get(BOARD)["ETag"] == compressed["ETag"]


def another_run(run: Run) -> None:
    published(run.suite)


def a_newer_answer(run: Run) -> None:
    result = run.results.first()
    assert result is not None
    factories.make_attempt(result=result, status="wrong_output")
    publishing.publish_results(results=[result], actor="test")


def withdrawal(run: Run) -> None:
    publishing.withdraw_run(run=run, actor="test", reason="it was wrong")


def another_name(run: Run) -> None:
    run.configuration.agent.name = "Omega"
    registry.save_row(row=run.configuration.agent)


def another_device_title(run: Run) -> None:
    run.device_class.title = "Another title"
    registry.save_row(row=run.device_class)


def deletion(run: Run) -> None:
    run.audit_entries.all().delete()
    run.results.update(published_attempt=None)
    run.delete()


def an_audit(run: Run) -> None:
    result = run.results.first()
    assert result is not None
    result.audit = Result.Audit.HACKED
    result.save()


def a_newer_suite(run: Run) -> None:
    task = factories.make_task()
    digest = suite_digest({task.path: task.digest})
    catalog.mirror_suite(name="smoke", version=2, digest=digest, title="The second", tasks=[task])


CHANGES = (
    *(another_run, a_newer_answer, withdrawal, another_name, another_device_title, deletion, an_audit, a_newer_suite),
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_the_next_response_after_a_change_shows_it(run: Run, client: Client, change: Callable[[Run], None]) -> None:
    before = read(client)
    assert read(client) == before
    change(run)
    after = read(client)
    assert after != before
    clear_caches()
    assert read(client) == after  # exactly what is made from nothing


def test_every_page_of_a_withdrawn_run_changes_at_once(run: Run, client: Client) -> None:
    before = {address: read(client, address) for address in PAGES}
    assert all("Alpha" in text for address, text in before.items() if "distribution" not in address)
    publishing.withdraw_run(run=run, actor="test", reason="it was wrong")
    assert not any("Alpha" in read(client, address) for address in PAGES)


def test_two_boards_and_two_views_never_share(run: Run, client: Client) -> None:
    other = factories.make_suite(name="other")
    beta = factories.make_configuration(agent=factories.make_agent(name="Beta"), model=None)
    published(other, configuration=beta)
    for _ in range(2):
        assert "Beta" not in read(client, BOARD)
        assert "Alpha" not in read(client, "/board/other/all/cpu-x86_64/")
        assert "Alpha" not in read(client, f"{ENTRIES}?agent=Beta")
        assert "Alpha" in read(client, f"{ENTRIES}?agent=Alpha")
        assert client.get(f"/api/v1{BOARD}").json()["suite"] == "smoke"


def test_a_draft_never_appears_to_whoever_wrote_it_or_anybody(run: Run, client: Client, admin_client: Client) -> None:
    secret = factories.make_configuration(agent=factories.make_agent(name="Draft agent"), model=None)
    factories.make_run(suite=run.suite, configuration=secret, status="passed")
    for reader in (admin_client, client, admin_client):
        assert "Draft agent" not in read(reader)
    assert read(admin_client) == read(client)


def test_nothing_is_cached_within_a_transaction_that_may_be_rolled_back(run: Run, client: Client) -> None:
    before = read(client)
    with transaction.atomic():
        another_name(run)
        assert "Omega" in read(client)
        transaction.set_rollback(True)
    assert read(client) == before


def test_a_page_that_is_not_there_is_asked_for_again(run: Run, client: Client) -> None:
    assert client.get("/board/later/all/cpu-x86_64/").status_code == 404
    published(factories.make_suite(name="later"))
    assert client.get("/board/later/all/cpu-x86_64/").status_code == 200


@pytest.fixture
def made(transactional_db: None) -> list[str]:
    return []


def ask(
    made: list[str],
    make: Answer | Callable[[], Answer],
    revision: str = "1",
    *,
    second: int = 0,
    etag: str = "",
    host: str = "testserver",
) -> Answer:
    """Through the cache; notes in `made` for which revision it was made."""

    def making() -> Answer:
        made.append(revision)
        return make() if callable(make) and not isinstance(make, HttpResponse | StreamingHttpResponse) else make

    request: HttpRequest = RequestFactory().get("/", headers={"host": host})
    moment = response_cache.Moment(revision, second)
    found = response_cache.cached_response(request, {}, moment, lambda: etag or f'W/"{revision}"', making)
    assert isinstance(found, Answer)
    return found


@pytest.mark.parametrize("kind", ["cookie", "vary", "error", "large"])
def test_personal_responses_and_errors_are_never_cached(made: list[str], kind: str) -> None:
    answer = HttpResponse(os.urandom(response_cache.MOST_BYTES + 1) if kind == "large" else b"x")
    if kind == "cookie":
        answer.set_cookie("sessionid", "1")
    if kind == "vary":
        answer["Vary"] = "Cookie"
    if kind == "error":
        answer.status_code = 503
    for _ in range(2):
        assert ask(made, answer).content == answer.content
    assert made == ["1", "1"]


def test_a_stream_too_long_to_hold_is_sent_whole_and_not_read_ahead(made: list[str]) -> None:
    asked: list[int] = []

    def parts() -> Iterator[bytes]:
        for part in range(100):
            asked.append(part)
            yield bytes(64 << 10)

    answer = ask(made, StreamingHttpResponse(parts()))
    assert 16 <= len(asked) < 20  # about a MiB was read to see whether it ends
    assert len(answer.getvalue()) == 100 * (64 << 10)
    ask(made, StreamingHttpResponse([b"short"]))
    assert made == ["1", "1"]


def test_many_who_ask_at_once_wait_for_one_that_makes_it(made: list[str]) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: in_a_thread(made), range(32)))
    assert made == ["1"]
    assert {answer.content for answer in answers} == {b"x"}


def in_a_thread(made: list[str], make: Answer | Callable[[], Answer] | None = None, revision: str = "1") -> Answer:
    try:
        return ask(made, make or HttpResponse(b"x"), revision)
    finally:
        connections.close_all()


def test_while_one_request_renews_a_page_others_get_the_one_before(made: list[str]) -> None:
    ask(made, HttpResponse(b"old"))
    begun, may_end = Event(), Event()

    def slowly() -> HttpResponse:
        begun.set()
        assert may_end.wait(10)
        return HttpResponse(b"new")

    with ThreadPoolExecutor(1) as pool:
        renewal = pool.submit(in_a_thread, made, slowly, "2")
        assert begun.wait(10)
        meanwhile = ask(made, HttpResponse(b"never made"), "2")
        may_end.set()
        assert renewal.result().content == b"new"
    assert (meanwhile.content, meanwhile["ETag"]) == (b"old", 'W/"1"')
    assert ask(made, HttpResponse(b"never made"), "2").content == b"new"
    assert made == ["1", "2"]


def test_what_is_looked_at_once_a_second_is_made_only_where_it_changed(made: list[str]) -> None:
    for second, etag in ((1, "a"), (1, "b"), (2, "a"), (3, "b")):  # "b" in the first second is not looked at
        ask(made, HttpResponse(b"x"), second=second, etag=etag)
    assert made == ["1", "1"]


JUNK = ("utm_source=x", "u=1&v=2", "agent=", "view=bogus", f"agent={'x' * 201}", "as_of=2026-99-99", "%00=%00")


@pytest.mark.parametrize("address", PAGES[:3])
def test_a_parameter_that_a_page_does_not_read_makes_no_new_entry(run: Run, client: Client, address: str) -> None:
    first = read(client, address)
    for junk in JUNK:
        assert query_count(client, f"{address}?{junk}") == 1
        assert read(client, f"{address}?{junk}") == first
    assert client.get(f"/api/v1{address}", headers={"Accept": "application/json"}).status_code == 200
    assert query_count(client, f"/api/v1{address}", Accept="application/json, application/json; indent=4") == 1


@pytest.mark.parametrize("host", ["testserver:1", "testserver:65535", "TestServer", "TESTSERVER:8000"])
def test_under_a_host_that_is_not_the_sites_nothing_is_kept(made: list[str], host: str) -> None:
    for _ in range(2):
        ask(made, HttpResponse(b"x"), host=host)
    assert made == ["1", "1"]


@pytest.mark.parametrize("host", ["testserver", "testserver:8000", "board.example"])
def test_under_the_sites_own_hosts_responses_are_kept(made: list[str], settings: Any, host: str) -> None:
    settings.ALLOWED_HOSTS = ["testserver", ".example"]
    settings.SITE_URL, settings.PORT = "https://board.example", 8000
    for _ in range(2):
        ask(made, HttpResponse(b"x"), host=host)
    assert made == ["1"]


def test_whoever_has_the_response_pays_nothing_for_a_304(
    run: Run, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    etag = client.get(BOARD)["ETag"]
    clear_caches()
    paid: list[HttpRequest] = []
    monkeypatch.setattr(response_cache, "pay_for_making", paid.append)
    assert client.get(BOARD, headers={"If-None-Match": etag}).status_code == 304
    assert not paid
    assert client.get(BOARD).status_code == 200
    assert len(paid) == 1


@pytest.mark.parametrize("address", ["/feed.atom", "/runs/", "/", "/search/", "/data/"])
def test_other_pages_ignore_what_they_do_not_read(run: Run, client: Client, second: Clock, address: str) -> None:
    read(client, address)
    assert query_count(client, f"{address}?utm_source=x") <= (1 if address == "/feed.atom" else 0)


def test_the_order_of_parameters_makes_no_new_entry(run: Run, client: Client) -> None:
    read(client, f"{BOARD}?view=paper&sort=name")
    assert query_count(client, f"{BOARD}?sort=agent&sort=name&view=paper") == 1


@pytest.mark.parametrize("address", [f"/api/v1{BOARD}", ENTRIES, "/api/v1/rows/runs/", "/api/v1/schema.json"])
def test_data_refuses_an_unknown_parameter_although_its_page_is_cached(run: Run, client: Client, address: str) -> None:
    read(client, address)
    assert client.get(f"{address}?utm_source=x").status_code == 400


@pytest.fixture
def places(run: Run) -> dict[str, str]:
    """Pages that show attempts: task, run, result and a table of it."""
    result = run.results.first()
    assert result is not None
    pages = {"task": f"/task/{result.task.path}/", "run": f"/run/{run.pk}/", "result": f"/result/{result.pk}/"}
    return pages | {"attempts": f"/api/v1/result/{result.pk}/attempts.csv"}


def test_pages_of_attempts_are_looked_at_once_a_second(places: dict[str, str], client: Client, second: Clock) -> None:
    for address in places.values():
        first = read(client, address)
        assert query_count(client, address) == 0
        second.now += 1
        assert query_count(client, address) == 1
        assert read(client, address) == first


def test_pages_of_open_attempts_are_made_once_a_second(
    run: Run, places: dict[str, str], client: Client, second: Clock
) -> None:
    factories.make_attempt(result=run.results.first(), status="queued")
    for address in places.values():
        read(client, address)
        assert query_count(client, address) == 0
        second.now += 1
        assert query_count(client, address) > 1


@pytest.fixture
def verdict(places: dict[str, str]) -> dict[str, object]:
    """What an update in the database writes when an attempt ends, of which no counter hears."""
    other = published(factories.make_suite(name="other")).results.first()
    assert other is not None
    values = Attempt.objects.filter(result=other).values().get()
    return {name: value for name, value in values.items() if name not in ("id", "result_id", "number", "is_latest")}


def test_an_attempt_shows_on_its_pages_at_every_step(
    run: Run, places: dict[str, str], verdict: dict[str, object], client: Client, second: Clock
) -> None:
    result = run.results.first()
    assert result is not None
    before = {place: read(client, address) for place, address in places.items()}
    attempt = factories.make_attempt(result=result, status="queued")
    second.now += 1
    queued = {place: read(client, address) for place, address in places.items()}
    Attempt.objects.filter(pk=attempt.pk).update(**verdict)
    second.now += 1
    ended = {place: read(client, address) for place, address in places.items()}
    shown = [place for place in places if len({before[place], queued[place], ended[place]}) == 3]
    assert shown == ["run", "result", "attempts"]  # a task shows the public answer
    clear_caches()
    assert {place: read(client, address) for place, address in places.items()} == ended


def test_an_etag_does_not_reveal_that_a_withheld_attempt_ended(
    run: Run, places: dict[str, str], verdict: dict[str, object], client: Client, second: Clock
) -> None:
    result = run.results.first()
    assert result is not None
    secret = factories.make_round(suite=run.suite, revealed_at=None)
    Run.objects.filter(pk=run.pk).update(round=secret)
    attempt = factories.make_attempt(result=result, status="queued")
    waiting = {place: client.get(address) for place, address in places.items()}
    Attempt.objects.filter(pk=attempt.pk).update(**verdict | {"ended_at": timezone.now()})
    second.now += 1
    for place, address in places.items():
        hidden = client.get(address)
        assert hidden.getvalue() == waiting[place].getvalue()
        assert told_beside(hidden) == told_beside(waiting[place])


def told_beside(answer: Answer) -> dict[str, str]:
    return {name: value for name, value in answer.items() if name != "X-Request-ID"}
