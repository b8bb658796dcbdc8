"""How fast correct kernels measured here are: the figures of section 4.5 of KernelBench-X's paper, for our results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from statistics import fmean, median

from evaluator.records.record import PROTOCOL
from leaderboard.queries import kernelbench_x as queries
from leaderboard.queries.kernelbench_x import OwnSpeedRow
from leaderboard.statistics.limits import MIN_TASKS_FOR_INTERVAL


@dataclass(frozen=True, slots=True)
class DeviceSpeeds:
    device: str
    device_title: str
    timed: int  # correct results with a speed
    slower: int  # of these, slower than eager PyTorch
    median: float | None  # None for too few tasks, as below


@dataclass(frozen=True, slots=True)
class Ratios:
    """For each pair of entry and task on several device classes, its largest speedup over its smallest."""

    pairs: int
    median: float | None
    mean: float | None
    largest: float | None


@dataclass(frozen=True, slots=True)
class OwnSpeeds:
    """Over all entries. Protocols are never pooled: this is the current one, or else the newest with results."""

    protocol: str  # empty where nothing is measured
    timed: int
    slower: int
    devices: tuple[DeviceSpeeds, ...]
    ratios: Ratios


def own_speeds() -> OwnSpeeds:
    rows = queries.own_speeds()
    known = {row.protocol for row in rows}
    newest = PROTOCOL if PROTOCOL in known else max(known, default="")
    return speeds_of([row for row in rows if row.protocol == newest], newest)


def speeds_of(rows: Sequence[OwnSpeedRow], protocol: str) -> OwnSpeeds:
    return OwnSpeeds(protocol, len(rows), sum(row.log_speedup < 0 for row in rows), _devices(rows), _ratios(rows))


def _devices(rows: Sequence[OwnSpeedRow]) -> tuple[DeviceSpeeds, ...]:
    by_device: dict[tuple[str, str], list[OwnSpeedRow]] = defaultdict(list)
    for row in rows:
        by_device[row.device, row.device_title].append(row)
    return tuple(_device(*key, own) for key, own in sorted(by_device.items()))


def _device(slug: str, title: str, rows: Sequence[OwnSpeedRow]) -> DeviceSpeeds:
    logs = [row.log_speedup for row in rows]
    is_enough = len({row.task for row in rows}) >= MIN_TASKS_FOR_INTERVAL
    return DeviceSpeeds(slug, title, len(logs), sum(log < 0 for log in logs), exp(median(logs)) if is_enough else None)


def _ratios(rows: Sequence[OwnSpeedRow]) -> Ratios:
    """A speedup is the geometric mean over its runs."""
    logs: dict[tuple[str, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        logs[row.configuration, row.task][row.device].append(row.log_speedup)
    means = {key: [fmean(own) for own in devices.values()] for key, devices in logs.items() if len(devices) > 1}
    found = [exp(max(own) - min(own)) for own in means.values()]
    if len({task for _, task in means}) < MIN_TASKS_FOR_INTERVAL:
        return Ratios(len(found), None, None, None)
    return Ratios(len(found), median(found), fmean(found), max(found))
