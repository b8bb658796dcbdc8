"""Iterations of a board's entries, and kinds of edit, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evaluator.records.edits import KINDS
from evaluator.records.transitions import NO_VERDICT, PERSISTENT
from leaderboard.pages.base import entry_name
from leaderboard.queries.iterations import KindsRow, SessionsOfEntryRow, StepRow
from leaderboard.statistics.trajectories import Carry, IterationCounts, StepCounts, steps, trajectory

MOST = 10  # iterations that are shown


@dataclass(frozen=True, slots=True)
class EntryTrajectory:
    """The sessions of a configuration, iteration by iteration, and what became of them from one to the next."""

    configuration: str
    name: str
    role: str
    sessions: int
    versions: int
    longest: int  # the largest number of versions of one session
    iterations: tuple[IterationCounts, ...]  # MOST at most
    steps: tuple[StepCounts, ...]


@dataclass(frozen=True, slots=True)
class KindCount:
    """`count` of `of` pairs have a kind of edit; a pair may have several."""

    kind: str
    count: int
    of: int
    transitions: dict[str, int]  # those `count` pairs by transition


@dataclass(frozen=True, slots=True)
class EntryKinds:
    configuration: str
    name: str
    role: str
    pairs: int
    not_known: int  # the archive lacked their sessions when kinds were first stored
    kinds: tuple[KindCount, ...]


def trajectories(
    entries: Sequence[SessionsOfEntryRow], rows: Sequence[StepRow], carry: Carry
) -> tuple[EntryTrajectory, ...]:
    own: dict[str, list[StepRow]] = {}
    for row in rows:
        own.setdefault(row.configuration, []).append(row)
    return tuple(_entry(entry, own.get(entry.configuration, []), carry) for entry in entries)


def _entry(entry: SessionsOfEntryRow, rows: Sequence[StepRow], carry: Carry) -> EntryTrajectory:
    longest = entry.longest or 0
    return EntryTrajectory(
        configuration=entry.configuration,
        name=entry_name(entry.agent, entry.model),
        role=entry.role,
        sessions=entry.sessions,
        versions=entry.versions,
        longest=longest,
        iterations=trajectory(rows, entry.sessions, min(longest, MOST), carry, NO_VERDICT),
        steps=steps(rows, PERSISTENT),
    )


def entry_kinds(
    entries: Sequence[SessionsOfEntryRow], rows: Mapping[str, Sequence[KindsRow]]
) -> tuple[EntryKinds, ...]:
    """Kinds of edit of the entries that have pairs."""
    return tuple(
        EntryKinds(
            configuration=entry.configuration,
            name=entry_name(entry.agent, entry.model),
            role=entry.role,
            pairs=pairs_of(rows[entry.configuration]),
            not_known=not_known(rows[entry.configuration]),
            kinds=kind_counts(rows[entry.configuration]),
        )
        for entry in entries
        if entry.configuration in rows
    )


def kind_counts(rows: Sequence[KindsRow]) -> tuple[KindCount, ...]:
    """Count pairs by kind, out of those whose kinds are known."""
    of = pairs_of(rows) - not_known(rows)
    return tuple(_kind(kind, [row for row in rows if kind in row.kinds.split()], of) for kind in KINDS)


def pairs_of(rows: Iterable[KindsRow]) -> int:
    return sum(row.pairs for row in rows)


def not_known(rows: Iterable[KindsRow]) -> int:
    return sum(row.pairs for row in rows if not row.kinds)


def _kind(kind: str, rows: Sequence[KindsRow], of: int) -> KindCount:
    found = Counter[str]()
    for row in rows:
        found[row.transition] += row.pairs
    return KindCount(kind, found.total(), of, dict(sorted(found.items())))
