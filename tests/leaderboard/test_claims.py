"""Published claims are found wherever results are: in lists, search, feed, data and dump; others nowhere."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import pytest

from leaderboard.downloads.dump import write_dump
from runs.models import Submission
from runs.services import submissions, takedowns
from tests import factories


@pytest.fixture
def public(db: None) -> Submission:
    factories.make_claims("passed", declared={"agent": "Nobody's agent"})
    submission = factories.make_claims("passed", "wrong_output", declared={"agent": "Sam's agent"})
    return submissions.publish_claims(submission=submission, actor="import_bundle")


def test_lists_show_what_was_published_whoever_brought_it(public, page) -> None:
    (one,) = page("/claims/").bundles
    assert (one.submission, one.agent, one.model, one.claims, one.passed) == (public.pk, "Sam's agent", "m-9", 2, 1)
    assert [row.submission for row in page("/submit/").submissions] == [public.pk]


def test_a_long_list_has_pages(db, page, monkeypatch) -> None:
    monkeypatch.setattr("leaderboard.pages.claims.PAGE_SIZE", 2)
    made = [factories.make_claims("passed", is_public=True).pk for number in range(3)]
    first, second = page("/claims/"), page("/claims/?page=2")
    assert [one.submission for one in (*first.bundles, *second.bundles)] == made[::-1]
    assert (first.next, first.previous, second.next, second.previous) == ("?page=2", None, None, "?page=1")


@pytest.mark.parametrize("words", ["sam's", "KernelBench m-9", "level1 1_Conv", "kernelbench-level1"])
def test_a_search_finds_them_by_agent_model_benchmark_suite_and_task(public, page, words) -> None:
    (hit,) = page(f"/search/?q={words}").found
    assert (hit.kind, hit.name, hit.about) == ("claims", "Sam's agent · m-9", "2 claims of KernelBench")
    assert hit.url == f"/submission/{public.pk}/"


def test_a_search_finds_them_by_the_digest_of_the_file(public, page) -> None:
    assert [hit.kind for hit in page(f"/search/?q={public.digest[:12]}").found] == ["claims"]


def test_the_feed_has_publication_and_withdrawal_and_forgets_whose_they_were(public, client) -> None:
    submissions.publish_claims(submission=public, actor="again")
    feed = client.get("/feed.atom").content.decode()
    assert feed.count("<entry>") == 1
    assert "Published: claims of KernelBench, Sam's agent · m-9" in feed
    assert f"http://testserver/submission/{public.pk}/" in feed
    takedowns.take_down(submission=public, actor="test", reason="not ours to show")
    feed = client.get("/feed.atom").content.decode()
    assert "Sam" not in feed
    assert f"Withdrawn: submission {public.pk}" in feed
    assert "not ours to show" in feed


def test_the_timeline_of_withdrawn_claims_says_why_and_nothing_else(public, page) -> None:
    submissions.withdraw_claims(submission=public, actor="Max", reason="wrong times")
    shown = page(f"/submission/{public.pk}/")
    assert [(one.action, one.actor, one.reason) for one in shown.timeline] == [
        ("receive", None, None),
        ("publish", None, None),
        ("withdraw", None, "wrong times"),
    ]
    assert (shown.submitter, shown.claims, shown.lead) == (
        None,
        (),
        "Its claims were withdrawn and are not public any more. The timeline says why.",
    )


def test_data_and_dump_have_every_claim_of_public_bundles(public, client, tmp_path: Path) -> None:
    (bundle,) = client.get("/api/v1/rows/claimed_bundles/?agent=Sam's agent").json()["rows"]
    assert (bundle["id"], bundle["suite"], bundle["stated"]["model"], bundle["licence"]) == (
        public.pk,
        "kernelbench-level1",
        "m-9",
        "MIT",
    )
    rows = client.get(f"/api/v1/rows/claims/?submission={public.pk}").json()["rows"]
    assert [(row["task"], row["status"], row["claimed"]) for row in rows] == [
        ("level1/0_Convolution.py", "passed", {"runtime": 1.5}),
        ("level1/1_Convolution.py", "wrong_output", {"runtime": 1.5}),
    ]
    assert (write_dump(tmp_path / "dump")["claims"], write_dump(tmp_path / "dump")["claimed_bundles"]) == (2, 1)
    text = gzip.decompress((tmp_path / "dump/claims.csv.gz").read_bytes()).decode()
    assert [row["task"] for row in csv.DictReader(io.StringIO(text))] == [row["task"] for row in rows]
