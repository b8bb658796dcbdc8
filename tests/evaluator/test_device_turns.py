"""Who waits for whom on a device: evaluations here are threads, each with a lock of its own, and work is pretended."""

from __future__ import annotations

import fcntl
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from time import monotonic, sleep
from types import SimpleNamespace

import pytest

from evaluator.gates import compile as compile_gate
from evaluator.gates import performance
from evaluator.gates.context import Context
from evaluator.judge import device_lock
from evaluator.judge.device_lock import DeviceLock
from evaluator.judge.rejection import Rejection
from evaluator.pipeline import Evaluator
from evaluator.tasks.candidate import baseline

SOON_S = 0.05
WAIT_S = 20.0  # on a busy machine; every wait ends long before
LOOK_S = 0.002


@pytest.fixture
def path(tmp_path: Path) -> Path:
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


def stands_in(turnstile: Path) -> bool:
    with turnstile.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


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


def test_a_session_that_is_interrupted_lets_another_one_run_and_is_then_alone_again(path: Path) -> None:
    lock, timed, order = DeviceLock(path), threading.Event(), list[str]()

    def session() -> None:
        other = DeviceLock(path)
        assert timed.wait(WAIT_S)
        with other.shared():
            order.append("shares")
            with other.alone():
                order.append("another")

    with beside(session), lock.shared(), lock.alone():
        timed.set()
        waited(lambda: lock.others())
        order.append("still ours")
        with lock.interrupted():
            waited(lambda: "another" in order or ("shares" in order and stands_in(path.with_suffix(".turnstile"))))
        order.append("ours again")
    assert order == ["still ours", "shares", "another", "ours again"]


@contextmanager
def interrupt_soon() -> Iterator[None]:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, SOON_S)
    begin = monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
        assert monotonic() - begin < 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def give_way(lock: DeviceLock) -> None:
    lock.give_way()


def time(lock: DeviceLock) -> None:
    with lock.alone():
        pass


def build(lock: DeviceLock, build_s: float = 0.0) -> None:
    with lock.released():
        sleep(build_s)


def build_long(lock: DeviceLock) -> None:
    build(lock, WAIT_S)


@pytest.mark.parametrize("wait", [None, give_way, time, build, build_long])
def test_an_interrupt_ends_every_wait_and_leaves_nothing_locked(path: Path, wait: Callable | None) -> None:
    """None: it waits at its beginning."""
    lock, before = DeviceLock(path), set(threading.enumerate())  # other tests' sandboxes have timers
    begin, shares, timed, over = (threading.Event() for _ in range(4))

    def session() -> None:
        other = DeviceLock(path)
        assert begin.wait(WAIT_S)
        with other.shared():
            shares.set()
            with other.alone():
                timed.set()
                assert over.wait(WAIT_S)

    with beside(session):
        try:
            if wait is None:
                begin.set()
                assert timed.wait(WAIT_S)
            with nullcontext() if wait else interrupt_soon(), lock.shared():
                begin.set()
                waited(lambda: shares.is_set() and stands_in(path.with_suffix(".turnstile")))
                with interrupt_soon():
                    assert wait
                    wait(lock)
                assert timed.is_set()
        finally:
            over.set()
    last = DeviceLock(path)
    with beside(lambda: held(last)):
        pass
    left = set(threading.enumerate()) - before
    assert not [thread for thread in left if isinstance(thread, threading.Timer) and not done(thread)]
    assert list(path.with_suffix(".users").iterdir()) == []


def held(lock: DeviceLock) -> None:
    with lock.exclusive(), lock.alone():
        pass


def done(timer: threading.Timer) -> bool:
    timer.join(1)
    return not timer.is_alive()


def test_who_waits_long_is_told_for_whom(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told, timed, ours = list[str](), threading.Event(), DeviceLock(path)
    monkeypatch.setattr(device_lock, "TELL_S", SOON_S)

    def check() -> None:
        assert timed.wait(WAIT_S)
        with DeviceLock(path, told.append).shared():
            pass

    with beside(check), ours.shared(), ours.alone():
        timed.set()
        waited(lambda: told)
    assert told[0].startswith(f"waiting for the device for {SOON_S:g} s: process {os.getpid()} times since ")


def test_what_a_killed_evaluation_left_says_nothing(path: Path) -> None:
    lock = DeviceLock(path)
    with lock.shared():
        (path.with_suffix(".users") / "1-0").write_text("process 1 times since 06:00:00 UTC")
        assert lock.others() == []
    assert list(path.with_suffix(".users").iterdir()) == []


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
