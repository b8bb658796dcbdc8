"""Compile one launch for every target, each in a forked child.

LLVM ends the process on some errors (such as inline assembly of another target), which the candidate's worker must
survive. A child uses a folder of its own as Triton's cache and removes it, so that no other evaluation finds its
results. It uses no device, so it may be forked from a process that has one.

Measured on two cores: fork 4 ms, fork and compile 0.09 s for a softmax and 0.22 s for a matmul after `preheat`, 0.06 s
more without it.
"""

from __future__ import annotations

import contextlib
import importlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from typing import Any

import triton
import triton.language as tl
from triton import knobs
from triton.compiler import ASTSource
from triton.compiler import compiler as triton_compiler

from evaluator.inside.exceptions import sentence_of
from evaluator.inside.excerpts import excerpt
from evaluator.inside.isa.child import MAX_TEXT, Child
from evaluator.inside.isa.driver import gpu_target
from evaluator.inside.isa.launch import Launch
from evaluator.inside.isa.resources import Resources, over_limit, read_resources
from evaluator.inside.isa.targets import GFX942, TARGETS, Target

LIMIT_S = 60.0  # the slowest real kernels (attention, backward) take about 5 s


@dataclass(frozen=True, slots=True)
class IsaCompilation:
    """One specialisation of one kernel for one target. `error` is None if it compiles and fits a workgroup."""

    kernel: str
    configuration: str
    target: str
    seconds: float
    resources: Resources | None
    error: str | None

    def report(self) -> dict[str, Any]:
        """Return plain values for the record; a number is None if it cannot be read."""
        names = ("kernel", "configuration", "target", "error")
        figures = asdict(self.resources) if self.resources else {figure.name: None for figure in fields(Resources)}
        head = {name: getattr(self, name) for name in names}
        return {**head, "seconds": round(self.seconds, 4), "skippable": self.skippable, **figures}

    @property
    def skippable(self) -> bool:
        """Whether Triton's autotuner goes on: after a kernel that is too large, and after a static_assert."""
        return self.resources is not None or "CompileTimeAssertionFailure" in (self.error or "")


class Compilations:
    """The compilations of this process: each kernel and specialisation once."""

    def __init__(self, targets: Sequence[Target] = TARGETS) -> None:
        self._targets = targets
        self._made: dict[tuple[int, str], tuple[Any, tuple[IsaCompilation, ...]]] = {}

    def of(self, launch: Launch, limit_s: float = LIMIT_S) -> tuple[IsaCompilation, ...]:
        """Return the compilations of a launch, in the order of the targets."""
        self.of_all([launch], limit_s)
        return self._made[launch.identity][1]

    def of_all(self, launches: Sequence[Launch], limit_s: float) -> None:
        """Compile those launches that are new, with children in parallel."""
        new = {launch.identity: launch for launch in launches if launch.identity not in self._made}
        started = [(launch, _started(self._targets, launch.compiled_for, limit_s)) for launch in new.values()]
        for launch, children in started:  # the function is kept, so that its id stays unique
            made = _compilations_of(launch.kernel, launch.configuration, children)
            self._made[launch.identity] = launch.function, made

    def give_up(self, launch: Launch, why: str) -> None:
        """Report the launch as not compiled, unless it has been."""
        made = tuple(
            IsaCompilation(launch.kernel, launch.configuration, of.arch, 0.0, None, why) for of in self._targets
        )
        self._made.setdefault(launch.identity, (launch.function, made))

    def reports(self) -> list[dict[str, Any]]:
        """Return the reports of all compilations, in the order in which they were made."""
        return [compilation.report() for _, made in self._made.values() for compilation in made]


def _started(
    targets: Sequence[Target], compiled: Callable[[Target], Any], limit_s: float
) -> list[tuple[Target, Child]]:
    """Start a child for each target, in parallel; `compiled` returns Triton's compiled kernel and runs only there."""
    return [(target, Child(partial(_compiled_alone, compiled, target), limit_s)) for target in targets]


def _compilations_of(
    kernel: str, configuration: str, children: Sequence[tuple[Target, Child]]
) -> tuple[IsaCompilation, ...]:
    made = []
    for target, child in children:
        result = child.result()
        resources = Resources(**result["resources"]) if "resources" in result else None
        error = over_limit(resources, target) if resources else result["error"]
        made.append(IsaCompilation(kernel, configuration, target.arch, child.seconds, resources, error))
    return tuple(made)


def preheat() -> None:
    """Compile a small kernel once, so that children find LLVM and MLIR initialised."""
    importlib.import_module("triton.experimental.gluon")  # the first launch would import it, 0.1 s
    signature = {"source": "*fp32", "target": "*fp32", "size": "constexpr"}
    source = ASTSource(fn=_copy, signature=signature, constexprs={"size": 64}, attrs={})
    with knobs.cache.scope(), _private_cache():
        triton.compile(source, target=gpu_target(GFX942))


@triton.jit  # type: ignore[untyped-decorator]
def _copy(source, target, size: tl.constexpr):  # type: ignore[no-untyped-def]
    lanes = tl.arange(0, size)
    tl.store(target + lanes, tl.load(source + lanes))


def _compiled_alone(compiled: Callable[[Target], Any], target: Target) -> dict[str, Any]:
    with _private_cache():
        return _compile(compiled, target)


def _compile(compiled: Callable[[Target], Any], target: Target) -> dict[str, Any]:
    try:
        kernel = compiled(target)
        if kernel is None:
            return {"error": "a hook prevented the compiler from running"}
        return {"resources": asdict(read_resources(kernel.asm["amdgcn"], kernel.metadata, target))}
    except Exception as error:  # whatever the compiler raises is the child's result
        sentence, text = sentence_of(error), str(error)
        return {"error": excerpt(f"{sentence}\n{text}", MAX_TEXT) if "\n" in text else sentence}


@contextlib.contextmanager
def _private_cache() -> Iterator[None]:
    """Use an empty cache folder, and a key without Triton's own files: hashing its libraries takes 1.1 s."""
    folder = tempfile.mkdtemp(prefix="triton-")
    key = triton_compiler.get_cache_key
    knobs.cache.dir = folder
    triton_compiler.get_cache_key = lambda source, backend, options, env_vars: source.hash()
    try:
        yield
    finally:
        triton_compiler.get_cache_key = key
        shutil.rmtree(folder, ignore_errors=True)
