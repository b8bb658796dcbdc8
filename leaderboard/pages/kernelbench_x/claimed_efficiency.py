"""Hardware efficiency as a submitted run claims it: its GB/s and TFLOPS against the peaks of the machine that it names.

The peaks are ours, the rates are not: nothing of them was measured here. The benchmark's tolerance for float32, 1e-5,
does not admit TF32.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from statistics import fmean
from typing import Any

from evaluator.bundles.kernelbenchx.outcomes import DTYPES
from evaluator.bundles.kernelbenchx.rows import is_time
from evaluator.tasks.peaks import KERNELBENCHX_MACHINES
from evaluator.tasks.roofline import TimedWork, efficiency
from leaderboard.queries.kernelbench_x import KernelBenchXClaimRow
from leaderboard.words import operator_type

NO_MACHINE = "the run names no machine whose peaks are known"
NO_RATES = "it states no GB/s and TFLOPS"
NO_DTYPE = "it states no dtype"


@dataclass(frozen=True, slots=True)
class ClaimedTask:
    """A correct kernel. Rates are as claimed; shares are None where a rate or a peak is not known."""

    task: str
    category: str
    dtype: str  # the task's own where its name tells it, since runs claim float32 of quantized tasks
    gb_per_s: float | None
    tflop_per_s: float | None
    iou: float | None
    mfu: float | None
    score: float | None
    missing: str  # why there is no score


@dataclass(frozen=True, slots=True)
class ClaimedMeans:
    """Means over kernels with a score; IOU and MFU are over those of them that have one."""

    correct: int
    scored: int
    iou: float | None
    mfu: float | None
    score: float | None
    above: int  # kernels whose score is above 100 %


@dataclass(frozen=True, slots=True)
class ClaimedEfficiency:
    device_class: str  # of the machine that the run names; empty if none is known
    means: ClaimedMeans
    categories: dict[str, ClaimedMeans]  # those with a correct kernel
    tasks: tuple[ClaimedTask, ...]


def claimed_efficiency(claims: Sequence[KernelBenchXClaimRow], machine: str) -> ClaimedEfficiency:
    """Of the correct kernels of one run."""
    device_class = KERNELBENCHX_MACHINES.get(machine, "")
    tasks = tuple(_task(claim.task, claim.claimed, device_class) for claim in claims)
    names = sorted({one.category for one in tasks})
    by_category = {name: _means([one for one in tasks if one.category == name]) for name in names}
    return ClaimedEfficiency(device_class, _means(tasks), by_category, tasks)


def _task(task: str, claimed: Mapping[str, Any], device_class: str) -> ClaimedTask:
    gbs, tflops = _rate(claimed.get("gbs")), _rate(claimed.get("tflops"))
    stem = PurePosixPath(task).stem
    dtype = next((own for suffix, own in DTYPES.items() if stem.endswith(suffix)), str(claimed.get("dtype") or ""))
    about = task, operator_type(task.partition("/")[0]), dtype, gbs, tflops
    if gbs is None or tflops is None or not device_class:
        return ClaimedTask(*about, None, None, None, NO_RATES if device_class else NO_MACHINE)
    if tflops and not dtype:
        return ClaimedTask(*about, None, None, None, NO_DTYPE)
    found = efficiency(TimedWork(1.0, gbs * 1e9, {dtype: tflops * 1e12}), device_class)
    return ClaimedTask(*about, found.iou, found.mfu, found.score, found.missing)


def _rate(value: object) -> float | None:
    """A claimed rate; 0 where the benchmark counts nothing, as operations of copies."""
    if isinstance(value, int | float) and not isinstance(value, bool) and value == 0:
        return 0.0
    return float(value) if isinstance(value, int | float) and is_time(value) else None


def _means(tasks: Sequence[ClaimedTask]) -> ClaimedMeans:
    scored = [one for one in tasks if one.score is not None]
    iou, mfu, score = (
        (
            fmean(known) if (known := [share for share in shares if share is not None]) else None
            for shares in zip(*((one.iou, one.mfu, one.score) for one in scored), strict=True)
        )
        if scored
        else (None, None, None)
    )
    above = sum(one.score is not None and one.score > 1 for one in scored)
    return ClaimedMeans(len(tasks), len(scored), iou, mfu, score, above)
