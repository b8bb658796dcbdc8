"""How failures look: a matrix of statuses, a list of reasons, one of unseen cases, and a bar for each configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from leaderboard.charts import Chart, Series, stacked_bars
from leaderboard.formatting import NONE, printable, rate
from leaderboard.pages.base import page_url
from leaderboard.tables import Cell, Column, Table, table
from leaderboard.words import ROLES, STATUSES, status_cell

if TYPE_CHECKING:
    from leaderboard.pages.failures import AnswerCounts, ReasonCount, UnseenFailure

# Columns and parts of a bar: what they are called, and the statuses in them.
MODES = {
    "passed": ("Passed", ("passed",)),
    "build_failed": ("Build failed", ("build_failed",)),
    "wrong_output": ("Wrong output", ("wrong_output",)),
    "ended": ("Crashed or timed out", ("crashed", "timed_out")),
    "refused": ("Refused", ("not_produced", "tampered", "implausible")),
    "ours": ("No verdict", ("missing", "not_judged", "errored", "cancelled")),
}
MOST_BARS = 12
EMPTY = "Nothing is published that matches. Take a filter away, or see the drafts among the runs."


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
    return table("outcomes", "How the answers ended: each count leads to an example", columns, rows, EMPTY)


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
        Column("task", "Example"),
        Column("result", "Result", on_page=False),
    )
    order = sorted(found, key=lambda one: (one.name, one.configuration, one.suite, one.device_class, -one.count))
    caption = "Why: the reason of each answer that was turned away or has no verdict, most frequent first"
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
            Cell(one.name, one.name, page_url("configuration", one.configuration)),
            Cell(one.configuration, one.configuration),
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
            [f"{one.suite}@{one.suite_version} on {one.device_class}: {one.of} answers"],
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


def _heading(status: str) -> str:
    label = STATUSES[status].label
    return label[0].upper() + label[1:]


def _matrix_cells(one: AnswerCounts, statuses: Sequence[str]) -> tuple[Cell, ...]:
    suite = f"{one.suite}@{one.suite_version}"
    role = ROLES[one.role] if one.role != "entry" else ""
    return (
        Cell(one.name, one.name, page_url("configuration", one.configuration), role),
        Cell(one.configuration, one.configuration),
        Cell(suite, suite),
        Cell(one.device_class, one.device_class),
        Cell(str(one.of), one.of),
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
        Cell(one.name, one.name, page_url("configuration", one.configuration), suite),
        Cell(one.configuration, one.configuration),
        Cell(suite, suite),
        Cell(one.device_class, one.device_class),
        Cell(rate(one.count, one.of), one.count),
        Cell("", one.of),
        Cell(task, one.task, page_url("result", one.result), printable(one.message) or NONE),
        Cell("", one.result),
    )
