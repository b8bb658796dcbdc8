"""The sandbox of a command-line agent: its workspace, the toolchain, the device and one tool.

Bubblewrap gives it namespaces of its own, so its only network is a socket of the judge; a user of its own if started as
root; no capabilities. Of the host it sees the system's programs, read-only, but no other task, run or state.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.errors import HostError
from evaluator.inside import arena
from evaluator.inside.limits import Access, MiB
from evaluator.sandbox import bubblewrap

USERS = range(61184, 65520)  # systemd's range of dynamic users, as for workers
HOME, TOOLS = "/home/agent", "/arena/bin"
TMP_BYTES, HOME_BYTES, FILE_BYTES = 4096 * MiB, 2048 * MiB, 1024 * MiB
PROCESSES = 1024
CERTIFICATES = ("/etc/ssl/certs", "/etc/ca-certificates", "/etc/pki")
CAPABILITIES = ("SETUID", "SETGID", "SETPCAP")  # for root, until the user is changed


@dataclass(frozen=True, slots=True)
class AgentBox:
    """A session's folder, made by the judge: DIR/workspace, DIR/sockets, DIR/tools."""

    folder: Path
    access: Access
    readable: tuple[str, ...] = ()  # folders of the agent's own program outside the system

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    @property
    def sockets(self) -> Path:
        return self.folder / "sockets"

    def make(self) -> None:
        """Make the folders.

        Raises:
            HostError: this host has no bubblewrap, the only way to confine a command-line agent.
        """
        if why := bubblewrap.refusal():
            raise HostError(f"a command-line agent needs a sandbox: {why}")
        for path, mode in ((self.folder, 0o711), (self.workspace, 0o700), (self.sockets, 0o711)):
            path.mkdir(exist_ok=True)
            path.chmod(mode)
        tools = self.folder / "tools"
        tools.mkdir(mode=0o755)
        client = Path(arena.__file__).read_text(encoding="utf-8")
        (tools / "arena").write_text(f"#!{sys.executable} -Es\n{client}", encoding="utf-8")
        (tools / "arena").chmod(0o755)

    def start(
        self, command: Sequence[str], variables: Mapping[str, str], stdin: int, stderr: int
    ) -> tuple[Process, bubblewrap.BubblewrapTree]:
        """Start the command in the workspace; return its process, and a tree to kill it with all its children."""
        user = random.SystemRandom().choice(USERS) if os.geteuid() == 0 else None
        self._give_to(user)
        number = bubblewrap.NOBODY if user is None else user
        passwd = self.folder / "passwd"  # programs look up their user
        passwd.write_text(f"agent:x:{number}:{number}::{HOME}:/bin/sh\n", encoding="utf-8")
        passwd.chmod(0o644)
        readable, writable = os.pipe()
        words = [*self._words(user, writable), *self._as_user(user), *command]
        process = subprocess.Popen(
            words,
            env=self._variables() | dict(variables),
            cwd="/",
            pass_fds=[writable],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
        )
        os.close(writable)
        return process, bubblewrap.BubblewrapTree(process, readable)

    def _words(self, user: int | None, info_fd: int) -> list[str]:
        words = [str(bubblewrap.program()), *bubblewrap.NAMESPACES, *bubblewrap.user_namespace()]
        words += ["--hostname", "agent", "--new-session", "--die-with-parent", "--cap-drop", "ALL"]
        for capability in CAPABILITIES if user is not None else ():
            words += ["--cap-add", f"CAP_{capability}"]
        for place in (HOME, arena.WORKSPACE, arena.SOCKETS):
            words += bubblewrap.parents(Path(place).parents)
        words += ["--proc", "/proc", "--dev", "/dev", *bubblewrap.sized("/tmp", TMP_BYTES, "1777")]
        words += [*bubblewrap.sized("/dev/shm", TMP_BYTES, "1777"), *bubblewrap.sized(HOME, HOME_BYTES, "1777")]
        words += bubblewrap.system()
        reached = (*bubblewrap.packages(), *self.access.readable, *self.readable, *filter(os.path.exists, CERTIFICATES))
        for path in dict.fromkeys([sys.prefix, sys.base_prefix, *reached]):
            words += bubblewrap.read_only(path, path)
        words += [word for node in self.access.nodes for word in ("--dev-bind", node, node)]
        words += bubblewrap.read_only(str(self.folder / "tools"), TOOLS)
        words += bubblewrap.read_only(str(self.folder / "passwd"), "/etc/passwd")
        words += ["--bind", str(self.workspace), arena.WORKSPACE, "--ro-bind", str(self.sockets), arena.SOCKETS]
        return [*words, "--remount-ro", "/", "--info-fd", str(info_fd), "--"]

    def _as_user(self, user: int | None) -> list[str]:
        """Return the command line that sets limits and changes the user, with tools of every Linux system."""
        words = ["prlimit", f"--nproc={PROCESSES}", f"--fsize={FILE_BYTES}", "--core=0", "--"]
        if user is None:
            return [*words, f"{TOOLS}/arena", "forward"]
        groups = ",".join(map(str, bubblewrap.groups_of(self.access.nodes)))
        change = ["setpriv", f"--reuid={user}", f"--regid={user}", "--bounding-set=-all", "--inh-caps=-all"]
        return [
            *change,
            f"--groups={groups}" if groups else "--clear-groups",
            "--",
            *words,
            f"{TOOLS}/arena",
            "forward",
        ]

    def _give_to(self, user: int | None) -> None:
        for path in [self.workspace, *self.workspace.rglob("*"), *self.sockets.iterdir()]:
            if user is not None:
                os.chown(path, user, user, follow_symlinks=False)

    def _variables(self) -> dict[str, str]:
        """Return the agent's complete environment; nothing is inherited."""
        proxy = f"http://127.0.0.1:{arena.PROXY_PORT}"
        proxied = dict.fromkeys(("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"), proxy)
        return {
            "PATH": f"{TOOLS}:{sys.prefix}/bin:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "USER": "agent",
            "HOME": HOME,
            "TMPDIR": "/tmp",
            "TERM": "dumb",
            **(proxied if (self.sockets / "network").exists() else {}),
            **self.access.variables,
        }


Process = subprocess.Popen[bytes]
