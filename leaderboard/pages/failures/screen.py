"""How failures look: a matrix of statuses, a list of reasons, one of unseen cases, and a bar for each configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, islice
from typing import TYPE_CHECKING

from leaderboard.charts import Chart, Series, stacked_bars
from leaderboard.formatting import NONE, plural, printable, rate
from leaderboard.pages.base import Query, by_slug, count_cell, entry_cells, page_url, query_string
from leaderboard.tables import Cell, Column, RowGroup, Table, first, table
from leaderboard.words import STATUSES, role_note, status_cell

if TYPE_CHECKING:
    from leaderboard.pages.failures.page import AnswerCounts, ReasonCount, ReasonTotal, UnseenFailure

# Columns and parts of a bar: what they are called, and the statuses in them.
MODES = {
    "passed": ("Passed", ("passed",)),
    "build_failed": ("Build failed", ("build_failed",)),
    "wrong_output": ("Wrong output", ("wrong_output",)),
    "ended": ("Crashed or timed out", ("crashed", "timed_out")),
    "refused": ("Refused", ("tampered", "implausible")),
    "absent": ("Nothing written", ("not_produced",)),
    "ours": ("No verdict", ("missing", "not_judged", "errored", "cancelled")),
}
QUERY = ("suite", "device", "configuration", "reason")
MOST_BARS = 12
MOST_ROWS, NEWEST_OF_A_REASON = 50, 3  # of each table on the page
EMPTY = "Nothing is published that matches. Take a filter away, or see the drafts among the runs."


def tables(
    found: Sequence[AnswerCounts],
    totals: Sequence[ReasonTotal],
    reasons: Sequence[ReasonCount],
    unseen: Sequence[UnseenFailure],
    query: Query,
) -> tuple[Table, ...]:
    """All of it, as data has it."""
    return matrix(found), totals_table(totals, query), reasons_table(reasons), unseen_table(unseen)


def shown(whole: Sequence[Table], *, is_one_reason: bool) -> dict[str, Table]:
    """What stands on the page: a site with many configurations has thousands of lines."""
    outcomes, totals, reasons, unseen = whole
    listed = first(reasons, MOST_ROWS) if is_one_reason else _newest_of_each(reasons)
    return by_slug(first(outcomes, MOST_ROWS), totals, listed, first(unseen, MOST_ROWS))


def matrix(found: Sequence[AnswerCounts]) -> Table:
    """A column for each status that occurs; CSV has them all."""
    statuses = [status for status in STATUSES if status not in ("queued", "running")]
    seen = {status for one in found for status in one.counts}
    columns = (
        Column("name", "Entry"),
        Column("configuration", "Configuration", on_page=False),
        Column("suite", "Suite"),
        Column("device_class", "Device class", is_code=True),
        Column("of", "Tasks × runs", is_number=True),
        *(Column(name, _heading(name), is_number=True, on_page=name in seen) for name in statuses),
    )
    rows = [_matrix_cells(one, statuses) for one in found]
    return table("outcomes", "How the answers ended: each count leads to its newest answer", columns, rows, EMPTY)


def totals_table(found: Sequence[ReasonTotal], query: Query) -> Table:
    columns = (
        Column("status", "Status"),
        Column("reason", "Reason", is_code=True),
        Column("count", "Answers", is_number=True),
        Column("of", "Tasks × runs", on_page=False),
        Column("configurations", "Configurations", is_number=True),
        Column("task", "Newest"),
        Column("result", "Result", on_page=False),
    )
    rows = [
        (
            status_cell(one.status),
            Cell(one.reason, one.reason, page_url("failures") + query_string(query, QUERY, reason=one.reason)),
            Cell(rate(one.count, one.of), one.count),
            Cell("", one.of),
            count_cell(one.configurations),
            Cell(one.task.rpartition("/")[2], one.task, page_url("result", one.result)),
            Cell("", one.result),
        )
        for one in found
    ]
    caption = "Why, over all that is shown, most frequent first: a reason leads to its own answers"
    return table("reason_totals", caption, columns, rows, "No answer was turned away.")


def reasons_table(found: Sequence[ReasonCount]) -> Table:
    columns = (
        Column("status", "Status"),
        Column("reason", "Reason", is_code=True),
        Column("name", "Entry"),
        Column("configuration", "Configuration", on_page=False),
        Column("suite", "Suite", on_page=False),
        Column("device_class", "Device class", is_code=True),
        Column("count", "Answers", is_number=True),
        Column("of", "Tasks × runs", on_page=False),
        Column("task", "Newest"),
        Column("result", "Result", on_page=False),
    )
    order = sorted(found, key=lambda one: (one.reason, one.status, -one.result))
    caption = "For each configuration, why answers were turned away or have no verdict, the newest first"
    return table("reasons", caption, columns, [_reason_cells(one) for one in order], "No answer was turned away.")


def unseen_table(found: Sequence[UnseenFailure]) -> Table:
    columns = (
        Column("reason", "Reason", is_code=True),
        Column("name", "Entry"),
        Column("configuration", "Configuration", on_page=False),
        Column("round", "Round"),
        Column("device_class", "Device class", is_code=True),
        Column("regressions", "Baseline was right", is_number=True),
        Column("both_fail", "Baseline was wrong too", is_number=True),
        Column("of", "Cases", on_page=False),
        Column("result", "Example"),
    )
    rows = [
        (
            Cell(one.reason, one.reason),
            *entry_cells(one.name, one.configuration),
            Cell(one.round, one.round),
            Cell(one.device_class, one.device_class),
            Cell(rate(one.regressions, one.of), one.regressions),
            Cell(rate(one.both_fail, one.of), one.both_fail),
            Cell("", one.of),
            Cell(f"Result {one.result}", one.result, page_url("result", one.result)),
        )
        for one in found
    ]
    empty = "No unseen case failed in a revealed round. Before its reveal a round shows counts over the suite only."
    return table("unseen", "On unseen cases of revealed rounds: cases by the candidate's reason", columns, rows, empty)


def charts(found: Sequence[AnswerCounts]) -> dict[str, Chart]:
    """One bar for each configuration and place, the first ones; nothing to draw, no chart."""
    if not found:
        return {}
    given = [
        (
            one.name,
            "",
            [sum(one.counts.get(status, 0) for status in statuses) for _, statuses in MODES.values()],
            [f"{one.suite}@{one.suite_version} on {one.device_class}: {plural(one.of, 'answer')}"],
        )
        for one in found[:MOST_BARS]
    ]
    chart = stacked_bars(
        "outcomes",
        "How the answers ended",
        "A bar for each configuration, suite and device class, divided by how its answers ended. The table has the "
        "same counts.",
        "of tasks × runs",
        tuple(Series(key, label) for key, (label, _) in MODES.items()),
        given,
        note=f"The first {MOST_BARS} of {len(found)}." if len(found) > MOST_BARS else "",
    )
    return {chart.slug: chart}


def _newest_of_each(whole: Table) -> Table:
    """Its rows come by reason, the newest first."""
    reason = [column.key for column in whole.fields].index("reason")
    by_reason = groupby(whole.groups[0].rows, key=lambda row: row[reason].value)
    rows = tuple(row for _, lines in by_reason for row in islice(lines, NEWEST_OF_A_REASON))
    if len(rows) == whole.size:
        return whole
    caption = f"{whole.caption} (the newest {NEWEST_OF_A_REASON} of each reason; all {whole.size} are in the CSV)"
    return replace(whole, caption=caption, groups=(RowGroup(rows),))


def _heading(status: str) -> str:
    label = STATUSES[status].label
    return label[0].upper() + label[1:]


def _matrix_cells(one: AnswerCounts, statuses: Sequence[str]) -> tuple[Cell, ...]:
    suite = f"{one.suite}@{one.suite_version}"
    return (
        *entry_cells(one.name, one.configuration, role_note(one.role)),
        Cell(suite, suite),
        Cell(one.device_class, one.device_class),
        count_cell(one.of),
        *(_count_cell(one, status) for status in statuses),
    )


def _count_cell(one: AnswerCounts, status: str) -> Cell:
    count = one.counts.get(status, 0)
    if not count:
        return Cell("0", 0)
    return Cell(rate(count, one.of), count, page_url("result", one.examples[status]))


def _reason_cells(one: ReasonCount) -> tuple[Cell, ...]:
    suite, task = f"{one.suite}@{one.suite_version}", one.task.rpartition("/")[2]
    return (
        status_cell(one.status),
        Cell(one.reason, one.reason),
        *entry_cells(one.name, one.configuration, suite),
        Cell(suite, suite),
        Cell(one.device_class, one.device_class),
        Cell(rate(one.count, one.of), one.count),
        Cell("", one.of),
        Cell(task, one.task, page_url("result", one.result), printable(one.message) or NONE),
        Cell("", one.result),
    )
