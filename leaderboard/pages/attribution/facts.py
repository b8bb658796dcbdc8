"""Values of the attribution page, over the complete entries of a board that solve a task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from leaderboard.pages.base import entry_name
from leaderboard.pages.board.board import Board
from leaderboard.pages.board.operators import OTHER
from leaderboard.pages.board.standings import Entry
from leaderboard.queries.boards import TaskRow
from leaderboard.statistics.correlation import Correlation, correlation
from leaderboard.statistics.explanation import Explanation, explain
from leaderboard.statistics.results import Integers, Numbers, ResultMatrix
from leaderboard.statistics.slower import Slower, slower
from leaderboard.words import CATEGORIES

RateName = Literal["correctness", "compilation"]
Factor = Literal["type", "entry", "both"]
RATES: tuple[RateName, ...] = ("correctness", "compilation")
NOT_COMPLETE = "has results without a verdict"
SOLVES_NOTHING = "solves no task, as the method that the paper leaves out"
PROXIES = ("assignments", "calls", "complexity", "span")


@dataclass(frozen=True, slots=True)
class LeftOut:
    configuration: str
    name: str
    because: str


@dataclass(frozen=True, slots=True)
class ExplainedPart:
    """The part of the deviance that one factor explains. What it adds is beyond the other factor."""

    rate: RateName
    factor: Factor
    share: float  # with the ridge λ = 1
    plain_share: float | None  # without a ridge
    added: float | None  # ΔD, with the ridge; None for both
    plain_added: float | None
    df: int
    chi_squared_p: float | None  # of ΔD without a ridge, where the assumptions allow one
    permutation_p: float | None


@dataclass(frozen=True, slots=True)
class UnsolvedType:
    """Tasks of one type that no entry solved. `judged` have a verdict of at least one entry."""

    type: str
    tasks: int
    judged: int
    unsolved: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnsolvedTask:
    task: str
    type: str
    compiled: int  # entries of which a run compiled
    judged: int  # entries with a verdict


@dataclass(frozen=True, slots=True)
class SlowerEntry:
    """The correct results of one entry, or of all: then `configuration` is empty."""

    configuration: str
    name: str
    found: Slower


@dataclass(frozen=True, slots=True)
class ProxyLine:
    """A static proxy of the reference against the pooled failure of a task."""

    proxy: str
    rate: RateName  # what the failure is one of
    found: Correlation


@dataclass(frozen=True, slots=True)
class Cast:
    """The entries of a board, those that an attribution is over, and the type of each task."""

    entries: tuple[Entry, ...]
    taken: tuple[Entry, ...]
    left_out: tuple[LeftOut, ...]
    types: tuple[str, ...]  # of each task
    is_by_operator: bool

    @property
    def type_name(self) -> str:
        return "operator type" if self.is_by_operator else "category"


def cast_of(board: Board, entries: Sequence[Entry]) -> Cast:
    """`entries`: those of the board in the order of the page; reference lines are left out."""
    own = tuple(entry for entry in entries if entry.role == "entry")
    reasons = {entry.configuration: _why_left_out(board.standings.matrices[entry.configuration]) for entry in own}
    is_by_operator = len({task.operator for task in board.tasks}) > 1
    return Cast(
        entries=own,
        taken=tuple(entry for entry in own if reasons[entry.configuration] is None),
        left_out=tuple(
            LeftOut(entry.configuration, entry_name(entry.agent, entry.model), reason)
            for entry in own
            if (reason := reasons[entry.configuration])
        ),
        types=tuple(_type_of(task, is_by_operator=is_by_operator) for task in board.tasks),
        is_by_operator=is_by_operator,
    )


def explanations(board: Board, cast: Cast) -> dict[RateName, Explanation | str]:
    """What explains each rate, or the reason why it has no attribution."""
    names = sorted(set(cast.types))
    groups = np.array([names.index(one) for one in cast.types], dtype=int)
    has_repeats = any(len(entry.runs) > 1 for entry in cast.taken)
    return {rate: explain(outcomes(board, cast.taken, rate), groups, has_repeats=has_repeats) for rate in RATES}


def outcomes(board: Board, entries: Sequence[Entry], rate: RateName) -> Numbers:
    """The share of each entry's runs that are correct, or compile, as entries × tasks."""
    found = [board.standings.matrices[entry.configuration] for entry in entries]
    shares = [(one.correct if rate == "correctness" else one.compiled).mean(axis=1) for one in found]
    return np.array(shares, dtype=float).reshape(len(found), len(board.tasks))


def explained_parts(found: Mapping[RateName, Explanation | str]) -> tuple[ExplainedPart, ...]:
    return tuple(part for rate, one in found.items() if not isinstance(one, str) for part in _parts(rate, one))


def unsolved_tasks(board: Board, cast: Cast) -> tuple[UnsolvedTask, ...]:
    """Tasks that some entry has a verdict on and none a correct result, in the order of the board."""
    judged, compiled, correct = (_entries_with(board, cast, flag) for flag in ("known", "compiled", "correct"))
    return tuple(
        UnsolvedTask(task.path, cast.types[at], int(compiled[at]), int(judged[at]))
        for at, task in enumerate(board.tasks)
        if judged[at] and not correct[at]
    )


def unsolved_types(board: Board, cast: Cast, unsolved: Sequence[UnsolvedTask]) -> tuple[UnsolvedType, ...]:
    """Each type with its unsolved tasks; none without an entry."""
    judged = Counter(name for name, count in zip(cast.types, _entries_with(board, cast, "known"), strict=True) if count)
    tasks = Counter(cast.types if cast.entries else ())
    return tuple(
        UnsolvedType(name, tasks[name], judged[name], tuple(one.task for one in unsolved if one.type == name))
        for name in sorted(tasks)
    )


def slower_entries(board: Board, cast: Cast) -> tuple[SlowerEntry, ...]:
    """All entries together, then each; none on a functional device, or without an entry."""
    if board.device.is_functional or not cast.entries:
        return ()
    found = {entry.configuration: board.standings.matrices[entry.configuration] for entry in cast.entries}
    names = {entry.configuration: entry_name(entry.agent, entry.model) for entry in cast.entries}
    each = (SlowerEntry(slug, names[slug], slower([one])) for slug, one in found.items())
    return (SlowerEntry("", "All entries", slower(list(found.values()))), *each)


def proxy_lines(board: Board, cast: Cast, proxies: Mapping[int, Mapping[str, int]]) -> tuple[ProxyLine, ...]:
    """Each proxy against each failure, over the tasks whose reference was counted; none without tasks or entries."""
    counted = [at for at, task in enumerate(board.tasks) if task.id in proxies]
    if not (cast.taken and counted):
        return ()
    failures = {rate: 1 - outcomes(board, cast.taken, rate).mean(axis=0)[counted] for rate in RATES}
    values = {name: np.array([proxies[board.tasks[at].id][name] for at in counted], dtype=float) for name in PROXIES}
    return tuple(ProxyLine(name, rate, correlation(values[name], failures[rate])) for name in PROXIES for rate in RATES)


def _why_left_out(matrix: ResultMatrix) -> str | None:
    if not matrix.is_complete:
        return NOT_COMPLETE
    return None if matrix.correct.any() else SOLVES_NOTHING


def _type_of(task: TaskRow, *, is_by_operator: bool) -> str:
    return (task.operator or OTHER) if is_by_operator else CATEGORIES[task.category]


def _parts(rate: RateName, one: Explanation) -> tuple[ExplainedPart, ...]:
    ridge, plain, sure = one.ridge, one.plain, one.chi_squared
    return (
        ExplainedPart(
            rate,
            "type",
            ridge.category,
            plain.category if plain else None,
            ridge.category_added,
            plain.category_added if plain else None,
            ridge.category_df,
            sure.category_p if sure else None,
            one.permuted.category_p,
        ),
        ExplainedPart(
            rate,
            "entry",
            ridge.method,
            plain.method if plain else None,
            ridge.method_added,
            plain.method_added if plain else None,
            ridge.method_df,
            sure.method_p if sure else None,
            one.permuted.method_p,
        ),
        ExplainedPart(
            rate,
            "both",
            ridge.both,
            plain.both if plain else None,
            None,
            None,
            ridge.category_df + ridge.method_df,
            None,
            None,
        ),
    )


def _entries_with(board: Board, cast: Cast, flag: str) -> Integers:
    """Of each task the number of entries of which a result that counts has the flag."""
    found = [board.standings.matrices[entry.configuration] for entry in cast.entries]
    flags = [(getattr(one, flag) & one.known).any(axis=1) for one in found]
    return np.asarray(np.array(flags, dtype=int).reshape(len(found), len(board.tasks)).sum(axis=0))
