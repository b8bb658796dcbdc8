"""One rule of who is ranked, on every surface."""

from __future__ import annotations

import csv
import gzip
import io
import re
import xml.etree.ElementTree as ElementTree

import pyarrow.parquet as pq
import pytest
from django.core.management import call_command

from runs.models import Attempt
from runs.services.publishing import publish_run, withdraw_run
from tests import factories
from tests.leaderboard.test_api_rows import rows

BOARD = "/board/smoke/all/cpu-x86_64/"
HINDERED = {  # name → what is wrong with one of its six answers
    "errored": lambda result: factories.make_attempt(result=result, status="errored"),
    "not-judged": lambda result: factories.make_attempt(result=result, status="not_judged"),
    "missing": lambda result: None,
    "held": lambda result: factories.make_attempt(result=result, status="passed", is_held=True, flags=["hold"]),
    "uncalibrated": lambda result: factories.make_attempt(result=result, status="passed", is_uncalibrated=True),
    "script-timed": lambda result: factories.make_attempt(result=result, status="passed", protocol="aka-scripts-1"),
    **dict.fromkeys(
        ("contaminated", "harness-fault"),
        lambda result: factories.make_attempt(result=result, status="passed"),
    ),
}
AUDITED = {
    "hacked": "hacked",
    "held-and-hacked": "hacked",
    "contaminated": "contaminated",
    "harness-fault": "harness_fault",
}
# A failed gate, or a hacked result, is a wrong answer: it counts without speed.
RANKED = {"whole", "failing", "hacked", "held-and-hacked"}
HIDDEN = {"withdrawn", "draft"}


@pytest.fixture
def site(suite, settings, tmp_path):
    """An entry of each kind, named after it; `baseline` is a reference line."""
    for name in (*RANKED, *HIDDEN, *HINDERED, "baseline"):
        agent = factories.make_agent(name=name, slug=name)
        role = "reference_line" if name == "baseline" else "entry"
        configuration = factories.make_configuration(slug=name, agent=agent, model=None, role=role)
        run = factories.make_run(suite=suite, configuration=configuration)
        first, *others = run.results.order_by("pk")
        answer = HINDERED.get(
            "held" if name == "held-and-hacked" else name,
            lambda result: factories.make_attempt(result=result, status="passed"),
        )
        if name == "failing":
            factories.make_attempt(result=first, status="wrong_output")
        else:
            answer(first)
        for result in others:
            factories.make_attempt(result=result, status="passed")
        if name in AUDITED:
            first.audit = AUDITED[name]
            first.save()
        if name != "draft":
            publish_run(run=run, actor="test")
        if name == "withdrawn":
            withdraw_run(run=run, actor="test", reason="planted")
    settings.DUMP_FOLDER = tmp_path / "dump"
    call_command("dump_results")
    return settings.DUMP_FOLDER


def on_the_page(client) -> dict[str, str]:
    """As people see it: the first cell of each line of the entries' table, by the address of the configuration."""
    table = re.search(r'id="entries".*?</table>', client.get(BOARD).content.decode(), re.DOTALL)
    assert table
    lines = re.findall(r'<tr>\s*<th scope="row"[^>]*>(.*?)</th>.*?/configuration/([\w-]+)/', table[0], re.DOTALL)
    texts = {name: re.sub(r"<[^>]+>", "", cell).strip() for cell, name in lines}
    return {name: text.split()[0] if text[:1].isdigit() else "" for name, text in texts.items()}


def in_the_csv(client) -> dict[str, str]:
    text = client.get(f"/api/v1{BOARD}entries.csv").getvalue().decode()
    return {row["configuration"]: row["rank"] for row in csv.DictReader(io.StringIO(text))}


def in_the_dumped_csv(folder) -> dict[str, str]:
    with gzip.open(folder / "ranks.csv.gz", "rt", newline="") as file:
        return {row["configuration"]: row["rank"] for row in csv.DictReader(file) if row["category"] == "all"}


def in_the_dumped_parquet(folder) -> dict[str, str]:
    lines = pq.read_table(folder / "ranks.parquet").to_pylist()
    return {row["configuration"]: str(row["rank"] or "") for row in lines if row["category"] == "all"}


def in_json(found: list[dict]) -> dict[str, str]:
    return {row["configuration"]: str(row["rank"] or "") for row in found}


def by_rows(found: list[dict]) -> set[str]:
    """Entries all of whose answers may rank, from the rows alone: six of six tasks."""
    counted = [row["configuration"] for row in found if row["may_rank"] in (True, "true")]
    return {name for name in counted if counted.count(name) == 6}


def test_ranks_are_the_same_on_every_surface(site, client) -> None:
    expected = in_json(client.get(f"/api/v1{BOARD}").json()["entries"])
    assert {name for name, rank in expected.items() if rank} == RANKED
    assert set(expected) == RANKED | set(HINDERED) | {"baseline"}
    assert on_the_page(client) == expected
    assert in_the_csv(client) == expected
    assert in_json(client.get(f"/api/v1{BOARD}entries.json").json()) == expected
    assert in_the_dumped_csv(site) == expected
    assert in_the_dumped_parquet(site) == expected


def test_pages_of_single_entries_say_the_same(site, client) -> None:
    expected = in_json(client.get(f"/api/v1{BOARD}").json()["entries"])
    for name in HINDERED:
        compared = client.get(f"/api/v1{BOARD.replace('board', 'compare', 1)}?a=whole&b={name}").json()["entries"]
        assert in_json(compared) == {"whole": expected["whole"], name: ""}
        [standing] = client.get(f"/api/v1/configuration/{name}/").json()["standings"]
        assert standing["tallies"]["all"]["may_rank"] == 5
    task = client.get(f"/api/v1{BOARD}").json()["tasks"][0]
    assert client.get(f"/api/v1/task/{task}/").json()["best"] == []  # nothing here has a speed that counts


def test_rows_are_the_same_for_each_result_everywhere(site, client) -> None:
    found = rows(client, "results")
    assert by_rows(found) == RANKED
    assert by_rows(pq.read_table(site / "results.parquet").to_pylist()) == RANKED
    with gzip.open(site / "results.csv.gz", "rt", newline="") as file:
        assert by_rows(list(csv.DictReader(file))) == RANKED
    listed = rows(client, "results", "may_rank=true")
    assert [row["id"] for row in listed] == [row["id"] for row in found if row["may_rank"]]


def test_what_is_not_public_is_on_no_surface_of_results(site, client) -> None:
    for name in ("runs", "results"):
        assert not HIDDEN & {row["configuration"] for row in rows(client, name)}
    assert not HIDDEN & {row["slug"] for row in rows(client, "configurations")}
    board = client.get(BOARD).content.decode()
    for name in HIDDEN:
        assert f"/configuration/{name}/" not in board
        assert client.get(f"/api/v1/configuration/{name}/").json()["standings"] == []


def test_a_draft_from_elsewhere_and_its_verification_stand_only_in_the_list_of_runs(suite, page) -> None:
    task = suite.tasks.order_by("pk").first()
    host, agent = factories.make_host(name="busy"), factories.make_agent(name="From elsewhere", slug="elsewhere")
    configuration = factories.make_configuration(
        slug="elsewhere", agent=agent, model=factories.make_model_version(slug="theirs")
    )
    claimed = factories.make_run(
        suite=suite, configuration=configuration, status="passed", origin="imported", bundle_digest="a" * 64
    )
    brought = {claimed.pk, factories.make_verification(claimed, ["reproduced"]).measured_id}
    ours = factories.make_run(suite=suite, configuration=configuration, status="passed")
    Attempt.objects.update(host=host)
    assert {line.id for line in page("/runs/").runs} == {*brought, ours.pk}
    assert page("/").news == ()
    for address in ("/agent/elsewhere/", "/model/theirs/", "/configuration/elsewhere/"):
        assert [line.id for line in page(address).runs] == [ours.pk]
    assert {line.run for line in page(f"/task/{task.path}/").results} == {ours.pk}
    [line] = page("/hosts/").hosts
    assert line.ended == suite.tasks.count()


def test_the_feed_tells_of_what_was_public_and_of_no_draft(site, client) -> None:
    root = ElementTree.fromstring(client.get("/feed.atom").content)
    titles = [title.text or "" for title in root.iter("{http://www.w3.org/2005/Atom}title")][1:]
    assert {title.split()[1] for title in titles} == RANKED | set(HINDERED) | {"baseline", "withdrawn"}
    assert sum(title.startswith("Withdrawn: ") for title in titles) == 1


def test_the_first_page_ranks_as_the_board_of_each_category_does(site, client) -> None:
    [place] = client.get("/api/v1/").json()["boards"]
    for category, address in place["boards"].items():
        board = client.get(f"/api/v1{address}").json()["entries"]
        ranks = {entry["configuration"]: entry["rank"] for entry in board if entry["rank"]}
        shown = {one["configuration"]: one["places"][category]["rank"] for one in place["top"]}
        assert shown.items() <= ranks.items(), category
        assert place["leaders"][category]["configuration"] in [name for name, rank in ranks.items() if rank == 1]


def test_search_and_the_first_page_give_no_rank_to_who_has_none(site, client) -> None:
    [place] = client.get("/api/v1/").json()["boards"]
    assert place["leaders"]["all"]["configuration"] == "whole"
    assert (place["entries"], place["reference_lines"]) == (len(RANKED) + len(HINDERED), 1)
    for name in (*HINDERED, *HIDDEN):
        assert "rank" not in client.get(f"/api/v1/search/?q={name}").content.decode()


def test_every_entry_without_a_rank_says_why(site, client) -> None:
    for entry in client.get(f"/api/v1{BOARD}").json()["entries"]:
        assert (entry["rank"] is None) == bool(entry["not_ranked_because"])
