"""The tables and the chart of the failures page: statuses, reasons, and unseen cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby, islice

from leaderboard.charts import Chart, Series, stacked_bars
from leaderboard.formatting import NONE, plural, printable, rate
from leaderboard.pages.base import Query, by_slug, count_cell, entry_fields, page_url, protocol_parameter, query_string
from leaderboard.pages.failures.facts import ReasonCount, ReasonTotal, StatusCounts, UnseenFailure
from leaderboard.tables import Cell, Field, Row, RowGroup, Table, fields, first, hidden, table, text_field
from leaderboard.words import STATUSES, TRUST, role_note, status_cell

OUTCOMES = {name: word.label for name, word in STATUSES.items() if word.tone != "open"} | {
    "hacked": TRUST["hacked"].label
}
# Segments of a bar: label and statuses.
MODES = {
    "passed": ("Passed", ("passed",)),
    "build_failed": ("Build failed", ("build_failed",)),
    "wrong_output": ("Wrong output", ("wrong_output",)),
    "ended": ("Crashed or timed out", ("crashed", "timed_out")),
    "refused": ("Rejected", ("tampered", "implausible", "hacked")),
    "absent": ("Not produced", ("not_produced",)),
    "ours": ("No verdict", ("missing", "not_judged", "errored", "cancelled")),
}
QUERY = ("suite", "device", "configuration", "protocol", "reason")
MOST_BARS = 12
MOST_ROWS, NEWEST_OF_A_REASON = 50, 3  # on the page
EMPTY = "No published result matches. Remove a filter."


def tables(
    found: Sequence[StatusCounts],
    totals: Sequence[ReasonTotal],
    reasons: Sequence[ReasonCount],
    unseen: Sequence[UnseenFailure],
    query: Query,
) -> tuple[Table, ...]:
    """The whole tables, for CSV and JSON."""
    return matrix(found), totals_table(totals, query), reasons_table(reasons), unseen_table(unseen)


def shown(whole: Sequence[Table], *, is_one_reason: bool) -> dict[str, Table]:
    """The tables cut for the page: with many configurations they have thousands of rows."""
    outcomes, totals, reasons, unseen = whole
    listed = first(reasons, MOST_ROWS) if is_one_reason else _newest_of_each(reasons)
    return by_slug(first(outcomes, MOST_ROWS), totals, listed, first(unseen, MOST_ROWS))


def matrix(found: Sequence[StatusCounts]) -> Table:
    """Number of results by status. Statuses that never occur are in CSV and JSON only."""
    seen = {status for one in found for status in one.counts}
    columns: tuple[Field[StatusCounts], ...] = fields(
        entry_fields(lambda one: one.name, lambda one: one.configuration, lambda one: role_note(one.role)),
        text_field("suite", "Suite", lambda one: f"{one.suite}@{one.suite_version}"),
        _device_fields(lambda one: one.device_class, lambda one: one.protocol),
        Field("of", "Tasks × runs", lambda one: count_cell(one.of), is_number=True),
        (_status_field(status, on_page=status in seen) for status in OUTCOMES),
    )
    return table("outcomes", "Results by status. Each count links to its newest result", columns, found, EMPTY)


def totals_table(found: Sequence[ReasonTotal], query: Query) -> Table:
    columns: tuple[Field[ReasonTotal], ...] = (
        Field("status", "Status", lambda one: status_cell(one.status)),
        Field("reason", "Reason", lambda one: _reason_cell(one, query), is_code=True),
        Field("count", "Results", lambda one: Cell(rate(one.count, one.of), one.count), is_number=True),
        hidden("of", lambda one: one.of),
        Field("configurations", "Configurations", lambda one: count_cell(one.configurations), is_number=True),
        Field(
            "task",
            "Newest",
            lambda one: Cell(one.task.rpartition("/")[2], one.task, page_url("result", one.result)),
        ),
        hidden("result", lambda one: one.result),
    )
    caption = "Reasons over all configurations shown, most frequent first. Each reason links to its results"
    return table("reason_totals", caption, columns, found, "No failed result matches.")


def reasons_table(found: Sequence[ReasonCount]) -> Table:
    columns: tuple[Field[ReasonCount], ...] = fields(
        Field("status", "Status", lambda one: status_cell(one.status)),
        text_field("reason", "Reason", lambda one: one.reason, is_code=True),
        entry_fields(lambda one: one.name, lambda one: one.configuration, _suite),
        hidden("suite", _suite),
        _device_fields(lambda one: one.device_class, lambda one: one.protocol),
        Field("count", "Results", lambda one: Cell(rate(one.count, one.of), one.count), is_number=True),
        hidden("of", lambda one: one.of),
        Field("task", "Newest", _newest_cell),
        hidden("result", lambda one: one.result),
    )
    order = sorted(found, key=lambda one: (one.reason, one.status, -one.result))
    caption = "Reasons for each configuration, the newest first"
    return table("reasons", caption, columns, order, "No failed result matches.")


def unseen_table(found: Sequence[UnseenFailure]) -> Table:
    columns: tuple[Field[UnseenFailure], ...] = fields(
        text_field("reason", "Reason", lambda one: one.reason, is_code=True),
        entry_fields(lambda one: one.name, lambda one: one.configuration),
        text_field("round", "Round", lambda one: one.round),
        _device_fields(lambda one: one.device_class, lambda one: one.protocol),
        Field(
            "regressions",
            "Baseline correct",
            lambda one: Cell(rate(one.regressions, one.of), one.regressions),
            is_number=True,
        ),
        Field(
            "both_fail",
            "Baseline wrong too",
            lambda one: Cell(rate(one.both_fail, one.of), one.both_fail),
            is_number=True,
        ),
        hidden("of", lambda one: one.of),
        Field(
            "result", "Example", lambda one: Cell(f"Result {one.result}", one.result, page_url("result", one.result))
        ),
    )
    empty = "No unseen case failed in a revealed round. Before its reveal, a round has only counts over the suite."
    return table("unseen", "Failed unseen cases of revealed rounds, by reason", columns, found, empty)


def charts(found: Sequence[StatusCounts]) -> dict[str, Chart]:
    """Stacked bars of the first configurations."""
    if not found:
        return {}
    given = [
        (
            one.name,
            "",
            [sum(one.counts.get(status, 0) for status in statuses) for _, statuses in MODES.values()],
            [f"{one.suite}@{one.suite_version} on {one.device_class}, {one.protocol}: {plural(one.of, 'result')}"],
        )
        for one in found[:MOST_BARS]
    ]
    chart = stacked_bars(
        "outcomes",
        "Results by status",
        "A bar for each configuration, suite, device class and protocol, divided by the status of its results. The "
        "table has the same counts.",
        "of tasks × runs",
        tuple(Series(key, label) for key, (label, _) in MODES.items()),
        given,
        note=f"The first {MOST_BARS} of {len(found)}." if len(found) > MOST_BARS else "",
    )
    return {chart.slug: chart}


def _newest_of_each(whole: Table) -> Table:
    """Cut a table that is sorted by reason to the newest rows of each reason."""
    by_reason = groupby(whole.groups[0].rows, key=lambda one: one.reason)
    rows = tuple(one for _, own in by_reason for one in islice(own, NEWEST_OF_A_REASON))
    if len(rows) == whole.size:
        return whole
    caption = f"{whole.caption} (the newest {NEWEST_OF_A_REASON} of each reason; all {whole.size} are in the CSV)"
    return replace(whole, caption=caption, groups=(RowGroup(rows),))


def _device_fields(device: Callable[[Row], str], protocol: Callable[[Row], str]) -> tuple[Field[Row], ...]:
    """The device class, with the protocol below it where that is not the current one."""

    def cell(row: Row) -> Cell:
        return Cell(device(row), device(row), note=protocol_parameter(protocol(row)))

    return Field("device_class", "Device class", cell, is_code=True), hidden("protocol", protocol)


def _status_field(status: str, *, on_page: bool) -> Field[StatusCounts]:
    def cell(one: StatusCounts) -> Cell:
        if not (count := one.counts.get(status, 0)):
            return Cell("0", 0)
        return Cell(rate(count, one.of), count, page_url("result", one.examples[status]))

    label = OUTCOMES[status]
    return Field(status, label[0].upper() + label[1:], cell, is_number=True, on_page=on_page)


def _reason_cell(one: ReasonTotal, query: Query) -> Cell:
    return Cell(one.reason, one.reason, page_url("failures") + query_string(query, QUERY, reason=one.reason))


def _suite(one: ReasonCount) -> str:
    return f"{one.suite}@{one.suite_version}"


def _newest_cell(one: ReasonCount) -> Cell:
    name = one.task.rpartition("/")[2]
    return Cell(name, one.task, page_url("result", one.result), printable(one.message) or NONE)
