"""Checks share a device, a timed session has it alone; each turn here is a process of its own."""

from __future__ import annotations

import fcntl
import multiprocessing
from multiprocessing.synchronize import Event
from pathlib import Path
from time import monotonic, sleep

from evaluator.judge.device_lock import Turn

WAIT_S = 120  # a process starts in half a second on a quiet machine
processes = multiprocessing.get_context("spawn")  # a forked one would hold our lock too


def check(path: Path, entered: Event) -> None:
    with Turn(path).shared():
        entered.set()


def session(path: Path, entered: Event) -> None:
    turn = Turn(path)
    with turn.shared(), turn.alone():
        entered.set()


def session_until_another_waits(path: Path, entered: Event) -> None:
    turn = Turn(path)
    with turn.shared(), turn.alone():
        entered.set()
        wait_until_it_waits(path)
        sleep(0.1)


def started(job, path: Path) -> tuple[multiprocessing.process.BaseProcess, Event]:
    entered = processes.Event()
    process = processes.Process(target=job, args=(path, entered), daemon=True)
    process.start()
    return process, entered


def whole(path: Path, entered: Event) -> None:
    with Turn(path).exclusive():
        entered.set()


def wait_until_it_waits(path: Path, door: str = ".door") -> None:
    """For its lock: until then it keeps the door shut."""
    until = monotonic() + WAIT_S
    while not (path.with_suffix(door).exists() and is_shut(path.with_suffix(door))):
        assert monotonic() < until
        sleep(0.01)


def is_shut(door: Path) -> bool:
    with door.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_checks_share_the_device(tmp_path: Path) -> None:
    with Turn(tmp_path / "lock").shared():
        process, entered = started(check, tmp_path / "lock")
        assert entered.wait(WAIT_S)
        process.join(WAIT_S)


def test_a_session_waits_for_a_check_and_a_check_for_a_session(tmp_path: Path) -> None:
    turn = Turn(tmp_path / "lock")
    with turn.shared():
        process, entered = started(session, tmp_path / "lock")
        wait_until_it_waits(tmp_path / "lock")
        assert not entered.wait(0.2)
    assert entered.wait(WAIT_S)
    process.join(WAIT_S)
    with turn.shared(), turn.alone():
        process, entered = started(check, tmp_path / "lock")
        wait_until_it_waits(tmp_path / "lock")
        assert not entered.wait(0.2)
    assert entered.wait(WAIT_S)
    process.join(WAIT_S)


def test_a_check_that_gives_way_lets_a_session_in_and_has_its_share_again_afterwards(tmp_path: Path) -> None:
    turn = Turn(tmp_path / "lock")
    with turn.shared():
        for _ in range(2):
            process, entered = started(session, tmp_path / "lock")
            wait_until_it_waits(tmp_path / "lock")
            assert not entered.wait(0.2)
            turn.give_way()
            assert entered.wait(WAIT_S)
            process.join(WAIT_S)


def test_two_that_want_it_alone_do_not_block_each_other(tmp_path: Path) -> None:
    turn = Turn(tmp_path / "lock")
    with turn.shared():
        process, entered = started(session, tmp_path / "lock")
        wait_until_it_waits(tmp_path / "lock")  # and holds its share
        assert not entered.wait(0.2)
        with turn.alone():
            pass
    assert entered.wait(WAIT_S)
    process.join(WAIT_S)


def test_a_turn_within_a_turn_ends_with_the_outer_one(tmp_path: Path) -> None:
    turn = Turn(tmp_path / "lock")
    with turn.shared():
        with turn.shared():
            pass
        process, entered = started(session, tmp_path / "lock")
        wait_until_it_waits(tmp_path / "lock")
        assert not entered.wait(0.2)
    assert entered.wait(WAIT_S)
    process.join(WAIT_S)


def test_company_is_known(tmp_path: Path) -> None:
    turn = Turn(tmp_path / "lock")
    with turn.shared():
        assert not turn.has_company()
        process, entered = started(session, tmp_path / "lock")
        wait_until_it_waits(tmp_path / "lock")
        assert not entered.wait(0.2)
        assert turn.has_company(), "it waits for its session"
    assert entered.wait(WAIT_S)
    process.join(WAIT_S)
    with turn.shared():
        assert not turn.has_company()


def test_checks_that_come_later_do_not_keep_a_session_waiting(tmp_path: Path) -> None:
    with Turn(tmp_path / "lock").shared():
        waiting, in_session = started(session, tmp_path / "lock")
        wait_until_it_waits(tmp_path / "lock")
        assert not in_session.wait(0.2)
        later, entered = started(check, tmp_path / "lock")
        assert not entered.wait(0.5), "it would share with the check that holds the session up"
    assert in_session.wait(WAIT_S)
    assert entered.wait(WAIT_S)
    waiting.join(WAIT_S)
    later.join(WAIT_S)


def test_who_wants_the_device_whole_waits_until_the_others_have_left_and_then_has_no_company(tmp_path: Path) -> None:
    path, turn = tmp_path / "lock", Turn(tmp_path / "lock")
    with turn.shared():
        process, entered = started(whole, path)
        wait_until_it_waits(path, ".entry")
        with turn.alone():
            pass  # whoever is inside goes on
        assert not entered.wait(0.2)
    assert entered.wait(WAIT_S)
    process.join(WAIT_S)
    with turn.exclusive():
        process, entered = started(check, path)
        wait_until_it_waits(path, ".entry")
        assert not turn.has_company()
        assert not entered.wait(0.2), "asking for company must not let it in"
        with turn.shared(), turn.alone():
            pass
        assert not entered.wait(0.2)
    assert entered.wait(WAIT_S)
    process.join(WAIT_S)


def test_a_turn_that_was_whole_is_shared_again_the_next_time(tmp_path: Path) -> None:
    turn = Turn(tmp_path / "lock")
    with turn.exclusive():
        pass
    with turn.shared():
        process, entered = started(check, tmp_path / "lock")
        assert entered.wait(WAIT_S)
        process.join(WAIT_S)


def test_a_turn_knows_how_long_it_waited_for_others(tmp_path: Path) -> None:
    turn = Turn(tmp_path / "lock")
    process, entered = started(session_until_another_waits, tmp_path / "lock")
    assert entered.wait(WAIT_S)
    with turn.shared():
        assert turn.waited_s >= 0.1
    process.join(WAIT_S)
    assert process.exitcode == 0
