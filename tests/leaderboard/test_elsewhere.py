"""A board elsewhere: cited, as a badge, in a frame of another site, as a preview, and found by robots."""

from __future__ import annotations

import re
import struct
import xml.etree.ElementTree as ElementTree
from hashlib import sha256
from urllib.robotparser import RobotFileParser

import pytest
from django.utils import timezone

from runs.models import AuditEntry, Run
from tests import factories

BOARD = "/board/smoke/all/cpu-x86_64/"
LOC = "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"


@pytest.fixture
def board(published, entry):
    """Two ranked entries, one that is not ranked, and a reference line that is better than all."""
    published("wrong_output", *["passed"] * 5, configuration=entry("Second", slug="second"))
    published(configuration=entry("First", slug="first"))
    published("errored", *["passed"] * 5, configuration=entry("Half", slug="half"))
    published(configuration=entry("Baseline", slug="baseline", role="reference_line"))


def test_a_citation_has_a_day_and_the_digest_of_the_entries_on_that_day(board, page, client) -> None:
    cited = page(BOARD).citation
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", cited.day)
    assert cited.url == f"{BOARD}?as_of={cited.day}"
    assert sha256(client.get(cited.csv_url).getvalue()).hexdigest() == cited.sha256
    bibtex = client.get(BOARD).content.decode()
    assert f"@misc{{arenaboard-smoke-all-cpu-x86_64-{cited.day}," in bibtex
    assert f"url = {{http://testserver{cited.url}}}" in bibtex
    assert r"cpu-x86\_64" in bibtex  # TeX would end at a bare underscore


def test_only_what_is_withdrawn_or_corrected_changes_the_digest_of_a_day_that_is_over(
    board, published, entry, page
) -> None:
    run = published(configuration=entry("Theirs"), origin="imported", bundle_digest="a" * 64)
    cited = page(BOARD).citation
    assert cited.is_over
    published(configuration=entry("Third"), published_at=timezone.now())
    result = run.results.first()
    again = factories.make_attempt(result=result, status="wrong_output")
    moved = {"run": run, "result": result, "from_attempt": result.published_attempt, "to_attempt": again}
    AuditEntry.objects.create(actor_name="test", action="publish", at=timezone.now(), **moved)
    factories.publish(again)
    Run.objects.filter(pk=run.pk).update(trust="reproduced", reproduced_tasks=5, verified_tasks=6)
    for address in (BOARD, cited.url, f"{BOARD}?trust=run_here&sort=cost_usd"):
        assert page(address).citation == cited
    Run.objects.filter(pk=run.pk).update(state="withdrawn")
    assert page(BOARD).citation.sha256 != cited.sha256


def test_a_board_that_began_today_is_cited_as_of_a_day_that_is_not_over(published, page, client) -> None:
    published(published_at=timezone.now())
    cited = page(BOARD).citation
    assert (cited.day, cited.is_over) == (f"{timezone.now():%Y-%m-%d}", False)
    assert "or was published later on that day" in client.get(BOARD).content.decode()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("badge.svg", "best: 6 of 6 (100 %) correct"),
        ("badge/first.svg", "rank 1 of 2, 6 of 6 (100 %) correct"),
        ("badge/second.svg", "rank 2 of 2, 5 of 6 (83 %) correct"),
        ("badge/half.svg", "not ranked"),
        ("badge/baseline.svg", "reference line"),
    ],
)
def test_a_badge_says_the_rank_and_never_one_of_a_reference_line(board, client, name, says) -> None:
    answer = client.get(f"{BOARD}{name}")
    assert answer["Content-Type"] == "image/svg+xml"
    title = ElementTree.fromstring(answer.content)[0].text
    assert title.replace("\u00a0", " ") == f"Smoke, all categories, x86-64 CPU: {says}"


def test_a_filter_changes_no_badge(board, client) -> None:
    whole = client.get(f"{BOARD}badge/second.svg").content
    assert client.get(f"{BOARD}badge/second.svg?agent=Second&sort=name&source=arena").content == whole


def test_a_cut_of_everything_is_the_whole_board(board, page) -> None:
    whole, shown = page(BOARD), page(f"{BOARD}?source=arena&ranks=cut")
    assert (shown.cut, shown.title, shown.lead) == ("", whole.title, whole.lead)


def test_there_is_no_badge_of_what_is_not_on_the_board(board, client) -> None:
    assert client.get(f"{BOARD}badge/nobody.svg").status_code == 404


@pytest.mark.parametrize("part", ["chart/rates", "table/entries"])
def test_a_part_can_be_framed_and_sets_no_cookie(board, client, part) -> None:
    answer = client.get(f"{BOARD}embed/{part}/")
    assert "frame-ancestors *" in answer["Content-Security-Policy"]
    assert "X-Frame-Options" not in answer
    assert not answer.cookies
    assert "Cookie" not in answer.get("Vary", "")
    text = answer.content.decode()
    assert "<script" not in text
    assert f'href="{BOARD}"' in text
    assert "First" in text


def test_nothing_else_can_be_framed(board, client) -> None:
    for address in (BOARD, f"{BOARD}embed/table/nothing/", f"{BOARD}explore/rates/", f"/api/v1{BOARD}rates.svg"):
        answer = client.get(address)
        assert "frame-ancestors 'none'" in answer["Content-Security-Policy"], address


def test_a_page_names_an_image_of_the_size_that_it_says(board, client) -> None:
    for address, card in ((BOARD, f"{BOARD}card.png"), ("/metrics/", "/card.png")):
        text = client.get(address).content.decode()
        assert f'<meta property="og:image" content="http://testserver{card}">' in text
    image = client.get(f"{BOARD}card.png")
    assert image["Content-Type"] == "image/png"
    assert struct.unpack(">II", image.content[16:24]) == (1200, 630)


def test_the_card_of_a_board_has_its_first_entries_and_no_reference_line(board, page) -> None:
    assert [name for name, _ in page(BOARD).card_lines] == ["1. First", "2. Second"]


def test_robots_find_every_public_page_and_no_draft(board, client) -> None:
    draft = factories.make_run(status="passed")
    robots = RobotFileParser()
    robots.parse(client.get("/robots.txt").content.decode().splitlines())
    assert robots.site_maps() == ["http://testserver/sitemap.xml"]
    index = ElementTree.fromstring(client.get("/sitemap.xml").content)
    listed = {
        place.text
        for section in index.iter(LOC)
        for place in ElementTree.fromstring(client.get(section.text).content).iter(LOC)
    }
    assert {f"http://testserver{path}" for path in ("/", "/tasks/", BOARD, "/configuration/first/")} <= listed
    assert f"http://testserver/run/{draft.pk}/" not in listed
    one_of_each = {
        found[1]: found[0] for address in listed if (found := re.match(r"http://testserver/(\w+)/.+", address))
    }
    assert {"board", "task", "agent", "configuration", "run", "result"} <= {*one_of_each}
    assert {client.get(address).status_code for address in one_of_each.values()} == {200}
    assert all(robots.can_fetch("*", address) for address in listed)
    assert not robots.can_fetch("*", "http://testserver/admin/")
