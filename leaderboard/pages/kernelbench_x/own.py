"""Results measured here on our tasks after KernelBench-X's: rates in two stages, and how fast correct kernels are.

Only results that may rank are judged. Where one is missing there is no rate, only counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import fsum

from leaderboard.changelog import protocol_age
from leaderboard.formatting import LEAST_FOR_PERCENT, NONE, factor, plural, rate, significant, x_of_n
from leaderboard.pages.base import (
    Link,
    count_cell,
    entry_name,
    page_url,
    protocol_parameter,
    query_string,
    short_names,
)
from leaderboard.pages.kernelbench_x.native import NativeTask
from leaderboard.pages.kernelbench_x.rates import (
    CategoryCount,
    Column,
    compiled_map,
    conversion_table,
    correct_map,
)
from leaderboard.pages.section import Section, Shown
from leaderboard.queries import kernelbench_x as queries
from leaderboard.queries.kernelbench_x import OwnRow
from leaderboard.tables import Cell, Field, Table, hidden, table, text_field
from leaderboard.words import ALL, operator_type

NO_RUNS = "No run on this suite is published yet. `manage.py run --suite kernelbench-x-native` makes one."


@dataclass(frozen=True, slots=True)
class OwnEntry:
    """A configuration on a device class under one protocol, over the whole suite."""

    configuration: str
    agent: str
    model: str | None
    device: str
    device_title: str
    is_functional: bool
    protocol: str
    runs: int
    of: int  # tasks × runs
    judged: int
    compiled: int
    correct: int
    timed: int  # correct, with a speed
    slower: int  # of these, slower than eager PyTorch
    geometric_mean_speedup: float | None  # of these
    categories: tuple[CategoryCount, ...]

    @property
    def name(self) -> str:
        return entry_name(self.agent, self.model)


def own_entries(tasks: Sequence[NativeTask]) -> tuple[OwnEntry, ...]:
    """Device classes with a clock first; on each the newest protocol, then the most correct results first."""
    sizes = Counter(one.category for one in tasks if one.is_in_suite)
    rows = queries.own_counts()
    found = [_entry(list(group), sizes) for _, group in groupby(sorted(rows, key=_key), key=_key)]
    found.sort(key=lambda one: (-one.correct, one.configuration))
    found.sort(key=lambda one: protocol_age(one.protocol), reverse=True)
    return tuple(sorted(found, key=lambda one: (one.is_functional, one.device)))


def fact(entries: Sequence[OwnEntry]) -> tuple[str, str, str]:
    configurations, devices = {one.configuration for one in entries}, {one.device for one in entries}
    on = f" on {plural(len(devices), 'device class', 'device classes')}" if devices else ""
    return ("Measured here", f"{plural(len(configurations), 'entry', 'entries')}{on}", "")


def sections(entries: Sequence[OwnEntry]) -> tuple[Section, ...]:
    """The results of all entries, then by category for the first device class: its figures share a heat map."""
    whole = Section(
        slug="measured",
        title="Measured here",
        text="Results on ArenaBoard's own tasks after the benchmark's, with the judge's inputs, reference and clock. "
        "Speeds are against eager PyTorch.",
        links=(Link("How these are counted", page_url("metrics") + "#kbx-stages"),),
        tables=(Shown(_entries_table(entries), "leaders"),),
    )
    return (whole, _by_category(entries)) if entries else (whole,)


def _by_category(entries: Sequence[OwnEntry]) -> Section:
    first = entries[0]
    shown = [one for one in entries if (one.device, one.protocol) == (first.device, first.protocol)]
    others = len({(one.device, one.protocol) for one in entries}) - 1
    note = f"{first.device_title}, {first.protocol}."
    names = short_names([(one.agent, one.model) for one in shown])
    columns = [Column(one.configuration, name, one.categories) for one, name in zip(shown, names, strict=True)]
    caption = f"Correct of compiled, {first.device_title}, {first.protocol}"
    return Section(
        slug="measured-categories",
        title="Measured here, by category",
        text=f"Results of {plural(others, 'other leaderboard')} of this suite are in this page's JSON."
        if others
        else "",
        charts=(
            compiled_map("own_compiled", "Compilation by category, measured here", columns, note),
            correct_map("own_correct", "Correctness by category, measured here", columns, note),
        ),
        tables=(Shown(conversion_table("own_conversion", caption, columns, NO_RUNS), "matrix"),),
    )


def _key(row: OwnRow) -> tuple[str, str, str]:
    return (row.configuration, row.device, row.protocol)


def _entry(rows: Sequence[OwnRow], sizes: Counter[str]) -> OwnEntry:
    first, runs = rows[0], sum(row.runs for row in rows)
    timed, logs = sum(row.timed for row in rows), fsum(row.log_speedup or 0.0 for row in rows)
    return OwnEntry(
        *first[:7],
        runs=runs,
        of=runs * sizes.total(),
        judged=sum(row.judged for row in rows),
        compiled=sum(row.compiled for row in rows),
        correct=sum(row.correct for row in rows),
        timed=timed,
        slower=sum(row.slower for row in rows),
        geometric_mean_speedup=factor(logs / timed) if timed else None,
        categories=_categories(rows, sizes, runs),
    )


def _categories(rows: Sequence[OwnRow], sizes: Counter[str], runs: int) -> tuple[CategoryCount, ...]:
    """Every category of the suite, also those of which no result is judged."""
    counts = dict.fromkeys(sizes, (0, 0, 0))
    counts |= {operator_type(row.category): (row.judged, row.compiled, row.correct) for row in rows if row.judged}
    return tuple(CategoryCount(name, size, size * runs, *counts[name]) for name, size in sorted(sizes.items()))


def _entries_table(entries: Sequence[OwnEntry]) -> Table:
    columns: tuple[Field[OwnEntry], ...] = (
        Field("entry", "Entry", lambda one: Cell(one.name, one.configuration, own_url("board", one), one.device_title)),
        hidden("device", lambda one: one.device, type="text"),
        text_field("protocol", "Protocol", lambda one: one.protocol),
        Field("runs", "Runs", lambda one: count_cell(one.runs), is_number=True),
        Field("judged", "Judged", lambda one: Cell(x_of_n(one.judged, one.of), one.judged), is_number=True),
        hidden("of", lambda one: one.of, type="integer"),
        _count_field("compiled", "Compiled", lambda one: (one.compiled, one.of)),
        _count_field("correct", "Correct", lambda one: (one.correct, one.of)),
        _count_field("correct_of_compiled", "Correct of compiled", lambda one: (one.correct, one.compiled)),
        _count_field("slower", "Slower than eager", lambda one: (one.slower, one.timed)),
        hidden("timed", lambda one: one.timed, type="integer"),
        Field("geometric", "Geometric mean", _mean_cell, is_number=True),
    )
    caption = "Entries measured here, over the whole suite; speeds are of correct kernels that have one"
    return table("own_runs", caption, columns, entries, NO_RUNS)


def own_url(route: str, one: OwnEntry) -> str:
    """Address of a page about the board that an entry is on, over all categories."""
    query = query_string({"protocol": protocol_parameter(one.protocol)}, ("protocol",))
    return page_url(route, queries.SUITE, ALL, one.device) + query


def _count_field(key: str, label: str, counts: Callable[[OwnEntry], tuple[int, int]]) -> Field[OwnEntry]:
    """x of n, with a percentage unless it may be of few tasks, each with a result of every run, or one is missing."""

    def cell(one: OwnEntry) -> Cell:
        count, of = counts(one)
        is_rate = of >= LEAST_FOR_PERCENT * one.runs and one.judged == one.of
        return Cell(rate(count, of) if is_rate else x_of_n(count, of), count)

    return Field(key, label, cell, is_number=True, metric="kbx-stages")


def _mean_cell(one: OwnEntry) -> Cell:
    value = one.geometric_mean_speedup
    return Cell(NONE) if value is None else Cell(f"{significant(value)}×", value)
