"""Roofline bounds: the least time that a case can take on a device, with every byte moved once and cold caches.

Peaks are dense and at boost clock, from the data sheets of the NVIDIA H100 and H200 Tensor Core GPUs and the AMD
Instinct MI300X. float32 is the rate of the float32 units: matrix units would round it to ten bits of mantissa.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evaluator.tasks.spec import Case, TaskSpec


@dataclass(frozen=True, slots=True)
class Peaks:
    """Peak bytes per second of device memory, and peak operations per second by dtype."""

    bytes_per_s: float
    flops_per_s: dict[str, float]


HOPPER = {
    "float32": 66.9e12,
    **dict.fromkeys(("float16", "bfloat16"), 989.4e12),
    **dict.fromkeys(("float8_e4m3fn", "float8_e5m2", "int8"), 1978.9e12),
}
CDNA3 = {
    "float32": 163.4e12,
    **dict.fromkeys(("float16", "bfloat16"), 1307.4e12),
    **dict.fromkeys(("float8_e4m3fnuz", "float8_e5m2fnuz", "int8"), 2614.9e12),
}
PEAKS = {
    "h100-sxm": Peaks(3.35e12, HOPPER),
    "h200-sxm": Peaks(4.8e12, HOPPER),
    "mi300x-spx": Peaks(5.3e12, CDNA3),
}


@dataclass(frozen=True, slots=True)
class Roof:
    """The least time in nanoseconds, and whether memory or arithmetic sets it."""

    time_ns: float
    bound: Literal["memory", "arithmetic"]


def roof_of(task: TaskSpec, case: Case, device_class: str) -> Roof | None:
    """The roofline bound of a case; None if the peaks of the device or dtype are unknown, or the case has no work."""
    peaks = PEAKS.get(device_class)
    flops_per_s = peaks.flops_per_s.get(task.main_dtype(case)) if peaks else None
    if peaks is None or flops_per_s is None:
        return None
    moved, computed = task.work_of(case)
    memory_ns, arithmetic_ns = moved / peaks.bytes_per_s * 1e9, computed / flops_per_s * 1e9
    if max(memory_ns, arithmetic_ns) <= 0:
        return None
    return Roof(memory_ns, "memory") if memory_ns >= arithmetic_ns else Roof(arithmetic_ns, "arithmetic")
