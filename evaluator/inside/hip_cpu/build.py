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
from evaluator.inside.hip_cpu.own_code import READING_FLAGS
from evaluator.inside.hip_cpu.rewrite import rewrite
from evaluator.inside.hip_cpu.torch_names import needs_whole_torch
from evaluator.inside.hip_cpu.uses import Uses, unread, uses_of, write_reference

Fault = Literal["source", "compile", "link", "timeout"]


class CpuBuild(TypedDict):
    ok: bool
    seconds: float
    log: str
    commands: list[str]
    has_module: bool  # whether the product has Python's init function
    product: NotRequired[str]  # the extension, if ok
    uses: NotRequired[Uses]  # what the source uses, if ok
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
        result["uses"] = build.uses(source)
    else:
        result["fault"] = fault
    return result


def build_reference(source: Path, module_name: str, folder: Path, toolchain: dict[str, Any]) -> None:
    """Build an extension with nothing special, and write down what every extension uses.

    Raises:
        RuntimeError: it does not build.
        ValueError: the result cannot be read.
    """
    text = read_source(source)
    build = _Build(folder.resolve(), module_name, toolchain, time.monotonic() + 600)
    fault, log = build.run(source, text)
    if fault:
        raise RuntimeError(f"the reference extension does not build: {log[-500:]}")
    write_reference([build.object], build.llvm, build.files(source), toolchain)


class _Build:
    def __init__(self, folder: Path, module_name: str, toolchain: dict[str, Any], deadline: float) -> None:
        self.folder = folder
        self.module_name = module_name
        self.toolchain = toolchain
        self.deadline = deadline
        self.unit = folder / f"{module_name}.cpp"
        self.module, self.llvm = folder / f"{module_name}.ll", folder / f"{module_name}.read.ll"
        self.assembly, self.object = folder / f"{module_name}.s", folder / f"{module_name}.o"
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
        if self.read(source, text).timed_out:
            return "timeout", log
        return None, log if self.has_module else log + missing_module(source.name, text)

    def _steps(self, source: Path, text: str) -> list[tuple[Fault, list[str], Callable[[], object]]]:
        """Return the kind of fault of each step, its command, and what comes after it."""
        return [
            ("compile", self._compile_command(source, text), self._add_runtime_facts),
            ("compile", self._assembly_command(), self._allow_unaligned),
            ("link", self._assemble_command(), lambda: None),
            ("link", self._link_command(), self._look_for_module),
        ]

    def _add_runtime_facts(self) -> None:
        self.module.write_text(add_runtime_facts(self.module.read_text(encoding="utf-8")), encoding="utf-8")

    def _allow_unaligned(self) -> None:
        self.assembly.write_bytes(allow_unaligned(self.assembly.read_bytes()))

    def _look_for_module(self) -> None:
        self.has_module = f"\0PyInit_{self.module_name}\0".encode() in self.product.read_bytes()

    def uses(self, source: Path) -> Uses:
        if not self.llvm.exists():
            return unread("the compiler does not write it as LLVM")
        return uses_of(self.object, self.llvm, self.files(source), self.toolchain)

    def read(self, source: Path, text: str) -> Compilation:
        """Compile once more, to LLVM before any optimisation, which takes a third of the time."""
        flags = [*self._flags(source, text), *READING_FLAGS]
        return self._run([self.toolchain["clang"], *flags, str(self.unit), "-o", str(self.llvm)])

    def files(self, source: Path) -> set[str]:
        """The names by which the compiler knows the source."""
        return {str(self.folder / source.name), str(self.unit)}

    def _run(self, command: list[str]) -> Compilation:
        self.commands.append(shlex.join(command))
        return run_compiler(command, self.folder, self.deadline)

    def _flags(self, source: Path, text: str) -> list[str]:
        use = "whole_header" if needs_whole_torch(text) else "precompiled"
        return [*self.toolchain["cpu_flags"], *self.toolchain[use], "-iquote", str(source.resolve().parent)]

    def _compile_command(self, source: Path, text: str) -> list[str]:
        command = [self.toolchain["clang"], *self._flags(source, text), "-S", "-emit-llvm"]
        return [*command, str(self.unit), "-o", str(self.module)]

    def _assembly_command(self) -> list[str]:
        """The module is optimised; only code is generated."""
        flags = [*self.toolchain["cpu_flags"], "-Xclang", "-disable-llvm-passes", "-Qunused-arguments"]
        return [self.toolchain["clang"], *flags, "-S", "-x", "ir", str(self.module), "-o", str(self.assembly)]

    def _assemble_command(self) -> list[str]:
        return [self.toolchain["clang"], "-c", str(self.assembly), "-o", str(self.object)]

    def _link_command(self) -> list[str]:
        parts = [str(self.object), *self.toolchain["objects"], *self.toolchain["link_flags"]]
        return [self.toolchain["clang"], "-shared", *parts, "-o", str(self.product)]


def fault_of(compilation: Compilation, otherwise: Fault) -> Fault:
    return "timeout" if compilation.timed_out else otherwise


def missing_module(name: str, text: str) -> str:
    binding = re.search(r"\bPYBIND11_MODULE\s*\(\s*(\w+)", mask(text))
    if binding:
        return f"{name}: error: PYBIND11_MODULE names the module {binding[1]}; use TORCH_EXTENSION_NAME\n"
    return f"{name}: error: no PYBIND11_MODULE, so there is nothing Python could import\n"
