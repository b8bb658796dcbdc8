"""Libraries of driver and runtime, located with the loader, and the heap settings for GPU hosts."""

from __future__ import annotations

import ctypes
from pathlib import Path

from evaluator.errors import HostError


def driver_folder(library: str) -> Path:
    """Return the folder in which the loader finds a driver's library, e.g. libcuda.so.1.

    Raises:
        HostError: it cannot be loaded.
    """
    try:
        ctypes.CDLL(library)
    except OSError as error:
        raise HostError(f"{library} cannot be loaded: {error}") from error
    return loaded_library(library.removesuffix(".1")).parent


def loaded_library(name: str) -> Path:
    """Return the path of a library that this process has loaded.

    Raises:
        HostError: it is not loaded.
    """
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        path = Path(line.split(maxsplit=5)[-1])
        if path.name.startswith(name):
            return path
    raise HostError(f"{name} is not loaded")


def quiet_heap() -> dict[str, str]:
    """Return variables that turn off heap poisoning: on a GPU host it would only slow down timed calls."""
    return {"MALLOC_PERTURB_": "0", "GLIBC_TUNABLES": ""}
