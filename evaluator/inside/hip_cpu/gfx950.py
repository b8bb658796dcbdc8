"""Report what a HIP source becomes on gfx950, which clang 19 does not know.

Clang's LLVM IR for gfx942 goes through Triton's LLVM, which knows both. What clang decided for gfx942 stays: macros
such as `__gfx942__`, and the device libraries. Where registers differ from those of clang 19 for gfx942, the compilers
differ and hardly the cards: LLVM 23 gave both targets the same on six sources that were tried.

Whatever goes wrong here is our lack and never the source's fault: the report then says why it is not checked. It takes
as long as the compilation for gfx942, while the build for the CPU still runs.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from evaluator.inside.hip_cpu.compiler import run_compiler
from evaluator.inside.isa.resources import MATRIX_INSTRUCTION
from evaluator.inside.isa.targets import GFX942, GFX950, NOT_IN_TIME

MAX_REASON = 300
_TRANSLATOR = Path(__file__).parents[1] / "isa" / "translate.py"
_KERNEL = re.compile(r"^\s*\.amdhsa_kernel (\S+)$", re.MULTILINE)
_METADATA = re.compile(r"^    \.(name|[sv]gpr_spill_count):\s+'?([^'\s]+)'?$", re.MULTILINE)
_FIGURES = {  # as LLVM names them below a kernel; the same counts as clang's remarks give for gfx942
    "sgpr": "TotalNumSgprs",
    "vgpr": "NumVgprs",
    "agpr": "NumAgprs",
    "scratch_bytes": "ScratchSize",
    "occupancy": "Occupancy",
    "lds_bytes": "LDSByteSize",
    "code_bytes": "codeLenInByte",
}
_ERROR = re.compile(r"(?:error|ERROR|Error): ")


class Gfx950(TypedDict):
    checked: bool
    seconds: float
    kernels: list[dict[str, Any]]
    reason: NotRequired[str]  # why it was not checked


class TranslationError(Exception):
    """The text says what did not work."""


def report_gfx950(
    source: Path, flags: Sequence[str], folder: Path, toolchain: dict[str, Any], deadline: float
) -> Gfx950:
    """Translate a source that compiles with these flags, in `folder`, until time.monotonic() reaches `deadline`."""
    started = time.monotonic()
    ir, assembly = folder / "gfx942.ll", folder / "gfx950.s"
    quiet = [flag for flag in flags if not flag.startswith("-Rpass")]
    try:
        arguments = [str(_library_of_triton()), GFX942.arch, GFX950.arch, str(ir), str(assembly)]
        _run("clang", [toolchain["clang"], *quiet, "-S", "-emit-llvm", str(source), "-o", str(ir)], folder, deadline)
        _run("LLVM", [sys.executable, "-I", str(_TRANSLATOR), *arguments], folder, deadline)
        found = kernels_of(assembly.read_text(encoding="utf-8"))
    except (TranslationError, OSError, ValueError) as error:
        return unchecked(str(error).replace(f"{folder}/", "")[:MAX_REASON], started)
    return {"checked": True, "seconds": round(time.monotonic() - started, 3), "kernels": found}


def unchecked(reason: str, started: float) -> Gfx950:
    return {"checked": False, "seconds": round(time.monotonic() - started, 3), "kernels": [], "reason": reason}


def kernels_of(assembly: str) -> list[dict[str, Any]]:
    """Return the figures of each kernel under its name in the binary.

    Raises:
        TranslationError: a figure is missing, so this LLVM writes its reports in another way.
    """
    before, *parts = _KERNEL.split(assembly)
    spills = _spills(assembly)
    kernels = []
    for name, after in zip(parts[::2], parts[1::2], strict=True):
        figures = {ours: _figure(after, theirs, name) for ours, theirs in _FIGURES.items()}
        if name not in spills:
            raise TranslationError(f"no spills are given for {name}")
        mfma = len(MATRIX_INSTRUCTION.findall(before.rpartition(f"\n{name}:")[2]))
        kernels.append({"name": name, **figures, **spills[name], "mfma": mfma})
        before = after
    return kernels


def _library_of_triton() -> Path:
    spec = find_spec("triton")
    if spec is None or spec.origin is None:
        raise TranslationError("Triton is not installed")
    return Path(spec.origin).parent / "_C" / "libtriton.so"


def _run(what: str, command: Sequence[str], folder: Path, deadline: float) -> None:
    compilation = run_compiler(command, folder, deadline)
    if compilation.timed_out:
        raise TranslationError(f"{NOT_IN_TIME} the build's time limit")
    if not compilation.ok:
        lines = [line for line in compilation.log.splitlines() if line.strip()] or ["it printed nothing"]
        said = [line for line in lines if line.startswith("LLVM ERROR: ")]  # before it ends its process
        cause = next(filter(_ERROR.search, [*said, *lines]), lines[-1])
        raise TranslationError(f"{what} fails on the way from {GFX942.arch}: {cause}")


def _figure(text: str, name: str, kernel: str) -> int:
    """The first one after a kernel's end is its own."""
    found = re.search(rf"^; {name}: (\d+)|^; {name} = (\d+)", text, re.MULTILINE)
    if found is None:
        raise TranslationError(f"no {name} is given for {kernel}")
    return int(found[1] or found[2])


def _spills(assembly: str) -> dict[str, dict[str, int]]:
    """Read the metadata at the end; the keys of a kernel are sorted, so that its name comes first."""
    spills: dict[str, dict[str, int]] = {}
    name = ""
    for key, value in _METADATA.findall(assembly):
        if key == "name":
            name = value
            spills[name] = {}
        elif name:
            spills[name][key.replace("_count", "s")] = int(value)
    return {name: counts for name, counts in spills.items() if len(counts) == 2}
