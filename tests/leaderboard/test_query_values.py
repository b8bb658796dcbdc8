"""Invalid values of query parameters: data refuses them, a page ignores them and links to data without them."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.query_values import VALUES, is_invalid
from leaderboard.routes import ROUTES


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (
            "board/smoke/all/x/?as_of=yesterday",
            "as_of='yesterday': expected a day such as 2026-11-28, not in the future.",
        ),
        ("board/smoke/all/x/?as_of=2099-01-01", "as_of='2099-01-01': expected a day such as 2026-11-28, not in the f"),
        ("board/smoke/all/x/?since=2026-02-30", "since='2026-02-30': expected a day"),
        ("board/smoke/all/x/?version=one", "version='one': expected a whole number"),
        ("board/smoke/all/x/entries.csv?view=papers", "view='papers': expected paper, or nothing"),
        ("distribution/smoke/all/x/?clock=t_dev", "clock='t_dev': expected paper, or nothing"),
        ("compare/smoke/all/x/?common=yes", "common='yes': expected 1, or nothing"),
        ("board/smoke/all/x/?ranks=mine", "ranks='mine': expected cut, or nothing"),
        ("runs/?state=done", "state='done': expected one of draft"),
        ("tasks/?category=hip", "category='hip': expected one of all, hip2hip"),
    ],
)
def test_data_of_something_else_than_was_asked_for_are_refused(db: None, client: Any, address: str, said: str) -> None:
    answer = client.get(f"/api/v1/{address}")
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert answer.json()["detail"].startswith(said)


def test_a_page_ignores_it_and_links_to_data_that_exists(published: Any, client: Any) -> None:
    published()
    page = client.get("/runs/?state=done&suite=smoke").content.decode()
    assert "/api/v1/runs/runs.csv?suite=smoke" in page
    assert "state=done" not in page
    assert client.get("/api/v1/runs/runs.csv?suite=smoke").status_code == 200


def test_what_a_form_sends_of_an_empty_field_is_nothing_odd() -> None:
    assert not any(is_invalid(name, "") for name in VALUES)


def test_every_name_is_one_that_some_page_takes() -> None:
    assert set(VALUES) <= {name for route in ROUTES for name in route.names}
