"""Compile a .hip file for gfx942, without a GPU, and read what each kernel needs of it.

Only the device pass runs, against the smallest of torch's headers that serves: its core, ATen without autograd and
binding, and <torch/extension.h> itself (6, 14 and 26 s). It runs in the sandbox and writes only into its folder.
"""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from evaluator.inside.hip_cpu.compiler import Compilation, presentable, run_compiler
from evaluator.inside.hip_cpu.masking import SourceError, mask

_REMARK = re.compile(r"remark: .*?(\S[^:]*): (\S+) \[-Rpass-analysis=kernel-resource-usage\]")
_FIELDS = {
    "SGPRs": "sgpr",
    "VGPRs": "vgpr",
    "AGPRs": "agpr",
    "ScratchSize [bytes/lane]": "scratch",
    "Occupancy [waves/SIMD]": "occupancy",
    "SGPRs Spill": "sgpr_spill",
    "VGPRs Spill": "vgpr_spill",
    "LDS Size [bytes/block]": "lds",
}
_OPERATOR = re.compile(r"\b(?:torch|at)\s*::\s*(\w+)\s*\(")

# Errors that a smaller header may be the cause of. Any other error is the source's own and ends the attempts.
_LACKING = re.compile(
    r"error: .*(?:no (?:member|type|template) named|file not found|incomplete type|undeclared identifier|"
    r"unknown type name|no matching (?:member )?function|undeclared namespace|expected namespace name|"
    r"is not a (?:class|namespace)|no template)"
)


class Gfx942(TypedDict):
    checked: bool
    ok: bool
    seconds: float
    log: str
    kernels: list[dict[str, Any]]
    reason: NotRequired[str]  # why it was not checked


def gate_gfx942(source: Path, folder: Path, toolchain: dict[str, Any], timeout_s: float) -> Gfx942:
    """Compile `source` for gfx942; `checked` is False where the toolchain is missing or the time was not enough."""
    started = time.monotonic()
    folder = folder.resolve()
    if not toolchain["gfx942_available"]:
        return _unchecked(toolchain["gfx942_reason"], started)
    text = source.read_text(encoding="utf-8", errors="replace")
    try:
        _write_operators(mask(text), folder, Path(toolchain["torch_include"]))
    except SourceError as error:
        log = f"{source.name}:{error.line}: error: {error.message}\n"
        return {"checked": True, "ok": False, "seconds": 0.0, "log": log, "kernels": []}
    compilation = _compile(source, folder, toolchain, started + timeout_s)
    if compilation.timed_out:
        return _unchecked(f"not finished in {timeout_s:g} s", started)
    names = [(f"{source.resolve().parent}/", ""), *toolchain["names"]]
    return {
        "checked": True,
        "ok": compilation.ok,
        "seconds": round(time.monotonic() - started, 3),
        "log": presentable(_without_remarks(compilation.log), folder, names),
        "kernels": _kernels(compilation.log, toolchain["demangler"]) if compilation.ok else [],
    }


def _unchecked(reason: str, started: float) -> Gfx942:
    seconds = round(time.monotonic() - started, 3)
    return {"checked": False, "ok": False, "seconds": seconds, "log": "", "kernels": [], "reason": reason}


def _write_operators(masked: str, folder: Path, torch_include: Path) -> None:
    """Write arena_operators.h: the operator headers of the torch:: and at:: functions the source calls."""
    names = sorted(set(_OPERATOR.findall(masked)))
    found = [name for name in names if (torch_include / "ATen" / "ops" / f"{name}.h").exists()]
    (folder / "arena_operators.h").write_text("".join(f"#include <ATen/ops/{name}.h>\n" for name in found))


def _compile(source: Path, folder: Path, toolchain: dict[str, Any], deadline: float) -> Compilation:
    unit = source.resolve()
    for headers in toolchain["gfx942_headers"]:
        includes = [f"-I{folder}", *(f"-I{header}" for header in headers)]
        command = [
            toolchain["clang"],
            *toolchain["gfx942_flags"],
            *includes,
            str(unit),
            "-o",
            str(folder / "gfx942.hsaco"),
        ]
        compilation = run_compiler(command, folder, deadline)
        if compilation.ok or compilation.timed_out or not _LACKING.search(compilation.log):
            break
    return compilation


def _without_remarks(log: str) -> str:
    """Drop the resource remarks with the source lines clang quotes below them."""
    kept: list[str] = []
    in_remark = False
    for line in log.splitlines(keepends=True):
        if re.search(r": (?:remark|error|warning|note|fatal error): ", line):
            in_remark = ": remark: " in line
        if not in_remark:
            kept.append(line)
    return "".join(kept)


def _kernels(log: str, demangler: str) -> list[dict[str, Any]]:
    kernels: list[dict[str, Any]] = []
    for field, value in _REMARK.findall(log):
        if field == "Function Name":
            kernels.append({"name": value})
        elif kernels and field in _FIELDS:
            kernels[-1][_FIELDS[field]] = int(value)
    names = _demangled([kernel["name"] for kernel in kernels], demangler)
    return [{**kernel, "name": name} for kernel, name in zip(kernels, names, strict=True)]


def _demangled(names: list[str], demangler: str) -> list[str]:
    output = subprocess.run([demangler], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    return output.splitlines()
