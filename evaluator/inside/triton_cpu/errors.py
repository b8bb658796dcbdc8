"""What a launch can end in: three faults of the candidate, two of ours (UnsupportedFeature, TritonChanged)."""

from __future__ import annotations

from evaluator.inside.unsupported import UnsupportedFeature

__all__ = ["CompileFailed", "DeviceAssertFailed", "OutOfBounds", "TritonChanged", "UnsupportedFeature"]


class CompileFailed(Exception):
    """A kernel does not compile for the target, or needs more than one of its compute units has."""

    def __init__(self, kernel: str, target: str, text: str, skippable: bool = False) -> None:
        """`skippable`: an autotuner on the device would go on with its next configuration."""
        super().__init__(f"{kernel} does not compile for {target}: {text}")
        self.kernel, self.target, self.text, self.skippable = kernel, target, text, skippable


class OutOfBounds(Exception):
    """Active lanes of a load, a store or an atomic point outside every live tensor."""


class DeviceAssertFailed(Exception):
    """A device_assert (or an assume) of the kernel does not hold."""


class TritonChanged(RuntimeError):
    """The installed Triton lacks an internal name that this package builds on."""
