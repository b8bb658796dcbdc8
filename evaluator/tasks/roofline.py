"""How long a case must take at least on a device by its makers' figures, with every byte moved once and cold caches.

Peaks are those of data sheets, dense, at boost clock: NVIDIA H100 and H200 Tensor Core GPU data sheets, AMD Instinct
MI300X data sheet. float32 is what its own units do; matrix units take it with ten bits of mantissa.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evaluator.tasks.spec import Case, TaskSpec


@dataclass(frozen=True, slots=True)
class Peaks:
    """Bytes a second of device memory, and operations a second by dtype."""

    bytes_per_s: float
    flops_per_s: dict[str, float]


HOPPER = {"float32": 66.9e12, "float16": 989.4e12, "bfloat16": 989.4e12, "float8_e4m3fn": 1978.9e12}
CDNA3 = {"float32": 163.4e12, "float16": 1307.4e12, "bfloat16": 1307.4e12, "float8_e4m3fn": 2614.9e12}
PEAKS = {
    "h100-sxm": Peaks(3.35e12, HOPPER),
    "h200-sxm": Peaks(4.8e12, HOPPER),
    "mi300x-spx": Peaks(5.3e12, CDNA3),
}


@dataclass(frozen=True, slots=True)
class Roof:
    """The least time in nanoseconds, and what sets it."""

    time_ns: float
    bound: Literal["memory", "arithmetic"]


def roof_of(task: TaskSpec, case: Case, device_class: str) -> Roof | None:
    """None for a device or a dtype whose peaks are not known here, and for a case without work."""
    peaks = PEAKS.get(device_class)
    flops_per_s = peaks.flops_per_s.get(task.main_dtype(case)) if peaks else None
    if peaks is None or flops_per_s is None:
        return None
    moved, computed = task.work_of(case)
    memory_ns, arithmetic_ns = moved / peaks.bytes_per_s * 1e9, computed / flops_per_s * 1e9
    if max(memory_ns, arithmetic_ns) <= 0:
        return None
    return Roof(memory_ns, "memory") if memory_ns >= arithmetic_ns else Roof(arithmetic_ns, "arithmetic")
