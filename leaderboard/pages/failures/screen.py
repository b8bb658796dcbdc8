"""How failures look: a matrix of statuses, a list of reasons, one of unseen cases, and a bar for each configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, islice

from leaderboard.charts import Chart, Series, stacked_bars
from leaderboard.formatting import NONE, plural, printable, rate
from leaderboard.pages.base import Query, by_slug, count_cell, entry_fields, page_url, query_string
from leaderboard.pages.failures.facts import AnswerCounts, ReasonCount, ReasonTotal, UnseenFailure
from leaderboard.tables import Cell, Field, RowGroup, Table, fields, first, hidden, table, text_field
from leaderboard.words import STATUSES, role_note, status_cell

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
    seen = {status for one in found for status in one.counts}
    columns: tuple[Field[AnswerCounts], ...] = fields(
        entry_fields(lambda one: one.name, lambda one: one.configuration, lambda one: role_note(one.role)),
        text_field("suite", "Suite", lambda one: f"{one.suite}@{one.suite_version}"),
        text_field("device_class", "Device class", lambda one: one.device_class, is_code=True),
        Field("of", "Tasks × runs", lambda one: count_cell(one.of), is_number=True),
        (_status_field(status, on_page=status in seen) for status in STATUSES if status not in ("queued", "running")),
    )
    return table("outcomes", "How the answers ended: each count leads to its newest answer", columns, found, EMPTY)


def totals_table(found: Sequence[ReasonTotal], query: Query) -> Table:
    columns: tuple[Field[ReasonTotal], ...] = (
        Field("status", "Status", lambda one: status_cell(one.status)),
        Field("reason", "Reason", lambda one: _reason_cell(one, query), is_code=True),
        Field("count", "Answers", lambda one: Cell(rate(one.count, one.of), one.count), is_number=True),
        hidden("of", lambda one: one.of),
        Field("configurations", "Configurations", lambda one: count_cell(one.configurations), is_number=True),
        Field(
            "task",
            "Newest",
            lambda one: Cell(one.task.rpartition("/")[2], one.task, page_url("result", one.result)),
        ),
        hidden("result", lambda one: one.result),
    )
    caption = "Why, over all that is shown, most frequent first: a reason leads to its own answers"
    return table("reason_totals", caption, columns, found, "No answer was turned away.")


def reasons_table(found: Sequence[ReasonCount]) -> Table:
    columns: tuple[Field[ReasonCount], ...] = fields(
        Field("status", "Status", lambda one: status_cell(one.status)),
        text_field("reason", "Reason", lambda one: one.reason, is_code=True),
        entry_fields(lambda one: one.name, lambda one: one.configuration, _suite),
        hidden("suite", _suite),
        text_field("device_class", "Device class", lambda one: one.device_class, is_code=True),
        Field("count", "Answers", lambda one: Cell(rate(one.count, one.of), one.count), is_number=True),
        hidden("of", lambda one: one.of),
        Field("task", "Newest", _newest_cell),
        hidden("result", lambda one: one.result),
    )
    order = sorted(found, key=lambda one: (one.reason, one.status, -one.result))
    caption = "For each configuration, why answers were turned away or have no verdict, the newest first"
    return table("reasons", caption, columns, order, "No answer was turned away.")


def unseen_table(found: Sequence[UnseenFailure]) -> Table:
    columns: tuple[Field[UnseenFailure], ...] = fields(
        text_field("reason", "Reason", lambda one: one.reason, is_code=True),
        entry_fields(lambda one: one.name, lambda one: one.configuration),
        text_field("round", "Round", lambda one: one.round),
        text_field("device_class", "Device class", lambda one: one.device_class, is_code=True),
        Field(
            "regressions",
            "Baseline was right",
            lambda one: Cell(rate(one.regressions, one.of), one.regressions),
            is_number=True,
        ),
        Field(
            "both_fail",
            "Baseline was wrong too",
            lambda one: Cell(rate(one.both_fail, one.of), one.both_fail),
            is_number=True,
        ),
        hidden("of", lambda one: one.of),
        Field(
            "result", "Example", lambda one: Cell(f"Result {one.result}", one.result, page_url("result", one.result))
        ),
    )
    empty = "No unseen case failed in a revealed round. Before its reveal a round shows counts over the suite only."
    return table("unseen", "On unseen cases of revealed rounds: cases by the candidate's reason", columns, found, empty)


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
    by_reason = groupby(whole.groups[0].rows, key=lambda one: one.reason)
    rows = tuple(one for _, lines in by_reason for one in islice(lines, NEWEST_OF_A_REASON))
    if len(rows) == whole.size:
        return whole
    caption = f"{whole.caption} (the newest {NEWEST_OF_A_REASON} of each reason; all {whole.size} are in the CSV)"
    return replace(whole, caption=caption, groups=(RowGroup(rows),))


def _status_field(status: str, *, on_page: bool) -> Field[AnswerCounts]:
    def cell(one: AnswerCounts) -> Cell:
        if not (count := one.counts.get(status, 0)):
            return Cell("0", 0)
        return Cell(rate(count, one.of), count, page_url("result", one.examples[status]))

    label = STATUSES[status].label
    return Field(status, label[0].upper() + label[1:], cell, is_number=True, on_page=on_page)


def _reason_cell(one: ReasonTotal, query: Query) -> Cell:
    return Cell(one.reason, one.reason, page_url("failures") + query_string(query, QUERY, reason=one.reason))


def _suite(one: ReasonCount) -> str:
    return f"{one.suite}@{one.suite_version}"


def _newest_cell(one: ReasonCount) -> Cell:
    name = one.task.rpartition("/")[2]
    return Cell(name, one.task, page_url("result", one.result), printable(one.message) or NONE)
