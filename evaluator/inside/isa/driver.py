"""A Triton driver without a device: it only gives the target that launches are specialised for."""

from __future__ import annotations

from typing import Any

import torch
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

from evaluator.inside.isa.targets import WAVE, Target


class DriverOf(DriverBase):  # type: ignore[misc]  # triton has no types
    """`target`: Triton's own description."""

    def __init__(self, target: Any) -> None:
        super().__init__()
        self._target = target

    @classmethod
    def is_active(cls) -> bool:
        return False

    def map_python_to_cpp_type(self, ty: str) -> str:
        return ty

    def get_current_target(self) -> Any:
        return self._target

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cpu")

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: object = None) -> int:
        return 0

    def get_benchmarker(self) -> Any:
        raise NotImplementedError("there is no device")


class TargetDriver(DriverOf):
    def __init__(self, target: Target) -> None:
        super().__init__(gpu_target(target))


def gpu_target(target: Target) -> Any:
    """Return Triton's own description of the target."""
    return GPUTarget("hip", target.arch, WAVE)
