"""A Triton driver without a device: launches are specialised as on an MI300X; tensors stay on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from evaluator.inside import mi300x
from evaluator.inside.isa.driver import TargetDriver
from evaluator.inside.isa.targets import GFX942
from evaluator.inside.triton_cpu.errors import UnsupportedFeature


class Properties:
    """The part of a driver's compiled helper module that candidates use."""

    def get_device_properties(self, device: object = None) -> dict[str, int]:
        return {
            "multiprocessor_count": mi300x.COMPUTE_UNITS,
            "max_shared_mem": mi300x.LDS_BYTES,
            "max_num_regs": mi300x.REGISTERS,
            "warpSize": mi300x.WAVE,
            "sm_clock_rate": mi300x.CLOCK_KHZ,
            "mem_clock_rate": mi300x.MEMORY_CLOCK_KHZ,
            "mem_bus_width": mi300x.MEMORY_BUS_BITS,
        }


class Gfx942Driver(TargetDriver):
    """The active driver, for Triton's runtime and for candidates."""

    utils = Properties()

    def __init__(self) -> None:
        super().__init__(GFX942)

    def get_active_torch_device(self) -> torch.device:
        """Return the emulated GPU if there is one, so that `x.device == DEVICE` is true in a candidate."""
        return torch.device("cuda", 0) if torch.cuda.is_available() else torch.device("cpu")

    def set_current_device(self, device: int) -> None:
        pass

    def get_device_capability(self, device: object = None) -> tuple[int, int]:
        return mi300x.CAPABILITY

    def get_device_interface(self) -> Any:
        return torch.cuda

    def get_empty_cache_for_benchmark(self) -> torch.Tensor:
        return torch.empty(1)

    def clear_cache(self, cache: torch.Tensor) -> None:
        pass

    def get_benchmarker(self) -> Callable[..., float | Sequence[float]]:
        return benchmark_once

    @property
    def launcher_cls(self) -> Any:
        raise UnsupportedFeature("launch of a kernel that the candidate compiled itself")


def benchmark_once(
    call: Callable[[], object], *args: object, quantiles: Sequence[float] | None = None, **options: object
) -> float | list[float]:
    """Replace triton.testing.do_bench: call once and return 1 ms, since interpreter times have no meaning."""
    call()
    return [1.0] * len(quantiles) if quantiles else 1.0
