"""One entry of a board as a row of cells: in ranks, or in the paper's columns."""

from __future__ import annotations

from leaderboard.formatting import NBSP, NONE, interval, percent, rate, significant
from leaderboard.pages.base import entry_name, page_url
from leaderboard.pages.board.place import Board
from leaderboard.pages.board.standings import Entry
from leaderboard.statistics import Interval, Rate
from leaderboard.statistics.paper import RunSpread
from leaderboard.statistics.speed import Estimate, Outcomes
from leaderboard.tables import Cell

_RATES = tuple(
    f"{name}_{end}"
    for name in ("compilation", "correctness")
    for end in ("count", "of", "low", "high", "worst", "best")
)
_SPEED = (
    *("usable_speedup_low", "usable_speedup_high", "usable_speedup_runs_low", "usable_speedup_runs_high"),
    *("usable_speedup_worst", "tie", "loss", "fail", "unknown", "rank_low", "rank_high", "separable_from_first"),
)
NOT_SEPARABLE = "not separable from first"


def extra_keys(has_speed: bool) -> tuple[str, ...]:
    """What CSV has beside the columns of the page."""
    return _RATES + (_SPEED if has_speed else ())


def rank_row(entry: Entry) -> tuple[Cell, ...]:
    estimate, found = entry.usable_speedup, entry.outcomes
    return (
        _rank_cell(entry),
        _name_cell(entry),
        Cell(entry.configuration, entry.configuration),
        *((_speed_cell(estimate),) if estimate else ()),
        _rate_cell(entry.correctness),
        _rate_cell(entry.compilation),
        *((_outcomes_cell(found),) if found else ()),
        *_rate_ends(entry.compilation),
        *_rate_ends(entry.correctness),
        *(_speed_ends(entry, estimate, found) if estimate and found else ()),
        Cell(f"{entry.judged} of {entry.of}", entry.judged),
        _runs_cell(entry),
        Cell(entry.not_ranked_because or "", entry.not_ranked_because),
    )


def paper_row(board: Board, entry: Entry) -> tuple[Cell, ...]:
    paper = entry.paper
    assert paper is not None
    top = board.tasks[paper.top_task].name if paper.top_task is not None else ""
    share = paper.top_task_share
    return (
        _rank_cell(entry),
        _name_cell(entry),
        Cell(entry.configuration, entry.configuration),
        _number(paper.compilation_rate_pct, 1),
        _number(paper.correctness_rate_pct, 1),
        _spread_cell(paper.mean_speedup),
        Cell("", paper.mean_speedup.sigma_r),
        Cell(percent(share), share, note=top) if share is not None else Cell(NONE),
        _number(paper.mean_score, 1),
        _spread_cell(paper.geo_mean_speedup),
        Cell("", paper.geo_mean_speedup.sigma_r),
        Cell("", paper.geo_mean_run_averaged),
        _number(paper.fast_1_pct, 1),
        _number(paper.fast_2_pct, 1),
        _runs_cell(entry),
        Cell(entry.not_ranked_because or "", entry.not_ranked_because),
    )


def ratio_interval(found: Interval) -> str:
    """1.21 to 1.93×"""
    return f"{significant(found.low)} to {significant(found.high)}×"


def _rank_cell(entry: Entry) -> Cell:
    if entry.rank is None:
        return Cell(NONE)
    found = entry.rank_interval
    if found is None:
        return Cell(str(entry.rank), entry.rank)
    note = f"{found.low}{NBSP}to{NBSP}{found.high}" if found.low != found.high else ""
    return Cell(str(entry.rank), entry.rank, note=note)


def _name_cell(entry: Entry) -> Cell:
    name, note = entry_name(entry.agent, entry.model), ""
    if entry.role == "entry":
        note = entry.not_ranked_because or ""
    if entry.rank and entry.rank > 1 and entry.rank_interval and not entry.rank_interval.is_separable:
        note = NOT_SEPARABLE
    return Cell(name, name, page_url("configuration", entry.configuration), note)


def _runs_cell(entry: Entry) -> Cell:
    """Leads to the one run, or to the list of them."""
    runs = entry.runs
    url = page_url("run", runs[0]) if len(runs) == 1 else f"{page_url('runs')}?configuration={entry.configuration}"
    return Cell(str(len(runs)), len(runs), url)


def _speed_cell(found: Estimate) -> Cell:
    if found.value is None:
        note = f"at least {significant(found.worst)}×" if found.worst is not None else ""
        return Cell(NONE, None, note=note)
    note = f"95{NBSP}%: {ratio_interval(found.tasks)}" if found.tasks else ""
    return Cell(f"{significant(found.value)}×", found.value, note=note)


def _outcomes_cell(found: Outcomes) -> Cell:
    note = f"{found.unknown}{NBSP}unknown" if found.unknown else ""
    return Cell(f"{found.win}, {found.tie}, {found.loss}, {found.fail}", found.win, note=note)


def _speed_ends(entry: Entry, estimate: Estimate, found: Outcomes) -> tuple[Cell, ...]:
    """In the order of _SPEED."""
    ranks = entry.rank_interval
    return tuple(
        Cell("", value)
        for value in (
            *_ends(estimate.tasks),
            *_ends(estimate.runs),
            estimate.worst,
            *(found.tie, found.loss, found.fail, found.unknown),
            *((ranks.low, ranks.high, ranks.is_separable) if ranks else (None, None, None)),
        )
    )


def _ends(found: Interval | None) -> tuple[float | None, float | None]:
    return (found.low, found.high) if found else (None, None)


def _number(value: float | None, decimals: int) -> Cell:
    return Cell(NONE) if value is None else Cell(f"{value:.{decimals}f}", value)


def _spread_cell(found: RunSpread) -> Cell:
    if found.value is None:
        return Cell(NONE)
    sigma = f"{NBSP}±{NBSP}{found.sigma_r:.2f}" if found.sigma_r is not None else ""
    return Cell(f"{found.value:.2f}{sigma}×", found.value)


def _rate_cell(found: Rate) -> Cell:
    if found.share is None:
        if found.worst is None or found.best is None:
            return Cell(NONE)
        return Cell(f"{found.count} so far", None, note=f"{interval(found.worst, found.best)} in the end")
    note = f"95 %: {interval(found.interval.low, found.interval.high)}" if found.interval else ""
    return Cell(rate(found.count, found.of), found.share, note=note)


def _rate_ends(found: Rate) -> tuple[Cell, ...]:
    """The numbers behind a rate, for CSV."""
    values = (found.count, found.of, *_ends(found.interval), found.worst, found.best)
    return tuple(Cell("", value) for value in values)
