"""A control group of the kernel for all processes of one sandbox, where the judge may make one.

Version 2 bounds number and memory of the processes, version 1 their number. Both weigh their processor time as that of
one neighbour, count it, and let all be killed at once. Groups lie below the judge's own and so keep its limits.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import re
import secrets
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluator.errors import SandboxError
from evaluator.inside.confine import SPARE_PROCESSES
from evaluator.inside.limits import Limits

ROOT = Path("/sys/fs/cgroup")
NAME = re.compile(r"arena-(\d+)-[0-9a-f]+")  # with the process id of its judge
JUDGE = "judge"  # where a judge moves that owns a group of version 2: only groups without processes divide theirs
NEEDED = {"pids", "memory", "cpu"}  # controllers of version 2
CONTROLLERS_V1 = ("pids", "cpu", "cpuacct")
ENTER = 'for group in $0; do echo $$ > "$group/cgroup.procs" || exit 1; done; unset OLDPWD SHLVL; exec "$@"'
OWN_PROCESSES = 8  # zygote, bubblewrap and their helpers
REMOVE_TIMEOUT_S, KILL_TIMEOUT_S, PAUSE_S = 5.0, 60.0, 0.005

Version = Literal["v1", "v2"]


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """The group of one sandbox: a folder, in version 1 one for each controller."""

    version: Version
    folders: tuple[Path, ...]

    def entering(self, command: list[str]) -> list[str]:
        """Return a command that enters the group and then becomes the given one, so that no child can stay outside."""
        return ["/bin/sh", "-c", ENTER, " ".join(map(str, self.folders)), *command]

    @property
    def name(self) -> str:
        """The name of its kind, as for people."""
        return f"cgroup {self.version}"

    @property
    def cpu_s(self) -> float:
        """The processor time of all its processes so far, ended ones included."""
        if self.version == "v2":
            lines = (self.folders[0] / "cpu.stat").read_text().split()
            return int(lines[lines.index("usage_usec") + 1]) / 1e6
        return int(self.file("cpuacct.usage").read_text()) / 1e9

    @property
    def is_out_of_memory(self) -> bool:
        """Whether the kernel has killed a process of it because it exceeded the group's memory."""
        if self.version == "v1":
            return False
        words = (self.folders[0] / "memory.events").read_text().split()
        return int(words[words.index("oom_kill") + 1]) > 0

    def kill(self) -> None:
        """Kill all its processes, which cannot fork in the meantime; return when none runs.

        Raises:
            SandboxError: some cannot be killed.
        """
        if self.version == "v2":
            self.file("cgroup.kill").write_text("1")
        else:
            self.file("pids.max").write_text("0")
        until = time.monotonic() + KILL_TIMEOUT_S
        while pids := self.file("cgroup.procs").read_text().split():
            if time.monotonic() > until:
                raise SandboxError(f"{len(pids)} of its processes cannot be killed within {KILL_TIMEOUT_S:.0f} s")
            for pid in pids if self.version == "v1" else ():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            time.sleep(PAUSE_S)

    def remove(self) -> None:
        """Remove the group. One that the kernel still holds is removed when the next is made."""
        until = time.monotonic() + REMOVE_TIMEOUT_S
        while not all(map(_removed, self.folders)) and time.monotonic() < until:
            time.sleep(PAUSE_S)

    def file(self, name: str) -> Path:
        """Return the path of a setting of the group, which one of its controllers has."""
        return next((folder / name for folder in self.folders if (folder / name).exists()), self.folders[0] / name)


def make(limits: Limits) -> ControlGroup | None:
    """Make a group with these limits; None if this host lets the judge make none that works."""
    return _made(limits) if _works() else None


@functools.cache
def _works() -> bool:
    """Return whether a process can enter a group that this judge makes."""
    group = _made(Limits())
    if group is None:
        return False
    entered = subprocess.run(group.entering(["true"]), capture_output=True, check=False).returncode == 0
    group.remove()
    return entered


def _made(limits: Limits) -> ControlGroup | None:
    most = str(limits.processes + SPARE_PROCESSES + OWN_PROCESSES)
    name, folders = f"arena-{os.getpid()}-{secrets.token_hex(4)}", list[Path]()
    try:
        version, parents = _parents()
        for parent in parents:
            _remove_orphans(parent)
            (parent / name).mkdir()
            folders.append(parent / name)
        group = ControlGroup(version, tuple(folders))
        group.file("pids.max").write_text(most)
        if version == "v2":
            group.file("memory.max").write_text(str(limits.total_memory_bytes))
            with contextlib.suppress(OSError):  # a kernel without swap has no such file
                group.file("memory.swap.max").write_text("0")
        _ = group.cpu_s, group.is_out_of_memory
    except (OSError, ValueError, LookupError):
        for folder in folders:
            _removed(folder)
        return None
    return group


def _parents() -> tuple[Version, list[Path]]:
    """Return the version, and the judge's own group (of each controller) in which groups can be made.

    Raises:
        OSError, KeyError: there is none.
    """
    own = {
        names: path.lstrip("/") for _, names, path in map(_split, Path("/proc/self/cgroup").read_text().splitlines())
    }
    if (ROOT / "cgroup.controllers").exists():
        return "v2", [_divided(ROOT / own[""])]
    of_controller = {name: ROOT / names / path for names, path in own.items() for name in names.split(",")}
    return "v1", list(dict.fromkeys(of_controller[name] for name in CONTROLLERS_V1))


def _split(line: str) -> list[str]:
    return line.split(":", 2)


def _divided(own: Path) -> Path:
    """Return a group of version 2 that divides its resources among groups below it.

    The judge's own group does so after the judge, if it is alone in it, has moved into a group below.
    """
    if own.name == JUDGE:
        own = own.parent
    control = own / "cgroup.subtree_control"
    if set(control.read_text().split()) >= NEEDED:
        return own
    if (own / "cgroup.procs").read_text().split() == [str(os.getpid())]:
        (own / JUDGE).mkdir(exist_ok=True)
        (own / JUDGE / "cgroup.procs").write_text(str(os.getpid()))
        atexit.register(_undivide, own)
    control.write_text(" ".join(f"+{name}" for name in sorted(NEEDED)))
    return own


def _undivide(own: Path) -> None:
    """Leave the judge's own group as it was found: a process can be put into it again, as the next of a service is."""
    with contextlib.suppress(OSError):
        (own / "cgroup.subtree_control").write_text(" ".join(f"-{name}" for name in sorted(NEEDED)))
        (own / "cgroup.procs").write_text(str(os.getpid()))
        (own / JUDGE).rmdir()


def _remove_orphans(parent: Path) -> None:
    """Remove the groups of judges that were killed; the kernel keeps those that have processes."""
    for folder in parent.glob("arena-*"):
        found = NAME.fullmatch(folder.name)
        if found and not Path("/proc", found[1]).exists():
            _removed(folder)


def _removed(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        folder.rmdir()
    return not folder.exists()
