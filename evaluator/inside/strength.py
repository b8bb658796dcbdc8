"""The guarantees of a sandbox, each tested by a confined process; only those that hold are reported."""

from __future__ import annotations

import os
import resource
import socket
from collections.abc import Callable
from pathlib import Path

import torch

from evaluator.inside.confine import Confinement

CAPABILITY_SETS = ("CapInh", "CapPrm", "CapEff", "CapAmb")


def observe(settings: Confinement, own_user: bool) -> list[str]:
    """Return the names of the guarantees that hold. It runs confined and lowers its own limits: exit afterwards."""
    zygote = os.getppid()
    trials: dict[str, Callable[[], bool]] = {
        "own network": lambda: _own_namespace(settings, "net"),
        "no network": lambda: _no_network(settings),
        "read-only system": lambda: all(
            _read_only(path) for path in ("/", "/usr", os.__file__, torch.__file__, __file__)
        ),
        "hidden host files": lambda: (
            not any(map(os.path.exists, ("/etc/passwd", "/etc/shadow", "/var", "/run", "/boot")))
        ),
        "own processes": lambda: _own_namespace(settings, "pid"),
        "own ipc": lambda: _own_namespace(settings, "ipc"),
        "private tmp": lambda: _is_sized("/tmp", settings.limits.tmp_bytes),
        "private shm": lambda: _is_sized("/dev/shm", settings.limits.shm_bytes),
        "workspace limit": lambda: _is_sized(settings.workspace, settings.limits.workspace_bytes),
        "memory limit": lambda: _limited(resource.RLIMIT_AS, settings.limits.memory_bytes),
        "cpu limit": lambda: _limited(resource.RLIMIT_CPU, settings.limits.cpu_s),
        "file limit": lambda: _limited(resource.RLIMIT_FSIZE, settings.limits.file_bytes),
        "open files limit": lambda: _limited(resource.RLIMIT_NOFILE, settings.limits.open_files),
        "own user": lambda: own_user,
        "no capabilities": lambda: all(int(_status(name), 16) == 0 for name in CAPABILITY_SETS),
        "no new privileges": lambda: _status("NoNewPrivs") == "1",
        "system call filter": lambda: _status("Seccomp") == "2",
        "protected zygote": lambda: _refused(lambda: os.kill(zygote, 0)) and _refused(lambda: _open_memory(zygote)),
        "guarded signals": lambda: _refused(lambda: os.kill(-1, 0)),
        "process limit": _cannot_fork,
    }
    return [name for name, trial in trials.items() if _holds(trial)]


def _holds(trial: Callable[[], bool]) -> bool:
    """Return whether the trial succeeds; a guarantee that cannot be tested does not hold."""
    try:
        return trial()
    except OSError:
        return False


def _no_network(settings: Confinement) -> bool:
    return _own_namespace(settings, "net") or _refused(lambda: socket.socket(socket.AF_INET).close())


def _own_namespace(settings: Confinement, name: str) -> bool:
    return os.readlink(f"/proc/self/ns/{name}") != settings.host_namespaces[name]


def _read_only(path: str) -> bool:
    return bool(os.statvfs(path).f_flag & os.ST_RDONLY)


def _is_sized(folder: str, size: int) -> bool:
    """Return whether the folder is a file system of its own of at most this size."""
    seen = os.statvfs(folder)
    return os.path.ismount(folder) and seen.f_blocks * seen.f_frsize <= size


def _limited(name: int, value: int | None) -> bool:
    return value is not None and 0 <= resource.getrlimit(name)[0] <= value


def _status(name: str) -> str:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith(f"{name}:"))


def _open_memory(pid: int) -> None:
    os.close(os.open(f"/proc/{pid}/mem", os.O_RDWR))


def _cannot_fork() -> bool:
    """Return whether a fork fails with a process limit of zero; the kernel exempts the host's root from it."""
    resource.setrlimit(resource.RLIMIT_NPROC, (0, resource.getrlimit(resource.RLIMIT_NPROC)[1]))
    try:
        child = os.fork()
    except BlockingIOError:
        return True
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return False


def _refused(action: Callable[[], object]) -> bool:
    try:
        action()
    except OSError:
        return True
    return False
