"""Backends: the devices and toolchains that a host can evaluate with."""

from __future__ import annotations

from collections.abc import Mapping

from evaluator.backends.base import Backend, Sample
from evaluator.backends.cpu import CpuBackend
from evaluator.backends.cuda import CudaBackend
from evaluator.backends.rocm import RocmBackend
from evaluator.errors import HostError, UsageError

__all__ = ["KNOWN", "Backend", "Sample", "get_backend", "present"]

# "auto" takes the first that this host has.
KNOWN: Mapping[str, type[Backend]] = {"cuda": CudaBackend, "rocm": RocmBackend, "cpu": CpuBackend}


def get_backend(name: str) -> Backend:
    """Return the backend of that name; "auto": a GPU's if there is one, else the CPU's.

    Raises:
        UsageError: no backend has that name.
        HostError: this host does not have it.
    """
    if name == "auto":
        name = present()[0]
    if name not in KNOWN:
        raise UsageError(f"unknown backend {name!r}; expected auto, {', '.join(KNOWN)}")
    return KNOWN[name]()


def present() -> tuple[str, ...]:
    """Return the names of the backends that this host has, the best first."""
    return tuple(name for name in KNOWN if _is_present(name))


def _is_present(name: str) -> bool:
    try:
        KNOWN[name]()
    except HostError:
        return False
    return True
