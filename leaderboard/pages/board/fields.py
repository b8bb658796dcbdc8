"""The columns of a board, each with its cell and what it sorts by: ranked, and as the paper prints them.

A metric is one field here. Page, CSV, JSON, the order of entries and the ranks of the dump all read it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from leaderboard.pages.board.cells import (
    name_cell,
    number_cell,
    outcomes_cell,
    rank_cell,
    rate_cell,
    runs_cell,
    speed_cell,
    spread_cell,
    top_task_cell,
)
from leaderboard.pages.board.standings import Entry
from leaderboard.queries.boards import TaskRow
from leaderboard.statistics import Rate
from leaderboard.statistics.paper import PaperColumns, RunSpread
from leaderboard.statistics.ranking import RankInterval
from leaderboard.statistics.speed import Outcomes, SpeedEstimate
from leaderboard.tables import Cell, Field, Value, fields, hidden

Fields = tuple[Field[Entry], ...]


def rank_fields(*, has_speed: bool) -> Fields:
    """The ranked view. Without a clock it has no column of speed."""
    return fields(
        RANK,
        NAME,
        CONFIGURATION,
        (USABLE_SPEEDUP,) if has_speed else (),
        CORRECTNESS,
        COMPILATION,
        (WIN,) if has_speed else (),
        _rate_ends("compilation", lambda entry: entry.compilation),
        _rate_ends("correctness", lambda entry: entry.correctness),
        BEHIND_SPEED if has_speed else (),
        JUDGED,
        RUNS,
        NOT_RANKED_BECAUSE,
    )


def paper_fields(tasks: Sequence[TaskRow]) -> Fields:
    """The paper's view, with its headings. The top task's part is ours: it explains the mean beside it."""
    return fields(
        RANK,
        NAME,
        CONFIGURATION,
        _percent(COMPILATION, "Comp. %", lambda paper: paper.compilation_rate_pct),
        _percent(CORRECTNESS, "Corr. %", lambda paper: paper.correctness_rate_pct),
        _spread("mean_speedup", "Mean Spd. ± σr", "mean_speedup_sigma_r", lambda paper: paper.mean_speedup),
        Field(
            "top_task_share",
            "Top task's part",
            lambda entry: top_task_cell(entry.paper, tasks),
            is_number=True,
            metric="paper",
        ),
        _number("mean_score", "Mean Score", lambda paper: paper.mean_score, metric="paper"),
        _spread("geo_mean_speedup", "Geo. Mean ± σr", "geo_mean_sigma_r", lambda paper: paper.geo_mean_speedup),
        hidden("geo_mean_run_averaged", _of_paper(lambda paper: paper.geo_mean_run_averaged)),
        _number("fast_1", "fast₁ %", lambda paper: paper.fast_1_pct, metric="fast-p"),
        _number("fast_2", "fast₂ %", lambda paper: paper.fast_2_pct, metric="fast-p"),
        RUNS,
        NOT_RANKED_BECAUSE,
    )


def _of_speed(read: Callable[[SpeedEstimate], float | None]) -> Callable[[Entry], float | None]:
    return lambda entry: read(entry.usable_speedup) if entry.usable_speedup else None


def _of_outcomes(read: Callable[[Outcomes], int]) -> Callable[[Entry], int | None]:
    return lambda entry: read(entry.outcomes) if entry.outcomes else None


def _of_paper(read: Callable[[PaperColumns], float | None]) -> Callable[[Entry], float | None]:
    return lambda entry: read(entry.paper) if entry.paper else None


def _of_ranks(read: Callable[[RankInterval], Value]) -> Callable[[Entry], Value]:
    return lambda entry: read(entry.rank_interval) if entry.rank_interval else None


def _rate_ends(key: str, read: Callable[[Entry], Rate]) -> Fields:
    """The numbers behind a rate."""
    return (
        hidden(f"{key}_count", lambda entry: read(entry).count),
        hidden(f"{key}_of", lambda entry: read(entry).of),
        hidden(f"{key}_low", lambda entry: found.low if (found := read(entry).interval) else None),
        hidden(f"{key}_high", lambda entry: found.high if (found := read(entry).interval) else None),
        hidden(f"{key}_worst", lambda entry: read(entry).worst),
        hidden(f"{key}_best", lambda entry: read(entry).best),
    )


def _percent(rate: Field[Entry], label: str, read: Callable[[PaperColumns], float | None]) -> Field[Entry]:
    """A rate as the paper prints it."""
    value = _of_paper(read)
    return replace(rate, label=label, cell=lambda entry: number_cell(value(entry)))


def _number(key: str, label: str, read: Callable[[PaperColumns], float | None], *, metric: str) -> Field[Entry]:
    value = _of_paper(read)
    return Field(key, label, lambda entry: number_cell(value(entry)), is_number=True, metric=metric, sort=value)


def _spread(key: str, label: str, sigma_key: str, read: Callable[[PaperColumns], RunSpread]) -> Fields:
    """A mean over runs with their spread, which CSV has in a column of its own."""
    return (
        Field(
            key,
            label,
            lambda entry: spread_cell(read(entry.paper) if entry.paper else None),
            is_number=True,
            metric="paper",
            sort=_of_paper(lambda paper: read(paper).value),
        ),
        hidden(sigma_key, _of_paper(lambda paper: read(paper).sigma_r)),
    )


RANK: Field[Entry] = Field("rank", "Rank", rank_cell, is_number=True, metric="rank")
NAME: Field[Entry] = Field("name", "Entry", name_cell)
CONFIGURATION: Field[Entry] = hidden("configuration", lambda entry: entry.configuration)
CORRECTNESS: Field[Entry] = Field(
    "correctness",
    "Correct",
    lambda entry: rate_cell(entry.correctness),
    is_number=True,
    metric="rates",
    sort=lambda entry: entry.correctness.share,
)
COMPILATION: Field[Entry] = Field(
    "compilation",
    "Compiled",
    lambda entry: rate_cell(entry.compilation),
    is_number=True,
    metric="rates",
    sort=lambda entry: entry.compilation.share,
)
USABLE_SPEEDUP: Field[Entry] = Field(
    "usable_speedup",
    "Usable speedup",
    lambda entry: speed_cell(entry.usable_speedup),
    is_number=True,
    metric="usable",
    sort=_of_speed(lambda found: found.value),
)
WIN: Field[Entry] = Field(
    "win", "Win, tie, loss, fail", lambda entry: outcomes_cell(entry.outcomes), is_number=True, metric="outcomes"
)
RANK_LOW: Field[Entry] = hidden("rank_low", _of_ranks(lambda ranks: ranks.low))
RANK_HIGH: Field[Entry] = hidden("rank_high", _of_ranks(lambda ranks: ranks.high))
BEHIND_SPEED: Fields = (
    hidden("usable_speedup_low", _of_speed(lambda found: found.tasks.low if found.tasks else None)),
    hidden("usable_speedup_high", _of_speed(lambda found: found.tasks.high if found.tasks else None)),
    hidden("usable_speedup_runs_low", _of_speed(lambda found: found.runs.low if found.runs else None)),
    hidden("usable_speedup_runs_high", _of_speed(lambda found: found.runs.high if found.runs else None)),
    hidden("usable_speedup_worst", _of_speed(lambda found: found.worst)),
    hidden("tie", _of_outcomes(lambda found: found.tie)),
    hidden("loss", _of_outcomes(lambda found: found.loss)),
    hidden("fail", _of_outcomes(lambda found: found.fail)),
    hidden("unknown", _of_outcomes(lambda found: found.unknown)),
    RANK_LOW,
    RANK_HIGH,
    hidden("separable_from_first", _of_ranks(lambda ranks: ranks.is_separable)),
)
JUDGED: Field[Entry] = Field(
    "judged", "Judged", lambda entry: Cell(f"{entry.judged} of {entry.of}", entry.judged), is_number=True
)
RUNS: Field[Entry] = Field("runs", "Runs", runs_cell, is_number=True)
NOT_RANKED_BECAUSE: Field[Entry] = hidden("not_ranked_because", lambda entry: entry.not_ranked_because)
SORTS = {field.key: field.sort for field in (*rank_fields(has_speed=True), *paper_fields(())) if field.sort}
