"""Trajectories of agent sessions over their iterations, from sums over sessions, and steps between two iterations.

A session whose agent had fewer versions checked is carried on from its last one, so that every iteration has the same
denominator. Either what its last version came to counts (`last`), or the best that any version so far came to (`best`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import exp, fsum
from typing import Literal, Protocol

Carry = Literal["last", "best"]
COMPILED = ("passed", "wrong_output", "crashed", "implausible")  # it got as far as its calls


class CountedVersions(Protocol):
    """Versions of one number, status and transition. RightSpeeds are sums over those that passed and have one."""

    @property
    def number(self) -> int: ...
    @property
    def is_last(self) -> bool: ...
    @property
    def status(self) -> str: ...
    @property
    def is_solved(self) -> bool: ...
    @property
    def transition(self) -> str: ...
    @property
    def versions(self) -> int: ...
    @property
    def timed(self) -> int: ...
    @property
    def speedups(self) -> float | None: ...
    @property
    def log_speedups(self) -> float | None: ...
    @property
    def largest(self) -> float | None: ...
    @property
    def best_timed(self) -> int: ...
    @property
    def best_speedups(self) -> float | None: ...
    @property
    def best_log_speedups(self) -> float | None: ...
    @property
    def best_largest(self) -> float | None: ...


@dataclass(frozen=True, slots=True)
class RightSpeeds:
    """Speedups of right versions; None where none has one. `top_share` is the largest one's share of their sum."""

    timed: int
    mean: float | None
    geometric_mean: float | None
    top_share: float | None


@dataclass(frozen=True, slots=True)
class IterationCounts:
    """All sessions after their first `number` versions. Counts are out of `sessions`."""

    number: int
    sessions: int
    right: int
    compiled: int
    no_verdict: int  # through no fault of the version
    checked: int  # sessions that have a version of this number
    carried: int  # sessions that had fewer
    unchecked: int  # sessions without any version: neither right nor compiled
    speeds: RightSpeeds


@dataclass(frozen=True, slots=True)
class StepCounts:
    """Versions after number `number` and those that they were made from, by what became of them."""

    number: int
    pairs: int
    rescued: int  # wrong, then right
    rescued_speeds: RightSpeeds  # of the later version
    persistent: int  # right before and after
    persistent_speeds: RightSpeeds
    lost: int  # right, then wrong
    still_wrong: int
    unknown: int  # one of the two has no verdict


def trajectory(
    rows: Sequence[CountedVersions], sessions: int, most: int, carry: Carry, no_verdict: Collection[str]
) -> tuple[IterationCounts, ...]:
    """Return the iterations from 1 to `most` of sessions whose versions are counted in `rows`."""
    found = []
    for number in range(1, most + 1):
        reached = [row for row in rows if row.number == number or (row.is_last and row.number < number)]
        found.append(_iteration(reached, number, sessions, carry, no_verdict))
    return tuple(found)


def steps(rows: Sequence[CountedVersions], persistent: Collection[str]) -> tuple[StepCounts, ...]:
    """Return the steps between neighbouring versions, as far as there are any."""
    found = []
    for number in sorted({row.number for row in rows if row.transition}):
        own = [row for row in rows if row.number == number and row.transition]
        rescued = [row for row in own if row.transition == "rescued"]
        kept = [row for row in own if row.transition in persistent]
        found.append(
            StepCounts(
                number=number - 1,
                pairs=_count(own),
                rescued=_count(rescued),
                rescued_speeds=_speeds(rescued),
                persistent=_count(kept),
                persistent_speeds=_speeds(kept),
                lost=_count(row for row in own if row.transition == "lost"),
                still_wrong=_count(row for row in own if row.transition == "still_wrong"),
                unknown=_count(row for row in own if row.transition == "unknown"),
            )
        )
    return tuple(found)


def _iteration(
    rows: Sequence[CountedVersions], number: int, sessions: int, carry: Carry, no_verdict: Collection[str]
) -> IterationCounts:
    is_best = carry == "best"
    checked = _count(row for row in rows if row.number == number)
    return IterationCounts(
        number=number,
        sessions=sessions,
        right=_count(row for row in rows if (row.is_solved if is_best else row.status == "passed")),
        compiled=_count(row for row in rows if row.status in COMPILED or (is_best and row.is_solved)),
        no_verdict=_count(row for row in rows if row.status in no_verdict and not (is_best and row.is_solved)),
        checked=checked,
        carried=_count(rows) - checked,
        unchecked=sessions - _count(rows),
        speeds=_best_speeds(rows) if is_best else _speeds(rows),
    )


def _count(rows: Iterable[CountedVersions]) -> int:
    return sum(row.versions for row in rows)


def _speeds(rows: Sequence[CountedVersions]) -> RightSpeeds:
    return _summed([(row.timed, row.speedups, row.log_speedups, row.largest) for row in rows])


def _best_speeds(rows: Sequence[CountedVersions]) -> RightSpeeds:
    return _summed([(row.best_timed, row.best_speedups, row.best_log_speedups, row.best_largest) for row in rows])


def _summed(parts: Sequence[tuple[int, float | None, float | None, float | None]]) -> RightSpeeds:
    timed = sum(count for count, *_ in parts)
    if not timed:
        return RightSpeeds(0, None, None, None)
    total, logs = (fsum(part[at] or 0.0 for part in parts) for at in (1, 2))
    largest = max(part[3] or 0.0 for part in parts)
    return RightSpeeds(timed, total / timed, exp(logs / timed), largest / total)
