"""The tables and charts of a distribution: the columns of the paper's Table 8, box plots, curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from leaderboard.charts import Chart, GivenBox, GivenCurve, boxes, curves
from leaderboard.formatting import NBSP, NONE, percent, significant
from leaderboard.pages.base import entry_name, page_url, ranked_name, unranked_note, with_note
from leaderboard.pages.board.cells import ratio_interval
from leaderboard.pages.distribution.facts import EntrySpread
from leaderboard.statistics import Interval
from leaderboard.statistics.spread import QUANTILES, ClockName, Curve, Distribution, Quantile, Spread
from leaderboard.tables import Cell, Field, Table, fields, hidden, table

CLOCKS = {"t_dev": "on t_dev", "paper": "on the paper's clock"}
HEADINGS = {"p25": "P25", "median": "Median", "p75": "P75", "p90": "P90"}
MOST_CURVES = 8  # as many as can be distinguished by colour and dashes
OTHERS = "Use the filter to see others. The tables have all entries, with their bands."
BANDS = "With one or two entries, the bands are 95 % bootstrap bands over tasks. The tables have them for all entries."


def charts(entries: Sequence[EntrySpread], tasks: Sequence[str], clock: ClockName) -> dict[str, Chart]:
    known = [(entry, entry.spread) for entry in entries if entry.spread is not None]
    if not known:
        return {}
    drawn = known[:MOST_CURVES]
    note = BANDS if len(drawn) == len(known) else f"The first {len(drawn)} of {len(known)}. {OTHERS}"
    axis = f"speedup over the baseline {CLOCKS[clock]}"
    fast = curves(
        "fast_p",
        "fast_p",
        "For every speedup p, the share of all results that are correct and at least p times as fast as the baseline.",
        (f"p: {axis}", "share of results"),
        [_given(entry, spread.fast_p) for entry, spread in drawn],
        note,
    )
    most = curves(
        "function",
        "Distribution function",
        "For every speedup, the share of tasks whose mean over runs is at most that. Failures count as 0.",
        (axis, "share of tasks"),
        [_given(entry, spread.share_at_most) for entry, spread in drawn],
        note,
    )
    box = boxes(
        "boxes",
        "Quartiles and tasks",
        "For every entry, a box from the lower to the upper quartile of its tasks' speedups, with the median and a dot "
        "for each task.",
        axis,
        [_box(entry, spread, tasks) for entry, spread in known],
    )
    return {chart.slug: chart for chart in (box, fast, most)}


def tables(entries: Sequence[EntrySpread], refused: str | None) -> list[Table]:
    known = [(entry, entry.spread) for entry in entries if entry.spread is not None]
    fast = [(entry, spread.fast_p) for entry, spread in known]
    most = [(entry, spread.share_at_most) for entry, spread in known]
    return [
        _quantiles_table(entries, refused),
        _curves_table("fast_p", "fast_p: share of results that are correct and at least that fast", fast),
        _curves_table("function", "Distribution function: share of tasks with at most that speedup", most),
    ]


def _given(entry: EntrySpread, curve: Curve) -> GivenCurve:
    label = with_note(entry_name(entry.agent, entry.model), unranked_note(entry.rank, entry.role))
    return GivenCurve(label, curve.points, curve.shares, curve.low, curve.high)


def _box(entry: EntrySpread, spread: Spread, tasks: Sequence[str]) -> GivenBox:
    found = spread.distribution
    text = (
        f"median {significant(found.median.value)}×, middle half from {significant(found.p25.value)} to "
        f"{significant(found.p75.value)}×"
    )
    values = tuple(zip(spread.speedups, tasks, strict=True))
    name, aside = ranked_name(entry.rank, entry.agent, entry.model), unranked_note(entry.rank, entry.role)
    return GivenBox(name, aside, values, found.p25.value, found.median.value, found.p75.value, text)


def _quantiles_table(entries: Sequence[EntrySpread], refused: str | None) -> Table:
    columns: tuple[Field[EntrySpread], ...] = fields(
        Field("name", "Entry", _name_cell),
        hidden("configuration", lambda entry: entry.configuration),
        Field("task_sd", "Task Std", _deviation_cell, is_number=True, metric="distribution"),
        (_quantile_field(name, label) for name, label in HEADINGS.items()),
        (end for name in QUANTILES for end in _quantile_ends(name)),
        Field("smallest", "Smallest", _of(lambda found: _times_cell(found.smallest)), is_number=True),
        Field("largest", "Largest", _of(lambda found: _times_cell(found.largest)), is_number=True),
        hidden("tasks", lambda entry: entry.spread.distribution.tasks if entry.spread else None),
        hidden("method", lambda entry: entry.spread.distribution.method if entry.spread else None),
        hidden("refused", lambda entry: entry.refused),
    )
    caption = (
        "Quantiles of the tasks' mean speedups over runs, as in the paper's Table 8, with 95 % confidence intervals"
    )
    empty = refused or "No entry matches, or no run is published yet. Remove a filter."
    return table("quantiles", caption, columns, entries, empty)


def _of(cell: Callable[[Distribution], Cell]) -> Callable[[EntrySpread], Cell]:
    """A cell of an entry's distribution, or a dash where it has none."""
    return lambda entry: cell(entry.spread.distribution) if entry.spread else Cell(NONE)


def _name_cell(entry: EntrySpread) -> Cell:
    url = page_url("configuration", entry.configuration)
    shown = ranked_name(entry.rank, entry.agent, entry.model)
    return Cell(shown, entry_name(entry.agent, entry.model), url, entry.refused or "")


def _quantile(found: Distribution, name: str) -> Quantile:
    quantile: Quantile = getattr(found, name)
    return quantile


def _quantile_field(name: str, label: str) -> Field[EntrySpread]:
    def cell(found: Distribution) -> Cell:
        quantile = _quantile(found, name)
        note = ratio_interval(quantile.interval) if quantile.interval else ""
        return Cell(f"{significant(quantile.value)}×", quantile.value, note=note)

    return Field(name, label, _of(cell), is_number=True, metric="distribution")


def _quantile_ends(name: str) -> tuple[Field[EntrySpread], ...]:
    """Hidden fields with the ends of a quantile's interval."""

    def interval(entry: EntrySpread) -> Interval | None:
        return _quantile(entry.spread.distribution, name).interval if entry.spread else None

    return (
        hidden(f"{name}_low", lambda entry: found.low if (found := interval(entry)) else None),
        hidden(f"{name}_high", lambda entry: found.high if (found := interval(entry)) else None),
    )


def _deviation_cell(entry: EntrySpread) -> Cell:
    if entry.spread is None or (deviation := entry.spread.distribution.task_sd) is None:
        return Cell(NONE)
    return Cell(significant(deviation), deviation)


def _times_cell(value: float) -> Cell:
    return Cell(f"{significant(value)}×", value, note="failed" if value == 0 else "")


def _curves_table(slug: str, caption: str, known: Sequence[tuple[EntrySpread, Curve]]) -> Table:
    """Curves with one row for each point and one column for each entry; all curves have the same points."""
    points = known[0][1].points if known else ()
    columns: tuple[Field[int], ...] = fields(
        Field("speedup", "Speedup", lambda at: Cell(f"{points[at]:g}×", points[at]), is_number=True),
        (field for entry, curve in known for field in _curve_fields(entry, curve)),
    )
    return table(slug, caption, columns, range(len(points)), "There are no curves; the notice above says why.")


def _curve_fields(entry: EntrySpread, curve: Curve) -> tuple[Field[int], ...]:
    """The share at each point, with its band. A row is the index of a point."""
    slug, low, high = entry.configuration, curve.low, curve.high

    def cell(at: int) -> Cell:
        note = f"{percent(low[at])} to {percent(high[at])}".replace(f"{NBSP}% to", " to") if low and high else ""
        return Cell(percent(curve.shares[at]), curve.shares[at], note=note)

    return (
        Field(slug, entry_name(entry.agent, entry.model), cell, is_number=True),
        hidden(f"{slug}_low", lambda at: low[at] if low else None),
        hidden(f"{slug}_high", lambda at: high[at] if high else None),
    )
