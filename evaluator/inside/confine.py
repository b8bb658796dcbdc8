"""Confine a forked process before it loads a candidate: own user, no capabilities, limits, a system call filter.

Namespaces and mounts, which the whole sandbox shares, are set up before: evaluator/sandbox/bubblewrap.py.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
from dataclasses import dataclass

from evaluator.inside import processes, seccomp
from evaluator.inside.limits import Limits

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 4, 24, 36, 38
CAPABILITY_VERSION_3 = 0x20080522
CPU_GRACE_S = 2  # between SIGXCPU, which shows the cause, and SIGKILL
SPARE_PROCESSES = 32  # above the limit at which the judge's watchdog ends them all, so that it sees the cause
FIRST_TO_DIE = "1000"  # the kernel kills it first if the host runs out of memory
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class Confinement:
    """The settings that the judge passes to a zygote."""

    kind: str
    limits: Limits
    workspace: str
    swept: tuple[str, ...]  # folders emptied after each worker
    guarded: tuple[int, ...]  # processes besides the zygote that no worker may signal
    host_namespaces: dict[str, str]
    device: str
    groups: tuple[int, ...]  # groups that may open the device nodes


def become_zygote() -> None:
    """Adopt orphans, and make this process's memory inaccessible to children of the same user (decision 15)."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    _prctl(PR_SET_DUMPABLE, 0)


def confine(settings: Confinement, user: int | None) -> None:
    """Confine this process irrevocably; call it in a new child of the zygote. `user` None keeps the user."""
    zygote = os.getppid()
    os.setsid()
    os.umask(0o077)
    alone = user is not None or settings.kind == "bubblewrap"  # else other processes of the host user count too
    _set_limits(settings.limits, already=0 if alone else processes.threads_of(os.getuid()))
    _drop_privileges(user, settings.groups)
    _prctl(PR_SET_DUMPABLE, 1)  # gives it access to its own /proc/self again
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # after changing the user, which would clear it
    if os.getppid() != zygote:
        os._exit(1)
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write(FIRST_TO_DIE)
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    seccomp.install([zygote, *settings.guarded])


def _set_limits(limits: Limits, already: int) -> None:
    wanted = {
        resource.RLIMIT_AS: limits.memory_bytes,
        resource.RLIMIT_CPU: limits.cpu_s,
        resource.RLIMIT_NPROC: limits.processes + SPARE_PROCESSES + already,
        resource.RLIMIT_FSIZE: limits.file_bytes,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_CORE: 0,
    }
    for name, value in wanted.items():
        hardest = resource.getrlimit(name)[1]
        if value is None:
            continue
        if hardest != resource.RLIM_INFINITY:
            value = min(value, hardest)
        hard = value
        if name == resource.RLIMIT_CPU and hardest == resource.RLIM_INFINITY:
            hard = value + CPU_GRACE_S
        resource.setrlimit(name, (value, hard))


def _drop_privileges(user: int | None, groups: tuple[int, ...]) -> None:
    """Change the user and drop all capabilities. If the bounding set cannot be changed, no_new_privs suffices."""
    for capability in range(64):
        _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    if user is not None:
        os.setgroups(groups)
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    header, nothing = struct.pack("Ii", CAPABILITY_VERSION_3, 0), struct.pack("IIIIII", 0, 0, 0, 0, 0, 0)
    if _libc.capset(header, nothing) != 0:
        raise OSError(ctypes.get_errno(), "capabilities could not be dropped")


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}")
