"""Whole collections: every public row once, nothing else, the same in JSON and CSV."""

from __future__ import annotations

import csv
import io
import json

import pytest

from leaderboard.queries.public_rows import COLLECTIONS
from runs.models import Attempt
from tests import factories

NAMES = [collection.name for collection in COLLECTIONS]


def rows(client, name: str, query: str = "") -> list[dict]:
    """All pages of a collection, by the addresses that they give."""
    found, address = [], f"/api/v1/rows/{name}/?{query}"
    while address:
        answer = client.get(address)
        assert answer.status_code == 200, answer.content
        found += answer.json()["rows"]
        address = answer.json()["next"]
    return found


def csv_rows(client, name: str, query: str = "") -> list[dict]:
    text = client.get(f"/api/v1/rows/{name}.csv?{query}").getvalue().decode()
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def site(published, suite, entry):
    """Two public runs, one with revealed unseen cases; a draft, a withdrawn run and a secret round beside them."""
    round = factories.make_round(suite=suite)
    run = published(
        "wrong_output", "errored", None, "passed", "passed", "passed", configuration=entry("One"), round=round
    )
    other = published(configuration=entry("=TWO()"))
    factories.make_run(suite=suite, status="passed")
    factories.make_run(suite=suite, status="passed", state="withdrawn")
    secret = factories.make_round(suite=suite, revealed_at=None)
    hidden = published(configuration=entry("Three"), round=secret, repeat=1)
    for attempt in Attempt.objects.filter(result__run__in=(run, hidden)).exclude(status="errored"):
        factories.make_unseen(attempt, ("edge", True, True), ("alignment", True, False))
        factories.make_session(attempt.result)
    factories.make_attempt(result=run.results.first(), status="passed")
    for is_public in (True, False, True):
        factories.make_claims("passed", "crashed", is_public=is_public)
    return run, other, hidden


def test_pages_of_any_size_give_every_row_once(site, client) -> None:
    for name in NAMES:
        whole = rows(client, name)
        assert whole, name
        assert [row["id"] for row in whole] == sorted({row["id"] for row in whole})
        assert rows(client, name, "limit=1") == rows(client, name, "limit=4") == whole, name


def test_a_row_that_comes_while_one_pages_comes_at_the_end(site, published, entry, client) -> None:
    first = client.get("/api/v1/rows/runs/?limit=2").json()
    later = published(configuration=entry("Later"))
    rest = client.get(first["next"]).json()["rows"]
    ids = [row["id"] for row in (*first["rows"], *rest)]
    assert len(ids) == len(set(ids)) == 4
    assert ids[-1] == later.pk


def test_csv_has_the_rows_of_json(site, client) -> None:
    for name in NAMES:
        for json_row, csv_row in zip(rows(client, name), csv_rows(client, name), strict=True):
            assert list(json_row) == list(csv_row)
            for value, text in zip(json_row.values(), csv_row.values(), strict=True):
                assert same(value, text), (name, value, text)


def same(value: object, text: str) -> bool:
    if value is None or isinstance(value, str):
        return text.removeprefix("'") == (value or "")
    return json.loads(text) == value


def test_only_what_is_public_is_among_them(site, client) -> None:
    run, other, hidden = site
    public = {run.pk, other.pk, hidden.pk}
    assert {row["id"] for row in rows(client, "runs")} == public
    assert {row["run"] for row in rows(client, "results")} == public
    assert {row["run"] for row in rows(client, "measurements")} == public
    assert {row["run"] for row in rows(client, "unseen")} == {run.pk}
    assert {row["slug"] for row in rows(client, "configurations")} == {one.configuration.slug for one in site}


def test_a_result_has_its_published_attempt(site, client) -> None:
    run = site[0]
    first = run.results.order_by("pk").first()
    [row] = [row for row in rows(client, "results", f"run={run.pk}") if row["id"] == first.pk]
    assert first.attempts.count() == 2
    assert (row["attempt"], row["status"], row["correct"]) == (1, "wrong_output", False)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("agent=One", 5),
        ("may_rank=true", 16),
        ("may_rank=false", 1),
        ("category=hip2hip&agent=One", 2),
        ("since=2027-01-01", 0),
        ("since=2026-11-01", 17),
        ("status=errored", 1),
        ("suite=smoke&version=1&device=cpu-x86_64", 17),
        ("suite=another", 0),
    ],
)
def test_filters_have_the_words_of_the_pages(site, client, query, count) -> None:
    assert len(rows(client, "results", query)) == count
    assert len(csv_rows(client, "results", query)) == count


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=1001",
        "limit=x",
        "cursor=-1",
        "cursor=abc",
        "version=one",
        "since=yesterday",
        "may_rank=1",
        "x=1",
    ],
)
def test_what_cannot_be_meant_is_refused_in_words(site, client, query) -> None:
    answer = client.get(f"/api/v1/rows/results/?{query}")
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert query.split("=")[0] in answer.json()["detail"]


def test_a_page_of_rows_asks_one_question_and_one_for_its_etag(site, client, django_assert_num_queries) -> None:
    with django_assert_num_queries(2):
        client.get("/api/v1/rows/measurements/?limit=10&suite=smoke")
