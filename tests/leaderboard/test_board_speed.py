"""A board of a device with a clock: ranks by usable speedup, the paper's columns, filters and days."""

from __future__ import annotations

import re
from datetime import timedelta
from math import exp, log
from typing import Any

import pytest

from leaderboard.pages.board.standings import standings
from leaderboard.queries.boards import ResultRow, RunRow, TaskRow
from leaderboard.statistics import paper
from leaderboard.statistics.limits import NOT_TIMED
from leaderboard.statistics.paper import MIXED, NO_CLOCK, OTHER_PAPER
from leaderboard.statistics.ranking import RankInterval
from leaderboard.statistics.results import ResultValues
from runs.models import AuditEntry
from tests import factories
from tests.leaderboard.arrays import BROKEN, WRONG, right
from tests.leaderboard.printed import as_printed, built, printed_rows
from tests.leaderboard.timed import TASKS, make_timed_run, noisy

BOARD = "/board/timed/hip2hip/h100-sxm/"


def line(page: Any, name: str) -> Any:
    return next(entry for entry in page.entries if entry.agent == name)


def test_entries_rank_by_usable_speedup_not_by_the_mean(timed, page) -> None:
    timed("Steady", [log(2.0)] * TASKS)
    timed("One hit", [log(100.0), *[0.0] * 11])
    shown = page(BOARD)
    assert shown.ranked_by == "usable_speedup"
    assert [(entry.rank, entry.agent) for entry in shown.entries] == [(1, "Steady"), (2, "One hit")]
    assert line(shown, "Steady").usable_speedup.value == pytest.approx(2)
    assert line(shown, "One hit").usable_speedup.value == pytest.approx(100 ** (1 / 12))
    assert line(shown, "One hit").paper.mean_speedup.value > line(shown, "Steady").paper.mean_speedup.value
    assert line(shown, "One hit").paper.top_task_share == pytest.approx(100 / 111)


def test_equal_speedups_share_a_rank_whatever_the_order_of_tasks(timed, page) -> None:
    values = [0.1 * n + 0.013 for n in range(TASKS)]
    timed("Twin B", values)
    timed("Twin A", values[::-1])
    timed("Last", [0.05] * TASKS)
    assert [entry.rank for entry in page(BOARD).entries] == [1, 1, 3]


def test_rank_intervals_stand_beside_ranks_and_name_who_cannot_be_told_from_the_first(timed, client) -> None:
    timed("First", noisy(0.51))
    timed("Second", noisy(0.5)[::-1])
    timed("Last", noisy(0.1))
    response = client.get(BOARD)
    shown = response.context["page"]
    assert line(shown, "First").rank_interval == RankInterval(1, 2, False)
    assert line(shown, "Second").rank_interval == RankInterval(1, 2, False)
    assert line(shown, "Last").rank_interval == RankInterval(3, 3, True)
    assert response.content.decode().count("no significant difference from first") == 1


def test_wins_ties_losses_and_failures_are_counted(timed, page) -> None:
    timed("One", [0.5, 0.5, 0.001, -0.5, WRONG, BROKEN, *[right(None)] * 6])
    timed("Speed", [0.5] * TASKS)
    found = line(page(BOARD), "One").outcomes
    assert (found.win, found.tie, found.loss, found.fail, found.unknown, found.of) == (2, 7, 1, 2, 0, 12)
    bar = page(BOARD).charts["outcomes"].bars[1]
    assert [(part.series.key, part.count) for part in bar.parts] == [("win", 2), ("tie", 7), ("loss", 1), ("fail", 2)]


def test_an_incomplete_entry_has_its_worst_completion_and_no_rank(timed, page) -> None:
    timed("Gap", [None, *[log(2.0)] * 11])
    timed("Whole", [0.1] * TASKS)
    found = line(page(BOARD), "Gap")
    assert (found.rank, found.usable_speedup.value) == (None, None)
    assert found.usable_speedup.worst == pytest.approx(2 ** (11 / 12))
    assert (found.judged, found.of, found.outcomes.unknown) == (11, 12, 1)
    assert line(page(BOARD), "Whole").rank == 1


def test_a_reference_line_has_its_numbers_and_no_rank(timed, page) -> None:
    timed("Expert", [1.0] * TASKS, role="reference_line")
    timed("Entry", [0.1] * TASKS)
    shown = page(BOARD)
    assert line(shown, "Expert").usable_speedup.value == pytest.approx(exp(1))
    assert (line(shown, "Expert").rank, line(shown, "Entry").rank) == (None, 1)
    assert line(shown, "Entry").rank_interval == RankInterval(1, 1, False)


def test_where_too_few_tasks_show_a_speed_ranks_go_by_correctness_and_it_says_so(timed, page) -> None:
    timed("Fast", [0.5] * 5 + [WRONG] * 7)
    timed("Right", [right(None)] * TASKS)
    shown = page(BOARD)
    assert (shown.ranked_by, shown.eligible_tasks) == ("correctness", 5)
    assert [entry.agent for entry in shown.entries] == ["Right", "Fast"]
    assert shown.refusals[0] == "No speed: A speed metric needs eligible cases in 6 tasks; there are 5."
    assert "speed" not in shown.charts  # an axis without a point says nothing


def test_below_twelve_tasks_there_are_no_rank_intervals(db, page) -> None:
    suite = factories.make_suite([factories.make_task() for _ in range(8)], name="timed")
    make_timed_run(suite=suite, name="One", results=[right(0.5)] * 8)
    shown = page(BOARD)
    assert line(shown, "One").rank_interval is None
    assert "Rank intervals need 12 tasks; there are 8." in shown.refusals


def test_runs_of_a_configuration_are_averaged_task_by_task(timed, page) -> None:
    run = timed("Twice", [0.2] * TASKS)
    timed("Twice", [0.4] * TASKS, configuration=run.configuration, repeat=1)
    found = line(page(BOARD), "Twice")
    assert found.usable_speedup.value == pytest.approx(exp(0.3))
    assert found.usable_speedup.runs.low < found.usable_speedup.value < found.usable_speedup.runs.high
    assert found.paper.mean_speedup.sigma_r == pytest.approx((exp(0.4) - exp(0.2)) / 2**0.5)


def test_the_papers_view_has_its_headings_and_our_share_of_the_top_task(timed, client) -> None:
    timed("One", [log(4.0), *[0.0] * 11])
    table = client.get(f"{BOARD}?view=paper").context["page"].tables["entries"]
    labels = [column.label for column in table.shown_fields]
    assert labels[2:] == [
        *("Comp. %", "Corr. %", "Mean Spd. ± σr", "Top task's share", "Mean Score", "Geo. Mean ± σr"),
        *("fast₁ %", "fast₂ %", "Trust", "Published", "Runs"),
    ]
    [[row]] = [rows for _, rows in table.shown_groups]
    texts = {column.key: cell.text for column, cell in row}
    assert texts["mean_speedup"] == "1.25×"  # (4 + 11)/12; one run has no σr
    assert texts["top_task_share"] == "27\u00a0%"
    assert texts["fast_2"] == "8.3"


def test_no_mean_is_made_across_categories(db, page) -> None:
    tasks = [factories.make_task(category=category) for category in ("hip2hip", "triton2triton") for _ in range(6)]
    make_timed_run(suite=factories.make_suite(tasks, name="timed"), name="One", results=[right(0.5)] * 12)
    shown = page("/board/timed/all/h100-sxm/")
    found = line(shown, "One")
    assert (found.paper.mean_speedup.value, found.paper.refused) == (None, MIXED)
    assert (found.paper.compilation_rate_pct, found.paper.correctness_rate_pct) == (100, 100)  # these know no clock
    assert found.usable_speedup.value == pytest.approx(exp(0.5))  # one clock, over all tasks
    assert any(refusal.startswith("No mean speedup, score") for refusal in shown.refusals)


@pytest.mark.parametrize("printed", printed_rows(), ids=lambda row: row["category"])
def test_the_board_shows_the_printed_row_of_runs_built_for_it(printed: dict[str, str]) -> None:
    """From the rows of the database on; the paper's device has one category a table, three runs an entry."""
    values = built(printed)
    tasks = [
        TaskRow(n, f"{printed['category']}/arena/{n}", str(n), printed["category"], "arena", "")
        for n in range(len(values))
    ]
    runs = [
        RunRow(
            *(r, r, "claude", "entry", "Claude Code", "Opus 4.6", "claude-opus-4-6", {}, "run_here", None, None),
            *(factories.NOON, "claude", "external", None, None, 0, 0, None),
        )
        for r in range(3)
    ]
    results = [_row(run, task, values[task][run]) for run in range(3) for task in range(len(values))]
    found = standings(tasks, runs, results, is_functional=False, between=None)
    [entry] = found.entries
    assert entry.rank == 1
    assert as_printed(printed["category"], entry.paper) == printed


def test_a_card_that_no_host_names_has_no_name_in_data_and_one_of_its_run_in_statistics() -> None:
    task = TaskRow(0, "hip2hip/arena/0", "0", "hip2hip", "arena", "")
    runs = [
        RunRow(r, r, "c", "entry", "C", None, None, {}, "run_here", None, None, factories.NOON, "c", "external")
        for r in (1, 2)
    ]
    rows = [_row(1, 0, right(0.5))._replace(card=""), _row(2, 0, right(0.5))]
    found = standings([task], runs, rows, is_functional=False, between=None)
    assert [result.card for result in found.results] == [None, "GPU-1"]
    assert found.matrices["c"].cards.tolist() == [["of run 1", "GPU-1"]]


def _row(run: int, task: int, values: ResultValues) -> ResultRow:
    status = "passed" if values.correct else "wrong_output" if values.compiled else "build_failed"
    attempt = (status, values.compiled, values.correct, False, False, True)
    return ResultRow(
        run * 1000 + task,
        run,
        task,
        "none",
        *attempt,
        values.log_speedup,
        values.low,
        values.high,
        values.paper_speedup,
        "GPU-1",
        True,
        True,
    )


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("agent=Fast", ["Fast"]),
        ("trust=claimed", ["Slow"]),
        ("trust=run_here", ["Fast"]),
        ("since=2026-11-02", ["Slow"]),
        ("since=nonsense", ["Fast", "Slow"]),
        ("model=nobody", []),
    ],
)
def test_a_filter_of_entries_hides_lines_and_changes_no_number(timed, page, query, names) -> None:
    timed("Fast", noisy(0.5))
    timed(
        "Slow", noisy(0.1), origin="imported", bundle_digest="a" * 64, published_at=factories.NOON + timedelta(days=1)
    )
    everything = {entry.agent: entry for entry in page(BOARD).entries}
    shown = page(f"{BOARD}?{query}")
    assert [entry.agent for entry in shown.entries] == names
    assert all(entry == everything[entry.agent] for entry in shown.entries)
    assert {result.configuration for result in shown.results} == {entry.configuration for entry in shown.entries}


def test_a_filter_that_leaves_nothing_says_what_to_do(timed, client) -> None:
    timed("Fast", noisy(0.5))
    assert "No entry matches. Remove a filter." in client.get(f"{BOARD}?agent=nobody").content.decode()


def test_a_filter_of_tasks_changes_numbers_and_leaves_ranks_to_the_whole_board(timed, page) -> None:
    timed("Arena", [1.0] * 8 + [0.0] * 4)
    timed("Rocm", [0.0] * 8 + [1.5] * 4)
    shown = page(f"{BOARD}?source=rocm")
    assert [(entry.agent, entry.rank, entry.of) for entry in shown.entries] == [("Arena", 1, 4), ("Rocm", 2, 4)]
    assert len(shown.tasks) == 4
    assert "Ranks are over all tasks" in shown.ranks_note
    assert page(f"{BOARD}?operator=reduce").entries[0].of == 6


def test_a_cut_is_the_board_of_its_tasks_alone(timed, page, client) -> None:
    timed("Other", [1.0, 0.0] * 6)
    timed("Reduce", [0.0, 0.7] * 6)
    assert [entry.agent for entry in page(f"{BOARD}?operator=reduce").entries] == ["Other", "Reduce"]
    cut = f"{BOARD}?operator=reduce&ranks=cut"
    shown = page(cut)
    assert [(entry.agent, entry.rank, entry.of) for entry in shown.entries] == [("Reduce", 1, 6), ("Other", 2, 6)]
    assert shown.cut.startswith("A cut of timed@1: 6 of 12\N{NO-BREAK SPACE}tasks, those of operator type reduce. ")
    assert shown.citation.title == "ArenaBoard: Timed, HIP to HIP, operator type reduce on H100"
    assert "ranks=cut" in shown.citation.csv_url
    assert "Ranks are over all tasks" not in shown.ranks_note
    assert shown.cut in client.get(cut).content.decode()
    assert client.get(f"/api/v1{cut}").json()["entries"][0]["agent"] == "Reduce"
    assert "operator type reduce, H100: best" in client.get(cut.replace("?", "badge.svg?")).content.decode()


def test_the_way_from_a_cut_to_the_whole_board_keeps_the_rest(timed, page) -> None:
    timed("Arena", [1.0] * 8 + [0.0] * 4)
    assert page(f"{BOARD}?operator=reduce&ranks=cut&sort=name&as_of=2026-11-28").whole_url == (
        f"{BOARD}?as_of=2026-11-28&sort=name"
    )


def test_a_cut_of_few_tasks_has_no_speed_and_ranks_by_correctness(timed, page) -> None:
    timed("Arena", [1.0] * 8 + [0.0] * 4)
    timed("Rocm", [0.0] * 8 + [1.5] * 3 + [WRONG])
    shown = page(f"{BOARD}?source=rocm&ranks=cut")
    assert [(entry.agent, entry.rank) for entry in shown.entries] == [("Arena", 1), ("Rocm", 2)]
    assert (shown.ranked_by, [entry.usable_speedup.value for entry in shown.entries]) == ("correctness", [None, None])


@pytest.mark.parametrize("query", ["?ranks=cut", "?ranks=cut&operator=nothing", "?operator=reduce&ranks=all"])
def test_what_chooses_no_tasks_or_no_cut_is_none(query, timed, page) -> None:
    timed("Arena", [1.0] * 8 + [0.0] * 4)
    assert page(f"{BOARD}{query}").cut == ""


def test_a_board_as_of_a_day_has_what_was_published_by_then(timed, page) -> None:
    timed("Old", noisy(0.1))
    timed("New", noisy(0.5), published_at=factories.NOON + timedelta(days=3))
    assert [entry.agent for entry in page(f"{BOARD}?as_of=2026-11-02").entries] == ["Old"]
    assert [entry.agent for entry in page(f"{BOARD}?as_of=2026-11-04").entries] == ["New", "Old"]
    assert page(f"{BOARD}?as_of=2026-10-01").entries == ()


def test_a_board_as_of_a_day_has_the_results_of_that_day(timed, page) -> None:
    run = timed("One", [0.5] * TASKS)
    result = run.results.first()
    before, missing = result.published_attempt, run.results.last()
    after = factories.make_attempt(result=result, status="wrong_output")
    for moved, old in ((result, before), (missing, None)):
        entry = AuditEntry.objects.create(
            actor_name="admin", action="publish", run=run, result=moved, from_attempt=old, to_attempt=after
        )
        AuditEntry.objects.filter(pk=entry.pk).update(at=factories.NOON + timedelta(days=5))
    factories.publish(after)
    now, then = page(BOARD), page(f"{BOARD}?as_of=2026-11-03")
    assert line(now, "One").correctness.count == 11
    assert [result.status for result in now.results].count("wrong_output") == 1
    assert [result.status for result in then.results].count("wrong_output") == 0
    assert [result.status for result in then.results].count("missing") == 1
    assert line(then, "One").rank is None
    assert sum(result.may_rank for result in then.results) == 11


def test_where_no_paper_has_a_clock_its_columns_are_refused_and_no_view_offers_them(db, page, monkeypatch) -> None:
    """A category may be added that no paper has. Without a correct result all would be numbers: 0."""
    monkeypatch.setattr(paper, "PAPER_CLOCKS", {"hip2hip": "aka_loop"})
    tasks = [factories.make_task(category="torch2triton") for _ in range(6)]
    make_timed_run(suite=factories.make_suite(tasks, name="timed"), name="One", results=[WRONG] * 6)
    shown = page("/board/timed/torch2triton/h100-sxm/?view=paper")
    assert (line(shown, "One").paper.mean_score, line(shown, "One").paper.refused) == (None, NO_CLOCK)
    assert [link.text for link in shown.views if link.is_here] == ["Ranks"]
    assert "The paper's columns" not in [link.text for link in shown.views]
    assert shown.table_kind == "board"
    spread = page("/distribution/timed/torch2triton/h100-sxm/?clock=paper")
    assert spread.refused == NO_CLOCK
    assert "On the paper's clock" not in [link.text for link in spread.views]


def test_pytorch_to_triton_has_kernelbench_x_s_columns_and_none_of_the_other_paper(db, page, client) -> None:
    """Three of six are correct, with 4, 1 and 0.5: 5.5 / 3 = 1.83, and the cube root of 2 = 1.26."""
    tasks = [factories.make_task(category="torch2triton") for _ in range(6)]
    suite, address = factories.make_suite(tasks, name="kbx"), "/board/kbx/torch2triton/h100-sxm/?view=paper"
    right_ones = [right(0.1, paper=speedup) for speedup in (4.0, 1.0, 0.5)]
    make_timed_run(suite=suite, name="One", results=[*right_ones, WRONG, WRONG, BROKEN])
    make_timed_run(suite=suite, name="Before the clock", results=[right(None), *[WRONG] * 5])
    shown = page(address)
    columns = line(shown, "One").paper
    assert columns.mean_correct_speedup.value == pytest.approx(5.5 / 3)
    assert columns.geo_mean_speedup.value == pytest.approx(2 ** (1 / 3))
    assert (columns.mean_score, columns.fast_1_pct, columns.mean_speedup.refused) == (None, None, OTHER_PAPER)
    assert line(shown, "Before the clock").paper.mean_correct_speedup.refused == NOT_TIMED
    assert [link.text for link in shown.views if link.is_here] == ["The paper's columns"]
    assert "against PyTorch eager" in shown.tables["entries"].caption
    row = next(row for row in shown.tables["entries"].cells() if row["name"].value == "One")
    assert [row[key].text for key in ("compilation", "correctness", "mean_correct_speedup", "geo_mean_speedup")] == [
        "83.3",
        "50.0",
        "1.83×",
        "1.26×",
    ]
    assert "mean_score" not in row
    csv = client.get("/api/v1" + address.replace("/?", "/entries.csv?")).getvalue().decode().splitlines()
    assert {"mean_correct_speedup", "mean_correct_speedup_sigma_r"} <= set(csv[0].split(","))
    assert set(re.findall(r'href="/metrics/#(kbx-speedup)"', client.get(address).content.decode())) == {"kbx-speedup"}


@pytest.mark.parametrize("view", ["", "paper"])
@pytest.mark.parametrize(
    "sort", ["usable_speedup", "mean_speedup", "geo_mean_speedup", "fast_2", "mean_score", "correctness"]
)
def test_no_order_puts_what_has_no_number_before_what_has_one(timed, page, sort, view) -> None:
    timed("Gap", [None, *[9.0] * 11])
    timed("Nothing right", [WRONG] * TASKS)
    timed("No clock", [right(None)] * TASKS)
    timed("Real", [0.5] * TASKS)
    names = [entry.agent for entry in page(f"{BOARD}?sort={sort}&view={view}").entries]
    assert names[0] == "Real" if sort != "correctness" else names[0] in ("Real", "No clock")
    assert names[-1] == "Gap"
    assert len(names) == 4


def test_the_form_keeps_the_view_and_choices_say_what_is_chosen(timed, client) -> None:
    timed("Fast", noisy(0.5))
    body = client.get(f"{BOARD}?view=paper&sort=fast_2&agent=Fast").content.decode()
    assert '<input type="hidden" name="view" value="paper">' in body
    assert '<option value="Fast" selected>Fast</option>' in body
    assert '<details class="filters" open>' in body


def test_a_board_leads_to_its_suite_on_other_devices_and_to_other_suites_on_its_own(timed, page) -> None:
    timed("One", [right(0.5)] * TASKS)
    assert page(BOARD).other_boards == ()
    task = factories.make_task(category="hip2hip")
    make_timed_run(suite=factories.make_suite([task], name="other"), name="Two", results=[right(0.5)])
    assert [(link.text, link.url, link.is_here) for link in page(BOARD).other_boards] == [
        ("Timed on H100", BOARD, True),
        ("Other on H100", "/board/other/all/h100-sxm/", False),
    ]


def test_a_board_of_reference_lines_alone_gives_the_reason_for_no_rank_intervals(timed, page) -> None:
    timed("Line", [right(0.5)] * TASKS, role="reference_line")
    assert "No entry is ranked, so there are no rank intervals." in page(BOARD).refusals
