"""A frozen worker stands still, with all that it started, and goes on where it was."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from probing import marked_processes, run

from evaluator.sandbox import Sandbox, Worker

MARK = "spinning-child"
# Two children that spin, one of them without its main thread, and a parent that goes on answering.
SPINNING = f"""
import ctypes, os, threading
def spin():
    while True: pass
for leaderless in (False, True):
    if os.fork() == 0:
        open("/proc/self/comm", "w").write({MARK!r})
        if leaderless:
            threading.Thread(target=spin).start()
            ctypes.CDLL(None).syscall(60, 0)
        spin()
"""
TICKS_S = 0.3  # thirty ticks of the kernel's clock


@pytest.fixture
def spinning(sandbox: Sandbox) -> Worker:
    worker = sandbox.spawn(mailbox_bytes=4096)
    worker.put("probe.py", SPINNING.encode())
    run(worker)
    return worker


def test_a_frozen_worker_and_its_children_use_no_processor(spinning: Worker) -> None:
    with spinning:
        assert _used_in(TICKS_S) > 0
        spinning.freeze()
        assert _used_in(TICKS_S) == 0
        spinning.thaw()
        assert _used_in(TICKS_S) > 0
        run(spinning)


def test_a_frozen_worker_can_be_closed(spinning: Worker) -> None:
    spinning.freeze()
    assert spinning.close().killed
    assert marked_processes(MARK) == []


def _used_in(seconds: float) -> int:
    """Clock ticks that all marked processes used meanwhile."""
    before = sum(map(_ticks, marked_processes(MARK)))
    time.sleep(seconds)
    return sum(map(_ticks, marked_processes(MARK))) - before


def _ticks(pid: int) -> int:
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        fields = Path(f"/proc/{pid}/task/{thread}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total
