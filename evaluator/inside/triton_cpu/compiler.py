"""Compile one specialisation for gfx942 in a forked child.

LLVM ends the process on some errors (inline assembly of another target does), and the candidate's worker must outlive
that. The child uses a folder of its own as Triton's cache and removes it, so no other evaluation finds its results.
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
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import IO, Any, NoReturn

import triton
import triton.language as tl
from triton import knobs
from triton.compiler import ASTSource
from triton.compiler import compiler as triton_compiler

from evaluator.inside.triton_cpu import isa
from evaluator.inside.triton_cpu.driver import GFX942
from evaluator.inside.triton_cpu.errors import CompileFailed

LIMIT_S = 60.0  # the slowest honest kernels (attention, backward) take about 5 s
MAX_TEXT = 4000


@dataclass(frozen=True, slots=True)
class Compilation:
    """One specialisation of one kernel. `error` is None where it compiles and fits a workgroup."""

    kernel: str
    seconds: float
    resources: isa.Resources | None
    error: str | None

    def report(self) -> dict[str, Any]:
        """Plain values for the record; a figure is None where there was nothing to read it from."""
        figures = asdict(self.resources) if self.resources else dict.fromkeys(isa.Resources.__slots__)
        head = {"kernel": self.kernel, "seconds": round(self.seconds, 4), "target": GFX942.arch}
        return {**head, "ok": self.error is None, "error": self.error, "skippable": self.skippable, **figures}

    @property
    def skippable(self) -> bool:
        """Triton's autotuner goes on after too large a kernel and after a static_assert."""
        return self.resources is not None or "CompileTimeAssertionFailure" in (self.error or "")

    def failure(self) -> CompileFailed:
        """What the launch raises."""
        return CompileFailed(self.kernel, GFX942.arch, self.error or "", self.skippable)


def compile_in_child(kernel: str, compiled: Callable[[], Any], limit_s: float = LIMIT_S) -> Compilation:
    """`compiled` gives Triton's compiled kernel; it runs in the child only."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as said:
        answer, status = _fork(compiled, said, limit_s)
        said.seek(0)
        printed = said.read().decode(errors="replace").strip()
    if answer:
        fields = json.loads(answer)
    elif status is None:
        fields = {"error": f"not compiled after {limit_s:g} s"}
    else:
        fields = {"error": _last_words(f"the compiler ended with {_ending(status)}", printed)}
    resources = isa.Resources(**fields["resources"]) if "resources" in fields else None
    error = isa.too_large(resources) if resources else _last_words(fields["error"], printed)
    return Compilation(kernel, time.monotonic() - begin, resources, error)


def preheat() -> None:
    """Compile a small kernel once, so that children find LLVM and MLIR initialised."""
    importlib.import_module("triton.experimental.gluon")  # the first launch imports it, 0.1 s
    signature = {"source": "*fp32", "target": "*fp32", "size": "constexpr"}
    source = ASTSource(fn=_copy, signature=signature, constexprs={"size": 64}, attrs={})
    with knobs.cache.scope(), _private_cache():
        triton.compile(source, target=GFX942)


@triton.jit  # type: ignore[untyped-decorator]
def _copy(source, target, size: tl.constexpr):  # type: ignore[no-untyped-def]
    lanes = tl.arange(0, size)
    tl.store(target + lanes, tl.load(source + lanes))


def _fork(compiled: Callable[[], Any], said: IO[bytes], limit_s: float) -> tuple[bytes, int | None]:
    """The child's answer and its wait status, None if it had to be killed."""
    readable, writable = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # 3.12 warns of forks beside threads; the child starts none
        child = os.fork()
    if child == 0:
        _answer(compiled, writable, said.fileno(), limit_s)
    os.close(writable)
    try:
        answer = _read(readable, time.monotonic() + limit_s)
    finally:
        os.close(readable)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)  # it has answered, has closed the pipe by dying, or is too late
        status = os.waitpid(child, 0)[1]
    return (b"", None) if answer is None else (answer, status)


def _read(fd: int, deadline: float) -> bytes | None:
    """All that comes until the other end is closed; None if that does not happen in time."""
    data = b""
    while select.select([fd], [], [], max(0.0, deadline - time.monotonic()))[0]:
        piece = os.read(fd, 1 << 16)
        if not piece:
            return data
        data += piece
    return None


def _answer(compiled: Callable[[], Any], fd: int, output: int, limit_s: float) -> NoReturn:
    try:
        gc.disable()  # a collection would copy the parent's pages
        os.dup2(output, 1)
        os.dup2(output, 2)
        sys.stdout = sys.stderr = os.fdopen(output, "w", buffering=1)
        seconds = int(limit_s) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))  # should the parent die meanwhile
        with _private_cache():
            text = json.dumps(_compile(compiled))
        _write(fd, text.encode())
    finally:
        os._exit(0)


def _compile(compiled: Callable[[], Any]) -> dict[str, Any]:
    try:
        kernel = compiled()
        if kernel is None:
            return {"error": "a hook kept the compiler from running"}
        resources = isa.read_resources(kernel.asm["amdgcn"], kernel.metadata.shared, kernel.metadata.num_warps)
        return {"resources": asdict(resources)}
    except Exception as error:  # the border of the child: whatever the compiler raises is its answer
        return {"error": f"{type(error).__name__}: {error}"[-MAX_TEXT:]}


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


@contextlib.contextmanager
def _private_cache() -> Iterator[None]:
    """An empty cache folder, removed again, and a key without Triton's own: hashing its libraries takes 1.1 s."""
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
        return signal.Signals(os.WTERMSIG(status)).name
    return f"exit status {os.WEXITSTATUS(status)}"


def _last_words(error: str, printed: str) -> str:
    return f"{error}\n{printed}"[:MAX_TEXT] if printed else error
