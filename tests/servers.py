"""A PostgreSQL and a Redis of one's own: as a person without rights, in a folder that goes, on a port nobody uses.

`python -m tests.servers COMMAND …` runs a command with DATABASE_URL and BROKER_URL of such servers.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

DEADLINE_S = 180.0  # PostgreSQL is ready in 0.3 s on a quiet machine, after a crash in one
UNSAFE = ("fsync=off", "full_page_writes=off", "max_connections=200")  # a machine that loses power loses the tests, too


class Missing(Exception):
    """A server that is not installed here; the message is for a person."""


class Server:
    """A process that can be stopped, killed and started again over the same data."""

    def __init__(self, command: Sequence[str], folder: Path, port: int) -> None:
        self.port = port
        self._command, self._folder = command, folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                self._command, cwd=self._folder, stdout=log, stderr=log, start_new_session=True, **_demoted()
            )
        until = monotonic() + DEADLINE_S
        while not self.answers():
            if monotonic() > until or self._process.poll() is not None:
                raise RuntimeError(f"{self._command[0]} did not start: {(self._folder / 'log').read_text()[-2000:]}")
            sleep(0.02)

    def stop(self, number: int = signal.SIGINT) -> None:
        """PostgreSQL: SIGINT ends all connections; SIGQUIT leaves everything as a crash does."""
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(timeout=DEADLINE_S)
            self._process = None

    def answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=30):
                return self._is_ready()
        except OSError:
            return False

    def _is_ready(self) -> bool:
        return True


class Postgres(Server):
    @property
    def url(self) -> str:
        return f"postgresql://arena:@127.0.0.1:{self.port}/arena"

    def _is_ready(self) -> bool:
        return _run([_program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]) == 0


class Redis(Server):
    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"


@contextmanager
def postgres() -> Iterator[Postgres]:
    """A running server with a database `arena`.

    Raises:
        Missing: PostgreSQL is not installed.
    """
    with _folder() as folder:
        data, port = folder / "data", free_port()
        made = [_program("initdb"), "-D", str(data), "-U", "arena", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"]
        _checked([*made, "--no-sync"], folder)
        flags = [flag for option in UNSAFE for flag in ("-c", option)]
        command = [_program("postgres"), "-D", str(data), "-p", str(port), "-k", str(folder), *flags]
        server = Postgres([*command, "-c", "listen_addresses=127.0.0.1"], folder, port)
        with _started(server):
            _checked([_program("createdb"), "-h", "127.0.0.1", "-p", str(port), "-U", "arena", "arena"], folder)
            yield server


@contextmanager
def redis() -> Iterator[Redis]:
    """A running server that keeps its messages over a restart.

    Raises:
        Missing: Redis is not installed.
    """
    with _folder() as folder:
        port = free_port()
        command = [_program("redis-server"), "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder)]
        with _started(server := Redis([*command, "--appendonly", "yes", "--save", ""], folder, port)):
            yield server


def free_port() -> int:
    """Below those that the kernel gives to whoever asks for any, so that nobody has it when its server starts."""
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = secrets.SystemRandom().randrange(min(10_000, lowest // 2), lowest)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@contextmanager
def _started(server: Server) -> Iterator[None]:
    server.start()
    try:
        yield
    finally:
        server.stop()


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="arena-server-", ignore_cleanup_errors=True) as name:
        if user := _demoted().get("user"):
            shutil.chown(name, user=user)
        yield Path(name)


def _program(name: str) -> str:
    """Debian keeps PostgreSQL's programs beside each other in a folder of its version, out of PATH."""
    versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: float(path.parts[-3]))
    found = str(versions[-1]) if versions else shutil.which(name)
    if found is None:
        raise Missing(f"{name} is not installed: scripts/setup.sh develop installs postgresql and redis-server")
    return found


def _demoted() -> dict[str, str | int]:
    """PostgreSQL refuses to run as root: then both run as nobody."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid}


def _checked(command: Sequence[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **_demoted())
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr[-2000:]}")


def _run(command: Sequence[str]) -> int:
    return subprocess.run(command, capture_output=True, check=False).returncode


def main(command: Sequence[str]) -> int:
    with postgres() as database, redis() as broker:
        environment = os.environ | {"DATABASE_URL": database.url, "BROKER_URL": broker.url}
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if sys.argv[1:] else "usage: python -m tests.servers COMMAND …")
