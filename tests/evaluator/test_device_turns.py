"""Who waits for whom on a device: evaluations here are threads, each with a lock of its own, and work is pretended."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path
from time import monotonic, sleep
from types import SimpleNamespace

import pytest

from evaluator.errors import SandboxError
from evaluator.gates import compile as compile_gate
from evaluator.gates import performance
from evaluator.gates.context import Context
from evaluator.judge import device_lock
from evaluator.judge.device_lock import DeviceLock
from evaluator.judge.rejection import Rejection
from evaluator.judge.side import Side
from evaluator.pipeline import Evaluator
from evaluator.sandbox.conversation import Conversation, DeadlinePassed, ProcessOutput
from evaluator.tasks.candidate import baseline

STEP_S = 0.05
WAIT_S = 20.0  # on a busy machine; every wait ends long before
LOOK_S = 0.002


class Stopped:
    """A worker whose call is awaited: it works unless it is stopped."""

    def __init__(self, refusals: int = 0) -> None:
        self.stopped, self.stops, self.worked, self._refusals = False, 0, 0, refusals

    def freeze(self) -> None:
        if self._refusals:
            self._refusals -= 1
            raise SandboxError("a worker cannot be stopped")
        self.stopped, self.stops = True, self.stops + 1

    def thaw(self) -> None:
        self.stopped = False


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(device_lock, "STEP_S", STEP_S)
    monkeypatch.setattr(device_lock, "DRAIN_S", 0.0)
    return tmp_path / "card"


@contextmanager
def beside(*jobs: Callable[[], object]) -> Iterator[list[threading.Thread]]:
    """Run the jobs in threads beside the block; what one raises is raised at the end."""
    errors: list[BaseException] = []

    def run(job: Callable[[], object]) -> None:
        try:
            job()
        except BaseException as error:  # raised below, in the test's own thread
            errors.append(error)

    threads = [threading.Thread(target=run, args=(job,), daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    yield threads
    for thread in threads:
        thread.join(WAIT_S)
        assert not thread.is_alive()
    if errors:
        raise errors[0]


def waited(until: Callable[[], object]) -> None:
    end = monotonic() + WAIT_S
    while not until():
        assert monotonic() < end
        sleep(LOOK_S)


def long_call(lock: DeviceLock, worker: Stopped, over: threading.Event) -> None:
    """Await a call of the worker until it is over, as a conversation does."""
    with lock.pausing(worker) as meanwhile:
        assert meanwhile
        while not over.is_set():
            worker.worked += not worker.stopped
            meanwhile()
            sleep(LOOK_S)


def long_check(path: Path, worker: Stopped, over: threading.Event) -> None:
    lock = DeviceLock(path)
    with lock.shared():
        long_call(lock, worker, over)


def test_a_session_waits_for_a_step_of_a_long_call_which_stands_still_while_it_is_timed(path: Path) -> None:
    worker, over, lock = Stopped(), threading.Event(), DeviceLock(path)
    with beside(lambda: long_check(path, worker, over)):
        waited(lambda: worker.worked)
        with lock.shared():
            begin = monotonic()
            with lock.alone():
                assert monotonic() - begin < 1, "a call that goes on for ever holds nobody up"
                before = worker.worked
                sleep(2 * STEP_S)
                assert (worker.stopped, worker.worked) == (True, before)
            waited(lambda: worker.worked > before)
        over.set()
    assert worker.stops == 1


def test_nobody_waits_for_a_build(path: Path) -> None:
    building, over, lock = threading.Event(), threading.Event(), DeviceLock(path)

    def build() -> None:
        ours = DeviceLock(path)
        with ours.shared(), ours.released():
            building.set()
            assert over.wait(WAIT_S)

    with beside(build):
        assert building.wait(WAIT_S)
        with lock.shared(), lock.alone():
            assert lock.in_use_by_others(), "its workers may still fill the device's memory"
            over.set()


@pytest.mark.parametrize("load", [compile_gate.load, compile_gate.build_trusted])
def test_a_build_does_not_hold_the_device(path: Path, monkeypatch: pytest.MonkeyPatch, load: Callable) -> None:
    lock, found = DeviceLock(path), []

    def build(*_: object) -> SimpleNamespace:
        other = DeviceLock(path)
        with other.shared(), other.alone():
            found.append("a session")
        return SimpleNamespace(not_portable=("a wave of 64",))

    side = SimpleNamespace(language="hip", source="kernel.hip")
    backend = SimpleNamespace(name="cuda", toolchain=None, wave_size=32)
    task = SimpleNamespace(id="a task")
    context = SimpleNamespace(candidate_side=lambda: side, backend=backend, device_lock=lock, task=task)
    context.spending = nullcontext
    monkeypatch.setattr(compile_gate, "build", build)
    monkeypatch.setattr(compile_gate, "_note_build", lambda *_: None)
    with lock.shared():
        if load is compile_gate.load:
            rejection = compile_gate.load(context, cross_compile=False)  # type: ignore[arg-type]
        else:
            rejection = compile_gate.build_trusted(side, context)  # type: ignore[arg-type]
        assert isinstance(rejection, Rejection)
    assert found == ["a session"]


def test_nobody_waits_for_a_sandbox_that_starts(path: Path) -> None:
    lock, order = DeviceLock(path), list[str]()

    def ready_sandbox() -> None:
        other = DeviceLock(path)
        with other.shared(), other.alone():
            order.append("a session")

    def runner(**_: object) -> None:
        order.append("loaded" if lock._held == fcntl.LOCK_SH else "loaded beside a session")

    side = SimpleNamespace(language="python", ready_sandbox=ready_sandbox, runner=runner)
    context = SimpleNamespace(candidate_side=lambda: side, device_lock=lock)
    with lock.shared():
        assert compile_gate.load(context, cross_compile=False) is None  # type: ignore[arg-type]
    assert order == ["a session", "loaded"]


def test_a_long_call_goes_on_beside_sessions_without_end(path: Path) -> None:
    worker, over = Stopped(), threading.Event()

    def sessions() -> None:
        lock = DeviceLock(path)
        with lock.shared():
            while not over.is_set():
                with lock.alone():
                    assert worker.stopped or over.is_set()

    with beside(lambda: long_check(path, worker, over)):
        waited(lambda: worker.worked)
        with beside(sessions, sessions):
            waited(lambda: worker.stops == 2)
            before = worker.worked
            waited(lambda: worker.stops == 4)
            over.set()
    assert worker.worked > before


def test_all_calls_of_an_evaluation_are_stopped_before_it_gives_way(path: Path) -> None:
    workers, ends, lock = [Stopped(), Stopped()], [threading.Event(), threading.Event()], DeviceLock(path)

    def others() -> None:
        waited(lambda: all(worker.worked for worker in workers))
        session_beside(DeviceLock(path), workers)
        waited(lambda: not any(worker.stopped for worker in workers))
        ends[0].set()
        waited(lambda: lock._awaited == 1)
        session_beside(DeviceLock(path), workers[1:])
        ends[1].set()

    with beside(others), lock.shared(), ThreadPoolExecutor(2) as pool:
        lock.await_all([pool.submit(long_call, lock, *one) for one in zip(workers, ends, strict=True)])


def test_calls_of_other_threads_stand_still_in_a_session_of_their_own_evaluation(path: Path) -> None:
    worker, over, lock = Stopped(), threading.Event(), DeviceLock(path)
    with lock.shared(), beside(lambda: long_call(lock, worker, over)):
        waited(lambda: worker.worked)
        with lock.alone():
            before = worker.worked
            later = threading.Thread(target=long_call, args=(lock, late := Stopped(), over), daemon=True)
            later.start()
            sleep(STEP_S)
            assert (worker.stopped, worker.worked, late.worked) == (True, before, 0)
        waited(lambda: worker.worked > before and late.worked)
        over.set()
    later.join(WAIT_S)


def session_beside(lock: DeviceLock, workers: list[Stopped]) -> None:
    with lock.shared(), lock.alone():
        assert all(worker.stopped for worker in workers)


def test_a_worker_that_cannot_be_stopped_now_is_stopped_later(path: Path) -> None:
    worker, over = Stopped(refusals=2), threading.Event()
    with beside(lambda: long_check(path, worker, over)):
        waited(lambda: worker.worked)
        session_beside(DeviceLock(path), [worker])
        over.set()
    assert worker.stops == 1


def test_a_session_that_is_interrupted_lets_another_one_run_and_is_then_alone_again(path: Path) -> None:
    lock, timed, order = DeviceLock(path), threading.Event(), list[str]()

    def session() -> None:
        other = DeviceLock(path)
        assert timed.wait(WAIT_S)
        with other.shared(), other.alone():
            order.append("another")

    with beside(session), lock.shared(), lock.alone():
        timed.set()
        waited(lambda: lock.others())
        order.append("still ours")
        with lock.interrupted(), lock.pausing(Stopped()) as meanwhile:
            assert meanwhile, "a first call is not timed, so it can be stopped"
            while "another" not in order:
                meanwhile()
        order.append("ours again")
        with lock.pausing(Stopped()) as meanwhile:
            assert meanwhile is None, "nothing is looked at while calls are timed"
    assert order == ["still ours", "another", "ours again"]


def test_who_waits_long_is_told_for_whom(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told, timed, ours = list[str](), threading.Event(), DeviceLock(path)
    monkeypatch.setattr(device_lock, "TELL_S", STEP_S)

    def check() -> None:
        assert timed.wait(WAIT_S)
        with DeviceLock(path, told.append).shared():
            pass

    with beside(check), ours.shared(), ours.alone():
        timed.set()
        waited(lambda: told)
    assert told[0].startswith(f"waiting for the device for {STEP_S:g} s: process {os.getpid()} times since ")


def test_what_a_killed_evaluation_left_says_nothing(path: Path) -> None:
    lock = DeviceLock(path)
    with lock.shared():
        (path.with_suffix(".users") / "1-0").write_text("process 1 times since 06:00:00 UTC")
        assert lock.others() == []
    assert list(path.with_suffix(".users").iterdir()) == []


def test_the_time_that_a_call_is_stopped_is_not_part_of_its_limit() -> None:
    readable, writable = os.pipe()
    printed, _ = os.pipe()
    talk, looks = Conversation(readable, writable, ProcessOutput(printed, 100)), list[float]()

    def meanwhile() -> None:
        looks.append(monotonic())
        sleep(0.1)

    talk.meanwhile, begin = meanwhile, monotonic()
    talk.deadline = begin + 0.12
    with pytest.raises(DeadlinePassed):
        talk.receive()
    assert len(looks) >= 2
    assert monotonic() - begin >= 0.12 + 0.1 * len(looks)


def test_the_workers_of_a_side_are_stopped_by_the_lock_of_its_evaluation(path: Path, tiny_task: Callable) -> None:
    task, lock = tiny_task("triton2triton"), DeviceLock(path)
    sandbox = SimpleNamespace(ready_s=0.0, spawn=lambda mailbox_bytes: SimpleNamespace(put=lambda *_: None))
    side = Side(task, task.cases, {"kernel.py": b""}, lambda: sandbox, "cuda", None, lock)  # type: ignore[arg-type]
    assert side.spawn().pausing == lock.pausing
    assert not hasattr(side.spawn(uses_device=False), "pausing"), "a build is not stopped"


def test_others_may_use_the_device_while_a_fresh_baseline_compiles(
    path: Path, tiny_task: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, lock, order = tiny_task("triton2triton"), DeviceLock(path), list[str]()
    side = SimpleNamespace(give_up_sandbox=lambda: order.append("closed"))
    context = Context(
        task,
        baseline(task),
        baseline(task),
        SimpleNamespace(),
        lambda _: side,
        device_lock=lock,  # type: ignore[arg-type]
    )
    context.baseline = SimpleNamespace(product=None, kernels=None)  # type: ignore[assignment]
    monkeypatch.setattr("evaluator.gates.context.trusted_runner", nullcontext)
    with lock.shared(), lock.alone(), context.fresh_baseline(), path.with_suffix(".lock").open() as file:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)  # raises an error where the session has it
        order.append("a check of others")
    assert order == ["a check of others", "closed"]


def test_a_calibration_measures_its_instruments_alone_on_the_device(
    path: Path, tiny_task: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, settled = DeviceLock(path), list[bool]()
    monkeypatch.setattr(compile_gate, "build_trusted", lambda *_: None)
    monkeypatch.setattr(performance, "clocked", lambda *_: nullcontext("runner"))

    def shares() -> bool:
        with path.with_suffix(".lock").open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            return True

    @contextmanager
    def context(*_: object) -> Iterator[SimpleNamespace]:
        with lock.shared():
            yield SimpleNamespace(
                candidate_side=lambda: None,
                settle=lambda: settled.append(shares()),
                spending=nullcontext,
                device_lock=lock,
            )

    evaluator = SimpleNamespace(_context=context)
    with Evaluator.trusted_runner(evaluator, tiny_task("triton2triton")) as runner:  # type: ignore[arg-type]
        assert runner == "runner"
        assert settled == [True], "sandboxes that are being started end first, and nobody waits for them"
        assert not shares()
