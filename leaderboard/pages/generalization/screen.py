"""The tables of a generalization page with a line for each entry: what its drawings show, and more in CSV."""

from __future__ import annotations

import math
from collections.abc import Sequence

from leaderboard.formatting import NONE, interval, plural, rate, times
from leaderboard.pages.base import count_cell, entry_cells, page_url, top_task_cells
from leaderboard.pages.generalization.facts import SuiteCounts, UnseenEntry
from leaderboard.statistics.generalization import Conditional, Measures, Quadrants, Transfer
from leaderboard.tables import Cell, Column, RowGroup, Table, Value
from leaderboard.words import CONFIG_CATEGORIES, QUADRANTS

NO_RUN = "No run with this round is published on this board yet. Publish one in the admin, and it stands here."
_COUNTS = tuple(name for name in QUADRANTS if name != "evaluation_error")
_ENDS = ("count", "of", "tasks", "low", "high")
_ENTRY = (Column("entry", "Entry"), Column("configuration", "Configuration", on_page=False))
_QUADRANT_COLUMNS = tuple(
    Column(name, QUADRANTS[name].label.capitalize(), is_number=True, metric="quadrant") for name in _COUNTS
)


def entries_tables(entries: Sequence[UnseenEntry]) -> tuple[Table, ...]:
    return _quadrants_table(entries), _speeds_table(entries), _categories_table(entries), _runs_table(entries)


def counts_table(counts: Sequence[SuiteCounts]) -> Table:
    columns = (
        *_ENTRY,
        *_rate_columns("conditional", "Conditional correctness", metric="conditional"),
        *_rate_columns("retention", "Retention", metric="retention"),
        *_QUADRANT_COLUMNS,
        Column("refused", "Why there are none", on_page=False),
    )
    rows = [
        (
            *entry_cells(one.name, one.configuration, one.refused or ""),
            *_rate_cells(one.conditional),
            *_rate_cells(one.retention),
            *_quadrant_counts(one.paper),
            Cell("", one.refused),
        )
        for one in counts
    ]
    caption = "Counts over the whole suite. A side is right on a task if it is on all of its unseen cases"
    return Table("quadrants", caption, columns, _grouped(counts, rows), NO_RUN)


def _quadrants_table(entries: Sequence[UnseenEntry]) -> Table:
    strict = [f"strict_{name}" for name in _COUNTS]
    columns = (
        *_ENTRY,
        *_rate_columns("conditional", "Conditional correctness", metric="conditional"),
        *_rate_columns("retention", "Retention", metric="retention"),
        *_QUADRANT_COLUMNS,
        *(
            Column(name, "Strictly regressed", is_number=True, on_page=name.endswith("regression"), metric="quadrant")
            for name in strict
        ),
        Column("without_verdict", "No verdict", is_number=True),
        *(Column(f"conditional_{end}", "", on_page=False) for end in ("worst", "best")),
    )
    rows = [(*_who(entry), *_quadrant_cells(entry.measures.pooled)) for entry in entries]
    caption = (
        "Answers by quadrant. A side is right on a task if it is on all of its unseen cases; strictly regressed is one "
        "that breaks a single case which the baseline gets right"
    )
    return Table("quadrants", caption, columns, _grouped(entries, rows), NO_RUN)


def _quadrant_cells(found: Measures) -> tuple[Cell, ...]:
    return (
        *_rate_cells(found.conditional),
        *_rate_cells(found.retention),
        *_quadrant_counts(found.paper),
        *_quadrant_counts(found.strict),
        count_cell(found.paper.without_verdict),
        Cell("", found.conditional.worst),
        Cell("", found.conditional.best),
    )


def _speeds_table(entries: Sequence[UnseenEntry]) -> Table:
    """Gaps and transfer ratio are for CSV: a mean says little beside its tasks (decision 24)."""
    columns = (
        *_ENTRY,
        Column("tasks", "Tasks", is_number=True),
        *(column for side in ("seen", "unseen") for column in _side_columns(side)),
        *(Column(name, "", on_page=False) for name in _GAPS),
    )
    rows = [
        (*_who(entry, entry.measures.pooled.transfer.refused or ""), *_speed_cells(entry.measures.pooled.transfer))
        for entry in entries
    ]
    caption = (
        "Mean speedup on seen and on unseen cases: eligible ones, of tasks on which both sides are right on every "
        "unseen case"
    )
    return Table("speeds", caption, columns, _grouped(entries, rows), NO_RUN)


def _side_columns(side: str) -> tuple[Column, ...]:
    return (
        Column(side, side.capitalize(), is_number=True, metric="gap"),
        Column(f"{side}_top_share", "Top task's part", is_number=True, metric="gap"),
        Column(f"{side}_top_task", "", on_page=False),
    )


_GAPS = ("gap", "absolute_gap", "transfer_ratio", "transfer_low", "transfer_high", "refused")


def _speed_cells(found: Transfer) -> tuple[Cell, ...]:
    ends = (found.interval.low, found.interval.high) if found.interval else (None, None)
    values: tuple[Value, ...] = (found.gap, found.absolute_gap, found.ratio, *ends, found.refused)
    return (
        count_cell(found.tasks),
        _speed_cell(found.seen),
        *top_task_cells(found.seen_top),
        _speed_cell(found.unseen),
        *top_task_cells(found.unseen_top),
        *(Cell("", value) for value in values),
    )


def _categories_table(entries: Sequence[UnseenEntry]) -> Table:
    columns = (
        *_ENTRY,
        *(column for name, label in CONFIG_CATEGORIES.items() for column in _rate_columns(name, label.capitalize())),
        *_rate_columns("all", "All cases", metric="conditional"),
    )
    rows = [
        (
            *_who(entry),
            *(cell for one in entry.measures.pooled.categories for cell in _rate_cells(one.conditional, tasks=True)),
            *_rate_cells(entry.measures.pooled.cases, tasks=True),
        )
        for entry in entries
    ]
    caption = "Of the unseen cases on which the baseline is right, those on which the candidate is too"
    return Table("categories", caption, columns, _grouped(entries, rows), NO_RUN)


def _runs_table(entries: Sequence[UnseenEntry]) -> Table:
    """Each run by itself, then the mean of an entry's runs."""
    columns = (
        Column("run", "Run", is_number=True),
        *_ENTRY,
        *_rate_columns("conditional", "Conditional correctness", metric="conditional"),
        *_rate_columns("retention", "Retention", metric="retention"),
        *_QUADRANT_COLUMNS,
        Column("gap", "", on_page=False),
        Column("absolute_gap", "", on_page=False),
    )
    groups = tuple(
        RowGroup(
            tuple(_run_cells(entry, one.run, one.measures) for one in entry.measures.runs),
            entry.name,
            _averaged(entry),
        )
        for entry in entries
    )
    return Table("runs", "Each run by itself", columns, groups, NO_RUN)


def _run_cells(entry: UnseenEntry, run: int, found: Measures) -> tuple[Cell, ...]:
    return (
        Cell(str(run), run, page_url("run", run)),
        *_who(entry),
        *_rate_cells(found.conditional),
        *_rate_cells(found.retention),
        *_quadrant_counts(found.paper),
        Cell("", found.transfer.gap),
        Cell("", found.transfer.absolute_gap),
    )


def _averaged(entry: UnseenEntry) -> str:
    means = entry.measures.run_averaged
    if len(entry.runs) < 2 or means.conditional is None:
        return ""
    retention = f", retention {means.retention:.1%}" if means.retention is not None else ""
    return f"mean of {plural(len(entry.runs), 'run')}: conditional correctness {means.conditional:.1%}{retention}"


def _grouped(
    who: Sequence[UnseenEntry] | Sequence[SuiteCounts], rows: Sequence[tuple[Cell, ...]]
) -> tuple[RowGroup[tuple[Cell, ...]], ...]:
    """Reference lines in a group of their own."""
    is_entry = [one.role == "entry" for one in who]
    lines = tuple(row for row, one in zip(rows, is_entry, strict=True) if not one)
    return (
        RowGroup(tuple(row for row, one in zip(rows, is_entry, strict=True) if one)),
        RowGroup(lines, "Reference lines", "", "reference"),
    )


def _who(entry: UnseenEntry, note: str = "") -> tuple[Cell, ...]:
    return entry_cells(entry.name, entry.configuration, note)


def _rate_columns(key: str, label: str, metric: str = "") -> tuple[Column, ...]:
    return (
        Column(key, label, is_number=True, metric=metric),
        *(Column(f"{key}_{end}", "", on_page=False) for end in _ENDS),
    )


def _rate_cells(found: Conditional | None, *, tasks: bool = False) -> tuple[Cell, ...]:
    """The rate with its interval, or with how many tasks it is from; behind it the numbers for CSV."""
    if found is None:
        return (Cell(NONE), *(Cell("") for _ in _ENDS))
    low, high = (found.interval.low, found.interval.high) if found.interval else (None, None)
    note = f"95 %: {interval(low, high)}" if low is not None and high is not None else ""
    note = plural(found.tasks, "task") if tasks else note
    shown = Cell(rate(found.count, found.of), found.share, note=note) if found.of else Cell(NONE)
    return (shown, *(Cell("", value) for value in (found.count, found.of, found.tasks, low, high)))


def _quadrant_counts(found: Quadrants | None) -> tuple[Cell, ...]:
    return tuple(Cell(NONE) if found is None else count_cell(getattr(found, name)) for name in _COUNTS)


def _speed_cell(value: float | None) -> Cell:
    return Cell(NONE) if value is None else Cell(times(math.log(value)), value)
