"""Standings of a board: every public result, and the metrics, rank and reasons of each configuration.

The board, distribution and compare pages start from here. A board is one version of a suite, one category, one device
class and one protocol; no number is ever averaged across two boards.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, NamedTuple

import numpy as np

from evaluator.tasks.cards import BetweenCards
from evaluator.thresholds import MIN_CARDS
from leaderboard import statistics
from leaderboard.eligibility import obstacle, why_not_ranked
from leaderboard.formatting import percent, plural
from leaderboard.queries.boards import ResultRow, RunRow, TaskRow
from leaderboard.statistics import Rate
from leaderboard.statistics.cards import CardEffects, CardSpread, are_on_one_card
from leaderboard.statistics.paper import PaperColumns, is_kernelbench_x, paper_columns, why_no_mean
from leaderboard.statistics.ranking import RankInterval, rank_intervals
from leaderboard.statistics.results import ResultMatrix, ResultValues
from leaderboard.statistics.speed import (
    Outcomes,
    SpeedEstimate,
    exact_mean,
    outcomes,
    task_gains,
    usable_speedup,
    why_no_speed,
)
from runs.trust import DOUBTS, OF_RUNS, Trust, doubt

RankedBy = Literal["usable_speedup", "correctness"]
FUNCTIONAL = "Times of this device class are functional."


class BoardResult(NamedTuple):
    """The published result of one run on one task; `status` is missing where none is published.

    A named tuple, since a board has thousands, and a frozen dataclass takes five times as long to make.
    """

    task: str
    configuration: str
    run: int
    repeat: int
    result: int | None
    status: str
    compiled: bool | None
    correct: bool | None
    log_speedup: float | None  # on t_dev, as metrics take it
    log_speedup_low: float | None
    log_speedup_high: float | None
    paper_speedup: float | None  # on the paper's clock of the category
    may_rank: bool
    obstacle: str | None  # the reason why it does not count
    doubt: str | None  # held, suspect or hacked
    card: str | None  # the UUID of the card it was measured on, where its host names one


@dataclass(frozen=True, slots=True)
class Doubt:
    """A result of an entry that is held, suspect or hacked."""

    doubt: str
    task: str
    result: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A configuration on the board. `rank` is None where it may not rank; `not_ranked_because` then has the reason."""

    rank: int | None
    rank_interval: RankInterval | None
    not_ranked_because: str | None
    configuration: str
    agent: str
    model: str | None
    model_identifier: str | None  # exactly as passed to its provider
    role: str
    settings: dict[str, Any]
    runs: tuple[int, ...]
    trust: str  # claimed, run_here or reproduced: the least trusted of its runs
    reproduced_tasks: int | None  # of all its runs, where all are reproduced
    verified_tasks: int | None
    doubts: tuple[Doubt, ...]  # the worst first
    published_at: datetime  # the newest of its runs
    evaluated_from: datetime | None  # the evaluation window of its runs: first start, last end
    evaluated_until: datetime | None
    sessions: int  # of its agent
    cost_usd: float | None  # of a task: the mean over the sessions that report it
    cost_usd_of: int  # sessions that report it
    judged: int  # results that count
    of: int  # tasks × runs
    compilation: Rate
    correctness: Rate
    usable_speedup: SpeedEstimate | None  # None on functional devices, as the two below
    outcomes: Outcomes | None
    paper: PaperColumns | None


@dataclass(frozen=True, slots=True)
class Standings:
    entries: tuple[Entry, ...]
    results: tuple[BoardResult, ...]
    matrices: Mapping[str, ResultMatrix]  # by configuration, tasks in the order of the board
    eligible: tuple[bool | None, ...]  # for each task, whether it can show a speed; None: not known yet
    ranked_by: RankedBy
    no_speed_because: str | None
    no_rank_intervals_because: str | None
    cards_note: str  # on entries that were measured on different cards

    @property
    def eligible_tasks(self) -> int:
        """Number of tasks known to show a speed."""
        return sum(one is True for one in self.eligible)


def standings(
    tasks: Sequence[TaskRow],
    runs: Sequence[RunRow],
    rows: Sequence[ResultRow],
    *,
    is_functional: bool,
    between: BetweenCards | None,
) -> Standings:
    """Compute all entries of a board, unordered. Rows of runs outside `runs` only show which tasks are eligible.

    `between`: how far cards of the device class differ, where that is known.
    """
    row_of = {(row.run_id, row.task_id): row for row in rows}
    results = [_result(task, run, row_of.get((run.id, task.id))) for run in runs for task in tasks]
    runs_of: dict[str, list[RunRow]] = defaultdict(list)
    for run in runs:
        runs_of[run.configuration].append(run)
    results_of: dict[str, list[BoardResult]] = defaultdict(list)
    for result in results:
        results_of[result.configuration].append(result)
    matrices = _matrices(tasks, runs_of, results)
    is_eligible = eligible(rows)
    can_show_speed = tuple(is_eligible.get(task.id) for task in tasks)
    eligible_tasks = sum(one is True for one in can_show_speed)
    no_speed = FUNCTIONAL if is_functional else why_no_speed(eligible_tasks)
    categories = {task.category for task in tasks}
    entries = [
        _entry(found, results_of[slug], None if is_functional else matrices[slug], eligible_tasks, categories)
        for slug, found in runs_of.items()
    ]
    ranked_by: RankedBy = "correctness" if no_speed else "usable_speedup"
    spread = spread_of(between, [task.path for task in tasks])
    ranked, no_intervals = _ranked(entries, matrices, ranked_by, spread)
    note = "" if is_functional else cards_note(list(matrices.values()), between)
    return Standings(tuple(ranked), tuple(results), matrices, can_show_speed, ranked_by, no_speed, no_intervals, note)


def spread_of(between: BetweenCards | None, tasks: Sequence[str]) -> CardSpread | None:
    """What is known of cards, for these tasks in this order."""
    return CardSpread(np.array([between.sd_of(task) for task in tasks]), between.df) if between else None


def cards_note(entries: Sequence[ResultMatrix], between: BetweenCards | None) -> str:
    """Say what a comparison of entries makes of different cards; empty where all results are of one."""
    if len(entries) < 2 or are_on_one_card(entries):
        return ""
    if between is None:
        return (
            "Not all results here are known to be of one card. How far cards of this class differ is not known under "
            f"this protocol (the same candidates were not measured on {MIN_CARDS} cards). No interval or test has it."
        )
    return (
        "Not all results here are known to be of one card. Comparisons of entries on different cards include how far "
        f"cards of this class differ: {percent(max(between.sds.values()))} for the times that differ most, by "
        f"{plural(len(between.cards), 'card')}, with Student's t at {plural(between.df, 'degree')} of freedom."
    )


def eligible(rows: Sequence[ResultRow]) -> dict[int, bool]:
    """Map task ids to whether the task can show a speed on the device, as far as that is known.

    Eligibility depends on the baseline alone, so it is the same for every entry. It is known from every correct result
    that counts, or counted before its run was withdrawn, on any suite; one with a speed is enough. A result that failed
    was never timed and shows nothing.
    """
    known: dict[int, bool] = {}
    for row in rows:
        if row.correct and obstacle_of(row) is None:
            known[row.task_id] = known.get(row.task_id, False) or row.log_speedup is not None
    return known


def obstacle_of(row: ResultRow) -> str | None:
    """The reason why a result does not count; None where it counts."""
    return obstacle(
        status=row.status,
        audit=row.audit,
        is_own_protocol=row.is_own_protocol,
        is_held=row.is_held,
        is_uncalibrated=row.is_uncalibrated,
        host_is_accepted=row.host_is_accepted,
    )


def values_of(result: ResultRow | BoardResult, run: int, hindered: str | None) -> ResultValues | None:
    """Values for the statistics; None where the result does not count, for the reason given.

    A card that the host does not name may be any: the results of its run are taken to share one of their own.
    """
    if hindered is not None:
        return None
    return ResultValues(
        compiled=bool(result.compiled),
        correct=bool(result.correct),
        log_speedup=result.log_speedup,
        low=result.log_speedup_low,
        high=result.log_speedup_high,
        paper_speedup=result.paper_speedup,
        card=result.card or f"of run {run}",
    )


def ranking(
    entries: Sequence[ResultMatrix], by: RankedBy, spread: CardSpread | None
) -> tuple[list[int], list[RankInterval] | str]:
    """Rank and rank interval of each entry, all of them without a gap, or the reason why there are no intervals."""
    if by == "correctness":
        ranks = statistics.ranks([float(one.correct.mean()) for one in entries])
        return ranks, "There are no rank intervals where entries are ranked by correctness."
    gains = [task_gains(one) for one in entries]
    cards = CardEffects.of(entries, spread)
    return statistics.ranks([exact_mean(gain) for gain in gains]), rank_intervals(gains, cards)


def _result(task: TaskRow, run: RunRow, row: ResultRow | None) -> BoardResult:
    about = task.path, run.configuration, run.id, run.repeat
    if row is None or row.status is None:
        nothing = None, None, None, None, None, None
        return BoardResult(
            *about,
            row.id if row else None,
            "missing",
            *nothing,
            False,
            obstacle(status=None),
            None,
            None,
        )
    return BoardResult(
        *about,
        row.id,
        row.status,
        row.compiled,
        row.correct,
        row.log_speedup,
        row.log_speedup_low,
        row.log_speedup_high,
        row.paper_speedup,
        row.may_rank,
        obstacle_of(row),
        doubt(row.audit, row.is_held),
        row.card or None,
    )


def _matrices(
    tasks: Sequence[TaskRow], runs_of: Mapping[str, Sequence[RunRow]], results: Sequence[BoardResult]
) -> dict[str, ResultMatrix]:
    values = {(result.run, result.task): values_of(result, result.run, result.obstacle) for result in results}
    return {
        slug: ResultMatrix.from_rows([[values[run.id, task.path] for run in runs] for task in tasks])
        for slug, runs in runs_of.items()
    }


def _entry(
    runs: Sequence[RunRow],
    results: Sequence[BoardResult],
    matrix: ResultMatrix | None,
    eligible_tasks: int,
    categories: set[str],
) -> Entry:
    counted = [result for result in results if result.obstacle is None]
    first = runs[0]
    return Entry(
        rank=None,
        rank_interval=None,
        not_ranked_because=why_not_ranked(first.role, [result.obstacle for result in results]),
        configuration=first.configuration,
        agent=first.agent,
        model=first.model,
        model_identifier=first.model_identifier,
        role=first.role,
        settings=first.settings,
        **_provenance(runs),
        doubts=_doubts(results),
        judged=len(counted),
        of=len(results),
        compilation=_rate(counted, len(results), "compiled"),
        correctness=_rate(counted, len(results), "correct"),
        usable_speedup=usable_speedup(matrix, eligible_tasks) if matrix else None,
        outcomes=outcomes(matrix) if matrix else None,
        paper=_paper_columns(matrix, categories) if matrix else None,
    )


def _paper_columns(matrix: ResultMatrix, categories: set[str]) -> PaperColumns:
    return paper_columns(matrix, refused=why_no_mean(categories), kernelbench_x=is_kernelbench_x(categories))


def _provenance(runs: Sequence[RunRow]) -> dict[str, Any]:
    """The fields on where an entry's numbers come from, when they were measured, and what they cost."""
    trust = min((Trust(run.trust) for run in runs), key=OF_RUNS.index).value
    is_reproduced = trust == Trust.REPRODUCED
    cost_of = sum(run.cost_reported for run in runs)
    return {
        "runs": tuple(run.id for run in runs),
        "trust": trust,
        "reproduced_tasks": sum(run.reproduced_tasks or 0 for run in runs) if is_reproduced else None,
        "verified_tasks": sum(run.verified_tasks or 0 for run in runs) if is_reproduced else None,
        "published_at": max(run.published_at for run in runs),
        "evaluated_from": min((run.evaluated_from for run in runs if run.evaluated_from), default=None),
        "evaluated_until": max((run.evaluated_until for run in runs if run.evaluated_until), default=None),
        "sessions": sum(run.sessions for run in runs),
        "cost_usd": sum(run.cost_usd or 0.0 for run in runs) / cost_of if cost_of else None,
        "cost_usd_of": cost_of,
    }


def _doubts(results: Sequence[BoardResult]) -> tuple[Doubt, ...]:
    found = [Doubt(one.doubt, one.task, one.result) for one in results if one.doubt and one.result]
    return tuple(sorted(found, key=lambda one: DOUBTS.index(Trust(one.doubt))))


def _rate(counted: Sequence[BoardResult], of: int, field_name: str) -> Rate:
    """Rate of a flag over the results that count."""
    found: dict[str, list[bool]] = defaultdict(list)
    for result in counted:
        found[result.task].append(bool(getattr(result, field_name)))
    return statistics.rate(list(found.values()), of)


def _ranked(
    entries: Sequence[Entry], matrices: Mapping[str, ResultMatrix], by: RankedBy, spread: CardSpread | None
) -> tuple[list[Entry], str | None]:
    """The entries with ranks and rank intervals, and the reason where there are no intervals."""
    ranked = [entry for entry in entries if entry.not_ranked_because is None]
    ranks, found = ranking([matrices[entry.configuration] for entry in ranked], by, spread)
    intervals = found if isinstance(found, list) else [None] * len(ranked)
    placed = {
        entry.configuration: replace(entry, rank=rank, rank_interval=interval)
        for entry, rank, interval in zip(ranked, ranks, intervals, strict=True)
    }
    return [placed.get(entry.configuration, entry) for entry in entries], found if isinstance(found, str) else None
