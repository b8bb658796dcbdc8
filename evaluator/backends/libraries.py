"""The driver's and the run time's libraries, found where the loader finds them, and a heap without poison for GPUs."""

from __future__ import annotations

import ctypes
from pathlib import Path

from evaluator.errors import HostError


def driver_folder(library: str) -> Path:
    """Where the loader finds a driver's library, e.g. libcuda.so.1.

    Raises:
        HostError: nowhere.
    """
    try:
        ctypes.CDLL(library)
    except OSError as error:
        raise HostError(f"{library} cannot be loaded: {error}") from error
    return loaded_library(library.removesuffix(".1")).parent


def loaded_library(name: str) -> Path:
    """The file of a library that this process has loaded.

    Raises:
        HostError: it has not.
    """
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        path = Path(line.split(maxsplit=5)[-1])
        if path.name.startswith(name):
            return path
    raise HostError(f"{name} is not loaded")


def quiet_heap() -> dict[str, str]:
    """A sandbox poisons its heap; on a GPU that would only slow the host's part of timed calls."""
    return {"MALLOC_PERTURB_": "0", "GLIBC_TUNABLES": ""}
