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


@dataclass(frozen=True, slots=True)
class DeviceSpeeds:
    device: str
    device_title: str
    protocol: str
    timed: int  # correct results with a speed
    slower: int  # of these, slower than eager PyTorch


@dataclass(frozen=True, slots=True)
class OwnSpeeds:
    """Over all entries. Results of different protocols are never pooled: these are of the newest one alone."""

    protocol: str  # empty where nothing is measured
    timed: int
    slower: int
    median: float | None
    devices: tuple[DeviceSpeeds, ...]
    portable: int  # pairs of entry and task with a speed on two or more device classes
    ratio_median: float | None  # the largest of a pair's mean speedups over the smallest
    ratio_mean: float | None
    ratio_largest: float | None


def own_speeds() -> OwnSpeeds:
    rows = queries.own_speeds()
    known = {row.protocol for row in rows}
    newest = PROTOCOL if PROTOCOL in known else max(known, default="")
    return speeds_of([row for row in rows if row.protocol == newest], newest)


def speeds_of(rows: Sequence[OwnSpeedRow], protocol: str) -> OwnSpeeds:
    ratios = _ratios(rows)
    return OwnSpeeds(
        protocol=protocol,
        timed=len(rows),
        slower=sum(row.log_speedup < 0 for row in rows),
        median=exp(median(row.log_speedup for row in rows)) if rows else None,
        devices=_devices(rows),
        portable=len(ratios),
        ratio_median=median(ratios) if ratios else None,
        ratio_mean=fmean(ratios) if ratios else None,
        ratio_largest=max(ratios, default=None),
    )


def _devices(rows: Sequence[OwnSpeedRow]) -> tuple[DeviceSpeeds, ...]:
    logs: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row in rows:
        logs[row.device, row.device_title, row.protocol].append(row.log_speedup)
    return tuple(DeviceSpeeds(*key, len(own), sum(log < 0 for log in own)) for key, own in sorted(logs.items()))


def _ratios(rows: Sequence[OwnSpeedRow]) -> list[float]:
    """For each entry and task on several device classes; a speedup is the geometric mean over its runs."""
    logs: dict[tuple[str, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        logs[row.configuration, row.task][row.device].append(row.log_speedup)
    means = [[fmean(own) for own in devices.values()] for devices in logs.values() if len(devices) > 1]
    return [exp(max(own) - min(own)) for own in means]
