"""Checks share a device, a timed session has it alone. Each evaluation here is a process of its own."""

from __future__ import annotations

import fcntl
import multiprocessing
from multiprocessing.synchronize import Event
from pathlib import Path
from time import monotonic, sleep

from evaluator.judge.device_lock import DeviceLock

WAIT_S = 120  # a process starts in half a second on a quiet machine
processes = multiprocessing.get_context("spawn")  # a forked one would hold our lock too


def check(path: Path, entered: Event) -> None:
    with DeviceLock(path).shared():
        entered.set()


def session(path: Path, entered: Event) -> None:
    lock = DeviceLock(path)
    with lock.shared(), lock.alone():
        entered.set()


def session_until_another_waits(path: Path, entered: Event) -> None:
    lock = DeviceLock(path)
    with lock.shared(), lock.alone():
        entered.set()
        wait_until_it_waits(path)
        sleep(0.1)


def started(job, path: Path) -> tuple[multiprocessing.process.BaseProcess, Event]:
    entered = processes.Event()
    process = processes.Process(target=job, args=(path, entered), daemon=True)
    process.start()
    return process, entered


def reserved(path: Path, entered: Event) -> None:
    with DeviceLock(path).exclusive():
        entered.set()


def wait_until_it_waits(path: Path, turnstile: str = ".turnstile") -> None:
    """Wait until the process waits for its lock: only then does it hold the turnstile."""
    until = monotonic() + WAIT_S
    while not (path.with_suffix(turnstile).exists() and is_held(path.with_suffix(turnstile))):
        assert monotonic() < until
        sleep(0.01)


def is_held(turnstile: Path) -> bool:
    with turnstile.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_checks_share_the_device(tmp_path: Path) -> None:
    with DeviceLock(tmp_path / "lock").shared():
        process, entered = started(check, tmp_path / "lock")
        assert entered.wait(WAIT_S)
        process.join(WAIT_S)


def test_a_session_waits_for_a_check_and_a_check_for_a_session(tmp_path: Path) -> None:
    lock = DeviceLock(tmp_path / "lock")
    with lock.shared():
        process, entered = started(session, tmp_path / "lock")
        wait_until_it_waits(tmp_path / "lock")
        assert not entered.wait(0.2)
    assert entered.wait(WAIT_S)
    process.join(WAIT_S)
    with lock.shared(), lock.alone():
        process, entered = started(check, tmp_path / "lock")
        wait_until_it_waits(tmp_path / "lock")
        assert not entered.wait(0.2)
    assert entered.wait(WAIT_S)
    process.join(WAIT_S)


def test_a_check_that_gives_way_lets_a_session_run_and_then_shares_the_device_again(tmp_path: Path) -> None:
    lock = DeviceLock(tmp_path / "lock")
    with lock.shared():
        for _ in range(2):
            process, entered = started(session, tmp_path / "lock")
            wait_until_it_waits(tmp_path / "lock")
            assert not entered.wait(0.2)
            lock.give_way()
            assert entered.wait(WAIT_S)
            process.join(WAIT_S)


def test_two_sessions_that_wait_do_not_block_each_other(tmp_path: Path) -> None:
    lock = DeviceLock(tmp_path / "lock")
    with lock.shared():
        process, entered = started(session, tmp_path / "lock")
        wait_until_it_waits(tmp_path / "lock")  # and is counted as present
        assert not entered.wait(0.2)
        with lock.alone():
            pass
    assert entered.wait(WAIT_S)
    process.join(WAIT_S)


def test_a_nested_lock_ends_with_the_outer_one(tmp_path: Path) -> None:
    lock = DeviceLock(tmp_path / "lock")
    with lock.shared():
        with lock.shared():
            pass
        process, entered = started(session, tmp_path / "lock")
        wait_until_it_waits(tmp_path / "lock")
        assert not entered.wait(0.2)
    assert entered.wait(WAIT_S)
    process.join(WAIT_S)


def test_a_lock_knows_whether_others_use_the_device(tmp_path: Path) -> None:
    lock = DeviceLock(tmp_path / "lock")
    with lock.shared():
        assert not lock.in_use_by_others()
        process, entered = started(session, tmp_path / "lock")
        wait_until_it_waits(tmp_path / "lock")
        assert not entered.wait(0.2)
        assert lock.in_use_by_others(), "it waits for its session"
    assert entered.wait(WAIT_S)
    process.join(WAIT_S)
    with lock.shared():
        assert not lock.in_use_by_others()


def test_checks_that_come_later_do_not_keep_a_session_waiting(tmp_path: Path) -> None:
    with DeviceLock(tmp_path / "lock").shared():
        waiting, in_session = started(session, tmp_path / "lock")
        wait_until_it_waits(tmp_path / "lock")
        assert not in_session.wait(0.2)
        later, entered = started(check, tmp_path / "lock")
        assert not entered.wait(0.5), "it would share with the check that holds the session up"
    assert in_session.wait(WAIT_S)
    assert entered.wait(WAIT_S)
    waiting.join(WAIT_S)
    later.join(WAIT_S)


def test_an_exclusive_lock_waits_for_all_other_evaluations_and_keeps_new_ones_out(tmp_path: Path) -> None:
    path, lock = tmp_path / "lock", DeviceLock(tmp_path / "lock")
    with lock.shared():
        process, entered = started(reserved, path)
        wait_until_it_waits(path, ".entry")
        with lock.alone():
            pass  # evaluations that have started go on
        assert not entered.wait(0.2)
    assert entered.wait(WAIT_S)
    process.join(WAIT_S)
    with lock.exclusive():
        process, entered = started(check, path)
        wait_until_it_waits(path, ".entry")
        assert not lock.in_use_by_others()
        assert not entered.wait(0.2), "asking for others must not let them in"
        with lock.shared(), lock.alone():
            pass
        assert not entered.wait(0.2)
    assert entered.wait(WAIT_S)
    process.join(WAIT_S)


def test_a_lock_that_was_exclusive_can_be_shared_the_next_time(tmp_path: Path) -> None:
    lock = DeviceLock(tmp_path / "lock")
    with lock.exclusive():
        pass
    with lock.shared():
        process, entered = started(check, tmp_path / "lock")
        assert entered.wait(WAIT_S)
        process.join(WAIT_S)


def test_a_lock_knows_how_long_it_waited_for_others(tmp_path: Path) -> None:
    lock = DeviceLock(tmp_path / "lock")
    process, entered = started(session_until_another_waits, tmp_path / "lock")
    assert entered.wait(WAIT_S)
    with lock.shared():
        assert lock.waited_s >= 0.1
    process.join(WAIT_S)
    assert process.exitcode == 0
