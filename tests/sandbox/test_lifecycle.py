"""Start and end of sandboxes and workers: deadlines, a dying judge, wrong use, standby."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import torch
from probing import DEADLINE_S, PROBES, SMALL, marked_processes, probing, run, wait_until

from evaluator.errors import SandboxError
from evaluator.sandbox import Access, Ended, Limits, Sandbox, Standby, WorkerTimeout, bubblewrap, open_sandbox
from evaluator.sandbox.control import Control
from tests.conftest import lacking

KINDS = pytest.mark.parametrize("kind", ["bubblewrap", "plain"])
JUDGE = """
import sys, time
from pathlib import Path
from evaluator.sandbox import open_sandbox
sandbox = open_sandbox(sys.argv[1])
worker = sandbox.spawn(mailbox_bytes=4096, environment={"MARK": sys.argv[2]})
worker.put("probe.py", Path(sys.argv[3]).read_bytes())
worker.call("run", path="probe.py", timeout_s=120)
print("ready", flush=True)
time.sleep(3600)
"""


@KINDS
def test_its_time_is_over_even_if_nobody_calls(kind: str, opened: Callable[..., Sandbox]) -> None:
    mark = f"mark-{secrets.token_hex(8)}"
    sandbox = opened(kind, Limits(wall_s=3.0))
    with probing(sandbox, "daemon", MARK=mark) as worker:
        run(worker)
        assert len(marked_processes(mark)) == 1
        wait_until(lambda: not marked_processes(mark), "its end")
        with pytest.raises(WorkerTimeout, match="the sandbox's time was over"):
            run(worker)
        assert worker.close().killed
    with pytest.raises(SandboxError, match="time is over"):
        sandbox.spawn(mailbox_bytes=4096)


@KINDS
def test_nothing_survives_a_judge_that_dies(kind: str, tmp_path: Path) -> None:
    if kind == "bubblewrap" and not bubblewrap.works():
        lacking("this host does not let bubblewrap make namespaces")
    mark = f"mark-{secrets.token_hex(8)}"
    command = [sys.executable, "-c", JUDGE, kind, mark, str(PROBES / "daemon.py")]
    environment = {**os.environ, "PYTHONPATH": os.getcwd(), "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as judge:
        assert judge.stdout is not None
        assert judge.stdout.readline() == b"ready\n"
        below = {pid for pid in marked_processes(mark) if pid != judge.pid}
        assert len(below) == 1
        judge.send_signal(signal.SIGKILL)
    wait_until(lambda: not marked_processes(mark) and not list(tmp_path.iterdir()), "the end of all that it left")


def test_a_second_worker_has_to_wait_for_the_first(sandbox: Sandbox) -> None:
    with sandbox.spawn(mailbox_bytes=4096), pytest.raises(SandboxError, match="close it first"):
        sandbox.spawn(mailbox_bytes=4096)
    sandbox.spawn(mailbox_bytes=4096).close()


def test_closing_a_worker_twice_returns_the_same_and_later_calls_are_refused(sandbox: Sandbox) -> None:
    worker = sandbox.spawn(mailbox_bytes=4096)
    ended = worker.close()
    assert ended == worker.close() == Ended(exit_code=None, signal="SIGKILL", killed=True, leftovers=0)
    with pytest.raises(SandboxError, match="has already ended"):
        worker.put("late.py", b"")


def test_how_a_worker_ended_counts_what_it_left_behind() -> None:
    texts = [str(Ended(exit_code=0, signal=None, killed=False, leftovers=count)) for count in range(3)]
    assert texts == ["exit code 0", "exit code 0, 1 process left behind", "exit code 0, 2 processes left behind"]


@KINDS
def test_closing_a_sandbox_leaves_nothing_and_a_second_time_does_nothing(
    kind: str, opened: Callable[..., Sandbox], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    gc.collect()
    files, mark = open_files(), f"mark-{secrets.token_hex(8)}"
    sandbox = opened(kind)
    with probing(sandbox, "daemon", MARK=mark) as worker:
        run(worker)
        assert kind == "bubblewrap" or list(tmp_path.glob("*/*/probe.py"))
        sandbox.close()
        sandbox.close()
        assert marked_processes(mark) == []
        assert worker.close().killed
    with pytest.raises(SandboxError, match="is closed"):
        sandbox.spawn(mailbox_bytes=4096)
    del worker  # its mailbox stays readable as long as somebody holds it
    gc.collect()
    wait_until(lambda: open_files() <= files, "its files")  # sandboxes of other tests look at theirs now and then
    assert list(tmp_path.iterdir()) == []


def open_files() -> set[tuple[str, str]]:
    """Return descriptor → target of all open files: those of earlier tests may be closed in the meantime."""
    found = set()
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # the folder itself, which was open while it was listed
            found.add((number, os.readlink(f"/proc/self/fd/{number}")))
    return found


@KINDS
def test_a_sandbox_that_does_not_start_says_why(kind: str, opened: Callable[..., Sandbox]) -> None:
    sandbox = opened(kind, access=Access(variables={"PYTHONPATH": "/nowhere"}))
    with pytest.raises(SandboxError, match="No module named 'evaluator'"):
        sandbox.spawn(mailbox_bytes=4096)


def test_readable_paths_are_seen_and_not_written(opened: Callable[..., Sandbox], tmp_path: Path) -> None:
    (tmp_path / "product.so").write_bytes(b"built earlier")
    tmp_path.chmod(0o755)
    (tmp_path / "product.so").chmod(0o644)
    sandbox = opened("bubblewrap", access=Access(readable=(str(tmp_path),)))
    source = f"import os; p = {str(tmp_path)!r}; print(open(p + '/product.so').read(), os.access(p, os.W_OK))"
    for _ in range(2):  # tmp_path lies below /tmp, which is emptied in between
        with sandbox.spawn(mailbox_bytes=4096) as worker:
            worker.put("probe.py", source.encode())
            run(worker)
            assert worker.output() == "built earlier False\n"


def test_files_larger_than_the_mailbox_arrive_whole(sandbox: Sandbox) -> None:
    data = secrets.token_bytes(10_000)
    source = b"import hashlib; print(hashlib.sha256(open('sub/data', 'rb').read()).hexdigest(), open('none').read())"
    with sandbox.spawn(mailbox_bytes=4096) as worker:
        worker.put("sub/data", b"an earlier version" * 1000)
        worker.put("sub/data", data)
        worker.put("none", b"")
        worker.put("probe.py", source)
        run(worker)
        assert worker.output().split() == [hashlib.sha256(data).hexdigest()]


def test_the_mailbox_is_the_same_memory_on_both_sides(sandbox: Sandbox) -> None:
    with sandbox.spawn(mailbox_bytes=4096) as worker:
        tensor = worker.mailbox.tensor(1024, (3, 5), torch.float32)
        tensor.copy_(torch.arange(15.0).view(3, 5))
        worker.call("put", path="tensor", offset=1024, size=60, append=False, timeout_s=DEADLINE_S)
        worker.put("probe.py", b"import array; print(sum(array.array('f', open('tensor', 'rb').read())))")
        run(worker)
        assert worker.output() == "105.0\n"
        with pytest.raises(ValueError, match="outside a mailbox of 4096"):
            worker.mailbox.view(4000, 97)


def test_standby_returns_a_started_sandbox_and_starts_the_next() -> None:
    started: list[Sandbox] = []

    def start() -> Sandbox:
        started.append(open_sandbox("plain", limits=SMALL))
        return started[-1]

    with Standby(start) as standby:
        assert len(started) == 1
        with standby.take() as first:
            assert len(started) == 2
            assert first is started[0]
            first.spawn(mailbox_bytes=4096).close()
    with pytest.raises(SandboxError, match="is closed"):
        started[1].spawn(mailbox_bytes=4096)


def test_two_threads_take_one_after_the_other() -> None:
    both, opening, opened = threading.Barrier(2), threading.Semaphore(1), list[int]()

    def start() -> Sandbox:
        assert opening.acquire(blocking=False), "another thread opens one"
        time.sleep(0.05)
        opened.append(1)
        opening.release()
        return cast("Sandbox", SimpleNamespace(close=lambda: None))

    def take() -> Sandbox:
        both.wait()
        return standby.take()

    with Standby(start) as standby, ThreadPoolExecutor(2) as pool:
        first, second = pool.submit(take), pool.submit(take)
        assert first.result() is not second.result()
        assert len(opened) == 3, "one before, one after each"


def test_a_sandbox_that_fails_to_start_is_not_returned() -> None:
    started: list[Sandbox] = []

    def start() -> Sandbox:
        started.append(open_sandbox("plain", limits=SMALL))
        if len(started) == 1:
            started[0]._tree.kill()
        return started[-1]

    with Standby(start) as standby:
        standby.settle()
        with standby.take() as taken:
            taken.spawn(mailbox_bytes=4096).close()


def test_a_closed_connection_is_reported() -> None:
    control = Control()
    control.close()
    with pytest.raises(SandboxError, match="it was closed"):
        control.request("spawn")


DEEP = """
import os
for _ in range(1100):
    os.mkdir("d" * 10)
    os.chdir("d" * 10)
os.mkdir("closed")
open("closed/file", "w").close()
os.chmod("closed", 0)
"""


def test_a_tree_deeper_than_a_path_may_be_long_is_removed(sandbox: Sandbox) -> None:
    with sandbox.spawn(mailbox_bytes=4096) as worker:
        worker.put("probe.py", DEEP.encode())
        run(worker)
    sandbox.spawn(mailbox_bytes=4096).close()
