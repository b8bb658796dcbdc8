"""Values of a generalization page, made from rows: entries with their measures, results, regressions, counts."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from leaderboard.eligibility import HACKED, is_correct, obstacle
from leaderboard.formatting import printable
from leaderboard.pages.base import entry_name
from leaderboard.queries import generalization as queries
from leaderboard.queries.generalization import RegressionRow, UnseenBoard, UnseenResultRow
from leaderboard.statistics.generalization import Conditional, Generalization, Quadrants, generalization
from leaderboard.statistics.task_runs import Speed, TaskRun, UnseenCases, if_all_were_wrong, unseen_cases

HIDDEN_INCOMPLETE = (
    "Counts are shown once every result has a verdict: until then their changes could reveal single results."
)


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


def judged(rows: Sequence[UnseenResultRow], protocol: str, *, is_functional: bool) -> list[JudgedResult]:
    """Each result with what its unseen cases come to, without functional times. One that does not count has none."""
    cases_of = cache(lambda text: unseen_cases(json.loads(text)))  # most results have those of others
    nothing = unseen_cases({})
    found = []
    for row in rows:
        missing = _obstacle(row, protocol)
        cases = nothing if missing or row.outcomes is None else cases_of(row.outcomes)
        found.append(JudgedResult(row, missing, _task_run(row, cases, is_functional)))
    return found


def regressions(found: Sequence[JudgedResult], board: UnseenBoard) -> tuple[Regression, ...]:
    """Regressions of the results that count, in their order."""
    counted = {one.row.evaluation: at for at, one in enumerate(found) if one.obstacle is None}
    hacked = [one.row.evaluation for one in found if one.row.audit == HACKED and one.row.evaluation is not None]
    cases = [case for case in queries.regressions(board, hacked) if case.evaluation in counted]
    cases.sort(key=lambda case: counted[case.evaluation])
    return tuple(_regression(found[counted[case.evaluation]].row, case) for case in cases)


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


def _obstacle(row: UnseenResultRow, protocol: str) -> str | None:
    return obstacle(
        status=row.status,
        audit=row.audit,
        is_own_protocol=row.protocol == protocol,
        is_held=row.is_held,
        is_uncalibrated=row.is_uncalibrated,
        host_is_accepted=row.host_is_accepted,
    )


def _task_run(row: UnseenResultRow, cases: UnseenCases, is_functional: bool) -> TaskRun:
    """A result for the statistics. A hacked one is wrong on all cases that have a verdict, and has no speed."""
    passed = is_correct(row.correct, row.audit)
    if row.audit == HACKED:
        return TaskRun(row.task, row.run_id, passed, None, None, if_all_were_wrong(cases))
    if is_functional:
        return TaskRun(row.task, row.run_id, passed, None, None, cases)
    unseen = _speed(row.unseen_mean, row.unseen_mean_log) if cases.number else None
    return TaskRun(row.task, row.run_id, passed, _speed(row.seen_mean, row.seen_mean_log), unseen, cases)


def _speed(mean: float | None, mean_log: float | None) -> Speed | None:
    return None if mean is None or mean_log is None else Speed(mean, mean_log)


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
        found.cases.number,
        found.cases.paper,
        found.cases.strict,
        found.seen.mean if found.seen else None,
        found.unseen.mean if found.unseen else None,
    )


def _regression(row: UnseenResultRow, case: RegressionRow) -> Regression:
    reason, message = case.reason, case.message
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
        case.case,
        case.category,
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
