"""One side of an evaluation, baseline or candidate: its files, its sandbox, and the workers that run them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter_ns
from typing import Any, Literal

import torch

from evaluator import codec
from evaluator.errors import BaselineError, SandboxError
from evaluator.inside.excerpts import excerpt
from evaluator.inside.limits import DeviceKind
from evaluator.judge.draws import Contents
from evaluator.judge.layout import Layout, layout_of, mailbox_bytes
from evaluator.judge.rejection import Rejection, rejection_of
from evaluator.judge.seal import Key, leave_key
from evaluator.records.record import KernelCoverage
from evaluator.sandbox import Sandbox, Worker, WorkerError, WorkerFault
from evaluator.tasks.spec import Case, TaskSpec

Language = Literal["hip", "python"]
LOAD_S = 120
REPORT_S = 360  # includes COMPILE_S of cross-compiling on a GPU host (inside/gpu/launches.py)
MAX_REFUSED = 200  # characters of what a worker says about a refused launch
PRODUCT, KERNELS = "candidate.so", "kernels.zip"
MAX_LOG = 1000  # characters of a log in the message of a fault
GRAPHS = (b"CUDAGraph", b"cuda.graph", b"make_graphed_callables", b"StreamBeginCapture")
OUTPUT_PROBLEMS = (
    "wrong_count",
    "wrong_type",
    "wrong_dtype",
    "wrong_shape",
    "wrong_layout",
    "aliases_input",
    "wrote_outside",
)


@dataclass(frozen=True, slots=True)
class Call:
    """The result of one call: nanoseconds on the judge's clock, and its outputs.

    `refused`: why a launch was refused whose error the candidate did not ask for, as its worker says. `coverage`: what
    kernels of the side's own did; None where the device cannot tell.
    """

    wall_ns: int
    outputs: Mapping[str, torch.Tensor]
    refused: str = ""
    coverage: KernelCoverage | None = None


@dataclass(slots=True)
class Side:
    """Files, sandbox and workers of one side. `product`: the built HIP extension; `log`: what its workers printed.

    `kernels`: what Triton compiled ahead (gates/ahead.py); every worker starts with the same copy.
    """

    task: TaskSpec
    cases: tuple[Case, ...]
    files: Mapping[str, bytes]
    take_sandbox: Callable[[], Sandbox]
    device: DeviceKind
    allocator: Path | None  # a library that adds red zones around tensors
    product: bytes | None = None
    kernels: bytes | None = None
    sandbox: Sandbox | None = None  # taken when the first worker is needed
    log: list[str] = field(default_factory=list)
    leftovers: int = 0
    spending: Callable[[str], AbstractContextManager[object]] = nullcontext  # counts the seconds of the evaluation

    @property
    def source(self) -> str:
        """The path of the file that defines the entry."""
        return next(iter(self.files))

    @property
    def sandbox_hides_tasks(self) -> bool:
        return self.sandbox is None or "hidden host files" in self.sandbox.strength

    @property
    def excess(self) -> str | None:
        """The sandbox's limit that the processes exceeded together, even if only when the last worker ended."""
        return self.sandbox.exceeded if self.sandbox is not None else None

    @property
    def language(self) -> Language:
        return "hip" if self.source.endswith(".hip") else "python"

    @property
    def captures_graphs(self) -> bool:
        """Whether the source captures graphs, for which torch allocates from a pool that has no red zones."""
        text = b"\n".join(self.files.values())
        return self.device != "cpu" and any(word in text for word in GRAPHS)

    def spawn(self) -> Worker:
        """Start a worker with this side's files in its workspace."""
        sandbox = self.ready_sandbox()
        with self.spending("workers"):
            worker = sandbox.spawn(mailbox_bytes=mailbox_bytes(self.task, self.cases))
            for name, data in self.files.items():
                worker.put(name, data)
            if self.product is not None:
                worker.put(PRODUCT, self.product)
        return worker

    def ready_sandbox(self) -> Sandbox:
        """Return this side's sandbox once its zygote is ready, 5 s later where none was started ahead.

        Raises:
            SandboxError: it does not start.
        """
        with self.spending("sandbox"):
            if self.sandbox is None:
                self.sandbox = self.take_sandbox()
            _ = self.sandbox.ready_s
        return self.sandbox

    def runner(
        self,
        *,
        guarded: bool = False,
        cross_compile: bool = False,
        zones: bool = True,
        ahead: bool = False,
        clock: Mapping[str, object] | None = None,
    ) -> Runner:
        """Start a worker and load the side's source in it; the caller closes it.

        `guarded`: with guard pages next to buffers on an emulated device. `zones`: with red zones around tensors, where
        there is an allocator for them. `ahead`: to compile ahead, and to answer nothing. `clock`: parameters of the
        bench; None without timing on the device clock.

        Raises:
            WorkerError: the candidate cannot be loaded.
            SandboxError: the device cannot be used.
        """
        worker, key = self.spawn(), None
        try:
            with self.spending("workers"):
                self._attach(worker, guarded, cross_compile, zones, ahead)
                if self.kernels is not None:
                    worker.put(KERNELS, self.kernels)
                    if refused := self._trusted_command(worker, "restore", path=KERNELS).get("refused"):
                        self.log.append(f"kernels that were compiled ahead are not used: {refused}")
                if clock is not None:
                    key = leave_key(worker.mailbox)  # the bench erases it before the source is loaded
                    self._trusted_command(worker, "clock", **clock)
                worker.call(
                    "load",
                    timeout_s=LOAD_S,
                    path=PRODUCT if self.product is not None else self.source,
                    function=self.task.entry.function,
                    prepares=self.task.entry.prepare,
                )
        except (WorkerError, SandboxError):
            self.close(worker)
            raise
        return Runner(self, worker, key)

    def _attach(self, worker: Worker, guarded: bool, cross_compile: bool, zones: bool, ahead: bool) -> None:
        options: dict[str, object] = {"cross_compile": cross_compile}
        options["allocator"] = str(self.allocator) if self.allocator and zones and not self.captures_graphs else None
        if self.device == "cpu":
            options |= {"guarded": guarded, "memory_mb": self.task.limits.memory_mb}
        elif ahead:
            options["ahead"] = True
        self._trusted_command(worker, "attach", device=self.device, **options)

    def _trusted_command(self, worker: Worker, op: str, **options: object) -> dict[str, object]:
        """Send a command before the candidate is loaded, so that a failure is the host's."""
        try:
            return worker.call(op, timeout_s=LOAD_S, **options)
        except WorkerError as error:
            text = error.text if isinstance(error, WorkerFault) else error.output
            raise SandboxError(
                f"a worker cannot use the device {self.device}: {error}: {excerpt(text, MAX_LOG)}"
            ) from error

    def close(self, worker: Worker, *, has_loaded: bool = True) -> None:
        """Close the worker. Without `has_loaded` the candidate never ran; leftovers are stopped compilers."""
        ended = worker.close()
        if has_loaded:
            self.leftovers += ended.leftovers
        if text := worker.output().strip():
            self.log.append(text)

    def give_up_sandbox(self) -> None:
        """Close the sandbox; the next worker starts in a new one."""
        if self.sandbox is not None:
            self.sandbox.close()
            self.sandbox = None


class Runner:
    """A worker with a loaded source. Methods may raise WorkerError; wrong outputs are returned as a Rejection."""

    def __init__(self, side: Side, worker: Worker, key: Key | None) -> None:
        self.side, self.worker, self.key = side, worker, key
        self._case: Case | None = None
        self._layout: Layout | None = None
        self._called: set[str] = set()

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        self.side.close(self.worker)

    def open(self, case: Case, contents: Contents) -> Layout:
        """Send the worker a case's layout."""
        if self._layout is None or case != self._case:
            self._case, self._layout = case, layout_of(self.side.task, case, contents)
            self.worker.call(
                "open",
                timeout_s=LOAD_S,
                inputs=list(self._layout.inputs),
                outputs=list(self._layout.outputs),
                style=self.side.task.entry.style,
            )
        return self._layout

    def compile(self, case: Case, contents: Contents, timeout_s: float | None = None) -> bool:
        """Compile what the case launches; False if its host code failed, which the real call will show.

        In a worker that compiles ahead the launches are only noted.

        Raises:
            WorkerFault: a kernel does not compile.
        """
        self.open(case, contents).write(contents, self.worker)
        limit_s = self.side.task.limits.first_call_s if timeout_s is None else timeout_s
        with self.side.spending("first_calls"):
            return "ignored" not in self.worker.call("compile", timeout_s=limit_s)

    def call(self, case: Case, contents: Contents, order: int = 0) -> Call | Rejection:
        """Call the candidate on these contents; check outputs' types and shapes, red zones, and inputs for changes.

        `order`: the seed of the orders of programs and lanes, where a device lets anybody choose; 0: they run upwards.
        """
        layout, limits = self.open(case, contents), self.side.task.limits
        layout.write(contents, self.worker)
        is_first = case.id not in self._called
        self._called.add(case.id)
        self.worker.call("prepare", timeout_s=limits.call_s, order=order, values=layout.values(contents))
        with self.side.spending("first_calls") if is_first else nullcontext():
            begin = perf_counter_ns()
            self.worker.call("call", timeout_s=limits.first_call_s if is_first else limits.call_s)
            wall_ns = perf_counter_ns() - begin
        reply = self.worker.call("fetch", timeout_s=limits.call_s)
        if rejection := self._checked(reply.get("problem"), layout, contents):
            return rejection
        coverage = self._coverage(reply.get("coverage"))
        if isinstance(coverage, Rejection):
            return coverage
        outputs = layout.read_outputs(self.worker, self.side.device, reply.get("lengths"))
        if outputs is None:
            return Rejection("forged_reply", "outputs of an impossible length")
        return Call(wall_ns, outputs, str(reply.get("refused") or "")[:MAX_REFUSED], coverage)

    def report(self) -> dict[str, Any]:
        """Return the worker's report on its launches so far: kernels as cross-compiled, and faults."""
        return dict(self.worker.call("report", timeout_s=REPORT_S))

    def _checked(self, problem: object, layout: Layout, contents: Contents) -> Rejection | None:
        if problem is not None:
            return output_rejection(problem)
        mutable = frozenset(item.name for item in self.side.task.inputs if item.mutable)
        if changed := layout.changed_inputs(contents, self.worker, mutable):
            return Rejection("input_changed", ", ".join(changed))
        return None

    def _coverage(self, reported: object) -> Rejection | KernelCoverage | None:
        if reported is None:
            return None
        try:
            found = codec.decode(KernelCoverage, reported)
        except codec.DecodeError as error:
            return Rejection("forged_reply", f"a malformed report on kernels: {error}")
        shares = {name: found.written.get(name) for name in (output.name for output in self.side.task.outputs)}
        if found.launches < 0 or any(share is not None and not 0 <= share <= 1 for share in shares.values()):
            return Rejection("forged_reply", "an impossible report on kernels")
        return KernelCoverage(found.launches, shares, tuple(name for name in found.copied if name in shares))


def output_rejection(problem: object) -> Rejection:
    """Translate the problem that a worker reports about an output; an unknown one is a forged reply."""
    match problem:
        case [str() as reason, str() as detail] if reason in OUTPUT_PROBLEMS:
            return Rejection(reason, detail)
    return Rejection("forged_reply", f"an unknown problem: {json.dumps(problem)[:100]}")


@contextmanager
def blaming_baseline(task: TaskSpec) -> Iterator[None]:
    """Treat worker errors of the task's own baseline as errors of the evaluation.

    Raises:
        BaselineError: in place of a WorkerError.
    """
    try:
        yield
    except WorkerError as error:
        rejection = rejection_of(error)
        raise BaselineError(
            f"the baseline of {task.id}: {rejection.of_baseline} {excerpt(rejection.log, MAX_LOG)}"
        ) from error


def trusted_runner(side: Side, *, cross_compile: bool = False) -> Runner:
    """Start a worker that has loaded the task's own baseline.

    Raises:
        BaselineError: it cannot be loaded.
    """
    with blaming_baseline(side.task):
        return side.runner(cross_compile=cross_compile)


def trusted_call(runner: Runner, case: Case, contents: Contents) -> Call:
    """Call the task's own baseline.

    Raises:
        BaselineError: the baseline failed, or its outputs have the wrong form.
    """
    try:
        call = runner.call(case, contents)
    except WorkerError as error:
        call = rejection_of(error)
    if isinstance(call, Rejection):
        raise BaselineError(
            f"the baseline of {runner.side.task.id} on {case.id}: {call.of_baseline} {excerpt(call.log, MAX_LOG)}"
        )
    return call
