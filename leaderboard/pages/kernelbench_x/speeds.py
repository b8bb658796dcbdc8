"""How fast correct kernels measured here are: the figures of section 4.5 of KernelBench-X's paper, for our results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from evaluator.records.record import PROTOCOL
from leaderboard.changelog import newest_protocol
from leaderboard.formatting import factor
from leaderboard.queries import kernelbench_x as queries
from leaderboard.queries.kernelbench_x import OwnSpeedRow
from leaderboard.statistics.limits import MIN_TASKS_FOR_INTERVAL
from leaderboard.statistics.ratios import SpeedupRatios, ratios


@dataclass(frozen=True, slots=True)
class DeviceSpeeds:
    device: str
    device_title: str
    timed: int  # correct results with a speed
    tasks: int  # with such a result
    slower: int  # of the timed results, slower than eager PyTorch
    median: float | None  # None for too few tasks, as below


@dataclass(frozen=True, slots=True)
class OwnSpeeds:
    """Over all entries. Protocols are never pooled: this is the current one, or else the newest with results."""

    protocol: str  # empty where nothing is measured
    timed: int
    tasks: int
    slower: int
    devices: tuple[DeviceSpeeds, ...]
    ratios: SpeedupRatios


def own_speeds() -> OwnSpeeds:
    rows = queries.own_speeds()
    newest = newest_protocol((row.protocol for row in rows), PROTOCOL)
    return speeds_of([row for row in rows if row.protocol == newest], newest)


def speeds_of(rows: Sequence[OwnSpeedRow], protocol: str) -> OwnSpeeds:
    slower = sum(row.log_speedup < 0 for row in rows)
    return OwnSpeeds(protocol, len(rows), _tasks(rows), slower, _devices(rows), _ratios(rows))


def _devices(rows: Sequence[OwnSpeedRow]) -> tuple[DeviceSpeeds, ...]:
    by_device: dict[tuple[str, str], list[OwnSpeedRow]] = defaultdict(list)
    for row in rows:
        by_device[row.device, row.device_title].append(row)
    return tuple(_device(*key, own) for key, own in sorted(by_device.items()))


def _device(slug: str, title: str, rows: Sequence[OwnSpeedRow]) -> DeviceSpeeds:
    logs, tasks = [row.log_speedup for row in rows], _tasks(rows)
    middle = factor(median(logs)) if tasks >= MIN_TASKS_FOR_INTERVAL else None
    return DeviceSpeeds(slug, title, len(logs), tasks, sum(log < 0 for log in logs), middle)


def _tasks(rows: Sequence[OwnSpeedRow]) -> int:
    return len({row.task for row in rows})


def _ratios(rows: Sequence[OwnSpeedRow]) -> SpeedupRatios:
    """Of the same candidate on several device classes, as on the portability page."""
    logs: dict[tuple[str, int, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row.candidate:
            logs[row.configuration, row.task, row.candidate][row.device].append(row.log_speedup)
    means = [(str(task), [fmean(own) for own in by_device.values()]) for (_, task, _), by_device in logs.items()]
    return ratios([(task, factor(max(own) - min(own))) for task, own in means if len(own) > 1])
