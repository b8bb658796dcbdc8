"""What a built source uses beyond what every extension of its toolchain does: a part of the report of a build."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

from evaluator.inside.hip_cpu.objects import demangled, open_names, system_calls
from evaluator.inside.hip_cpu.own_code import OwnCode, Use, read_own_code

MOST_BYTES = 96 << 20  # of LLVM text or an object; the largest honest source known makes 15 MB


class Uses(TypedDict):
    """Lines are those of the source, 0 where nobody knows. `unread` says why the rest is missing, else it is empty."""

    unread: str
    names: list[tuple[int, str]]  # functions and variables that the source's own code uses
    fields: list[tuple[int, str]]
    assembly: list[int]
    before_calls: list[tuple[int, str]]
    open_names: list[str]  # of the source's own object
    system_calls: list[str]


class UsualUses(TypedDict):
    """The same of an extension with nothing special (hip/reference.hip), mangled."""

    names: list[str]
    binding: list[tuple[str, str]]  # what only PYBIND11_MODULE uses, and its function that does
    open_names: list[str]


def uses_of(product: Path, llvm: Path | None, files: Collection[str], toolchain: Mapping[str, Any]) -> Uses:
    """Return what a source uses, or why it cannot be read; `llvm` is None where its compiler writes none."""
    try:
        own = _own_code(llvm, files, toolchain)
        left_open = open_names(_bounded(product))
        reference = _reference(toolchain)
        return _named(own, left_open, reference, product, toolchain)
    except (OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
        return {**_EMPTY, "unread": f"{type(error).__name__}: {error}"[:200]}


def unread(reason: str) -> Uses:
    return {**_EMPTY, "unread": reason}


def write_reference(
    products: Sequence[Path], llvm: Path | None, files: Collection[str], toolchain: Mapping[str, Any]
) -> None:
    """Write what the reference extension uses where the toolchain has its place.

    Raises:
        ValueError: it cannot be read.
    """
    own = _own_code(llvm, files, toolchain)["names"]
    names = sorted({use.name for use in own if not _BINDING.match(use.user)})
    binding = sorted({(use.name, use.user) for use in own if _BINDING.match(use.user)})
    left_open = sorted({name for product in products for name in open_names(_bounded(product))})
    reference: UsualUses = {"names": names, "binding": binding, "open_names": left_open}
    Path(toolchain["reference"]).write_text(json.dumps(reference), encoding="utf-8")


_BINDING = re.compile(r"PyInit_\w+|_ZL\d+pybind11_exec_\w+P7_object")  # made by the macro, with a body of its own
_NOTHING: OwnCode = {"names": [], "fields": [], "assembly": [], "before_calls": []}
_EMPTY: Uses = {
    "unread": "", "names": [], "fields": [], "assembly": [], "before_calls": [], "open_names": [], "system_calls": [],
}  # fmt: skip


def _own_code(llvm: Path | None, files: Collection[str], toolchain: Mapping[str, Any]) -> OwnCode:
    if llvm is None:
        return _NOTHING
    return read_own_code(_bounded(llvm).decode("utf-8", "replace"), files, Path(toolchain["root"]) / "include")


def _bounded(path: Path) -> bytes:
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{path.name} has more than {MOST_BYTES >> 20} MiB")
    return path.read_bytes()


def _reference(toolchain: Mapping[str, Any]) -> UsualUses:
    reference: UsualUses = json.loads(Path(toolchain["reference"]).read_text(encoding="utf-8"))
    return reference


def _named(
    own: OwnCode, left_open: Sequence[str], reference: UsualUses, product: Path, toolchain: Mapping[str, Any]
) -> Uses:
    usual, binding = set(reference["names"]), {tuple(one) for one in reference["binding"]}
    names = [use for use in own["names"] if use.name not in usual and (use.name, use.user) not in binding]
    left_open = [name for name in left_open if name not in reference["open_names"]]
    readable = demangled({use.name for use in [*names, *own["before_calls"]]} | set(left_open), toolchain)

    def of(uses: Sequence[Use]) -> list[tuple[int, str]]:
        """The first line of each name."""
        found = dict[str, int]()
        for use in sorted(uses, key=lambda use: (use.line == 0, use.line)):
            found.setdefault(readable.get(use.name, use.name), use.line)
        return [(line, name) for name, line in found.items()]

    return {
        "unread": "",
        "names": of(names),
        "fields": of([use for use in own["fields"] if not _BINDING.match(use.user)]),
        "assembly": [use.line for use in own["assembly"]],
        "before_calls": of(own["before_calls"]),
        "open_names": [readable[name] for name in left_open],
        "system_calls": system_calls(product, toolchain),
    }
