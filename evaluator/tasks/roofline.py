"""What a task's model and a measured time say of the hardware: achieved rates, their shares of peaks, the least time.

KernelBench-X's measures: IOU = bytes / (time · peak bytes a second), MFU = operations / (time · peak operations a
second), and the larger of both as score. A share above 1 is returned as it is: what is faster than device memory came
from a cache, or needs fewer bytes than the model says; what is faster than arithmetic ran above the boost clock, or on
faster units. Nothing here is a verdict.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from evaluator.tasks.peaks import PEAKS, Peaks
from evaluator.tasks.spec import Case, TaskSpec

TF32 = "tf32"
# Half a unit in the last of TF32's ten bits: the most by which it rounds a factor. Products of rounded factors are off
# by 3e-4 (RMSE; 4e-4 in convolutions): a limit of this admits them, and tasks that exclude them have lower ones.
TF32_ROUNDING = 2.0**-11
UNKNOWN_CLASS = "no peak rates of this device class are known"
NO_WORK = "the task's model has neither bytes nor operations"


@dataclass(frozen=True, slots=True)
class CaseWork:
    """What the task's model says of one case: bytes moved and operations done by the ideal algorithm, and the dtype."""

    bytes: float
    flops: float
    dtype: str


@dataclass(frozen=True, slots=True)
class TimedWork:
    """The work of one case or several and the time that it took; operations by the name of the peak they face."""

    seconds: float
    bytes: float
    flops: Mapping[str, float]

    @classmethod
    def of_case(cls, work: CaseWork, time_ms: float, allowed_rmse: float | None) -> TimedWork:
        return cls(time_ms / 1e3, work.bytes, {peak_name(work.dtype, allowed_rmse): work.flops})


@dataclass(frozen=True, slots=True)
class Efficiency:
    """Achieved rates, and their shares of the peaks: 1 is the peak. None where an input is unknown or there is none."""

    bytes_per_s: float | None
    flops_per_s: float | None
    iou: float | None
    mfu: float | None
    score: float | None  # the larger one
    missing: str  # why there is no score; empty where there is one


@dataclass(frozen=True, slots=True)
class Roof:
    """The least time in nanoseconds, and whether memory or arithmetic sets it."""

    time_ns: float
    bound: Literal["memory", "arithmetic"]


def case_work(task: TaskSpec, case: Case) -> CaseWork:
    moved, computed = task.work_of(case)
    return CaseWork(moved, computed, task.main_dtype(case))


def peak_name(dtype: str, allowed_rmse: float | None) -> str:
    """Return the peak that a case's arithmetic is held against: its dtype's, or TF32's where its tolerance admits that.

    `allowed_rmse`: the limit of relative RMSE by which the case was judged, c·eps·√n or four times the baseline's own
    error. So a task that excludes TF32 by itself admits it where its baseline computes in it.
    """
    admits_tf32 = dtype == "float32" and allowed_rmse is not None and allowed_rmse >= TF32_ROUNDING
    return TF32 if admits_tf32 else dtype


def total(parts: Iterable[TimedWork]) -> TimedWork | None:
    """Return Σ time, Σ bytes and Σ operations; None of nothing."""
    known = list(parts)
    flops: dict[str, float] = {}
    for part in known:
        for name, amount in part.flops.items():
            flops[name] = flops.get(name, 0.0) + amount
    return TimedWork(math.fsum(p.seconds for p in known), math.fsum(p.bytes for p in known), flops) if known else None


def efficiency(work: TimedWork, device_class: str) -> Efficiency:
    """Return Σ bytes / Σ time and Σ operations / Σ time, and their shares of the device's peaks.

    Where cases of several dtypes face different peaks, MFU is Σ (operations / their peak) / Σ time: with one peak it is
    the paper's, otherwise each case still counts by what its own units could have done.
    """
    operations = math.fsum(work.flops.values())
    bytes_per_s, flops_per_s = _rate(work.bytes, work.seconds), _rate(operations, work.seconds)
    peaks = PEAKS.get(device_class)
    unknown = _unknown_peaks(work, peaks)
    iou = bytes_per_s / peaks.bytes_per_s if peaks and bytes_per_s else None
    mfu = None
    if peaks and flops_per_s and not unknown:
        least_s = math.fsum(amount / peaks.flops_per_s[name] for name, amount in work.flops.items() if amount)
        mfu = least_s / work.seconds
    missing = UNKNOWN_CLASS if peaks is None else unknown
    known = [share for share in (iou, mfu) if share is not None]
    if not missing and not known:
        missing = NO_WORK
    return Efficiency(bytes_per_s, flops_per_s, iou, mfu, None if missing else max(known), missing)


def roof_of(work: CaseWork, device_class: str, allowed_rmse: float | None = None) -> Roof | None:
    """The roofline bound of a case; None if the peaks of the device or dtype are unknown, or the case has no work."""
    peaks = PEAKS.get(device_class)
    name = peak_name(work.dtype, allowed_rmse)
    if peaks is None or (work.flops and name not in peaks.flops_per_s):
        return None
    memory_ns = work.bytes / peaks.bytes_per_s * 1e9
    arithmetic_ns = work.flops / peaks.flops_per_s[name] * 1e9 if work.flops else 0.0
    if max(memory_ns, arithmetic_ns) <= 0:
        return None
    return Roof(memory_ns, "memory") if memory_ns >= arithmetic_ns else Roof(arithmetic_ns, "arithmetic")


def _rate(amount: float, seconds: float) -> float | None:
    """An amount a second; None where the model has none of it, or a number cannot be right."""
    is_known = 0 < amount < math.inf and 0 < seconds < math.inf
    return amount / seconds if is_known and amount / seconds < math.inf else None


def _unknown_peaks(work: TimedWork, peaks: Peaks | None) -> str:
    """Say for which dtype no peak is known; empty where all are."""
    known = peaks.flops_per_s if peaks else {}
    unknown = sorted(name for name, amount in work.flops.items() if amount and name not in known)
    return f"no peak of {' and '.join(unknown)} arithmetic is known for this device class" if unknown else ""
