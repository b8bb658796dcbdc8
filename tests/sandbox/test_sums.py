"""Limits that the processes of a sandbox must keep together: number, memory, processor time.

With a control group in both kinds of sandbox, where this host allows one; with the watchdog alone only in bubblewrap,
where the kernel limits the number of processes by user. A plain sandbox as root has no such limit: there the same
source overloads the host before any watchdog sees it, so it is never tried. The limits are small, since all of it runs
beside other tests.
"""

from __future__ import annotations

import dataclasses
import os
import secrets
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from probing import SMALL, MiB, marked_processes, run, wait_until

from evaluator.judge.rejection import rejection_of
from evaluator.records.reasons import Status
from evaluator.sandbox import LimitExceeded, Limits, Sandbox, WorkerError, cgroup
from evaluator.sandbox.usage import memory_of, usage_below

LIMITS = dataclasses.replace(
    SMALL, processes=12, cpu_s=60, total_cpu_s=2, total_memory_bytes=900 * MiB, memory_bytes=None, wall_s=300
)
MARKED = "import ctypes, os, time; ctypes.CDLL(None).prctl(15, os.environ['MARK'].encode())\n"  # its name
TOO_MANY, TOO_LONG, TOO_MUCH = "processes and threads", "processor time", "of memory"

# Each goes on trying, as the worst of them would.
FORKS = {
    "os.fork": """
while True:
    try:
        os.fork()
    except OSError:
        pass
""",
    "pty.fork": """
import pty
while True:
    try:
        pty.fork()
    except OSError:
        pass
""",
    "children alone fork": """
def bomb():
    while True:
        try:
            if os.fork() == 0:
                bomb()
        except OSError:
            pass
for _ in range(3):
    if os.fork() == 0:
        bomb()
time.sleep(60)
""",
    "threads": """
import threading
held = threading.Event()
while True:
    try:
        threading.Thread(target=held.wait, daemon=True).start()
    except RuntimeError:
        pass
""",
    "multiprocessing": """
import multiprocessing
for _ in range(100):
    try:
        multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,)).start()
    except OSError:
        pass
time.sleep(60)
""",
    "programs": """
import subprocess
for _ in range(100):
    try:
        subprocess.Popen(["sleep", "60"], start_new_session=True)
    except OSError:
        pass
time.sleep(60)
""",
    "daemons": """
def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(60)
        os._exit(0)
    os.wait()
while True:
    try:
        daemon()
    except OSError:
        pass
""",
    "orphans that have ended": """
while True:
    try:
        if os.fork() == 0:
            if os.fork() == 0:
                time.sleep(0.05)
            os._exit(0)
        os.wait()
    except OSError:
        pass
""",
}
BURNERS = """
for _ in range(4):
    if os.fork() == 0:
        os.setsid()
        while True:
            pass
"""
SHORT_BURNERS = """
def burn(s):
    until = time.process_time() + s
    while time.process_time() < until:
        pass
while True:
    if (pid := os.fork()) == 0:
        burn(0.4)
        os._exit(0)
    os.waitpid(pid, 0)
"""
HOGS = """
held = []
for _ in range(4):
    if os.fork() == 0:
        for _ in range(80):
            held.append(b"x" * (8 << 20))
            time.sleep(0.01)
        time.sleep(60)
time.sleep(60)
"""


WEAKEST = ("bubblewrap", "watchdog alone")
EVERYWHERE = [WEAKEST, ("bubblewrap", "with a control group"), ("plain", "with a control group")]
pytestmark = pytest.mark.slow


@pytest.fixture
def bounded(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    before = set(groups_of_this_judge())  # of evaluators that other tests of this process keep
    if request.param == "watchdog alone":
        monkeypatch.setattr(cgroup, "make", lambda limits: None)
        yield "watchdog"
    else:
        group = cgroup.make(Limits())
        if group is None:
            pytest.skip("this host lets the judge make no control group")
        group.remove()
        yield group.name
    assert set(groups_of_this_judge()) <= before


def groups_of_this_judge() -> Iterator[Path]:
    return cgroup.ROOT.rglob(f"arena-{os.getpid()}-*")


def ended(sandbox: Sandbox, source: str, mark: str) -> WorkerError:
    """Run the source; return the error that ended it, after a look for survivors."""
    with sandbox.spawn(mailbox_bytes=4096, environment={"MARK": mark}) as worker:
        worker.put("probe.py", (MARKED + source).encode())
        with pytest.raises(WorkerError) as error:
            run(worker)
    assert living(mark) == []
    return error.value


def living(mark: str) -> list[int]:
    """Return the marked processes that run: a plain sandbox's ended ones wait for the host's init to reap them."""
    return [pid for pid in marked_processes(mark) if state_of(pid) not in "ZX"]


def state_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


@pytest.mark.parametrize(
    ("way", "kind", "bounded"),
    [(way, *where) for way in FORKS for where in (EVERYWHERE if way in ("pty.fork", "daemons") else [WEAKEST])],
    indirect=["bounded"],
)
def test_too_many_processes_end_it_at_once(opened: Callable[..., Sandbox], kind: str, bounded: str, way: str) -> None:
    with opened(kind, LIMITS) as sandbox:
        assert f"bounded in sum by {bounded}" in sandbox.strength
        begin = time.monotonic()
        error = ended(sandbox, FORKS[way], f"mark{secrets.token_hex(5)}")
        assert time.monotonic() - begin < 30
        assert isinstance(error, LimitExceeded)
        assert TOO_MANY in error.detail
        rejection = rejection_of(error)
        assert (rejection.status, rejection.reason) == (Status.CRASHED, "sandbox_limit")
        with pytest.raises(LimitExceeded):  # for a candidate no sandbox error, which would mean a second attempt
            sandbox.spawn(mailbox_bytes=4096)


@pytest.mark.parametrize(("kind", "bounded"), EVERYWHERE, indirect=["bounded"])
@pytest.mark.parametrize(
    ("source", "limit"),
    [
        pytest.param(BURNERS, TOO_LONG, id="burners"),
        pytest.param(SHORT_BURNERS, TOO_LONG, id="short burners"),
        pytest.param(HOGS, TOO_MUCH, id="hogs"),
    ],
)
def test_what_processes_use_together_is_bounded(
    opened: Callable[..., Sandbox], kind: str, bounded: str, source: str, limit: str
) -> None:
    """Each process alone stays far below every limit."""
    with opened(kind, LIMITS) as sandbox:
        error = ended(sandbox, f"{source}\ntime.sleep(60)", f"mark{secrets.token_hex(5)}")
        assert isinstance(error, LimitExceeded)
        assert limit in error.detail


@pytest.mark.parametrize(("kind", "bounded"), [WEAKEST], indirect=["bounded"])
def test_burners_left_behind_are_counted_when_a_later_command_comes(
    opened: Callable[..., Sandbox], kind: str, bounded: str
) -> None:
    with opened(kind, LIMITS) as sandbox, sandbox.spawn(mailbox_bytes=4096) as worker:
        worker.put("probe.py", f"import os\n{BURNERS}".encode())
        run(worker)
        wait_until(lambda: sandbox.exceeded is not None, "the end of the burners")
        with pytest.raises(LimitExceeded, match=TOO_LONG):
            run(worker)


@pytest.mark.parametrize(("kind", "bounded"), [WEAKEST], indirect=["bounded"])
def test_pages_that_processes_share_count_once(opened: Callable[..., Sandbox], kind: str, bounded: str) -> None:
    """Each child shares the zygote's 300 MB, so a sum of resident memory would be far beyond the limit."""
    source = "import os, time\nfor _ in range(8):\n    if os.fork() == 0:\n        time.sleep(60)\ntime.sleep(1)"
    with opened(kind, LIMITS) as sandbox, sandbox.spawn(mailbox_bytes=4096) as worker:
        worker.put("probe.py", source.encode())
        run(worker)
        usages = usage_below(sandbox._tree.zygote)
        assert len(usages) == 9
        assert memory_of(usages) < LIMITS.total_memory_bytes < sum(usage.resident_bytes for usage in usages)
        worker.put("probe.py", b"import time; time.sleep(1)")
        run(worker)  # the watchdog has looked several times
