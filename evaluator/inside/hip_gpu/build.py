"""Build a .hip file as a Python extension for this host's card: compile it with nvcc or hipcc, link it to the binding.

The first attempt uses none of torch's headers but those of its number types (hip/gpu/thin): for nvcc that is a seventh
of the time. A source that needs more is compiled with the core of torch's headers and no pybind11 (hip/gpu/core), and
one that needs still more with torch's own <torch/extension.h>. It runs in the sandbox, uses no device, and writes only
to its folder. `toolchain` is GpuToolchain.as_dict().
"""

from __future__ import annotations

import re
import shlex
import time
from pathlib import Path
from typing import Any

from evaluator.inside.hip_cpu.build import CpuBuild as NativeBuild
from evaluator.inside.hip_cpu.build import Fault, fault_of, missing_module
from evaluator.inside.hip_cpu.compiler import Compilation, presentable, run_compiler
from evaluator.inside.hip_cpu.masking import SourceError, mask, read_source
from evaluator.inside.hip_cpu.torch_names import needs_python_headers, needs_whole_torch, operator_includes
from evaluator.inside.hip_cpu.uses import uses_of

# torch's operator registration and pybind11's classes, which core/binding.h does not replace.
_MORE_THAN_FUNCTIONS = re.compile(
    r"\bTORCH_LIBRARY|\b(?:py|pybind11)::(?:class_|enum_|dict|list|object|handle|kwargs)\b"
)

# Errors that the smaller headers may cause, as nvcc and clang phrase them.
_LACKING = re.compile(
    r"error: .*(?:has no member|is undefined|no instance of|incomplete type|no operator|no suitable|is not a template|"
    r"not a class or namespace|has already been|does not match|no (?:member|type|template) named|undeclared|"
    r"no matching|expected namespace|redefinition|invalid operands|no viable)"
)


def build_gpu(source: Path, module_name: str, folder: Path, toolchain: dict[str, Any], timeout_s: float) -> NativeBuild:
    """Build `source` as the Python module `module_name`; all files are written to `folder`."""
    started = time.monotonic()
    text = read_source(source)
    build = _Build(source.resolve(), text, module_name, folder.resolve(), toolchain, started + timeout_s)
    fault, log = build.run()
    if fault == "timeout":
        log += f"error: not finished in {timeout_s:g} s\n"
    workspaces = (folder.resolve(), source.resolve().parent)
    result: NativeBuild = {
        "ok": fault is None,
        "seconds": round(time.monotonic() - started, 3),
        "log": presentable(log, workspaces, toolchain["names"]),
        "commands": [presentable(command, workspaces, toolchain["names"]) for command in build.commands],
        "has_module": build.has_module,
    }
    if fault is None:
        result["product"] = str(build.product)
        result["uses"] = uses_of(build.object, None, (), toolchain)
    else:
        result["fault"] = fault
    return result


def compile_reference(source: Path, headers: str, module_name: str, folder: Path, toolchain: dict[str, Any]) -> Path:
    """Compile an extension with nothing special, and return the object.

    Raises:
        RuntimeError: it does not compile with these headers.
    """
    text, deadline = source.read_text(encoding="utf-8"), time.monotonic() + 300
    build = _Build(source.resolve(), text, module_name, folder.resolve(), toolchain, deadline)
    compilation = build.compile_apart(headers)
    if not compilation.ok:
        raise RuntimeError(f"the reference extension does not compile: {compilation.log[-500:]}")
    return build.object


class _Build:
    def __init__(
        self, source: Path, text: str, module_name: str, folder: Path, toolchain: dict[str, Any], deadline: float
    ) -> None:
        self.source, self.text, self.module_name, self.folder = source, text, module_name, folder
        self.toolchain, self.deadline = toolchain, deadline
        self.unit = folder / f"{module_name}.hip"
        self.object, self.product = folder / f"{module_name}.o", folder / f"{module_name}.so"
        self.has_module = False
        self.commands: list[str] = []

    def run(self) -> tuple[Fault | None, str]:
        try:
            attempts = self._attempts()
            self._write_unit()
        except SourceError as error:
            return "source", f"{self.source.name}:{error.line}: error: {error.message}\n"
        for headers in attempts:
            compilation = self._compile(headers)
            if compilation.ok or compilation.timed_out or not _may_lack(headers, compilation.log):
                return self._finish(compilation, self.toolchain["bindings"], f"arena_fill_{self.module_name}")
        return self._finish(self._compile("whole"), [], f"PyInit_{self.module_name}")

    def compile_apart(self, headers: str) -> Compilation:
        """Compile to an object with these headers, and link nothing."""
        self._write_unit()
        return self._compile(headers)

    def _write_unit(self) -> None:
        operators = operator_includes(self.text, Path(self.toolchain["torch_include"]))
        self.unit.write_text(f'#line 1 "{self.source.name}"\n{self._translated()}', encoding="utf-8")
        (self.folder / "arena_operators.h").write_text(operators)

    def _translated(self) -> str:
        return with_votes(self.text) if self.toolchain["kind"] == "cuda" else self.text

    def _attempts(self) -> list[str]:
        """Return the sets of headers to try before all of torch's."""
        more = bool(_MORE_THAN_FUNCTIONS.search(self.text))
        if more or needs_whole_torch(self.text) or needs_python_headers(self.text):
            return []
        return ["thin", "core"] if self.toolchain["thin_headers"] else ["core"]

    def _compile(self, headers: str) -> Compilation:
        flags = [*self.toolchain["compile_flags"], f"-I{self.folder}", f"-I{self.source.parent}"]
        flags += self.toolchain[f"{headers}_headers"]
        return self._run([self.toolchain["compiler"], *flags, "-c", str(self.unit), "-o", str(self.object)])

    def _finish(self, compilation: Compilation, more: list[str], entry: str) -> tuple[Fault | None, str]:
        if not compilation.ok:
            return fault_of(compilation, "compile"), compilation.log
        self.has_module = entry.encode() in self.object.read_bytes()
        parts = [str(self.object), *more, *self.toolchain["link_flags"], "-o", str(self.product)]
        linking = self._run([self.toolchain["linker"], "-shared", *parts])
        if not linking.ok:
            return fault_of(linking, "link"), compilation.log + linking.log
        lacking = "" if self.has_module else missing_module(self.source.name, self.text)
        return None, compilation.log + linking.log + lacking

    def _run(self, command: list[str]) -> Compilation:
        self.commands.append(shlex.join(command))
        return run_compiler(command, self.folder, self.deadline)


def _may_lack(headers: str, log: str) -> bool:
    """Return whether larger headers may help: the thin ones have no verdict on any error."""
    return headers == "thin" or bool(_LACKING.search(log))


def with_votes(text: str) -> str:
    """Return the text with __any and __all renamed (hip/nvidia/hip/hip_runtime.h), except in comments and literals."""
    pieces, position = list[str](), 0
    for call in re.finditer(r"\b__(any|all)(?=\s*\()", mask(text)):
        pieces += [text[position : call.start()], f"hip_{call[1]}"]
        position = call.end()
    return "".join([*pieces, text[position:]])
