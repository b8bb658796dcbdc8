"""Compile one launch for every target, each in a forked child.

LLVM ends the process on some errors (such as inline assembly of another target), which the candidate's worker must
survive. A child uses a folder of its own as Triton's cache and removes it, so that no other evaluation finds its
results. It uses no device, so it may be forked from a process that has one.

Measured on two cores: fork 4 ms, fork and compile 0.09 s for a softmax and 0.22 s for a matmul after `preheat`, 0.06 s
more without it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from typing import Any, NoReturn

import triton
import triton.language as tl
from triton import knobs
from triton.compiler import ASTSource
from triton.compiler import compiler as triton_compiler

from evaluator.inside.exceptions import sentence_of
from evaluator.inside.excerpts import excerpt
from evaluator.inside.isa.driver import gpu_target
from evaluator.inside.isa.launch import Launch
from evaluator.inside.isa.resources import Resources, over_limit, read_resources
from evaluator.inside.isa.targets import GFX942, NOT_IN_TIME, TARGETS, Target

LIMIT_S = 60.0  # the slowest real kernels (attention, backward) take about 5 s
MAX_TEXT, MAX_PRINTED = 4000, 1 << 20


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
) -> list[tuple[Target, _Child]]:
    """Start a child for each target, in parallel; `compiled` returns Triton's compiled kernel and runs only there."""
    return [(target, _Child(partial(_compile, compiled, target), limit_s)) for target in targets]


def _compilations_of(
    kernel: str, configuration: str, children: Sequence[tuple[Target, _Child]]
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


class _Child:
    """A forked process that sends one JSON object."""

    def __init__(self, job: Callable[[], dict[str, Any]], limit_s: float) -> None:
        self._begin, self._limit_s, self.seconds = time.monotonic(), limit_s, 0.0
        self._output, name = tempfile.mkstemp()
        os.unlink(name)
        self._fd, writable = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of 3.12, on forks beside threads
            self._pid = os.fork()
        if self._pid == 0:
            _run(job, writable, self._output, limit_s)
        os.close(writable)

    def result(self) -> dict[str, Any]:
        """Wait for the result; it has `error`, with what the child printed, if it failed, died or ran out of time."""
        try:
            text = _read(self._fd, self._begin + self._limit_s)
        finally:
            status = self._end()
        self.seconds = time.monotonic() - self._begin
        printed = excerpt(os.pread(self._output, MAX_PRINTED, 0).decode(errors="replace").strip(), MAX_TEXT)
        os.close(self._output)
        if text is None:
            return {"error": f"{NOT_IN_TIME} {self._limit_s:g} s"}
        result = json.loads(text) if text else {"error": f"the compiler {_ending(status)}"}
        return {**result, "error": _last_words(result["error"], printed)} if "error" in result else dict(result)

    def _end(self) -> int:
        os.close(self._fd)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)  # it has replied, has died, or is too late
        return os.waitpid(self._pid, 0)[1]


def _read(fd: int, deadline: float) -> bytes | None:
    """Read until the other end is closed; None if that does not happen in time."""
    data = b""
    while select.select([fd], [], [], max(0.0, deadline - time.monotonic()))[0]:
        piece = os.read(fd, 1 << 16)
        if not piece:
            return data
        data += piece
    return None


def _run(job: Callable[[], dict[str, Any]], fd: int, output: int, limit_s: float) -> NoReturn:
    try:
        gc.disable()  # a collection would copy the parent's pages
        os.dup2(output, 1)
        os.dup2(output, 2)
        sys.stdout = sys.stderr = os.fdopen(output, "w", buffering=1)
        seconds = int(limit_s) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))  # in case the parent dies
        with _private_cache():
            text = json.dumps(job())
        _write(fd, text.encode())
    finally:
        os._exit(0)


def _compile(compiled: Callable[[Target], Any], target: Target) -> dict[str, Any]:
    try:
        kernel = compiled(target)
        if kernel is None:
            return {"error": "a hook prevented the compiler from running"}
        return {"resources": asdict(read_resources(kernel.asm["amdgcn"], kernel.metadata, target))}
    except Exception as error:  # whatever the compiler raises is the child's result
        sentence, text = sentence_of(error), str(error)
        return {"error": excerpt(f"{sentence}\n{text}", MAX_TEXT) if "\n" in text else sentence}


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


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


def _ending(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"was ended by signal {os.WTERMSIG(status)}"
    return f"ended with exit status {os.WEXITSTATUS(status)}"


def _last_words(error: str, printed: str) -> str:
    return excerpt(f"{error}\n{printed}", MAX_TEXT) if printed else error
