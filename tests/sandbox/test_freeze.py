"""A frozen worker is stopped with all its children, and continues where it was."""

from __future__ import annotations

import os
import secrets
import time
from pathlib import Path

import pytest
from probing import marked_processes, run, wait_until

from evaluator.sandbox import Sandbox, Worker

# Two children that spin, one of them without its main thread, and a parent that goes on answering.
SPINNING = """
import ctypes, os, threading
def spin():
    while True: pass
for leaderless in (False, True):
    if os.fork() == 0:
        open("/proc/self/comm", "w").write(os.environ["MARK"])
        if leaderless:
            threading.Thread(target=spin).start()
            ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[os.uname().machine], 0)
        spin()
"""
TICKS_S = 0.3  # thirty ticks of the kernel's clock


@pytest.fixture
def mark() -> str:
    """A process name unique to this test, of the maximal length: parallel tests have spinning processes too."""
    return f"spin-{secrets.token_hex(5)}"


@pytest.fixture
def spinning(sandbox: Sandbox, mark: str) -> Worker:
    worker = sandbox.spawn(mailbox_bytes=4096, environment={"MARK": mark})
    worker.put("probe.py", SPINNING.encode())
    run(worker)
    wait_until(lambda: len(marked_processes(mark)) == 2, "both children")
    return worker


def test_a_frozen_worker_and_its_children_use_no_processor(spinning: Worker, mark: str) -> None:
    with spinning:
        _wait_until_used(mark)
        spinning.freeze()
        before = _used(mark)
        time.sleep(TICKS_S)
        assert _used(mark) == before
        spinning.thaw()
        _wait_until_used(mark)
        run(spinning)


def test_a_frozen_worker_can_be_closed(spinning: Worker, mark: str) -> None:
    spinning.freeze()
    assert spinning.close().killed
    assert marked_processes(mark) == []


def _wait_until_used(mark: str) -> None:
    """Wait until each marked process has used more CPU time."""
    before = _used(mark)
    wait_until(lambda: all(_used(mark)[pid] > ticks for pid, ticks in before.items()), "clock ticks of both")


def _used(mark: str) -> dict[int, int]:
    """Return the clock ticks that each marked process has used so far."""
    return {pid: _ticks(pid) for pid in marked_processes(mark)}


def _ticks(pid: int) -> int:
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        fields = Path(f"/proc/{pid}/task/{thread}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total
