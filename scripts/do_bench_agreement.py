"""Say how well the clock kbx_do_bench agrees with Triton's own do_bench, on the baselines of a suite's full cases.

Both time the same call on the same tensors, in a process of our own for each task, in the order ours, Triton's,
Triton's, ours. FILE gets a line of JSON for each task as soon as it is measured, so the command may be interrupted:
tasks whose current digest it has from this card are not measured again. Sources build side by side; one task at a time
has the card.

usage: scripts/do_bench_agreement.py [--suite NAME] [--backend NAME] [--jobs N] [--out FILE]
exit codes: 0, 1 not all tasks were measured, 2 usage
"""

from __future__ import annotations

import argparse
import fcntl
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, Self, cast

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from evaluator.backends import Backend, get_backend  # noqa: E402
from evaluator.errors import BaselineError, EvaluatorError, HostError  # noqa: E402
from evaluator.gates.performance import clock_options  # noqa: E402
from evaluator.inside.channel import SharedMemory, sealed_memory  # noqa: E402
from evaluator.inside.harness import Harness  # noqa: E402
from evaluator.judge.draws import Seed  # noqa: E402
from evaluator.judge.layout import mailbox_bytes  # noqa: E402
from evaluator.judge.seal import leave_key  # noqa: E402
from evaluator.judge.side import Runner  # noqa: E402
from evaluator.judge.timing.clocks import do_bench_ns  # noqa: E402
from evaluator.judge.timing.remote import RemoteStopwatch  # noqa: E402
from evaluator.judge.timing.slabs import Slabs  # noqa: E402
from evaluator.tasks.candidate import baseline  # noqa: E402
from evaluator.tasks.reader import load_task  # noqa: E402
from evaluator.tasks.spec import Case, TaskSpec  # noqa: E402
from evaluator.tasks.suites import read_manifest  # noqa: E402
from evaluator.thresholds import KBX_MEASURED_NS, KBX_WARMUP_NS  # noqa: E402
from evaluator.wording import counted  # noqa: E402

SUITE, OUT = "native-24", "do_bench_agreement.jsonl"
JOBS = 4  # of which all but one build or import
TASK_S = 300  # a HIP source takes a minute to build
PLANNED = 200  # calls, of which some use the first buffer
CLOSE = (0.01, 0.02, 0.05)  # shares for which the summary counts cases


@dataclass(frozen=True, slots=True)
class CaseMedians:
    """Two medians of each clock on one case, in microseconds."""

    case: str
    ours_us: tuple[float, ...]
    triton_us: tuple[float, ...]

    @property
    def ratio(self) -> float:
        return fmean(self.ours_us) / fmean(self.triton_us)

    @property
    def repeat(self) -> float:
        """By what share the two medians of one clock differ, of the clock with which they differ more."""
        return max(max(times) / min(times) - 1 for times in (self.ours_us, self.triton_us))


@dataclass(frozen=True, slots=True)
class TaskMedians:
    task: str
    digest: str
    card: str
    cases: tuple[CaseMedians, ...]

    @classmethod
    def read(cls, line: str) -> Self:
        told = json.loads(line)
        cases = (CaseMedians(one["case"], tuple(one["ours_us"]), tuple(one["triton_us"])) for one in told.pop("cases"))
        return cls(**told, cases=tuple(cases))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--suite", default=SUITE)
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--jobs", type=int, default=JOBS)
    parser.add_argument("--out", type=Path, default=Path(OUT))
    parser.add_argument("--task", help=argparse.SUPPRESS)  # in a process of its own
    options = parser.parse_args(arguments)
    try:
        backend = get_backend(options.backend)
        if not backend.has_clock:
            raise HostError(f"the backend {backend.name} has no device clock")
        if options.task:
            found = measured(load_task(options.task), backend, options.out)
            sys.stdout.write(json.dumps(asdict(found)) + "\n")
            return 0
        tasks = [load_task(task_id) for task_id in read_manifest(options.suite)[1]]
        return _all(tasks, options, card_of(backend))
    except EvaluatorError as error:
        sys.stderr.write(f"{error}\n")
        return 1


def card_of(backend: Backend) -> str:
    return str(backend.facts().get("card_uuid", ""))


def _all(tasks: Sequence[TaskSpec], options: argparse.Namespace, card: str) -> int:
    """Measure what the file lacks, then print the table of all that it has."""
    have = known(options.out, tasks, card)
    waiting = [task for task in tasks if task.id not in have]
    with ThreadPoolExecutor(options.jobs) as pool, options.out.open("a", encoding="utf-8") as file:
        for task, (line, problem) in zip(waiting, pool.map(partial(_in_a_process, options), waiting), strict=True):
            if line:
                file.write(line)
                file.flush()
            sys.stderr.write(f"{task.id}: {problem or 'measured'}\n")
    have = known(options.out, tasks, card)
    sys.stdout.write("\n".join(table(list(have.values()))) + "\n")
    return 0 if len(have) == len(tasks) else 1


def known(path: Path, tasks: Sequence[TaskSpec], card: str) -> dict[str, TaskMedians]:
    """Return what the file has from this card of the tasks as they are, by task; of two lines the later."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    wanted = {(task.id, task.digest, card) for task in tasks}
    found = (TaskMedians.read(line) for line in lines)
    return {one.task: one for one in found if (one.task, one.digest, one.card) in wanted}


def _in_a_process(options: argparse.Namespace, task: TaskSpec) -> tuple[str, str]:
    """Return the task's line, or what went wrong."""
    command = [sys.executable, __file__, "--backend", options.backend, "--out", str(options.out), "--task", task.id]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TASK_S, check=False)
    except subprocess.TimeoutExpired:
        return "", f"not measured within {TASK_S} s"
    said, told = ((text.strip().splitlines() or ["nothing"])[-1] for text in (done.stderr, done.stdout))
    return (f"{told}\n", "") if done.returncode == 0 else ("", f"exit code {done.returncode}: {said}")


def measured(task: TaskSpec, backend: Backend, beside: Path) -> TaskMedians:
    """Measure a task's full cases; `beside` this file lies the lock for the card.

    Raises:
        BaselineError: it does not build, fails, or has times that are not positive.
    """
    with TemporaryDirectory() as folder:
        worker = OwnProcess(task, backend, Path(folder))
        path = worker.built()
        with _alone(beside.with_suffix(".lock")):
            worker.load(path)
            cases = [case for case in backend.cases(task) if case.profile == "full"]
            return TaskMedians(task.id, task.digest, card_of(backend), tuple(worker.compared(case) for case in cases))


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class OwnProcess:
    """A worker that is this process: the harness's commands, and the task's own baseline."""

    def __init__(self, task: TaskSpec, backend: Backend, folder: Path) -> None:
        size = mailbox_bytes(task, task.cases)
        self.task, self.backend = task, backend
        self.mailbox = SharedMemory(sealed_memory(size), size)
        self.harness = Harness(None, self.mailbox, str(folder))  # type: ignore[arg-type]  # nobody sends it messages
        self._calls: list[Callable[[], Any]] = []  # the last call, with its arguments
        self._watch: RemoteStopwatch | None = None
        for name, data in baseline(task).files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def call(self, op: str, *, timeout_s: float, **fields: Any) -> dict[str, object]:
        return self.harness.handlers()[op](**fields)

    def freeze(self) -> None: ...
    def thaw(self) -> None: ...
    def output(self) -> str:
        return ""

    def built(self) -> str:
        """Return the file to load: the source, or what HIP became."""
        source = next(iter(baseline(self.task).files))
        if not source.endswith(".hip"):
            return source
        toolchain = self.backend.toolchain.as_dict()
        native: Any = self.harness.build(source, toolchain, self.task.limits.build_s)["native"]
        if not native["ok"]:
            raise BaselineError(f"the baseline of {self.task.id} does not build: {native['log'].strip()[-300:]}")
        return str(native["product"])

    def load(self, path: str) -> None:
        """Load the instruments, then the baseline, with a note of the arguments of each call."""
        self.harness.attach(self.backend.torch_device, allocator=None, cross_compile=False)
        key = leave_key(self.mailbox)
        self.harness.clock(**clock_options(self.backend))
        self.harness.load(path, self.task.entry.function, self.task.entry.prepare)
        entry = self.harness.entry
        assert entry is not None
        assert self.harness.timing is not None

        def noting(*arguments: Any, **named: Any) -> Any:
            self._calls[:] = [partial(noting, *arguments, **named)]
            return entry(*arguments, **named)

        noting.__doc__ = entry.__doc__  # by which the bench knows a function that takes positions alone
        self.harness.timing.attach(noting, self.harness.hook)
        side = SimpleNamespace(task=self.task, device=self.backend.torch_device)
        self._watch = RemoteStopwatch(cast(Runner, SimpleNamespace(worker=self, side=side, key=key)), trusted=True)

    def compared(self, case: Case) -> CaseMedians:
        """Time one case on both clocks, on the contents of one call that was made before."""
        assert self._watch is not None
        slabs = Slabs(self.task, case, Seed(), 0, self.backend.torch_device)
        self._watch.arm(slabs)
        self._watch.block([call for call in slabs.plan(PLANNED) if call.buffer == 0][:1])
        [call] = self._calls
        clocks: dict[str, Callable[[], float | None]] = {
            "ours": partial(do_bench_ns, self._watch),
            "triton": partial(triton_ns, call),
        }
        found: dict[str, list[float]] = {name: [] for name in clocks}
        for name in ("ours", "triton", "triton", "ours"):
            time_ns = clocks[name]()
            if time_ns is None or time_ns <= 0:
                raise BaselineError(f"{self.task.id}, {case.id}: {name} read a time that is not positive")
            found[name].append(time_ns / 1e3)
        return CaseMedians(case.id, tuple(found["ours"]), tuple(found["triton"]))


def triton_ns(call: Callable[[], Any]) -> float:
    """Return the median that Triton's own function gives, at its defaults and called as KernelBench-X does."""
    import triton.testing

    times = {"warmup": int(KBX_WARMUP_NS / 1e6), "rep": int(KBX_MEASURED_NS / 1e6)}
    return float(triton.testing.do_bench(call, **times, quantiles=[0.5])) * 1e6


def table(found: Sequence[TaskMedians]) -> list[str]:
    """Return a line for each task, and one for all: ratios of our clock to Triton's."""
    lines = [f"{'task':<48}cases  median  worst   its time  repeat"]
    for task in found:
        worst = max(task.cases, key=lambda case: abs(case.ratio - 1), default=None)
        if worst is None:
            lines.append(f"{task.task:<48}    0")
            continue
        middle, repeat = (median(getattr(case, name) for case in task.cases) for name in ("ratio", "repeat"))
        time = f"{fmean(worst.triton_us):.1f} us"
        lines.append(f"{task.task:<48}{len(task.cases):>5}  {middle:.4f}  {worst.ratio:.4f}{time:>11}  {repeat:.2%}")
    cases = [case for task in found for case in task.cases]
    if not cases:
        return [*lines, "no case was measured"]
    apart = [abs(case.ratio - 1) for case in cases]
    counts = ", ".join(f"{sum(one <= share for one in apart)} within {share:.0%}" for share in CLOSE)
    whole = f"median ratio {median(case.ratio for case in cases):.4f}, furthest from 1 {max(apart):.2%} away"
    tasks = f"{counted(len(found), 'task')}, {counted(len(cases), 'case')}"
    return [*lines, f"{tasks}: {whole}; of the cases {counts}"]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
