"""Import a candidate from its file in the workspace: a Python module (Triton, eager) or a built HIP extension."""

from __future__ import annotations

import ctypes
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from evaluator.inside import pretend_gpu, triton_cpu
from evaluator.inside.hip_cpu import MODULE_NAME


class NoEntry(Exception):
    """The module has no function of that name."""


def load_python(path: Path) -> ModuleType:
    """Import a source file; kernels it launches are interpreted and compiled for gfx942."""
    pretend_gpu.install()
    triton_cpu.install()
    return _import(path, importlib.machinery.SourceFileLoader(MODULE_NAME, str(path)))


def load_extension(path: Path) -> ModuleType:
    """Import a built extension. The tensors it is given look as on a GPU host: `is_cuda` is mapped at compile time."""
    return _import(path, importlib.machinery.ExtensionFileLoader(MODULE_NAME, str(path)))


def entry_of(module: ModuleType, function: str) -> Callable[..., Any]:
    """The function a task calls. Raises NoEntry."""
    entry = getattr(module, function, None)
    if not callable(entry):
        raise NoEntry(function)
    found: Callable[..., Any] = entry
    return found


def _import(path: Path, loader: Any) -> ModuleType:
    spec = importlib.util.spec_from_file_location(MODULE_NAME, path, loader=loader)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[MODULE_NAME] = module
    spec.loader.exec_module(module)
    return module


class RedZones:
    """torch's CPU allocator replaced by hip/allocator.cpp: zones around every tensor, or a guard page behind it."""

    def __init__(self, library: str, guard: bool) -> None:
        torch.zeros(1)  # torch sets its own allocator first
        self._library = ctypes.CDLL(library)
        self._library.arena_allocator_damaged.restype = ctypes.c_long
        self._library.arena_allocator_install(int(guard))

    def damaged(self) -> int:
        """How many tensors have a damaged zone."""
        return int(self._library.arena_allocator_damaged())
