"""Devices and toolchains: what a host can run, and what its measurements mean."""

from __future__ import annotations

from collections.abc import Mapping

from evaluator.backends.base import Backend, Sample
from evaluator.backends.cpu import CpuBackend
from evaluator.backends.cuda import CudaBackend
from evaluator.backends.rocm import RocmBackend
from evaluator.errors import HostError, UsageError

__all__ = ["KNOWN", "Backend", "Sample", "get_backend", "present"]

# "auto" takes the first that is here.
KNOWN: Mapping[str, type[Backend]] = {"cuda": CudaBackend, "rocm": RocmBackend, "cpu": CpuBackend}


def get_backend(name: str) -> Backend:
    """The backend of that name; "auto": a GPU's if there is one.

    Raises:
        UsageError: there is none of that name.
        HostError: it is not on this host.
    """
    if name == "auto":
        name = present()[0]
    if name not in KNOWN:
        raise UsageError(f"there is no backend {name!r}; known are auto, {', '.join(KNOWN)}")
    return KNOWN[name]()


def present() -> tuple[str, ...]:
    """Those that this host has, the best first."""
    return tuple(name for name in KNOWN if _is_present(name))


def _is_present(name: str) -> bool:
    try:
        KNOWN[name]()
    except HostError:
        return False
    return True
