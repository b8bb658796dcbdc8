"""Values of a generalization page, made from rows: entries with their measures, results, regressions, counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluator.unseen.cases import CONFIG_CATEGORIES
from leaderboard.eligibility import HACKED, is_correct, obstacle
from leaderboard.formatting import printable
from leaderboard.pages.base import entry_name
from leaderboard.queries.generalization import UnseenCases, UnseenResultRow
from leaderboard.statistics.generalization import Conditional, Generalization, Quadrants, generalization
from leaderboard.statistics.results import Integers
from leaderboard.statistics.task_runs import (
    NO_VERDICT,
    QUADRANTS,
    CaseColumns,
    SeenResult,
    Speed,
    TaskRun,
    task_runs,
)

HIDDEN_INCOMPLETE = (
    "Counts are shown once every result has a verdict: until then their changes could reveal single results."
)

_CATEGORIES: dict[str, int] = {name: at for at, name in enumerate(CONFIG_CATEGORIES)}
_QUADRANTS: dict[tuple[int | None, int | None], int] = {sides: at for at, sides in enumerate(QUADRANTS)}
_REGRESSION = _QUADRANTS[True, False]
# What becomes of each quadrant, and of no verdict, where the candidate is wrong after all.
_AS_HACKED = np.array([*(_QUADRANTS[baseline, False] for baseline, _ in QUADRANTS), NO_VERDICT])


@dataclass(frozen=True, slots=True)
class UnseenEntry:
    """A configuration with its measures over all its runs of the round."""

    configuration: str
    agent: str
    model: str | None
    role: str
    runs: tuple[int, ...]
    measures: Generalization

    @property
    def name(self) -> str:
        return entry_name(self.agent, self.model)


class UnseenResult(NamedTuple):
    """The result of one run on one task. Quadrants are None if a case has no verdict, or the result does not count."""

    task: str
    configuration: str
    run: int
    repeat: int
    result: int
    obstacle: str | None  # the reason why the result does not count
    seen_passed: bool
    cases: int
    paper: str | None  # quadrant by the paper's rule
    strict: str | None  # quadrant by the strict rule
    seen: float | None  # mean speedup over eligible cases, on t_dev
    unseen: float | None


class Regression(NamedTuple):
    """An unseen case on which the baseline is correct and the candidate is not."""

    configuration: str
    agent: str
    model: str | None
    run: int
    repeat: int
    result: int
    task: str
    case: str
    category: str
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class SuiteCounts:
    """The only numbers about a configuration that are public before the reveal."""

    configuration: str
    agent: str
    model: str | None
    role: str
    paper: Quadrants | None
    conditional: Conditional | None
    retention: Conditional | None
    refused: str | None

    @property
    def name(self) -> str:
        return entry_name(self.agent, self.model)


class JudgedResult(NamedTuple):
    """A result for the statistics, with the row that it was made from."""

    row: UnseenResultRow
    obstacle: str | None
    task_run: TaskRun


@dataclass(frozen=True, slots=True)
class Judged:
    results: Sequence[JudgedResult]
    regressions: tuple[Regression, ...]  # in the order of the results


def judged(rows: Sequence[UnseenResultRow], cases: UnseenCases, *, is_functional: bool) -> Judged:
    """Each result with its cases, without functional times. A result that does not count has no cases."""
    obstacles = [_obstacle(row) for row in rows]
    counted = {row.evaluation: at for at, row in enumerate(rows) if obstacles[at] is None}
    result = np.array([counted.get(evaluation, -1) for evaluation in cases.evaluation], dtype=int)
    kept = np.flatnonzero(result >= 0)
    columns = _columns(rows, cases, result, is_functional)
    seen = [_seen(row, is_functional) for row in rows]
    runs = task_runs(seen, CaseColumns(*(getattr(columns, name)[kept] for name in CaseColumns.__slots__)))
    broken = kept[columns.quadrant[kept] == _REGRESSION]
    in_order = broken[np.argsort(result[broken], kind="stable")].tolist()
    return Judged(
        [JudgedResult(*one) for one in zip(rows, obstacles, runs, strict=True)],
        tuple(_regression(rows[result[at]], cases, at) for at in in_order),
    )


def _columns(rows: Sequence[UnseenResultRow], cases: UnseenCases, result: Integers, is_functional: bool) -> CaseColumns:
    """The cases as arrays. On those of a hacked result the candidate is wrong, unless it has no verdict."""
    sides = zip(cases.baseline_correct, cases.correct, strict=True)
    quadrant = np.array([_QUADRANTS.get(both, NO_VERDICT) for both in sides], dtype=int)
    log_ratio = np.array(cases.log_ratio, dtype=float)
    is_hacked = np.array([*(row.audit == HACKED for row in rows), False])[result]
    counts = np.array(cases.is_eligible, dtype=bool) & ~is_hacked & (not is_functional)
    return CaseColumns(
        result,
        np.array([_CATEGORIES[name] for name in cases.category], dtype=int),
        np.where(is_hacked, _AS_HACKED[quadrant], quadrant),
        np.where(counts, log_ratio, np.nan),
    )


def entries(found: Sequence[JudgedResult], *, is_functional: bool) -> tuple[UnseenEntry, ...]:
    """The entries with their measures, by name and before reference lines: an order that no result changes."""
    by_configuration: dict[str, list[JudgedResult]] = defaultdict(list)
    for one in found:
        by_configuration[one.row.configuration].append(one)
    made = [_entry(own, is_functional) for own in by_configuration.values()]
    return tuple(sorted(made, key=lambda entry: (entry.role != "entry", entry.name.casefold(), entry.configuration)))


def results(found: Sequence[JudgedResult]) -> tuple[UnseenResult, ...]:
    return tuple(_result(one) for one in found)


def suite_counts(found: Sequence[UnseenEntry]) -> tuple[SuiteCounts, ...]:
    return tuple(_counts(entry) for entry in found)


def _obstacle(row: UnseenResultRow) -> str | None:
    return obstacle(
        status=row.status,
        audit=row.audit,
        is_own_protocol=row.is_own_protocol,
        is_held=row.is_held,
        is_uncalibrated=row.is_uncalibrated,
        host_is_accepted=row.host_is_accepted,
    )


def _seen(row: UnseenResultRow, is_functional: bool) -> SeenResult:
    speed = None
    if row.seen_mean is not None and row.seen_mean_log is not None and not is_functional and row.audit != HACKED:
        speed = Speed(row.seen_mean, row.seen_mean_log)
    return SeenResult(row.task, row.run_id, is_correct(row.correct, row.audit), speed)


def _entry(own: Sequence[JudgedResult], is_functional: bool) -> UnseenEntry:
    first, runs = own[0].row, tuple(dict.fromkeys(one.row.run_id for one in own))
    measures = generalization([one.task_run for one in own], is_functional=is_functional)
    return UnseenEntry(first.configuration, first.agent, first.model, first.role, runs, measures)


def _result(one: JudgedResult) -> UnseenResult:
    row, found = one.row, one.task_run
    return UnseenResult(
        row.task,
        row.configuration,
        row.run_id,
        row.repeat,
        row.id,
        one.obstacle,
        found.seen_passed,
        found.cases,
        found.paper,
        found.strict,
        found.seen.mean if found.seen else None,
        found.unseen.mean if found.unseen else None,
    )


def _regression(row: UnseenResultRow, cases: UnseenCases, at: int) -> Regression:
    reason, message = cases.reason[at], cases.message[at]
    if row.audit == HACKED:
        reason, message = HACKED, "An audit found the result hacked."
    return Regression(
        row.configuration,
        row.agent,
        row.model,
        row.run_id,
        row.repeat,
        row.id,
        row.task,
        cases.case[at],
        cases.category[at],
        reason,
        printable(message),
    )


def _counts(entry: UnseenEntry) -> SuiteCounts:
    """Counts of an entry; none while a verdict is missing, since the next verdict would show in the difference."""
    who = (entry.configuration, entry.agent, entry.model, entry.role)
    if not entry.measures.is_complete:
        return SuiteCounts(*who, None, None, None, HIDDEN_INCOMPLETE)
    pooled = entry.measures.pooled
    return SuiteCounts(*who, pooled.paper, pooled.conditional, pooled.retention, None)
