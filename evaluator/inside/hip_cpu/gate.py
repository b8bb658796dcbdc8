"""Compile a .hip file for gfx942 without a GPU, and read each kernel's resource usage there and on gfx950.

Only the device pass runs, with the smallest of torch's headers that suffice: its core precompiled, its core, ATen
without autograd and binding, or <torch/extension.h> itself (0.6, 4, 9 and 17 s on one core). It runs in the sandbox and
writes only to its folder.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict

from evaluator.inside.hip_cpu.compiler import Compilation, presentable, run_compiler
from evaluator.inside.hip_cpu.disassembly import code_of
from evaluator.inside.hip_cpu.gfx950 import Gfx950, report_gfx950, unchecked
from evaluator.inside.hip_cpu.masking import SourceError, read_source
from evaluator.inside.hip_cpu.torch_names import (
    fits_precompiled,
    needs_python_headers,
    needs_whole_torch,
    operator_includes,
)

_REMARK = re.compile(r"remark: .*?(\S[^:]*): (\S+) \[-Rpass-analysis=kernel-resource-usage\]")
_FIELDS = {
    "SGPRs": "sgpr",
    "VGPRs": "vgpr",
    "AGPRs": "agpr",
    "ScratchSize [bytes/lane]": "scratch_bytes",
    "Occupancy [waves/SIMD]": "occupancy",
    "SGPRs Spill": "sgpr_spills",
    "VGPRs Spill": "vgpr_spills",
    "LDS Size [bytes/block]": "lds_bytes",
}
# Errors that a smaller header may cause. Any other error is in the source and ends the attempts.
_LACKING = re.compile(
    r"error: .*(?:no (?:member|type|template) named|incomplete type|undeclared identifier|unknown type name|"
    r"no matching (?:member )?function|undeclared namespace|expected namespace name|is not a (?:class|namespace)|"
    r"no template|redefinition of|invalid operands to binary|no viable (?:overloaded|conversion)|"
    r"invalid argument type)"
)
# What gfx950 has more of: such a source is translated although gfx942 refuses it.
_TOO_MUCH_LDS = re.compile(r"error: .*local memory \(\d+\) exceeds limit")


class Gfx942(TypedDict):
    checked: bool
    ok: bool
    seconds: float
    log: str
    kernels: list[dict[str, Any]]
    reason: NotRequired[str]  # why it was not checked


class Targets(NamedTuple):
    """The reports of both targets. Only gfx942's says whether a source is right."""

    gfx942: Gfx942
    gfx950: Gfx950


def gate_targets(
    source: Path,
    folder: Path,
    toolchain: dict[str, Any],
    timeout_s: float,
    worth_retrying: Callable[[], bool] = lambda: True,
) -> Targets:
    """Compile `source` for gfx942, then translate it to gfx950.

    `checked` is False if the toolchain is missing or time ran out. `worth_retrying` decides whether a failed attempt is
    repeated with larger headers.
    """
    started = time.monotonic()
    folder = folder.resolve()
    if not toolchain["gfx942_available"]:
        return _unchecked(toolchain["gfx942_reason"], started)
    text = read_source(source)
    try:
        headers = _headers(text, toolchain)
        (folder / "arena_operators.h").write_text(operator_includes(text, Path(toolchain["torch_include"])))
    except SourceError as error:
        log = f"{source.name}:{error.line}: error: {error.message}\n"
        return _refused({"checked": True, "ok": False, "seconds": 0.0, "log": log, "kernels": []})
    attempts = _Attempts(source.resolve(), folder, toolchain, started + timeout_s)
    compilation, flags = attempts.compile(headers, fits_precompiled(text), worth_retrying)
    if compilation.timed_out:
        return _unchecked(f"not finished in {timeout_s:g} s", started)
    workspaces = (folder, source.resolve().parent)
    gfx942: Gfx942 = {
        "checked": True,
        "ok": compilation.ok,
        "seconds": round(time.monotonic() - started, 3),
        "log": presentable(_without_remarks(compilation.log), workspaces, toolchain["names"]),
        "kernels": _kernels(compilation.log, attempts.product, toolchain) if compilation.ok else [],
    }
    if not compilation.ok and not _TOO_MUCH_LDS.search(compilation.log):
        return _refused(gfx942)
    gfx950 = report_gfx950(attempts.source, flags, folder, toolchain, attempts.deadline)
    names = _demangled([kernel["name"] for kernel in gfx950["kernels"]], toolchain["demangler"])
    named = [{**kernel, "name": name} for kernel, name in zip(gfx950["kernels"], names, strict=True)]
    return Targets(gfx942, {**gfx950, "kernels": named})


def _refused(gfx942: Gfx942) -> Targets:
    return Targets(gfx942, unchecked("the source does not compile for gfx942", time.monotonic()))


def _unchecked(reason: str, started: float) -> Targets:
    seconds = round(time.monotonic() - started, 3)
    gfx942: Gfx942 = {"checked": False, "ok": False, "seconds": seconds, "log": "", "kernels": [], "reason": reason}
    return Targets(gfx942, unchecked(reason, time.monotonic()))


def _headers(text: str, toolchain: dict[str, Any]) -> list[list[str]]:
    """Return the include folders for each attempt."""
    headers: list[list[str]] = toolchain["gfx942_headers"]
    return headers[-1:] if needs_whole_torch(text) or needs_python_headers(text) else headers


class _Attempts(NamedTuple):
    source: Path
    folder: Path
    toolchain: dict[str, Any]
    deadline: float

    @property
    def product(self) -> Path:
        return self.folder / "gfx942.hsaco"

    def compile(
        self, headers: list[list[str]], is_precompiled: bool, worth_retrying: Callable[[], bool]
    ) -> tuple[Compilation, list[str]]:
        """Return the last attempt and its flags."""
        if is_precompiled:
            compilation, flags = self._with(headers[0], *self.toolchain["gfx942_precompiled"])
            if compilation.ok:
                return compilation, flags
        compilation, flags = self._with(headers[0])  # its errors are the source's own
        for larger in headers[1:]:
            if compilation.ok or compilation.timed_out or not _LACKING.search(compilation.log) or not worth_retrying():
                break
            compilation, flags = self._with(larger)
        return compilation, flags

    def _with(self, headers: list[str], *precompiled: str) -> tuple[Compilation, list[str]]:
        folders = [f"-I{self.folder}", *(f"-I{header}" for header in headers)]
        flags = [*self.toolchain["gfx942_flags"], *precompiled, *folders]
        files = [str(self.source), "-o", str(self.product)]
        return run_compiler([self.toolchain["clang"], *flags, *files], self.folder, self.deadline), flags


def _without_remarks(log: str) -> str:
    """Drop the resource remarks, and the source lines that clang prints below them."""
    kept: list[str] = []
    in_remark = False
    for line in log.splitlines(keepends=True):
        if re.search(r": (?:remark|error|warning|note|fatal error): ", line):
            in_remark = ": remark: " in line
        if not in_remark:
            kept.append(line)
    return "".join(kept)


def _kernels(log: str, product: Path, toolchain: dict[str, Any]) -> list[dict[str, Any]]:
    kernels: list[dict[str, Any]] = []
    for field, value in _REMARK.findall(log):
        if field == "Function Name":
            kernels.append({"name": value})
        elif kernels and field in _FIELDS:
            kernels[-1][_FIELDS[field]] = int(value)
    code = code_of(product, toolchain["disassembler"])
    names = _demangled([kernel["name"] for kernel in kernels], toolchain["demangler"])
    return [
        {**kernel, **code.get(kernel["name"], {}), "name": name} for kernel, name in zip(kernels, names, strict=True)
    ]


def _demangled(names: list[str], demangler: str) -> list[str]:
    output = subprocess.run([demangler], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    return output.splitlines()
