"""Values of the portability page: correct results and speedups of a configuration on each device class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean

from leaderboard.eligibility import is_correct, may_count
from leaderboard.formatting import factor
from leaderboard.pages.agents.entrants import Standing
from leaderboard.queries.portability import PortableRow
from leaderboard.words import ALL


@dataclass(frozen=True, slots=True)
class DeviceTally:
    """Correct results of tasks × public runs on one device class."""

    device_class: str
    correct: int
    of: int
    board: str  # address


@dataclass(frozen=True, slots=True)
class PortableEntry:
    """A configuration on one suite. `devices` has only the device classes that it ran on."""

    configuration: str
    agent: str
    model: str | None
    role: str
    suite: str
    suite_version: int
    protocol: str
    devices: dict[str, DeviceTally]


@dataclass(frozen=True, slots=True)
class TaskOnDevice:
    """A task on one device class. `speedup` is the geometric mean over the runs whose speedup counts."""

    device_class: str
    passed: int
    runs: int
    speedup: float | None
    timed_runs: int
    result: int  # of the first run


@dataclass(frozen=True, slots=True)
class PortableTask:
    """A task of one configuration on every device class that it ran on."""

    task: str
    devices: dict[str, TaskOnDevice]
    spread: float | None  # largest ÷ smallest speedup over device classes; None below two
    candidates: int  # number of different candidates among all runs


def portable_entries(found: Sequence[Standing]) -> tuple[PortableEntry, ...]:
    """The configurations, those on most device classes first."""
    ordered = sorted(found, key=_key)
    entries = [_entry(list(own)) for _, own in groupby(ordered, key=_key)]
    return tuple(sorted(entries, key=lambda entry: (-len(entry.devices), entry.configuration)))


def portable_tasks(rows: Sequence[PortableRow]) -> tuple[PortableTask, ...]:
    return tuple(_task(path, list(own)) for path, own in groupby(rows, key=lambda row: row.task))


def _key(one: Standing) -> tuple[str, str, int, str]:
    return one.configuration, one.suite, one.suite_version, one.protocol


def _entry(own: Sequence[Standing]) -> PortableEntry:
    first = own[0]
    devices = {
        one.device_class: DeviceTally(
            one.device_class, one.tallies[ALL].correct, one.tallies[ALL].results, one.boards[ALL]
        )
        for one in own
    }
    who = (first.configuration, first.agent, first.model, first.role)
    return PortableEntry(*who, first.suite, first.suite_version, first.protocol, devices)


def _task(path: str, rows: Sequence[PortableRow]) -> PortableTask:
    devices = {device: _device(device, list(own)) for device, own in groupby(rows, key=lambda row: row.device)}
    speeds = [one.speedup for one in devices.values() if one.speedup is not None]
    spread = max(speeds) / min(speeds) if len(speeds) > 1 else None
    return PortableTask(path, devices, spread, len({row.candidate_digest for row in rows}))


def _device(device: str, rows: Sequence[PortableRow]) -> TaskOnDevice:
    logs = [row.log_speedup for row in rows if row.log_speedup is not None and may_count(row)]
    passed = sum(is_correct(row.status == "passed", row.audit) for row in rows)
    return TaskOnDevice(device, passed, len(rows), factor(fmean(logs)) if logs else None, len(logs), rows[0].result_id)
