"""How a distribution looks: the columns of the paper's Table 8, boxes with every task, curves and their tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from leaderboard.charts import Chart, GivenBox, GivenCurve, boxes, curves
from leaderboard.formatting import NBSP, NONE, percent, significant
from leaderboard.pages.base import entry_name, page_url, ranked_name, why_unranked
from leaderboard.pages.board.cells import ratio_interval
from leaderboard.statistics.spread import QUANTILES, Curve, Distribution, Quantile
from leaderboard.statistics.spreads import ClockName, Spread
from leaderboard.tables import Cell, Column, Table, table

if TYPE_CHECKING:
    from leaderboard.pages.distribution.page import EntrySpread

CLOCKS = {"t_dev": "on t_dev", "paper": "on the paper's clock"}
HEADINGS = {"p25": "P25", "median": "Median", "p75": "P75", "p90": "P90"}
MOST_CURVES = 8  # that can be told apart by colour and dashes
OTHERS = "The filter brings others, and the tables have all, with their bands."
BANDS = "With one or two entries, bands show 95 % of all resamples of the tasks; the tables have them for all."


def charts(entries: Sequence[EntrySpread], tasks: Sequence[str], clock: ClockName) -> dict[str, Chart]:
    known = [(entry, entry.spread) for entry in entries if entry.spread is not None]
    if not known:
        return {}
    drawn = known[:MOST_CURVES]
    note = BANDS if len(drawn) == len(known) else f"The first {len(drawn)} of {len(known)}. {OTHERS}"
    axis = f"speedup {CLOCKS[clock]}"
    fast = curves(
        "fast_p",
        "fast_p",
        "For every speedup p, the share of all answers that are right and at least p times as fast as the baseline.",
        (f"p: {axis}", "share of answers"),
        [_given(entry, spread.fast_p) for entry, spread in drawn],
        note,
    )
    most = curves(
        "function",
        "Distribution function",
        "For every speedup, the share of tasks whose mean over runs is no larger; failures count as 0.",
        (axis, "share of tasks"),
        [_given(entry, spread.share_at_most) for entry, spread in drawn],
        note,
    )
    box = boxes(
        "boxes",
        "Quartiles and tasks",
        "For every entry a box from the lower to the upper quartile of its tasks' speedups, with the median and a dot "
        "for each task.",
        axis,
        [_box(entry, spread, tasks) for entry, spread in known],
    )
    return {chart.slug: chart for chart in (box, fast, most)}


def tables(entries: Sequence[EntrySpread], refused: str | None) -> list[Table]:
    return [
        _quantiles(entries, refused),
        _curve_table("fast_p", "fast_p: share of answers right and at least so fast", entries, _fast_p),
        _curve_table("function", "Share of tasks whose speedup is no larger", entries, _share_at_most),
    ]


def _fast_p(spread: Spread) -> Curve:
    return spread.fast_p


def _share_at_most(spread: Spread) -> Curve:
    return spread.share_at_most


def _given(entry: EntrySpread, curve: Curve) -> GivenCurve:
    return GivenCurve(entry_name(entry.agent, entry.model), curve.points, curve.shares, curve.low, curve.high)


def _box(entry: EntrySpread, spread: Spread, tasks: Sequence[str]) -> GivenBox:
    found = spread.distribution
    text = (
        f"median {significant(found.median.value)}×, middle half from {significant(found.p25.value)} to "
        f"{significant(found.p75.value)}×"
    )
    values = tuple(zip(spread.speedups, tasks, strict=True))
    name, aside = ranked_name(entry.rank, entry.agent, entry.model), why_unranked(entry.rank, entry.role)
    return GivenBox(name, aside, values, found.p25.value, found.median.value, found.p75.value, text)


def _quantiles(entries: Sequence[EntrySpread], refused: str | None) -> Table:
    columns = (
        Column("name", "Entry"),
        Column("configuration", "Configuration", on_page=False),
        Column("task_sd", "Task Std", is_number=True, metric="distribution"),
        *(Column(name, label, is_number=True, metric="distribution") for name, label in HEADINGS.items()),
        *(Column(f"{name}_{end}", "", on_page=False) for name in QUANTILES for end in ("low", "high")),
        Column("smallest", "Smallest", is_number=True),
        Column("largest", "Largest", is_number=True),
        Column("tasks", "Tasks", on_page=False),
        Column("method", "Method", on_page=False),
        Column("refused", "Why not", on_page=False),
    )
    caption = "Spread of the tasks' run means, with the columns of the paper's Table 8 and 95 % intervals"
    empty = refused or "No entry matches, or no run is published yet."
    return table("quantiles", caption, columns, [_quantile_row(entry) for entry in entries], empty)


def _quantile_row(entry: EntrySpread) -> tuple[Cell, ...]:
    url = page_url("configuration", entry.configuration)
    shown = ranked_name(entry.rank, entry.agent, entry.model)
    name = Cell(shown, entry_name(entry.agent, entry.model), url, entry.refused or "")
    head = (name, Cell(entry.configuration, entry.configuration))
    if entry.spread is None:
        nothing = (Cell(NONE),) * (1 + len(QUANTILES) * 3 + 4)
        return (*head, *nothing, Cell("", entry.refused))
    found = entry.spread.distribution
    quantiles = [_quantile(found, name) for name in QUANTILES]
    ends = [
        end for one in quantiles for end in ((one.interval.low, one.interval.high) if one.interval else (None,) * 2)
    ]
    return (
        *head,
        Cell(significant(found.task_sd) if found.task_sd is not None else NONE, found.task_sd),
        *(_quantile_cell(one) for one in quantiles),
        *(Cell("", end) for end in ends),
        _times_cell(found.smallest),
        _times_cell(found.largest),
        Cell("", found.tasks),
        Cell("", found.method),
        Cell("", None),
    )


def _quantile(found: Distribution, name: str) -> Quantile:
    quantile: Quantile = getattr(found, name)
    return quantile


def _quantile_cell(found: Quantile) -> Cell:
    note = ratio_interval(found.interval) if found.interval else ""
    return Cell(f"{significant(found.value)}×", found.value, note=note)


def _times_cell(value: float) -> Cell:
    return Cell(f"{significant(value)}×", value, note="failed" if value == 0 else "")


def _curve_table(slug: str, caption: str, entries: Sequence[EntrySpread], curve_of: Callable[[Spread], Curve]) -> Table:
    """Points down, entries across, with the ends of each band in CSV."""
    known = [(entry, curve_of(entry.spread)) for entry in entries if entry.spread is not None]
    columns = [Column("speedup", "Speedup", is_number=True)]
    for entry, _ in known:
        columns.append(Column(entry.configuration, entry_name(entry.agent, entry.model), is_number=True))
        columns += [Column(f"{entry.configuration}_{end}", "", on_page=False) for end in ("low", "high")]
    points = known[0][1].points if known else ()
    rows = [_curve_row(point, index, [curve for _, curve in known]) for index, point in enumerate(points)]
    return table(slug, caption, tuple(columns), rows, "There is no curve: see above.")


def _curve_row(point: float, index: int, found: Sequence[Curve]) -> tuple[Cell, ...]:
    cells = [Cell(f"{point:g}×", point)]
    for curve in found:
        low, high = (curve.low[index], curve.high[index]) if curve.low and curve.high else (None, None)
        note = (
            f"{percent(low)} to {percent(high)}".replace(f"{NBSP}% to", " to")
            if low is not None and high is not None
            else ""
        )
        cells += [Cell(percent(curve.shares[index]), curve.shares[index], note=note), Cell("", low), Cell("", high)]
    return tuple(cells)
