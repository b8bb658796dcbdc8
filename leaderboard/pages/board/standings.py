"""What stands on a board, as values: every public answer, and for each configuration its numbers, rank and reasons.

Board, distribution and compare page start from here. A board is a suite's version, a category, a device class and a
protocol; nothing is ever averaged across two of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from leaderboard import statistics
from leaderboard.eligibility import obstacle, why_not_ranked
from leaderboard.queries.boards import ResultRow, RunRow, TaskRow
from leaderboard.statistics import Rate
from leaderboard.statistics.answers import Answers, Told
from leaderboard.statistics.paper import PaperColumns, paper_columns
from leaderboard.statistics.ranking import RankInterval, rank_intervals
from leaderboard.statistics.speed import (
    Outcomes,
    SpeedEstimate,
    exact_mean,
    no_speed,
    outcomes,
    task_gains,
    usable_speedup,
)

RankedBy = Literal["usable_speedup", "correctness"]


@dataclass(frozen=True, slots=True)
class BoardResult:
    """The published answer of one run to one task; `status` is missing where nothing is published."""

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
    obstacle: str | None  # what keeps it from counting


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the board. `rank` is None where it may not rank; then the reason stands beside it."""

    rank: int | None
    rank_interval: RankInterval | None
    not_ranked_because: str | None
    configuration: str
    agent: str
    model: str | None
    role: str
    settings: dict[str, Any]
    runs: tuple[int, ...]
    origins: tuple[str, ...]
    verifications: tuple[str, ...]
    published_at: datetime  # the newest of its runs
    judged: int  # answers that count
    of: int
    compilation: Rate
    correctness: Rate
    usable_speedup: SpeedEstimate | None  # None on functional devices, as the two below
    outcomes: Outcomes | None
    paper: PaperColumns | None


@dataclass(frozen=True, slots=True)
class Standings:
    entries: tuple[Entry, ...]
    answers: tuple[BoardResult, ...]
    numbers: Mapping[str, Answers]  # by configuration, tasks in the order of the board
    eligible: tuple[bool | None, ...]  # of each task; None: not known yet
    ranked_by: RankedBy
    no_speed_because: str | None
    no_rank_intervals_because: str | None

    @property
    def eligible_tasks(self) -> int:
        """How many are known to show a speed."""
        return sum(one is True for one in self.eligible)


def standings(
    tasks: Sequence[TaskRow], runs: Sequence[RunRow], results: Sequence[ResultRow], *, is_functional: bool
) -> Standings:
    """All entries of the board, unordered; of `results` those of no run among `runs` tell of baselines alone."""
    answers = _answers(tasks, runs, results)
    lines: dict[str, list[RunRow]] = defaultdict(list)
    for run in runs:
        lines[run.configuration].append(run)
    numbers = _numbers(tasks, lines, answers)
    is_eligible = eligible(results)
    can_show = tuple(is_eligible.get(task.id) for task in tasks)
    count = sum(one is True for one in can_show)
    refused_speed = "Times of this device class are functional." if is_functional else no_speed(count)
    answers_of: dict[str, list[BoardResult]] = defaultdict(list)
    for answer in answers:
        answers_of[answer.configuration].append(answer)
    is_mixed = len({task.category for task in tasks}) > 1
    entries = [
        _entry(found, answers_of[slug], None if is_functional else numbers[slug], count, is_mixed)
        for slug, found in lines.items()
    ]
    ranked_by: RankedBy = "correctness" if refused_speed else "usable_speedup"
    ranked, refused = _ranked(entries, numbers, ranked_by)
    return Standings(tuple(ranked), tuple(answers), numbers, can_show, ranked_by, refused_speed, refused)


def eligible(results: Sequence[ResultRow]) -> dict[int, bool]:
    """Task → whether its baseline takes long enough on the device for a speed, as far as that is known.

    It is a fact of task, device class and protocol, whoever is shown: told by every right answer that counts, or did
    before its run was withdrawn, on any suite. The baseline decides, so one that shows a speed is enough; an answer
    that failed was never timed, and tells nothing.
    """
    told: dict[int, bool] = {}
    for row in results:
        if row.status == "passed" and _hindered(row) is None:
            told[row.task_id] = told.get(row.task_id, False) or row.log_speedup is not None
    return told


def _answers(tasks: Sequence[TaskRow], runs: Sequence[RunRow], results: Sequence[ResultRow]) -> list[BoardResult]:
    """One for every run and task, whether there is a result or not."""
    found = {(row.run_id, row.task_id): row for row in results}
    return [_answer(task, run, found.get((run.id, task.id))) for run in runs for task in tasks]


def _answer(task: TaskRow, run: RunRow, row: ResultRow | None) -> BoardResult:
    about: dict[str, Any] = {"task": task.path, "configuration": run.configuration, "run": run.id, "repeat": run.repeat}
    if row is None or row.status is None:
        nothing: dict[str, Any] = dict.fromkeys(
            ("compiled", "correct", "log_speedup", "log_speedup_low", "log_speedup_high", "paper_speedup")
        )
        missing = obstacle(status=None)
        return BoardResult(
            **about, **nothing, result=row.id if row else None, status="missing", may_rank=False, obstacle=missing
        )
    return BoardResult(
        **about,
        result=row.id,
        status=row.status,
        compiled=row.compiled,
        correct=row.correct,
        log_speedup=row.log_speedup,
        log_speedup_low=row.log_speedup_low,
        log_speedup_high=row.log_speedup_high,
        paper_speedup=row.paper_speedup,
        may_rank=row.may_rank,
        obstacle=_hindered(row),
    )


def _hindered(row: ResultRow) -> str | None:
    return obstacle(
        status=row.status,
        audit=row.audit,
        is_own_protocol=row.is_own_protocol,
        is_held=row.is_held,
        is_uncalibrated=row.is_uncalibrated,
        host_is_accepted=row.host_is_accepted,
    )


def _numbers(
    tasks: Sequence[TaskRow], lines: Mapping[str, Sequence[RunRow]], answers: Sequence[BoardResult]
) -> dict[str, Answers]:
    told = {(answer.run, answer.task): _told(answer) for answer in answers}
    return {
        slug: Answers.of([[told[run.id, task.path] for run in runs] for task in tasks]) for slug, runs in lines.items()
    }


def _told(answer: BoardResult) -> Told | None:
    """What counts of an answer; nothing where something keeps it from counting."""
    if answer.obstacle is not None:
        return None
    return Told(
        compiled=bool(answer.compiled),
        correct=bool(answer.correct),
        log_speedup=answer.log_speedup,
        low=answer.log_speedup_low,
        high=answer.log_speedup_high,
        paper_speedup=answer.paper_speedup,
    )


def _entry(
    runs: Sequence[RunRow], answers: Sequence[BoardResult], numbers: Answers | None, eligible: int, is_mixed: bool
) -> Entry:
    counted = [answer for answer in answers if answer.obstacle is None]
    first = runs[0]
    return Entry(
        rank=None,
        rank_interval=None,
        not_ranked_because=why_not_ranked(first.role, [answer.obstacle for answer in answers]),
        configuration=first.configuration,
        agent=first.agent,
        model=first.model,
        role=first.role,
        settings=first.settings,
        runs=tuple(run.id for run in runs),
        origins=tuple(run.origin for run in runs),
        verifications=tuple(run.verification for run in runs),
        published_at=max(run.published_at for run in runs),
        judged=len(counted),
        of=len(answers),
        compilation=_rate(counted, len(answers), "compiled"),
        correctness=_rate(counted, len(answers), "correct"),
        usable_speedup=usable_speedup(numbers, eligible) if numbers else None,
        outcomes=outcomes(numbers) if numbers else None,
        paper=paper_columns(numbers, is_mixed=is_mixed) if numbers else None,
    )


def _rate(counted: Sequence[BoardResult], of: int, field_name: str) -> Rate:
    """Tasks × runs of what counts, as the statistics want them."""
    found: dict[str, list[bool]] = defaultdict(list)
    for answer in counted:
        found[answer.task].append(bool(getattr(answer, field_name)))
    return statistics.rate(list(found.values()), of)


def _ranked(entries: Sequence[Entry], numbers: Mapping[str, Answers], by: RankedBy) -> tuple[list[Entry], str | None]:
    """With ranks, and with rank intervals or the reason for having none."""
    ranked = [entry for entry in entries if entry.not_ranked_because is None]
    if by == "correctness":
        found: list[RankInterval] | str = "Rank intervals come with usable speedup; here ranks go by correctness."
        ranks = statistics.ranks([entry.correctness.share or 0.0 for entry in ranked])
    else:
        gains = [task_gains(numbers[entry.configuration]) for entry in ranked]
        found = rank_intervals(gains)
        ranks = statistics.ranks([exact_mean(gain) for gain in gains])
    intervals = found if isinstance(found, list) else [None] * len(ranked)
    place = {one.configuration: (rank, near) for one, rank, near in zip(ranked, ranks, intervals, strict=True)}
    placed = [_placed(entry, *place.get(entry.configuration, (None, None))) for entry in entries]
    return placed, found if isinstance(found, str) else None


def _placed(entry: Entry, rank: int | None, interval: RankInterval | None) -> Entry:
    return replace(entry, rank=rank, rank_interval=interval)
