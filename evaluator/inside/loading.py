"""Import a candidate from its file in the workspace: a Python module (Triton, eager) or a built HIP extension."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from evaluator.inside.hip_cpu import MODULE_NAME


class NoEntry(Exception):
    """The module has no function of that name."""


def load_python(path: Path) -> ModuleType:
    """Import a Python source file."""
    return _import(path, importlib.machinery.SourceFileLoader(MODULE_NAME, str(path)))


def load_extension(path: Path) -> ModuleType:
    """Import a built extension."""
    return _import(path, importlib.machinery.ExtensionFileLoader(MODULE_NAME, str(path)))


def entry_of(module: ModuleType, function: str) -> Callable[..., Any]:
    """Return the function that the task calls. Raises NoEntry."""
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
