"""Values of a generalization page, made from rows: entries with their measures, results, regressions, counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.eligibility import HACKED, is_correct, obstacle
from leaderboard.formatting import printable
from leaderboard.pages.base import entry_name
from leaderboard.queries.generalization import UnseenCaseRow, UnseenResultRow
from leaderboard.statistics.generalization import Conditional, Generalization, Quadrants, generalization
from leaderboard.statistics.task_runs import CaseOutcome, Speed, TaskRun

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


@dataclass(frozen=True, slots=True)
class UnseenResult:
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


@dataclass(frozen=True, slots=True)
class Regression:
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


@dataclass(frozen=True, slots=True)
class JudgedResult:
    """A result for the statistics, with the rows that it was made from."""

    row: UnseenResultRow
    obstacle: str | None
    task_run: TaskRun
    cases: Sequence[UnseenCaseRow]  # none where the result does not count


def judged(
    rows: Sequence[UnseenResultRow], cases: Sequence[UnseenCaseRow], *, is_functional: bool
) -> list[JudgedResult]:
    """Each result with its cases, without functional times. A result that does not count has no cases."""
    by_result: dict[int, list[UnseenCaseRow]] = defaultdict(list)
    for case in cases:
        by_result[case.result_id].append(case)
    return [_judged(row, by_result[row.id], is_functional) for row in rows]


def entries(found: Sequence[JudgedResult], *, is_functional: bool) -> tuple[UnseenEntry, ...]:
    """The entries with their measures, by name and before reference lines: an order that no result changes."""
    by_configuration: dict[str, list[JudgedResult]] = defaultdict(list)
    for one in found:
        by_configuration[one.row.configuration].append(one)
    made = [_entry(own, is_functional) for own in by_configuration.values()]
    return tuple(sorted(made, key=lambda entry: (entry.role != "entry", entry.name.casefold(), entry.configuration)))


def results(found: Sequence[JudgedResult]) -> tuple[UnseenResult, ...]:
    return tuple(_result(one) for one in found)


def regressions(found: Sequence[JudgedResult]) -> tuple[Regression, ...]:
    """The regressions, in the order of the results."""
    return tuple(
        _regression(one.row, case)
        for one in found
        for case in one.cases
        if case.baseline_correct and case.correct is False
    )


def suite_counts(found: Sequence[UnseenEntry]) -> tuple[SuiteCounts, ...]:
    return tuple(_counts(entry) for entry in found)


def _judged(row: UnseenResultRow, cases: Sequence[UnseenCaseRow], is_functional: bool) -> JudgedResult:
    reason = obstacle(
        status=row.status,
        audit=row.audit,
        is_own_protocol=row.is_own_protocol,
        is_held=row.is_held,
        is_uncalibrated=row.is_uncalibrated,
        host_is_accepted=row.host_is_accepted,
    )
    counted = tuple(map(_as_hacked, cases) if row.audit == HACKED else cases) if reason is None else ()
    outcomes = tuple(
        CaseOutcome(category, baseline, correct)
        if is_functional
        else CaseOutcome(category, baseline, correct, log_ratio, is_eligible)
        for _, _, category, baseline, correct, log_ratio, is_eligible, _, _ in counted
    )
    seen = None if is_functional or row.audit == HACKED else _speed(row)
    passed = is_correct(row.correct, row.audit)
    return JudgedResult(row, reason, TaskRun(row.task, row.run_id, passed, outcomes, seen), counted)


def _as_hacked(case: UnseenCaseRow) -> UnseenCaseRow:
    """The case as one on which the candidate is wrong, unless it has no verdict."""
    if case.correct is None:
        return case
    return case._replace(correct=False, log_ratio=None, reason=HACKED, message="An audit found the result hacked.")


def _speed(row: UnseenResultRow) -> Speed | None:
    if row.seen_mean is None or row.seen_mean_log is None:
        return None
    return Speed(row.seen_mean, row.seen_mean_log)


def _entry(own: Sequence[JudgedResult], is_functional: bool) -> UnseenEntry:
    first, runs = own[0].row, tuple(dict.fromkeys(one.row.run_id for one in own))
    measures = generalization([one.task_run for one in own], is_functional=is_functional)
    return UnseenEntry(first.configuration, first.agent, first.model, first.role, runs, measures)


def _result(one: JudgedResult) -> UnseenResult:
    row, found = one.row, one.task_run
    return UnseenResult(
        task=row.task,
        configuration=row.configuration,
        run=row.run_id,
        repeat=row.repeat,
        result=row.id,
        obstacle=one.obstacle,
        seen_passed=found.seen_passed,
        cases=len(found.cases),
        paper=found.paper,
        strict=found.strict,
        seen=found.seen.mean if found.seen else None,
        unseen=found.unseen.mean if found.unseen else None,
    )


def _regression(row: UnseenResultRow, case: UnseenCaseRow) -> Regression:
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
        case.reason,
        printable(case.message),
    )


def _counts(entry: UnseenEntry) -> SuiteCounts:
    """Counts of an entry; none while a verdict is missing, since the next verdict would show in the difference."""
    who = (entry.configuration, entry.agent, entry.model, entry.role)
    if not entry.measures.is_complete:
        return SuiteCounts(*who, None, None, None, HIDDEN_INCOMPLETE)
    pooled = entry.measures.pooled
    return SuiteCounts(*who, pooled.paper, pooled.conditional, pooled.retention, None)
