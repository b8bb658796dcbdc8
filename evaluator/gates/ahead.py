"""Compile a side's Triton kernels once, ahead of everything, for all its workers. On hosts with a GPU only.

A worker that answers nothing notes what every case launches and compiles that over all cores (inside/gpu/ahead.py).
The judge copies what Triton keeps of it, and every later worker of the side starts with the same copy: so the kernels
that are judged are those that are timed. What later workers write stays in them.

What a candidate could leave in that copy, it can as well write into its source: the worker has seen the contents of no
judged or timed call. A forged kernel is no more than what native code of the candidate can launch in any worker, and
writing it is on no list of `gates/plain`. Nobody learns from the copy whether a call is timed.

What is missing in it, for whatever reason, is compiled by the worker that needs it. Kernels of a task's own baseline
are also kept for later evaluations where no candidate can reach into its sandbox; those of a candidate never are.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import triton

from evaluator.errors import SandboxError
from evaluator.gates.context import Context
from evaluator.inside.excerpts import MAX_SENTENCE, cut
from evaluator.judge.builds import store, stored, taken
from evaluator.judge.draws import Contents, Draw
from evaluator.judge.side import KERNELS, Runner, Side
from evaluator.sandbox import STRONG_SANDBOX, WorkerError, WorkerFault
from evaluator.state import state_folder
from evaluator.tasks.spec import Case

AHEAD = Draw("standard", "standard", 2000)  # contents that no check and no timed call uses
NOTE_S = 20.0  # noting takes milliseconds; host code that waits for what no kernel has written would never end
COMPILE_S = 240.0  # of all noted launches
PATIENCE_S = 30.0  # for packing them
FORMAT = "1"  # of stored kernels


def compile_ahead(context: Context) -> None:
    """Compile the kernels of both sides that are not there yet. No failure here counts for or against anybody."""
    if not context.backend.has_clock:
        return
    baseline = context.baseline = context.baseline or context.open_side(context.baseline_files)
    sides = [side for side in (baseline, context.candidate_side()) if _is_triton(side)]
    file = _file_of(context, baseline)
    for side in sides:
        if side.files == baseline.files:
            side.kernels = stored(file)
    works = [_Work(side) for side in sides if side.kernels is None]
    if works:
        with context.spending("kernels"):
            _compile(context, works)
    for work in works:
        if work.problem:
            name = "baseline" if work.side is baseline else "candidate"
            context.log.append(f"the kernels of the {name} were not compiled ahead: {work.problem}")
        if work.side is baseline and work.is_complete and baseline.kernels and _is_strong(baseline):
            store(file, baseline.kernels)


def _is_triton(side: Side) -> bool:
    return side.language == "python" and any(b"triton" in text for text in side.files.values())


def _is_strong(side: Side) -> bool:
    return side.sandbox is not None and side.sandbox.kind == STRONG_SANDBOX


def _file_of(context: Context, side: Side) -> Path:
    """Return where a baseline's kernels are kept. Triton's own keys decide what is used of them."""
    cases = [case.id for case in side.cases]
    software = (context.backend.architecture, triton.__version__, platform.python_version(), FORMAT)
    files = {name: hashlib.sha256(data).hexdigest() for name, data in side.files.items()}
    key = hashlib.sha256(json.dumps([files, context.task.digest, cases, software]).encode()).hexdigest()
    return state_folder() / "kernels" / key[:2] / key


def _compile(context: Context, works: Sequence[_Work]) -> None:
    """Set the kernels of all sides, at the same time."""
    with ExitStack() as stack, ThreadPoolExecutor(len(works)) as pool:
        for work in works:
            stack.callback(work.close)

        def each(do: Callable[[_Work], None]) -> None:
            for _ in pool.map(do, works):
                pass

        with context.device_lock.released(), suppress(SandboxError):  # which opening meets again
            for work in works:
                work.side.ready_sandbox()
        each(_Work.open)
        for case in context.backend.cases(context.task):
            if not any(work.runner for work in works):
                return
            each(partial(_Work.note, case=case, contents=context.contents(case, AHEAD)))
            context.give_way()
        with context.device_lock.released():  # compilers alone, for minutes
            each(_Work.compile)


@dataclass(eq=False)
class _Work:
    """One side's worker that compiles ahead; None before it is open, and after it has failed.

    `is_complete`: whether every case was called and every launch compiled, so that the kernels are worth keeping.
    """

    side: Side
    runner: Runner | None = None
    is_complete: bool = True
    problem: str = ""  # for the log

    def open(self) -> None:
        with self._trying():
            self.runner = self.side.runner(zones=False, ahead=True)

    def note(self, case: Case, contents: Contents) -> None:
        if self.runner is not None:
            with self._trying():
                self.is_complete &= self.runner.compile(case, contents, NOTE_S)

    def compile(self) -> None:
        if self.runner is not None:
            with self._trying():
                worker = self.runner.worker
                told = worker.call("kernels", timeout_s=COMPILE_S + PATIENCE_S, path=KERNELS, limit_s=COMPILE_S)
                self.is_complete &= told.get("failed") == []
                self.side.kernels = taken(worker, KERNELS)

    def close(self) -> None:
        """Close the worker, whose output and children are nobody's findings."""
        if self.runner is not None:
            with self._trying():
                self.runner.worker.close()

    @contextmanager
    def _trying(self) -> Iterator[None]:
        """Go on after any failure, with another sandbox unless the worker has only raised an exception."""
        try:
            yield
        except WorkerFault:
            self.is_complete = False
        except (WorkerError, SandboxError) as error:
            self.is_complete, self.runner = False, None
            self.problem = cut(str(error), MAX_SENTENCE)
            self.side.give_up_sandbox()
