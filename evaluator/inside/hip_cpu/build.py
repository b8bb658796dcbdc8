"""Build a .hip file as a Python extension for the CPU: rewrite it to C++, compile with a precompiled header, tell the
runtime what the compiler knows of its kernels, link.

It runs in the sandbox and writes only to its folder. `toolchain` is HipToolchain.as_dict().
"""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NotRequired, TypedDict

from evaluator.inside.hip_cpu.alignment import allow_unaligned
from evaluator.inside.hip_cpu.compiler import Compilation, presentable, run_compiler
from evaluator.inside.hip_cpu.kernels import add_runtime_facts
from evaluator.inside.hip_cpu.masking import SourceError, mask, read_source
from evaluator.inside.hip_cpu.rewrite import rewrite
from evaluator.inside.hip_cpu.torch_names import needs_whole_torch

Fault = Literal["source", "compile", "link", "timeout"]


class CpuBuild(TypedDict):
    ok: bool
    seconds: float
    log: str
    commands: list[str]
    has_module: bool  # whether the product has Python's init function
    product: NotRequired[str]  # the extension, if ok
    fault: NotRequired[Fault]  # if not ok


def build_cpu(source: Path, module_name: str, folder: Path, toolchain: dict[str, Any], timeout_s: float) -> CpuBuild:
    """Build `source` as the Python module `module_name`; all files are written to `folder`."""
    started = time.monotonic()
    folder = folder.resolve()
    text = read_source(source)
    build = _Build(folder, module_name, toolchain, started + timeout_s)
    fault, log = build.run(source, text)
    if fault == "timeout":
        log += f"error: not finished in {timeout_s:g} s\n"
    workspaces = (folder, source.resolve().parent)
    result: CpuBuild = {
        "ok": fault is None,
        "seconds": round(time.monotonic() - started, 3),
        "log": presentable(log, workspaces, toolchain["names"]),
        "commands": [presentable(command, workspaces, toolchain["names"]) for command in build.commands],
        "has_module": build.has_module,
    }
    if fault is None:
        result["product"] = str(build.product)
    else:
        result["fault"] = fault
    return result


class _Build:
    def __init__(self, folder: Path, module_name: str, toolchain: dict[str, Any], deadline: float) -> None:
        self.folder = folder
        self.module_name = module_name
        self.toolchain = toolchain
        self.deadline = deadline
        self.unit = folder / f"{module_name}.cpp"
        self.module = folder / f"{module_name}.ll"
        self.assembly = folder / f"{module_name}.s"
        self.product = folder / f"{module_name}.so"
        self.has_module = False
        self.commands: list[str] = []

    def run(self, source: Path, text: str) -> tuple[Fault | None, str]:
        try:
            translated = rewrite(text)
        except SourceError as error:
            return "source", f"{source.name}:{error.line}: error: {error.message}\n"
        head = f'#define TORCH_EXTENSION_NAME {self.module_name}\n#line 1 "{source.name}"\n'
        self.unit.write_text(head + translated, encoding="utf-8")
        log = ""
        for kind, command, finish in self._steps(source, text):
            step = self._run(command)
            log += step.log
            if not step.ok:
                return fault_of(step, kind), log
            finish()
        return None, log if self.has_module else log + missing_module(source.name, text)

    def _steps(self, source: Path, text: str) -> list[tuple[Fault, list[str], Callable[[], object]]]:
        """Return the kind of fault of each step, its command, and what comes after it."""
        return [
            ("compile", self._compile_command(source, text), self._add_runtime_facts),
            ("compile", self._assembly_command(), self._allow_unaligned),
            ("link", self._link_command(), self._look_for_module),
        ]

    def _add_runtime_facts(self) -> None:
        self.module.write_text(add_runtime_facts(self.module.read_text(encoding="utf-8")), encoding="utf-8")

    def _allow_unaligned(self) -> None:
        self.assembly.write_bytes(allow_unaligned(self.assembly.read_bytes()))

    def _look_for_module(self) -> None:
        self.has_module = f"\0PyInit_{self.module_name}\0".encode() in self.product.read_bytes()

    def _run(self, command: list[str]) -> Compilation:
        self.commands.append(shlex.join(command))
        return run_compiler(command, self.folder, self.deadline)

    def _compile_command(self, source: Path, text: str) -> list[str]:
        use = "whole_header" if needs_whole_torch(text) else "precompiled"
        flags = [*self.toolchain["cpu_flags"], *self.toolchain[use], "-iquote", str(source.resolve().parent)]
        return [self.toolchain["clang"], *flags, "-S", "-emit-llvm", str(self.unit), "-o", str(self.module)]

    def _assembly_command(self) -> list[str]:
        """The module is optimised; only code is generated."""
        flags = [*self.toolchain["cpu_flags"], "-Xclang", "-disable-llvm-passes", "-Qunused-arguments"]
        return [self.toolchain["clang"], *flags, "-S", "-x", "ir", str(self.module), "-o", str(self.assembly)]

    def _link_command(self) -> list[str]:
        parts = [str(self.assembly), *self.toolchain["objects"], *self.toolchain["link_flags"]]
        return [self.toolchain["clang"], "-shared", *parts, "-o", str(self.product)]


def fault_of(compilation: Compilation, otherwise: Fault) -> Fault:
    return "timeout" if compilation.timed_out else otherwise


def missing_module(name: str, text: str) -> str:
    binding = re.search(r"\bPYBIND11_MODULE\s*\(\s*(\w+)", mask(text))
    if binding:
        return f"{name}: error: PYBIND11_MODULE names the module {binding[1]}; use TORCH_EXTENSION_NAME\n"
    return f"{name}: error: no PYBIND11_MODULE, so there is nothing Python could import\n"
