"""Errors of launches: three are faults of the candidate; UnsupportedFeature and TritonChanged are not."""

from __future__ import annotations

from evaluator.inside.unsupported import UnsupportedFeature

__all__ = ["CompileFailed", "DeviceAssertFailed", "OutOfBounds", "TritonChanged", "UnsupportedFeature"]


class CompileFailed(Exception):
    """A kernel does not compile for the target, or needs more resources than a compute unit has."""

    def __init__(self, kernel: str, target: str, text: str, skippable: bool = False) -> None:
        """`skippable`: an autotuner would continue with its next configuration."""
        super().__init__(f"{target}: {kernel}: {text}")
        self.kernel, self.target, self.text, self.skippable = kernel, target, text, skippable


class OutOfBounds(Exception):
    """Active lanes of a load, store or atomic access memory outside all live tensors."""


class DeviceAssertFailed(Exception):
    """A device_assert or an assume of the kernel fails."""


class TritonChanged(RuntimeError):
    """The installed Triton lacks an internal name that this package uses."""
