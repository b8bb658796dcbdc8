"""How one configuration does on each device class: correct results over a suite, and each task's speedup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean

from leaderboard.eligibility import may_count
from leaderboard.formatting import factor
from leaderboard.pages.agents.entrants import Standing
from leaderboard.queries.portability import PortableRow
from leaderboard.words import ALL


@dataclass(frozen=True, slots=True)
class PlaceTally:
    """Right answers of tasks × public runs on one device class."""

    device_class: str
    correct: int
    of: int
    board: str


@dataclass(frozen=True, slots=True)
class PortableEntry:
    """`places` by device class; those on which it did not run are not in it."""

    configuration: str
    agent: str
    model: str | None
    role: str
    suite: str
    suite_version: int
    protocol: str
    places: dict[str, PlaceTally]


@dataclass(frozen=True, slots=True)
class TaskOnDevice:
    """`speedup`: exp of the mean log speedup over the runs that have one that may count."""

    device_class: str
    passed: int
    runs: int
    speedup: float | None
    timed_runs: int
    result: int  # the first run's


@dataclass(frozen=True, slots=True)
class PortableTask:
    task: str
    places: dict[str, TaskOnDevice]
    spread: float | None  # largest ÷ smallest speedup over device classes; None below two
    candidates: int  # distinct ones among all runs


def portable_entries(found: Sequence[Standing]) -> tuple[PortableEntry, ...]:
    """Those on most device classes first."""
    ordered = sorted(found, key=_whose)
    entries = [_entry(list(own)) for _, own in groupby(ordered, key=_whose)]
    return tuple(sorted(entries, key=lambda entry: (-len(entry.places), entry.configuration)))


def _whose(one: Standing) -> tuple[str, str, int, str]:
    return one.configuration, one.suite, one.suite_version, one.protocol


def _entry(own: Sequence[Standing]) -> PortableEntry:
    first = own[0]
    places = {
        one.device_class: PlaceTally(
            one.device_class, one.tallies[ALL].correct, one.tallies[ALL].results, one.boards[ALL]
        )
        for one in own
    }
    who = (first.configuration, first.agent, first.model, first.role)
    return PortableEntry(*who, first.suite, first.suite_version, first.protocol, places)


def portable_tasks(rows: Sequence[PortableRow]) -> tuple[PortableTask, ...]:
    return tuple(_task(path, list(own)) for path, own in groupby(rows, key=lambda row: row.task))


def _task(path: str, rows: Sequence[PortableRow]) -> PortableTask:
    places = {device: _place(device, list(own)) for device, own in groupby(rows, key=lambda row: row.device)}
    return PortableTask(path, places, _spread(places), len({row.candidate_digest for row in rows}))


def _place(device: str, rows: Sequence[PortableRow]) -> TaskOnDevice:
    logs = [row.log_speedup for row in rows if row.log_speedup is not None and may_count(row)]
    passed = sum(row.status == "passed" for row in rows)
    return TaskOnDevice(device, passed, len(rows), factor(fmean(logs)) if logs else None, len(logs), rows[0].result_id)


def _spread(places: Mapping[str, TaskOnDevice]) -> float | None:
    speeds = [place.speedup for place in places.values() if place.speedup is not None]
    return max(speeds) / min(speeds) if len(speeds) > 1 else None
