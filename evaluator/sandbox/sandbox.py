"""Start a zygote, in bubblewrap or as a plain process, and request workers from it."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Literal, Protocol, cast

from evaluator.errors import SandboxError
from evaluator.host_paths import ARENA, WORKSPACE
from evaluator.inside.confine import Confinement
from evaluator.inside.limits import Access, Limits
from evaluator.sandbox import bubblewrap, cgroup, plain
from evaluator.sandbox.cgroup import ControlGroup
from evaluator.sandbox.control import Control
from evaluator.sandbox.faults import Ended, LimitExceeded
from evaluator.sandbox.watchdog import Watchdog
from evaluator.sandbox.worker import Worker

Kind = Literal["bubblewrap", "plain"]
STRONG_SANDBOX: Kind = "bubblewrap"  # required for uploaded candidates
NAMESPACES = ("pid", "net", "ipc")
KILLED = Ended(exit_code=None, signal="SIGKILL", killed=True, leftovers=0)


class ProcessTree(Protocol):
    """The processes of a sandbox; `zygote` is the process id of the one that is parent of all workers."""

    zygote: int

    def kill(self) -> None: ...
    def close(self) -> None: ...


def open_sandbox(
    kind: Literal["auto", "bubblewrap", "plain"],
    *,
    limits: Limits | None = None,
    access: Access | None = None,
) -> Sandbox:
    """Start a sandbox and return at once; the first spawn waits until it is ready."""
    if kind == "auto":
        kind = "bubblewrap" if bubblewrap.works() else "plain"
    if kind == "bubblewrap" and (why := bubblewrap.refusal()):
        raise SandboxError(why)
    return Sandbox(kind, limits or Limits(), access or Access())


class Sandbox:
    """A zygote and its workers, one at a time. All are killed on close, `wall_s` after the first spawn, and when a
    worker's processes together exceed a limit.
    """

    def __init__(self, kind: Kind, limits: Limits, access: Access) -> None:
        self.kind, self.limits = kind, limits
        self._expiry = threading.Event()
        self._closed, self._busy = False, False
        self._ready: dict[str, object] | None = None
        self._ready_s = 0.0
        self._lock = threading.Lock()
        self._timer = threading.Timer(limits.wall_s, self._expire)
        self._timer.daemon = True
        self._started_at, self._first_worker_at = monotonic(), 0.0
        self._control = Control()
        self._group = cgroup.make(limits)
        start = _start_in_bubblewrap if kind == "bubblewrap" else _start_plain
        self._tree = start(self._control, limits, access, self._group)
        self._watchdog = Watchdog(self._tree.zygote, limits, self._group, self._kill)
        self._control.inside.close()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def expired(self) -> bool:
        """Whether it was killed because its time was over."""
        return self._expiry.is_set()

    @property
    def age_s(self) -> float:
        """The seconds since its first worker, from which its time counts."""
        return monotonic() - self._first_worker_at if self._first_worker_at else 0.0

    @property
    def is_open(self) -> bool:
        """Whether it has neither been closed nor killed."""
        return not (self._closed or self._is_over())

    @property
    def has_worker(self) -> bool:
        return self._busy

    @property
    def exceeded(self) -> str | None:
        """The limit that the processes of its last worker together exceeded, for which all were killed."""
        return self._watchdog.exceeded

    @property
    def strength(self) -> tuple[str, ...]:
        """The guarantees that hold, tested before the first worker (see inside/strength.py), and what bounds the sum of
        its processes: a control group, or the watchdog where the kernel limits at least their number.
        """
        tested = tuple(cast("list[str]", self._await_ready()["strength"]))
        if self._group:
            return (*tested, f"bounded in sum by {self._group.name}")
        return (*tested, "bounded in sum by watchdog") if "process limit" in tested else tested

    @property
    def ready_s(self) -> float:
        """The seconds from start to ready; waits until it is ready."""
        self._await_ready()
        return self._ready_s

    def spawn(self, *, mailbox_bytes: int, environment: Mapping[str, str] | None = None) -> Worker:
        """Start a worker with an empty folder. The previous worker must be closed.

        Raises:
            LimitExceeded: the processes of the previous worker exceeded a limit when it ended.
        """
        if self.exceeded is not None:
            raise LimitExceeded("spawn", self.exceeded, "")
        if self.expired or self._closed:
            raise SandboxError("this sandbox's time is over" if self.expired else "this sandbox is closed")
        self._await_ready()
        if self._busy:
            raise SandboxError("this sandbox already has a worker: close it first")
        if self._timer.ident is None:
            self._timer.start()
            self._first_worker_at = monotonic()
        self._watchdog.renew()
        return Worker(self, mailbox_bytes, environment or {})

    def start_worker(self, fds: Sequence[int], mailbox_bytes: int, environment: Mapping[str, str]) -> None:
        """Start a worker's process; only Worker calls this. `fds`: its commands, replies, mailbox and output."""
        self._request("spawn", fds, mailbox_bytes=mailbox_bytes, environment=dict(environment))
        self._busy = True

    def end_worker(self, grace_s: float) -> Ended:
        """End the worker, after a grace period by SIGKILL, and kill all that it left; only Worker calls this."""
        if self._is_over() or self._closed:
            self._kill()
            return KILLED
        try:
            reply = self._request("end", grace_s=grace_s)
        except (SandboxError, LimitExceeded):
            if self._is_over():
                return KILLED
            raise
        self._busy = False
        if not reply["clean"]:
            self.close()
        return Ended.from_code(cast("int", reply["code"]), bool(reply["killed"]), cast("int", reply["leftovers"]))

    def freeze_worker(self) -> None:
        """Stop the worker's processes; only Worker calls this."""
        if not self._request("freeze")["stopped"]:
            raise SandboxError("a worker cannot be stopped")

    def thaw_worker(self) -> None:
        """Resume the worker's processes; only Worker calls this."""
        self._request("thaw")

    def close(self) -> None:
        """Kill every process of the sandbox; return when the last has ended."""
        self._timer.cancel()
        self._watchdog.stop()
        self._kill()
        if not self._closed:
            with self._lock:  # the timer may just be killing
                self._closed = True
            if self._group:
                self._group.remove()
            self._control.close()
            self._tree.close()

    def _await_ready(self) -> dict[str, object]:
        if self._ready is None:
            if self._closed:
                raise SandboxError("this sandbox was closed before it was ready")
            try:
                self._ready = self._control.await_ready()
            except SandboxError:
                self.close()
                raise
            self._ready_s = cast("float", self._ready["at"]) - self._started_at
        return self._ready

    def _request(self, op: str, fds: Sequence[int] = (), **fields: object) -> dict[str, object]:
        """Send a request; close the sandbox if the zygote does not reply.

        Raises:
            LimitExceeded: it was killed because its processes exceeded a limit.
            SandboxError: it does not reply for another reason.
        """
        try:
            return self._control.request(op, fds, **fields)
        except SandboxError:
            self.close()
            if self.exceeded is not None:
                raise LimitExceeded(op, self.exceeded, "") from None
            raise

    def _is_over(self) -> bool:
        """Whether its time or one of its limits has ended it."""
        return self.expired or self.exceeded is not None

    def _expire(self) -> None:
        self._expiry.set()
        self._kill()

    def _kill(self) -> None:
        with self._lock:
            if self._group and not self._closed:
                self._group.kill()
            self._tree.kill()


def _start_in_bubblewrap(control: Control, limits: Limits, access: Access, group: ControlGroup | None) -> ProcessTree:
    settings = _settings("bubblewrap", limits, access, WORKSPACE, swept=bubblewrap.SWEPT, guarded=())
    info, inside_info = os.pipe()
    command = [*bubblewrap.command(limits, access, inside_info), *_zygote(control, settings)]
    variables = _environment(WORKSPACE, ARENA) | dict(access.variables)
    process = _start(group, command, variables, control, inside_info)
    os.close(inside_info)
    return bubblewrap.BubblewrapTree(process, info)


def _start_plain(control: Control, limits: Limits, access: Access, group: ControlGroup | None) -> ProcessTree:
    """Start it as a plain process, which can read all of the host's files and devices."""
    workspace = plain.make_workspace()
    settings = _settings("plain", limits, access, workspace, swept=(workspace,), guarded=(os.getpid(),))
    variables = _environment(workspace, str(Path(__file__).parents[2])) | dict(access.variables)
    return plain.PlainTree(_start(group, _zygote(control, settings), variables, control), workspace)


def _settings(
    kind: Kind, limits: Limits, access: Access, workspace: str, *, swept: tuple[str, ...], guarded: tuple[int, ...]
) -> Confinement:
    host_namespaces = {name: os.readlink(f"/proc/self/ns/{name}") for name in NAMESPACES}
    groups = bubblewrap.groups_of(access.nodes)
    return Confinement(kind, limits, workspace, swept, guarded, host_namespaces, access.device, groups)


def _zygote(control: Control, settings: Confinement) -> list[str]:
    """Return the zygote's command. -u: output before a crash is not lost. -P, -s: no modules from other places."""
    text = json.dumps(dataclasses.asdict(settings))
    return [sys.executable, "-u", "-B", "-P", "-s", "-m", "evaluator.inside.zygote", str(control.inside.fileno()), text]


def _environment(workspace: str, package_root: str) -> dict[str, str]:
    """Return the complete environment. Heap memory is poisoned, so that no output is right by chance."""
    return {
        "PATH": f"{sys.prefix}/bin:/usr/local/bin:/usr/bin:/bin",
        "PYTHONPATH": package_root,
        "PYTHONDONTWRITEBYTECODE": "1",
        "LANG": "C.UTF-8",
        "USER": "worker",
        "HOME": workspace,
        "TMPDIR": workspace,
        "TRITON_CACHE_DIR": f"{workspace}/.triton",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_PERTURB_": "128",
        "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",
    }


def _start(
    group: ControlGroup | None, command: list[str], environment: dict[str, str], control: Control, *fds: int
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        group.entering(command) if group else command,
        env=environment,
        cwd="/",
        pass_fds=[control.inside.fileno(), *fds],
        stdin=subprocess.DEVNULL,
        stdout=control.log,
        stderr=control.log,
        start_new_session=True,
    )
