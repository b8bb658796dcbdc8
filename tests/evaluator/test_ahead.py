"""Kernels compiled ahead, for an H100 that is not there: judge and harness in one process, compilers in children."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from triton import knobs
from triton.compiler import compiler as triton_compiler
from triton.runtime.autotuner import Autotuner
from triton.runtime.driver import driver
from triton.runtime.jit import JITFunction

from evaluator.errors import SandboxError
from evaluator.gates.ahead import AHEAD, compile_ahead
from evaluator.inside.channel import SharedMemory, sealed_memory
from evaluator.inside.gpu import kernel_files
from evaluator.inside.gpu.ahead import Ahead
from evaluator.inside.gpu.device import GpuDevice
from evaluator.inside.harness import Harness
from evaluator.inside.isa.launch import TRITONS_RUN
from evaluator.judge.builds import taken
from evaluator.judge.device_lock import NoDeviceLock
from evaluator.judge.draws import Seed, contents_of
from evaluator.judge.layout import mailbox_bytes
from evaluator.judge.side import KERNELS, Side
from evaluator.sandbox import WorkerDied, WorkerFault
from evaluator.sandbox.faults import Ended
from evaluator.tasks.spec import TaskSpec
from tests.conftest import TESTS
from tests.evaluator import kernels_launch as kernels
from tests.evaluator.test_gpu_launches import PretendedH100

DOUBLE = (TESTS / "tiny/triton2triton/tests/double/kernel.py").read_bytes()
EAGER = b"def forward(x):\n    return 2 * x\n"


class PretendedGpu(GpuDevice):
    """Its tensors are on the CPU, and it launches nothing."""

    kind = "cpu"

    def __init__(self, allocator: None, cross_compile: bool, ahead: bool = False) -> None:
        self._zones = self._launches = None
        self._ahead = Ahead() if ahead else None

    def synchronize(self) -> None: ...


class Here:
    """A worker in this process: the harness's commands, with every message through JSON."""

    def __init__(self, task: TaskSpec, folder: Path, **options: Any) -> None:
        size = mailbox_bytes(task, task.cases)
        self.mailbox, self.cache = SharedMemory(sealed_memory(size), size), folder / ".triton"
        self._harness = Harness(None, self.mailbox, str(folder))  # type: ignore[arg-type]
        self._harness.device = PretendedGpu(None, False, **options)

    def call(self, op: str, *, timeout_s: float, **fields: Any) -> dict[str, Any]:
        knobs.cache.dir = str(self.cache)
        try:
            reply = self._harness.handlers()[op](**json.loads(json.dumps(fields)))
        except Exception as error:
            raise WorkerFault(op, type(error).__name__, str(error), "") from error
        answer: dict[str, Any] = json.loads(json.dumps(reply))
        return answer

    def put(self, path: str, data: bytes) -> None:
        (self.cache.parent / path).write_bytes(data)

    def output(self) -> str:
        return ""

    def close(self) -> Ended:
        return Ended(exit_code=0, signal=None, killed=False, leftovers=0)


class Released(NoDeviceLock):
    is_released = False

    @contextmanager
    def released(self) -> Iterator[None]:  # type: ignore[override]
        self.is_released = True
        yield
        self.is_released = False


@pytest.fixture
def side(tmp_path: Path, tiny_task: Callable[[str], TaskSpec]) -> Callable[[bytes], Side]:
    """Return side(source), whose workers run here, each in a folder of its own."""
    task = tiny_task("triton2triton")

    class SideHere(Side):
        def spawn(self) -> Any:
            folder = tmp_path / str(len(list(tmp_path.iterdir())))
            folder.mkdir()
            worker = Here(task, folder)
            worker.put("kernel.py", self.files["kernel.py"])
            return worker

        def _attach(self, worker: Any, guarded: bool, cross_compile: bool, zones: bool, ahead: bool) -> None:
            worker._harness.device = PretendedGpu(None, cross_compile, ahead=ahead)

    def make(source: bytes) -> Side:
        made = SideHere(task, task.cases, {"kernel.py": source}, lambda: None, "cuda", None)  # type: ignore[arg-type, return-value]
        made.sandbox = SimpleNamespace(kind="bubblewrap", ready_s=0.0, close=lambda: None)  # type: ignore[assignment]
        return made

    return make


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """Emulate an H100; note for each kernel that a worker asks Triton for whether it was found compiled."""
    monkeypatch.setattr(driver, "_active", PretendedH100())
    monkeypatch.setattr(JITFunction, "run", TRITONS_RUN)
    key = lambda source, backend, options, env_vars: source.hash() + options.hash()  # noqa: E731  without 1 s of hashing
    monkeypatch.setattr(triton_compiler, "get_cache_key", key)
    seen: list[bool] = []
    with knobs.cache.scope(), knobs.compilation.scope():
        knobs.compilation.listener = lambda **told: seen.append(told["cache_hit"])
        yield seen


def context_of(baseline: Side, candidate: Side) -> Any:
    task, seed = candidate.task, Seed()
    return SimpleNamespace(
        task=task,
        backend=SimpleNamespace(has_clock=True, architecture="sm_90", cases=lambda task: task.cases[:1]),
        baseline=baseline,
        candidate_side=lambda: candidate,
        contents=lambda case, draw: contents_of(task, case, draw, seed, "cpu"),
        give_way=lambda: None,
        device_lock=NoDeviceLock(),
        spending=lambda name: nullcontext(),
        log=[],
    )


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch, compiled: list[bool]) -> Callable[[Side], list[bool]]:
    """Return later(side): call one case in another worker, and say which kernels were found compiled."""

    def run(side: Side) -> list[bool]:
        monkeypatch.setattr(
            JITFunction, "run", lambda *given, **options: TRITONS_RUN(*given, **options | {"warmup": True})
        )
        del compiled[:]
        runner = side.runner()
        for case in side.task.cases[:1]:
            runner.compile(case, contents_of(side.task, case, AHEAD, Seed(), "cpu"))
        monkeypatch.setattr(JITFunction, "run", TRITONS_RUN)
        return list(compiled)

    return run


@pytest.fixture(autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("ARENA_STATE", str(folder))
    return folder


def test_a_later_worker_compiles_nothing(side, later) -> None:
    candidate = side(DOUBLE)
    assert later(candidate) == [False]
    compile_ahead(context_of(side(EAGER), candidate))
    for _ in range(2):
        assert later(candidate) == [True]


def test_nobody_waits_for_the_compilers(side, monkeypatch) -> None:
    context, call, said = context_of(side(EAGER), side(DOUBLE)), Here.call, dict[str, bool]()
    context.device_lock = Released()

    def watched(self: Here, op: str, **given: Any) -> dict[str, Any]:
        said[op] = context.device_lock.is_released
        return call(self, op, **given)

    monkeypatch.setattr(Here, "call", watched)
    compile_ahead(context)
    assert (said["compile"], said["kernels"]) == (False, True), "noting uses the device, compiling does not"


def test_kernels_of_another_source_are_not_used(side, later) -> None:
    candidate = side(DOUBLE)
    compile_ahead(context_of(side(EAGER), candidate))
    other = side(DOUBLE.replace(b"2.0 *", b"2.5 *"))
    other.kernels = candidate.kernels
    assert later(other) == [False]


def test_a_baseline_is_compiled_once_and_its_damaged_kernels_are_compiled_anew(side, later, state) -> None:
    weak, first, second, third = side(DOUBLE), side(DOUBLE), side(DOUBLE), side(DOUBLE)
    weak.sandbox.kind = "plain"  # where a candidate of the same user may have changed them
    compile_ahead(context_of(weak, side(EAGER)))
    assert weak.kernels
    assert not list(state.rglob("*"))
    compile_ahead(context_of(first, side(EAGER)))
    [file] = [path for path in state.rglob("*") if path.is_file()]
    second.runner = None  # it must not be asked for a worker
    compile_ahead(context_of(second, side(EAGER)))
    assert first.kernels == second.kernels is not None
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    compile_ahead(context_of(third, side(EAGER)))
    assert third.kernels is not None
    assert later(third) == [True]


def test_kernels_of_a_candidate_are_not_kept_for_later_evaluations(side, state) -> None:
    compile_ahead(context_of(side(EAGER), side(DOUBLE)))
    assert not list(state.rglob("*"))


def test_what_a_later_worker_writes_stays_there(side, later) -> None:
    """The cheat: it counts in Triton's cache which of its workers it is in, in a file that looks like a kernel's."""
    counting = DOUBLE.replace(
        b"def forward(x):",
        b"""import os, pathlib
def forward(x):
    folder = pathlib.Path(__file__).parent / ".triton" / ("A" * 52)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "__grp__count.json").write_text("{}")
    count = folder / "count.json"
    count.write_text(count.read_text() + "1" if count.exists() else "1")""",
    )
    candidate = side(counting)
    compile_ahead(context_of(side(EAGER), candidate))
    counted = []
    for _ in range(2):
        before, runner = candidate.kernels, candidate.runner()
        counted.append((runner.worker.cache / ("A" * 52) / "count.json").read_text())
        runner.compile(
            candidate.task.cases[0], contents_of(candidate.task, candidate.task.cases[0], AHEAD, Seed(), "cpu")
        )
        assert candidate.kernels is before
    assert counted == ["1", "1"]  # from the call of the worker that compiled ahead, and no more


def test_a_worker_that_dies_or_fails_leaves_compiling_to_the_later_ones(side, later) -> None:
    dying, given_up = side(DOUBLE), []

    def dies(self: Any, *given: Any) -> None:
        raise WorkerDied("compile", Ended(exit_code=None, signal="SIGSEGV", killed=False, leftovers=0), "")

    dying.runner = lambda **options: SimpleNamespace(compile=dies, worker=None)
    dying.give_up_sandbox = lambda: given_up.append("sandbox")
    compile_ahead(context := context_of(side(EAGER), dying))
    assert (dying.kernels, given_up) == (None, ["sandbox"])
    assert context.log == ["the kernels of the candidate were not compiled ahead: compile: the process ended (SIGSEGV)"]
    failing = side(b"import triton\nraise RuntimeError\n")
    compile_ahead(context_of(side(EAGER), failing))
    assert failing.kernels is None
    broken = side(DOUBLE)
    broken.kernels = b"no archive"
    assert later(broken) == [False]
    assert broken.log == [
        "kernels that were compiled ahead are not used: kernels.zip is no archive of kernels: File is not a zip file"
    ]


def test_what_was_launched_before_host_code_fails_is_compiled(side, later, state) -> None:
    """It may read a result that no kernel has written."""
    baseline = side(DOUBLE.replace(b"    return y", b"    return [][int(y[0])]"))
    compile_ahead(context_of(baseline, side(EAGER)))
    assert later(baseline) == [True]
    assert not list(state.rglob("*"))  # not complete


def test_every_configuration_of_an_autotuner_is_ready_and_none_is_chosen(tmp_path: Path, compiled: list[bool]) -> None:
    x, ahead, measured = torch.zeros(512), Ahead(), vars(Autotuner)["do_bench"]
    knobs.cache.dir = str(tmp_path)
    with ahead.noting():
        kernels.tuned_product[(1,)](*[torch.zeros(32, 32, dtype=torch.float16)] * 3, 32, M=32)
        kernels.copy.warmup(x, x, 512, BLOCK=64, grid=(1,))  # what it says of the kernel decides on a grid
    assert vars(Autotuner)["do_bench"] is measured
    assert ahead.compile(60) == {"noted": 2, "failed": []}
    assert len(list(tmp_path.glob("*/product.cubin"))) == 2
    kernels.tuned_product.cache.clear()


def test_times_of_configurations_and_unfinished_kernels_are_left_out(tmp_path: Path) -> None:
    for key, names in (
        ("B" * 52, ("k.cubin", "k.json", "__grp__k.json")),
        ("F" * 52, ("k.autotune.json",)),
        ("G" * 52, ("k.autotune.json", "__grp__k.autotune.json")),
        ("H" * 52, ("k.new", "k.json", "__grp__k.json")),
        ("C" * 52, ("k.cubin", "k.json")),
        ("D" * 52, ("__triton_launcher.so",)),
        ("../evil", ("k.cubin", "__grp__k.json")),
    ):
        folder = tmp_path / "cache" / key
        folder.mkdir(parents=True)
        for name in names:
            (folder / name).write_text("{}")
    (tmp_path / "cache" / ("E" * 52)).write_text("a file in place of a folder")
    archive, other = tmp_path / "kernels.zip", tmp_path / "other"
    kernel_files.pack(tmp_path / "cache", archive)
    assert kernel_files.unpack(archive, other) == 1
    assert sorted(str(file.relative_to(other)) for file in other.rglob("*.*")) == [
        f"{'B' * 52}/__grp__k.json",
        f"{'B' * 52}/k.cubin",
        f"{'B' * 52}/k.json",
        f"{'D' * 52}/__triton_launcher.so",
    ]
    paths = json.loads((other / ("B" * 52) / "__grp__k.json").read_text())["child_paths"]
    assert paths == {name: str(other / ("B" * 52) / name) for name in ("k.cubin", "k.json")}


def test_a_kernel_that_has_no_room_is_left_out_with_all_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in "AB":
        (folder := tmp_path / "cache" / (key * 52)).mkdir(parents=True)
        for name in ("k.cubin", "k.json", "__grp__k.json"):
            (folder / name).write_bytes(bytes(100))
    monkeypatch.setattr(kernel_files, "MAX_BYTES", 300)
    kernel_files.pack(tmp_path / "cache", tmp_path / "kernels.zip")
    assert kernel_files.unpack(tmp_path / "kernels.zip", tmp_path / "other") == 1
    assert len(list(tmp_path.glob("other/*/*"))) == 3


@pytest.mark.parametrize(
    "name",
    [
        "../k.cubin",
        "k.cubin",
        f"{'A' * 52}/../k.cubin",
        f"{'A' * 52}/k.autotune.json",
        f"{'A' * 52}/__grp__k.json",
        "/k/k.py",
    ],
)
def test_an_archive_with_another_name_is_refused_as_a_whole(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "kernels.zip", "w") as packed:
        packed.writestr(f"{'A' * 52}/k.cubin", "")
        packed.writestr(name, "")
    with pytest.raises(ValueError, match="is no file of a kernel"):
        kernel_files.unpack(tmp_path / "kernels.zip", tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    "reply", [{}, {"copied": 1, "size": 1 << 20}, {"copied": 16, "size": -1}, {"copied": "16", "size": 16}]
)
def test_a_worker_cannot_make_the_judge_read_for_ever(reply: dict[str, Any]) -> None:
    worker = SimpleNamespace(
        call=lambda *_, **fields: reply, mailbox=SimpleNamespace(size=16, view=lambda a, n: bytes(n))
    )
    with pytest.raises(SandboxError, match="is malformed"):
        taken(worker, KERNELS)  # type: ignore[arg-type]
