"""Past protocols: their results keep boards of their own, to which links lead, and are in no rank of today."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from math import log
from typing import Any

import pytest

from evaluator.records.record import PROTOCOL
from leaderboard.changelog import changelog
from runs import archive
from runs.models import Attempt, Run
from tests import factories
from tests.factories import NOON
from tests.leaderboard.arrays import right
from tests.leaderboard.timed import TASKS, make_timed_run, noisy

PAST = "arena-1"
UNTIL = changelog().until[PAST]
BOARD, COMPARE = "/board/timed/all/h100-sxm/", "/compare/timed/all/h100-sxm/"
LINK = f"Measured under arena-1, the protocol until {UNTIL}: 2\u00a0entries and 1\u00a0reference line"
NOTHING = f"There are no results under {PROTOCOL}, the current protocol, yet."


@pytest.fixture
def past(timed) -> list[Run]:
    """Two entries and a reference line, measured under the protocol before."""
    fast, slow = timed("Fast", noisy(0.9), protocol=PAST), timed("Slow", noisy(0.2), protocol=PAST)
    return [fast, slow, timed("Expert", noisy(1.0), protocol=PAST, role="reference_line")]


def again(timed, run: Run, results: list[float], **values: Any) -> Run:
    """A public run of the same configuration under the current protocol."""
    return timed("", results, configuration=run.configuration, **values)


@pytest.mark.parametrize("name", ["board", "compare", "distribution", "efficiency"])
def test_a_page_without_results_of_today_leads_to_the_past_ones(past, page, client, name) -> None:
    address = f"/{name}/timed/all/h100-sxm/"
    shown = page(address)
    [other] = shown.other_protocols
    assert (other.protocol, other.until, other.entries, other.reference_lines) == (PAST, UNTIL, 2, 1)
    assert (shown.protocol, shown.entries, shown.protocol_notice) == (PROTOCOL, (), NOTHING)
    body = client.get(address).content.decode()
    assert f'<a href="{address}?protocol=arena-1">{LINK}</a>' in body
    assert [entry.agent for entry in page(other.url).entries][:2] == ["Fast", "Slow"]


def test_a_past_board_says_what_it_is_and_that_there_is_no_newer(past, page, client) -> None:
    shown = page(f"{BOARD}?protocol=arena-1")
    assert [(entry.agent, entry.rank) for entry in shown.entries] == [("Fast", 1), ("Slow", 2), ("Expert", None)]
    what = f"Measured under arena-1, the protocol until {UNTIL}. Results of two protocols are never ranked together."
    assert shown.protocol_notice == f"{what} {NOTHING}"
    assert shown.other_protocols == ()
    for link in (*shown.views, *shown.categories):
        assert "protocol=arena-1" in link.url, link


def test_ranks_of_two_protocols_are_never_mixed(past, timed, page, client) -> None:
    again(timed, past[1], noisy(0.5))
    now = page(BOARD)
    assert [(entry.agent, entry.rank) for entry in now.entries] == [("Slow", 1)]
    assert {result.configuration for result in now.results} == {past[1].configuration.slug}
    assert now.protocol_notice == ""
    assert LINK in client.get(BOARD).content.decode(), "below the ranks"
    then = page(f"{BOARD}?protocol=arena-1")
    assert [(entry.agent, entry.rank) for entry in then.entries] == [("Fast", 1), ("Slow", 2), ("Expert", None)]
    [other] = then.other_protocols
    assert other.text == f"Measured under {PROTOCOL}, the current protocol: 1\u00a0entry"
    assert other.url == BOARD


def test_a_comparison_has_entries_of_one_protocol(past, timed, page) -> None:
    again(timed, past[1], noisy(0.5))
    fast, slow = past[0].configuration.slug, past[1].configuration.slug
    assert [entry.configuration for entry in page(f"{COMPARE}?a={fast}&b={slow}").entries] == [slow]
    then = page(f"{COMPARE}?a={fast}&b={slow}&protocol=arena-1")
    assert [entry.configuration for entry in then.entries] == [fast, slow]


def test_which_tasks_are_eligible_is_known_under_each_protocol_by_itself(past, timed, page) -> None:
    again(timed, past[0], [right(None)] * TASKS)
    assert page(BOARD).eligible_tasks == 0
    assert page(f"{BOARD}?protocol=arena-1").eligible_tasks == TASKS


def test_an_unknown_protocol_has_no_results_and_the_page_leads_to_those_that_have(past, page) -> None:
    shown = page(f"{BOARD}?protocol=arena-7")
    assert shown.protocol_notice == "There are no results under arena-7."
    assert [other.protocol for other in shown.other_protocols] == [PAST]


def test_a_board_without_any_run_says_nothing_of_protocols(timed, page, db) -> None:
    timed("Withdrawn", noisy(0.1), protocol=PAST)
    Run.objects.update(state="withdrawn")
    shown = page(BOARD)
    assert (shown.protocol_notice, shown.other_protocols) == ("", ())


def test_other_boards_are_reached_under_the_protocol_that_they_have(past, timed, page) -> None:
    device = factories.make_device_class(slug="h200-sxm", title="H200", architecture="sm_90", is_functional=False)
    make_timed_run(suite=past[0].suite, name="New", results=[right(0.5)] * TASKS, device_class=device)
    links = {link.text: link.url for link in page("/board/timed/all/h200-sxm/").other_boards}
    assert links["Timed on H100 (arena-1)"] == f"{BOARD}?protocol=arena-1"
    links = {link.text: link.url for link in page(f"{BOARD}?protocol=arena-1").other_boards}
    assert links == {
        "Timed on H100": f"{BOARD}?protocol=arena-1",
        f"Timed on H200 ({PROTOCOL})": "/board/timed/all/h200-sxm/",
    }


def test_home_lists_past_boards_behind_those_of_today(past, timed, page, client) -> None:
    task = factories.make_task(category="hip2hip")
    make_timed_run(suite=factories.make_suite([task], name="other"), name="Now", results=[right(0.5)])
    shown = page("/")
    found = {one.suite: one for one in shown.boards}
    assert (found["timed"].protocol, found["timed"].leaders["all"].agent) == (PAST, "Fast")
    assert found["timed"].boards["all"] == f"{BOARD}?protocol=arena-1"
    assert [(one.is_past, one.entries) for one in (found["other"], found["timed"])] == [(False, 1), (True, 2)]
    today, before = shown.tables["boards"].groups
    assert ([one.suite for one in today.rows], [one.suite for one in before.rows]) == (["other"], ["timed"])
    assert before.title == "Past leaderboards"
    rows = csv.DictReader(io.StringIO(client.get("/api/v1/boards.csv").getvalue().decode()))
    assert {row["suite"]: row["protocol"] for row in rows} == {"other@1": PROTOCOL, "timed@1": PAST}


def test_a_board_of_today_takes_the_place_of_the_past_one(past, timed, page) -> None:
    again(timed, past[1], noisy(0.5))
    [place] = page("/").boards
    assert (place.protocol, place.entries, place.leaders["all"].agent, place.boards["all"]) == (
        PROTOCOL,
        1,
        "Slow",
        BOARD,
    )


def test_of_two_past_protocols_home_shows_the_one_published_last(past, timed, page) -> None:
    timed("Oldest", noisy(0.1), protocol="arena-0", published_at=NOON - timedelta(days=1))
    assert [one.protocol for one in page("/").boards] == [PAST]


def test_pages_about_a_board_are_listed_under_its_protocol(past, page) -> None:
    [links] = page("/analysis/").boards
    pages = {"board", "distribution", "efficiency", "compare", "attribution", "quality", "generalization", "trajectory"}
    assert set(links) == pages
    assert all(url.endswith("?protocol=arena-1") for url in links.values())


def test_runs_results_and_standings_lead_to_the_board_of_their_protocol(past, page) -> None:
    run = past[0]
    assert page(f"/run/{run.pk}/").board == f"{BOARD}?protocol=arena-1"
    facts = {term: url for term, _, url in page(f"/result/{run.results.first().pk}/").facts}
    assert facts["Leaderboard"] == "/board/timed/hip2hip/h100-sxm/?protocol=arena-1"
    shown = page(f"/configuration/{run.configuration.slug}/")
    assert shown.tables["standings"].cells()[0]["suite"].note == PAST


def test_runs_are_filtered_by_protocol(past, timed, page) -> None:
    new = again(timed, past[0], noisy(0.5))
    assert [line.id for line in page(f"/runs/?protocol={PROTOCOL}").runs] == [new.pk]
    assert len(page("/runs/").runs) == 4


def test_a_tasks_kernels_of_two_protocols_are_not_compared(past, timed, page) -> None:
    again(timed, past[1], noisy(0.5)), timed("New", noisy(0.6))
    task = past[0].suite.tasks.order_by("path").first()
    shown = page(f"/task/{task.path}/")
    assert [(one.name, one.place) for one in shown.configurations] == [
        ("New", "h100-sxm"),
        ("Slow", "h100-sxm"),
        ("Expert", "h100-sxm, arena-1"),
        ("Fast", "h100-sxm, arena-1"),
        ("Slow", "h100-sxm, arena-1"),
    ]
    assert [(one.name, one.protocol) for one in shown.best] == [("Slow", PROTOCOL), ("New", PROTOCOL), ("Fast", PAST)]
    assert (shown.pair.protocol, {shown.pair.first.name, shown.pair.second.name}) == (PROTOCOL, {"New", "Slow"})
    then = page(f"/task/{task.path}/?device=h100-sxm, arena-1").pair
    assert (then.protocol, then.first.name) == (PAST, "Expert")


def test_costs_are_by_protocol(past, timed, page) -> None:
    new = again(timed, past[0], [log(2.0)] * TASKS)
    for run in (past[0], new):
        for result in run.results.all():
            factories.make_session(result)
    found = {one.protocol: one for one in page("/cost/").agents}
    assert {name: one.sessions for name, one in found.items()} == {PAST: TASKS, PROTOCOL: TASKS}
    assert found[PROTOCOL].usable_speedup == pytest.approx(2.0)
    assert {"seconds-timed-1-h100-sxm", "seconds-timed-1-h100-sxm-arena-1"} <= set(page("/cost/").here)


def test_devices_are_compared_under_one_protocol(past, timed, page) -> None:
    again(timed, past[0], [log(2.0)] * TASKS)
    address = f"/portability/?configuration={past[0].configuration.slug}"
    now, then = page(address), page(f"{address}&protocol=arena-1")
    assert (now.protocol, now.tasks[0].devices["h100-sxm"].runs) == (PROTOCOL, 1)
    assert now.tasks[0].devices["h100-sxm"].speedup == pytest.approx(2.0)
    assert then.tasks[0].devices["h100-sxm"].speedup != pytest.approx(2.0)
    only_past = page(f"/portability/?configuration={past[1].configuration.slug}")
    assert (only_past.protocol, len(only_past.tasks)) == (PAST, TASKS)


def test_outcomes_are_counted_under_each_protocol_by_itself(past, timed, page, client) -> None:
    again(timed, past[0], noisy(0.5))
    slug = past[0].configuration.slug
    shown = page(f"/failures/?configuration={slug}")
    assert [(one.protocol, one.of) for one in shown.outcomes] == [(PAST, TASKS), (PROTOCOL, TASKS)]
    [one] = page(f"/failures/?configuration={slug}&protocol={PROTOCOL}").outcomes
    assert one.protocol == PROTOCOL


def test_what_candidates_do_says_which_protocols_are_counted_together(published, entry, page, client, archive_folder):
    files = {"kernel.hip": _stored("// one\n")}
    configuration = entry("One")
    for protocol in (PAST, PROTOCOL):
        run = published(configuration=configuration, protocol=protocol)
        run.results.update(candidate_files=files)
        run.suite.tasks.update(files=files)
    assert f"results measured under {PAST} and {PROTOCOL}" in client.get("/behaviour/").content.decode()
    assert "results measured under" not in client.get("/behaviour/?protocol=arena-1").content.decode()


def _stored(text: str) -> str:
    return archive.put(text.encode())


def test_unseen_cases_of_two_protocols_are_apart(suite, published, entry, page, client) -> None:
    round = factories.make_round(suite=suite)
    run = published(configuration=entry("Old"), protocol=PAST, round=round)
    for attempt in Attempt.objects.filter(result__run=run):
        factories.make_unseen(attempt, ("edge", True, True))
    [listed] = page("/generalization/").boards
    assert (listed.protocol, listed.entries) == (PAST, 1)
    assert [entry.name for entry in page(listed.url).entries] == ["Old"]
    now = page("/generalization/smoke/all/cpu-x86_64/")
    assert (now.entries, now.protocol_notice) == ((), NOTHING)
    assert [other.url for other in now.other_protocols] == ["/generalization/smoke/all/cpu-x86_64/?protocol=arena-1"]
    assert "No regressions" not in client.get("/generalization/smoke/all/cpu-x86_64/").content.decode()
    published(configuration=entry("Elsewhere"))
    assert page("/generalization/smoke/all/cpu-x86_64/").protocol_notice == NOTHING, "none of this round"
    published(configuration=entry("New"), round=round)
    assert [(one.protocol, one.entries) for one in page("/generalization/").boards] == [(PROTOCOL, 1), (PAST, 1)]


def test_rounds_under_two_protocols_are_listed_with_the_tenth_before_the_ninth(suite, published, entry, page) -> None:
    round = factories.make_round(suite=suite)
    for protocol in ("arena-9", "arena-10"):
        published(configuration=entry(protocol), protocol=protocol, round=round)
    assert [one.protocol for one in page("/generalization/").boards] == ["arena-10", "arena-9"]


def test_data_names_the_protocol_and_keeps_the_past(past, timed, client) -> None:
    again(timed, past[0], noisy(0.5))
    shown = client.get(f"/api/v1{BOARD}").json()
    assert (shown["protocol"], len(shown["entries"])) == (PROTOCOL, 1)
    assert shown["other_protocols"][0] == {
        "protocol": PAST,
        "until": UNTIL,
        "entries": 2,
        "reference_lines": 1,
        "url": f"{BOARD}?protocol=arena-1",
    }
    rows = client.get(f"/api/v1/rows/runs/?protocol={PAST}").json()
    assert {row["protocol"] for row in rows["rows"]} == {PAST}


def test_the_page_of_versions_says_until_when_a_protocol_held(past, page) -> None:
    shown = {one.name: one for one in page("/versions/").protocols}
    assert (shown[PAST].until, shown[PAST].is_current, shown[PAST].published) == (UNTIL, False, 3 * TASKS)
    cells = {row["name"].value: row for row in page("/versions/").tables["protocols"].cells()}
    assert cells[PAST]["is_current"].text == f"until {UNTIL}"
    assert cells[PAST]["published"].url == "/runs/?protocol=arena-1&state=published"
