"""Python runs this first in commands of a mounted task that are observed: it notes what scripts ask of a candidate.

Once a file that a candidate may write is imported, its functions note their calls: the function with forms of its
arguments and, with ASKED_CONTENTS, samples of what the tensors held before and after. Calls inside of a method,
or of a function that was given tensors, are the kernel's own affair. Each different call is one line of JSON in the
file ASKED_NOTES.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.machinery
import json
import os
import threading
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

MOST_LINES, MOST_CHARACTERS, MOST_ITEMS, MOST_BYTES = 2000, 2000, 100, 4 << 20  # a mailbox has room for 8 MiB
BEFORE, AFTER = 1024, 32  # sampled elements of a tensor


class Observer:
    def __init__(self, files: list[str], out: Path, contents: bool) -> None:
        self.files, self.out, self.contents = {os.path.realpath(file) for file in files}, out, contents
        self._seen, self._bytes, self._thread = set[str](), 0, threading.local()

    def install(self) -> None:
        """Observe every module that is loaded from one of the files from now on."""
        load = importlib.machinery.SourceFileLoader.exec_module

        def load_and_observe(loader: importlib.machinery.SourceFileLoader, module: types.ModuleType) -> None:
            load(loader, module)
            if os.path.realpath(loader.path) in self.files:
                self._observe(module)

        importlib.machinery.SourceFileLoader.exec_module = load_and_observe  # type: ignore[assignment, method-assign]

    def _observe(self, module: types.ModuleType) -> None:
        for name, value in list(vars(module).items()):
            if getattr(value, "__module__", None) != module.__name__:
                continue
            if isinstance(value, types.FunctionType):
                setattr(module, name, self._observed(name, value))
            elif isinstance(value, type):
                for inner, method in list(vars(value).items()):
                    if isinstance(method, types.FunctionType):
                        setattr(value, inner, self._observed(f"{name}.{inner}", method))

    def _observed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def observed(*arguments: Any, **named: Any) -> Any:
            if getattr(self._thread, "is_inside", False):
                return function(*arguments, **named)
            given = (arguments, named)
            forms = [*map(_form, arguments), *(f"{key}={_form(value)}" for key, value in named.items())]
            question = f"{name}({', '.join(forms)})"[:MOST_CHARACTERS]
            if "." not in name and not any(True for _ in _tensors(given)):
                self._note(question, "", [])
                return function(*arguments, **named)
            before = self._digests(given)
            self._thread.is_inside = True
            try:
                result = function(*arguments, **named)
            finally:
                self._thread.is_inside = False
            kept = zip(before, self._digests(given), strict=False)  # what a call writes may hold anything before
            self._note(question, " ".join(old if old == new else "-" for old, new in kept), self._after(result, given))
            return result

        return observed

    def _note(self, question: str, before: str, after: list[float]) -> None:
        line = json.dumps({"question": question, "before": before, "after": after})
        if line in self._seen or len(self._seen) >= MOST_LINES or self._bytes > MOST_BYTES:
            return
        self._seen.add(line)
        self._bytes += len(line)
        self.out.parent.mkdir(parents=True, exist_ok=True)
        with self.out.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")

    def _digests(self, values: Any) -> list[str]:
        sampled = (_samples(tensor, BEFORE) for tensor in _tensors(values)) if self.contents else ()
        return [hashlib.sha256(repr(one).encode()).hexdigest()[:8] for one in sampled]

    def _after(self, *values: Any) -> list[float]:
        return [one for tensor in _tensors(values) for one in _samples(tensor, AFTER)] if self.contents else []


def _samples(tensor: Any, most: int) -> list[float]:
    """Elements at even distances; none of a tensor that cannot be read."""
    try:
        flat = tensor.reshape(-1)
        flat = flat[:: max(1, len(flat) // most)][:most]
        return [float(one) for one in (flat.double() if hasattr(flat, "double") else flat).tolist()]
    except (RuntimeError, TypeError, ValueError, NotImplementedError):
        return []


def _form(value: Any) -> str:
    """The value's type, and its shape or text: what can be compared between two processes."""
    if _is_tensor(value):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, tuple | list):
        return f"({', '.join(map(_form, value[:MOST_ITEMS]))})"
    if isinstance(value, dict):
        return f"({', '.join(f'{key}={_form(item)}' for key, item in list(value.items())[:MOST_ITEMS])})"
    return repr(value)[:200] if isinstance(value, str | int | float | type(None)) else type(value).__name__


def _tensors(value: Any) -> Iterator[Any]:
    if _is_tensor(value):
        yield value
    elif isinstance(value, tuple | list | dict):
        for item in list(value.values() if isinstance(value, dict) else value)[:MOST_ITEMS]:
            yield from _tensors(item)


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "dtype") and hasattr(value, "shape") and hasattr(value, "reshape")


if "ASKED_NOTES" in os.environ:
    _files, _out = os.environ["ASKED_OF"].split("\n"), Path(os.environ["ASKED_NOTES"])
    Observer(_files, _out, "ASKED_CONTENTS" in os.environ).install()
