"""The guarantees of a sandbox, tested by probes inside it; each is a file in probes/ that prints its observations.

Both kinds have the same tests: guarantees that the plain one lacks are skipped, and must not be in its `strength`.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from probing import SMALL, MiB, marked_processes, probing, run, seen, wait_until

from evaluator.inside.confine import SPARE_PROCESSES
from evaluator.sandbox import BadReply, OutputFlood, Sandbox, WorkerDied, WorkerFault, WorkerTimeout

ALWAYS = {
    "no network",
    "memory limit",
    "cpu limit",
    "file limit",
    "open files limit",
    "no capabilities",
    "no new privileges",
    "system call filter",
    "guarded signals",
    "protected zygote",
}
BUBBLEWRAP = ALWAYS | {
    "read-only system",
    "hidden host files",
    "own processes",
    "own network",
    "own ipc",
    "private tmp",
    "private shm",
    "workspace limit",
    "process limit",
}
BOUNDED = {f"bounded in sum by {what}" for what in ("cgroup v1", "cgroup v2", "watchdog")}
AS_ROOT = {"own user"}
NEEDS_READABLE_PYTHON = {"own user", "process limit"}  # in a plain sandbox; there as an ordinary user, too


@pytest.fixture(autouse=True)
def a_busy_host_has_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow a busy host more time between closing a worker's files and its end."""
    monkeypatch.setattr("evaluator.sandbox.worker.EXIT_GRACE_S", 50.0)


def need(sandbox: Sandbox, guarantee: str) -> None:
    if guarantee not in sandbox.strength:
        assert sandbox.kind == "plain", f"bubblewrap must hold {guarantee}"
        pytest.skip(f"plain does not claim: {guarantee}")


def test_it_reports_the_guarantees_of_its_kind_and_no_others(sandbox: Sandbox) -> None:
    claimed = set(sandbox.strength) - BOUNDED
    bounds = BOUNDED & set(sandbox.strength)
    assert len(bounds) == 1 or (not bounds and "process limit" not in claimed)
    if sandbox.kind == "bubblewrap":
        assert claimed == (BUBBLEWRAP | AS_ROOT if os.geteuid() == 0 else BUBBLEWRAP)
    else:
        assert claimed - NEEDS_READABLE_PYTHON == ALWAYS


# ---- network, files, processes in sight


def test_it_has_no_network(sandbox: Sandbox) -> None:
    need(sandbox, "no network")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert seen(sandbox, "network", HOST_PORT=listener.getsockname()[1], HOST_NAME="") == []


def test_it_cannot_reach_a_named_socket_of_the_host(sandbox: Sandbox) -> None:
    need(sandbox, "own network")
    name = f"arena-{secrets.token_hex(8)}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"\0{name}")
        listener.listen()
        assert seen(sandbox, "network", HOST_PORT=0, HOST_NAME=name) == []


def test_it_cannot_write_to_the_system_or_the_evaluator(sandbox: Sandbox) -> None:
    need(sandbox, "read-only system")
    assert seen(sandbox, "writes") == []


def test_it_sees_no_files_and_processes_of_the_host(sandbox: Sandbox, tmp_path: Path) -> None:
    need(sandbox, "hidden host files")
    need(sandbox, "own processes")
    (tmp_path / "secret").write_text("of the host")
    hidden = [
        "/etc/passwd",
        "/etc/shadow",
        "/root/.bashrc",
        "/var/lib",
        "/proc/1/root/etc/passwd",
        str(tmp_path),
        __file__,
    ]
    view = seen(sandbox, "sees", PATHS=":".join(hidden))
    assert view["paths"] == []
    assert len(view["commands"]) == 2
    assert all("evaluator.inside.zygote" in command for command in view["commands"].values())


def test_it_does_not_see_what_an_earlier_worker_left(sandbox: Sandbox) -> None:
    private = int("private tmp" in sandbox.strength)
    for _ in range(2):
        view = seen(sandbox, "files", PRIVATE=private)
        assert view["."] == [".tmp", "probe.py"]
        assert view["beside"] == []
        assert view["mode"] == 0o700
        if private:
            assert "left-behind" not in [*view["/tmp"], *view["/dev/shm"]]


def test_its_environment_holds_only_the_named_variables(sandbox: Sandbox) -> None:
    view = seen(sandbox, "variables", GIVEN="by spawn")
    expected = "GIVEN GLIBC_TUNABLES HOME LANG MALLOC_PERTURB_ OMP_NUM_THREADS OPENBLAS_NUM_THREADS PATH PWD"
    expected += " PYTHONDONTWRITEBYTECODE PYTHONPATH TMPDIR TRITON_CACHE_DIR USER"
    assert sorted(view["own"]) == expected.split()
    assert view["own"]["GIVEN"] == "by spawn"
    assert view["own"]["HOME"] == view["cwd"]
    assert view["own"]["TMPDIR"] == view["tmp"] == f"{view['cwd']}/.tmp"
    assert view["own"]["TRITON_CACHE_DIR"].startswith(view["cwd"])
    assert [word.split("=")[0] for word in view["child"]] == sorted(view["own"])


# ---- limits


def test_it_gets_a_memory_error_beyond_its_limit(sandbox: Sandbox) -> None:
    need(sandbox, "memory limit")
    assert seen(sandbox, "memory") == ["MemoryError", "RuntimeError", "PermissionError"]


def test_it_is_ended_when_its_cpu_time_is_used_up(sandbox: Sandbox) -> None:
    need(sandbox, "cpu limit")
    with probing(sandbox, "spins") as worker, pytest.raises(WorkerDied) as died:
        run(worker)
    assert died.value.ended.signal == "SIGXCPU"


def test_it_cannot_have_more_processes_than_its_limit(
    sandbox: Sandbox, opened: Callable[..., Sandbox], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel's own limit, without the watchdog, which ends a worker at one that is somewhat lower."""
    need(sandbox, "process limit")
    monkeypatch.setattr("evaluator.sandbox.watchdog.INTERVAL_S", 3600)
    monkeypatch.setattr("evaluator.sandbox.cgroup.make", lambda limits: None)
    with opened(sandbox.kind) as own, probing(own, "forks") as worker:
        run(worker)
        children = json.loads(worker.output())
        assert 10 < children <= SMALL.processes + SPARE_PROCESSES
        assert worker.close().leftovers == children


def test_it_cannot_write_a_file_beyond_its_limit(sandbox: Sandbox) -> None:
    need(sandbox, "file limit")
    view = seen(sandbox, "fills", FOLDER=".", ENOUGH_MIB=20, SIZED=0)
    assert (view["largest"], view["why"]) == (SMALL.file_bytes // MiB, "EFBIG")


@pytest.mark.parametrize(
    ("folder", "guarantee", "size"),
    [
        (".", "workspace limit", SMALL.workspace_bytes),
        ("/tmp", "private tmp", SMALL.tmp_bytes),
        ("/dev/shm", "private shm", SMALL.shm_bytes),
    ],
)
def test_it_cannot_fill_a_folder_beyond_its_limit(sandbox: Sandbox, folder: str, guarantee: str, size: int) -> None:
    need(sandbox, guarantee)
    for _ in range(2):  # the second worker finds it empty again
        view = seen(sandbox, "fills", FOLDER=folder, ENOUGH_MIB=1, SIZED=1)
        assert view["full"] == "ENOSPC"
        assert size // MiB - 2 <= view["total"] <= size // MiB


@pytest.mark.parametrize("probe", ["sleeps", "spins"])
def test_it_is_killed_when_it_does_not_reply_in_time(sandbox: Sandbox, probe: str) -> None:
    with probing(sandbox, probe) as worker:
        with pytest.raises(WorkerTimeout):  # one would answer after an hour, the other's cpu time be used up
            run(worker, timeout_s=0.5)
        assert worker.close().killed


# ---- processes


def test_it_leaves_no_process_behind(sandbox: Sandbox) -> None:
    mark = f"mark-{secrets.token_hex(8)}"
    with probing(sandbox, "daemon", MARK=mark) as worker:
        run(worker)
        wait_until(lambda: len(marked_processes(mark)) == 1, "the process that is left")
        assert worker.close().leftovers == 1
        assert marked_processes(mark) == []


def test_it_leaves_no_process_behind_whose_main_thread_has_ended(sandbox: Sandbox) -> None:
    mark = f"end-{secrets.token_hex(5)}"  # as long as names of processes may be
    with probing(sandbox, "leaderless", MARK=mark) as worker:
        run(worker)
        wait_until(lambda: len(marked_processes(mark)) == 1, "the process that is left")
        assert worker.close().leftovers == 1
        assert marked_processes(mark) == []


def test_it_leaves_no_process_behind_that_keeps_replacing_itself(sandbox: Sandbox) -> None:
    mark = f"mark-{secrets.token_hex(8)}"
    with probing(sandbox, "comet", MARK=mark) as worker:
        run(worker)
        wait_until(lambda: bool(marked_processes(mark)), "the first of them")
    assert not any(marked_processes(mark) for _ in range(10))


def test_it_cannot_make_calls_that_reach_others(sandbox: Sandbox) -> None:
    need(sandbox, "system call filter")
    if os.uname().machine != "x86_64":
        pytest.skip("the probe makes calls by their x86-64 numbers")
    assert seen(sandbox, "calls") == []


def test_it_cannot_reach_its_zygote(sandbox: Sandbox) -> None:
    need(sandbox, "protected zygote")
    assert seen(sandbox, "zygote", JUDGE=os.getpid()) == []


def test_it_cannot_signal_everybody(sandbox: Sandbox) -> None:
    need(sandbox, "guarded signals")
    assert seen(sandbox, "everybody") == ["refused", "refused"]


def test_it_cannot_resize_the_mailbox(sandbox: Sandbox) -> None:
    assert seen(sandbox, "mailbox") == []


# ---- how workers disappoint


def test_its_output_is_kept_and_never_blocks_it(sandbox: Sandbox) -> None:
    with probing(sandbox, "prints", LINES=1000) as worker:
        run(worker)
        assert "line 998 " in worker.output()
        assert "line 999 " in worker.output()


def test_a_flood_of_output_ends_it(sandbox: Sandbox) -> None:
    with probing(sandbox, "prints", LINES=1_000_000) as worker, pytest.raises(OutputFlood) as flood:
        run(worker)
    assert re.search(r"line 20\d\d ", flood.value.output)


@pytest.mark.parametrize("body", ['{"token": "0123456789abcdef"}', "{}", "PASS", '{"token": NaN}', "[" * 50_000])
def test_a_forged_reply_is_noticed(sandbox: Sandbox, body: str) -> None:
    with probing(sandbox, "forges", BODY=body) as worker, pytest.raises(BadReply):
        run(worker)


def test_closing_its_files_ends_it(sandbox: Sandbox) -> None:
    with probing(sandbox, "closes") as worker, pytest.raises(WorkerDied):
        run(worker)


@pytest.mark.parametrize(
    ("how", "code", "name"), [("_exit", 0, None), ("segfault", None, "SIGSEGV"), ("abort", None, "SIGABRT")]
)
def test_it_reports_how_it_ended(sandbox: Sandbox, how: str, code: int | None, name: str | None) -> None:
    with probing(sandbox, "ends", HOW=how) as worker, pytest.raises(WorkerDied) as died:
        run(worker)
    assert (died.value.ended.exit_code, died.value.ended.signal, died.value.ended.killed) == (code, name, False)
    assert died.value.op == "run"
    assert "last words" in died.value.output
    if how == "segfault":
        assert "Segmentation fault" in died.value.output


@pytest.mark.parametrize(
    ("how", "kind"),
    [("exit", "builtins.SystemExit"), ("evil", "__main__.Evil"), ("claims", "builtins.BaseException")],
)
def test_an_exception_is_a_fault_and_the_worker_continues(sandbox: Sandbox, how: str, kind: str) -> None:
    with probing(sandbox, "ends", HOW=how) as worker:
        with pytest.raises(WorkerFault) as fault:
            run(worker)
        assert fault.value.kind == kind
        worker.put("more.py", b"pass")


def test_uninitialised_memory_is_poisoned(sandbox: Sandbox) -> None:
    sizes = seen(sandbox, "poison")
    assert len(sizes) == 8
    assert all(values == [0x7F] for values in sizes.values())
