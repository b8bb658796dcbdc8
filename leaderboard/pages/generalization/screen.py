"""The tables of a generalization page: entries with their rates, speeds and runs; each task's quadrant; regressions."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import TypeVar

from leaderboard.formatting import NONE, interval, listed, plural, rate, times
from leaderboard.pages.base import count_cell, entry_fields, entry_name, page_url, task_cell, task_url, top_task_fields
from leaderboard.pages.generalization.facts import Regression, SuiteCounts, UnseenEntry, UnseenResult
from leaderboard.queries.boards import TaskRow
from leaderboard.statistics.generalization import Conditional, Quadrants, RunMeasures, Transfer
from leaderboard.statistics.top_task import TopTask
from leaderboard.tables import Cell, Field, Row, RowGroup, Table, Value, fields, grouped, hidden, table, text_field
from leaderboard.words import CONFIG_CATEGORIES, QUADRANTS

NO_RUN = "No run of this round is published on this leaderboard yet."
MOST_REGRESSIONS = 50  # on the page; all of them are in CSV and JSON
_COUNTS = tuple(name for name in QUADRANTS if name != "evaluation_error")
_Who = TypeVar("_Who", UnseenEntry, SuiteCounts)


def entries_tables(entries: Sequence[UnseenEntry]) -> tuple[Table, ...]:
    return _quadrants_table(entries), _speeds_table(entries), _categories_table(entries), _runs_table(entries)


def counts_table(counts: Sequence[SuiteCounts]) -> Table:
    columns: tuple[Field[SuiteCounts], ...] = fields(
        entry_fields(lambda one: one.name, lambda one: one.configuration, lambda one: one.refused or "", key="entry"),
        _rate_fields("conditional", "Conditional correctness", lambda one: one.conditional, metric="conditional"),
        _rate_fields("retention", "Retention", lambda one: one.retention, metric="retention"),
        _quadrant_fields(lambda one: one.paper),
        hidden("refused", lambda one: one.refused),
    )
    caption = "Counts over the whole suite. A side is correct on a task if it is correct on all of its unseen cases"
    return grouped("quadrants", caption, columns, _by_role(counts), NO_RUN)


def results_table(entries: Sequence[UnseenEntry], tasks: Sequence[TaskRow], results: Sequence[UnseenResult]) -> Table:
    """Quadrants with one row for each task and one column for each entry."""
    found: dict[tuple[str, str], list[UnseenResult]] = defaultdict(list)
    for result in results:
        found[result.task, result.configuration].append(result)
    columns: tuple[Field[TaskRow], ...] = fields(
        Field("task", "Task", lambda task: Cell(task.name, task.path, task_url(task.path), task.category)),
        (_results_field(entry, found) for entry in entries),
    )
    caption = "Quadrant of each task, with its speedup on seen → unseen cases where it counts"
    return table("results", caption, columns, tasks if entries else (), "No results yet.")


def regressions_table(found: Sequence[Regression]) -> Table:
    columns: tuple[Field[Regression], ...] = (
        Field("task", "Task", lambda one: task_cell(one.task)),
        text_field("entry", "Entry", lambda one: entry_name(one.agent, one.model)),
        hidden("configuration", lambda one: one.configuration),
        Field("category", "Kind of case", lambda one: Cell(CONFIG_CATEGORIES[one.category], one.category)),
        Field("case", "Case", lambda one: Cell(one.case.replace(",", ", "), one.case), is_code=True),
        hidden("reason", lambda one: one.reason),
        Field(
            "message",
            "What went wrong",
            lambda one: Cell(one.message or NONE, one.message, note=one.reason.replace("_", " ")),
        ),
        Field(
            "result",
            "Result",
            lambda one: Cell(str(one.result), one.result, page_url("result", one.result)),
            is_number=True,
        ),
    )
    caption = "Regressions: unseen cases on which the baseline is correct and the candidate is not"
    empty = "No regressions: no candidate failed an unseen case on which its baseline is correct."
    return table("regressions", caption, columns, found, empty)


def _quadrants_table(entries: Sequence[UnseenEntry]) -> Table:
    columns: tuple[Field[UnseenEntry], ...] = fields(
        entry_fields(lambda entry: entry.name, lambda entry: entry.configuration, key="entry"),
        _rate_fields(
            "conditional",
            "Conditional correctness",
            lambda entry: entry.measures.pooled.conditional,
            metric="conditional",
        ),
        _rate_fields("retention", "Retention", lambda entry: entry.measures.pooled.retention, metric="retention"),
        _quadrant_fields(lambda entry: entry.measures.pooled.paper),
        (_strict_field(name) for name in _COUNTS),
        Field(
            "without_verdict",
            "No verdict",
            lambda entry: count_cell(entry.measures.pooled.paper.without_verdict),
            is_number=True,
        ),
        hidden("conditional_worst", lambda entry: entry.measures.pooled.conditional.worst),
        hidden("conditional_best", lambda entry: entry.measures.pooled.conditional.best),
    )
    caption = (
        "Results by quadrant. A side is correct on a task if it is correct on all of its unseen cases. A result is a "
        "strict regression if the candidate fails a single case on which the baseline is correct"
    )
    return grouped("quadrants", caption, columns, _by_role(entries), NO_RUN)


def _strict_field(name: str) -> Field[UnseenEntry]:
    return Field(
        f"strict_{name}",
        "Strict regression",
        lambda entry: count_cell(getattr(entry.measures.pooled.strict, name)),
        is_number=True,
        on_page=name == "opt_regression",
        metric="quadrant",
    )


def _speeds_table(entries: Sequence[UnseenEntry]) -> Table:
    """Mean speedups. Gaps and transfer ratio are for CSV and JSON only: a mean alone says little (decision 24)."""
    columns: tuple[Field[UnseenEntry], ...] = fields(
        entry_fields(
            lambda entry: entry.name,
            lambda entry: entry.configuration,
            lambda entry: entry.measures.pooled.transfer.refused or "",
            key="entry",
        ),
        Field("tasks", "Tasks", lambda entry: count_cell(entry.measures.pooled.transfer.tasks), is_number=True),
        _side_fields("seen", "Seen", lambda found: found.seen, lambda found: found.seen_top),
        _side_fields("unseen", "Unseen", lambda found: found.unseen, lambda found: found.unseen_top),
        hidden("gap", _of_transfer(lambda found: found.gap)),
        hidden("absolute_gap", _of_transfer(lambda found: found.absolute_gap)),
        hidden("transfer_ratio", _of_transfer(lambda found: found.ratio)),
        hidden("transfer_low", _of_transfer(lambda found: found.interval.low if found.interval else None)),
        hidden("transfer_high", _of_transfer(lambda found: found.interval.high if found.interval else None)),
        hidden("refused", _of_transfer(lambda found: found.refused)),
    )
    caption = (
        "Mean speedup on seen and on unseen cases: eligible cases of tasks on which both sides are correct on every "
        "unseen case"
    )
    return grouped("speeds", caption, columns, _by_role(entries), NO_RUN)


def _of_transfer(read: Callable[[Transfer], Value]) -> Callable[[UnseenEntry], Value]:
    return lambda entry: read(entry.measures.pooled.transfer)


def _side_fields(
    side: str, label: str, read: Callable[[Transfer], float | None], top: Callable[[Transfer], TopTask | None]
) -> tuple[Field[UnseenEntry], ...]:
    """A mean speedup, and the task that adds most to it."""

    def cell(entry: UnseenEntry) -> Cell:
        value = read(entry.measures.pooled.transfer)
        return Cell(NONE) if value is None else Cell(times(math.log(value)), value)

    return fields(
        Field(side, label, cell, is_number=True, metric="gap"),
        top_task_fields(side, lambda entry: top(entry.measures.pooled.transfer), metric="gap"),
    )


def _categories_table(entries: Sequence[UnseenEntry]) -> Table:
    columns: tuple[Field[UnseenEntry], ...] = fields(
        entry_fields(lambda entry: entry.name, lambda entry: entry.configuration, key="entry"),
        (
            field
            for at, (name, label) in enumerate(CONFIG_CATEGORIES.items())
            for field in _category_fields(at, name, label.capitalize())
        ),
        _rate_fields(
            "all", "All cases", lambda entry: entry.measures.pooled.cases, metric="conditional", has_tasks=True
        ),
    )
    caption = "Of the unseen cases on which the baseline is correct, the share on which the candidate is too"
    return grouped("categories", caption, columns, _by_role(entries), NO_RUN)


def _category_fields(at: int, name: str, label: str) -> tuple[Field[UnseenEntry], ...]:
    return _rate_fields(name, label, lambda entry: entry.measures.pooled.categories[at].conditional, has_tasks=True)


def _runs_table(entries: Sequence[UnseenEntry]) -> Table:
    """Measures of each run, with the mean of an entry's runs in its heading."""
    columns: tuple[Field[tuple[UnseenEntry, RunMeasures]], ...] = fields(
        Field("run", "Run", lambda row: Cell(str(row[1].run), row[1].run, page_url("run", row[1].run)), is_number=True),
        entry_fields(lambda row: row[0].name, lambda row: row[0].configuration, key="entry"),
        _rate_fields(
            "conditional", "Conditional correctness", lambda row: row[1].measures.conditional, metric="conditional"
        ),
        _rate_fields("retention", "Retention", lambda row: row[1].measures.retention, metric="retention"),
        _quadrant_fields(lambda row: row[1].measures.paper),
        hidden("gap", lambda row: row[1].measures.transfer.gap),
        hidden("absolute_gap", lambda row: row[1].measures.transfer.absolute_gap),
    )
    groups = (
        RowGroup(tuple((entry, run) for run in entry.measures.runs), entry.name, _averaged(entry)) for entry in entries
    )
    return grouped("runs", "Measures of each run", columns, groups, NO_RUN)


def _averaged(entry: UnseenEntry) -> str:
    means = entry.measures.run_averaged
    if len(entry.runs) < 2 or means.conditional is None:
        return ""
    retention = f", retention {means.retention:.1%}" if means.retention is not None else ""
    return f"mean of {plural(len(entry.runs), 'run')}: conditional correctness {means.conditional:.1%}{retention}"


def _by_role(found: Sequence[_Who]) -> tuple[RowGroup[_Who], RowGroup[_Who]]:
    """One group of entries, and one of reference lines."""
    return (
        RowGroup(tuple(one for one in found if one.role == "entry")),
        RowGroup(tuple(one for one in found if one.role != "entry"), "Reference lines", "", "reference"),
    )


def _rate_fields(
    key: str, label: str, read: Callable[[Row], Conditional | None], *, metric: str = "", has_tasks: bool = False
) -> tuple[Field[Row], ...]:
    """A rate with its interval, or with its number of tasks, and hidden fields with the numbers behind it."""

    def cell(row: Row) -> Cell:
        found = read(row)
        if found is None or not found.of:
            return Cell(NONE)
        note = f"95 %: {interval(found.interval.low, found.interval.high)}" if found.interval else ""
        return Cell(rate(found.count, found.of), found.share, note=plural(found.tasks, "task") if has_tasks else note)

    def of(read_part: Callable[[Conditional], Value]) -> Callable[[Row], Value]:
        return lambda row: read_part(found) if (found := read(row)) else None

    return (
        Field(key, label, cell, is_number=True, metric=metric),
        hidden(f"{key}_count", of(lambda found: found.count)),
        hidden(f"{key}_of", of(lambda found: found.of)),
        hidden(f"{key}_tasks", of(lambda found: found.tasks)),
        hidden(f"{key}_low", of(lambda found: found.interval.low if found.interval else None)),
        hidden(f"{key}_high", of(lambda found: found.interval.high if found.interval else None)),
    )


def _quadrant_fields(read: Callable[[Row], Quadrants | None]) -> tuple[Field[Row], ...]:
    return tuple(_quadrant_field(name, read) for name in _COUNTS)


def _quadrant_field(name: str, read: Callable[[Row], Quadrants | None]) -> Field[Row]:
    def cell(row: Row) -> Cell:
        return Cell(NONE) if (found := read(row)) is None else count_cell(getattr(found, name))

    return Field(name, QUADRANTS[name].label.capitalize(), cell, is_number=True, metric="quadrant")


def _results_field(entry: UnseenEntry, found: dict[tuple[str, str], list[UnseenResult]]) -> Field[TaskRow]:
    return Field(
        entry.configuration,
        entry.name,
        lambda task: _results_cell(found.get((task.path, entry.configuration), ())),
    )


def _results_cell(results: Sequence[UnseenResult]) -> Cell:
    names = [result.paper or "evaluation_error" for result in results]
    worst = next((name for name in ("opt_regression", "evaluation_error") if name in names), names[0] if names else "")
    if not worst:
        return Cell(NONE)
    word = QUADRANTS[worst]
    counted = Counter(names).most_common()
    text = word.label if len(names) == 1 else listed(f"{count} {QUADRANTS[name].label}" for name, count in counted)
    example = next(result for result, name in zip(results, names, strict=True) if name == worst)
    return Cell(text, text, page_url("result", example.result), _results_note(results), word.tone, word.mark)


def _results_note(results: Sequence[UnseenResult]) -> str:
    """Mean speedups, the same as the small mark in the chart; otherwise the reason why a result does not count."""
    pairs = [(one.seen, one.unseen) for one in results if one.paper == "both_pass" and one.seen and one.unseen]
    if pairs:
        seen, unseen = (sum(side) / len(side) for side in zip(*pairs, strict=True))
        return f"{times(math.log(seen))} → {times(math.log(unseen))}"
    return next((one.obstacle for one in results if one.obstacle), "")
