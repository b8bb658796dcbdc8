"""`make up`: set up and run a site with one command; Ctrl-C stops it.

Secrets, database, published tables, registry, tasks and admin are created if they are missing; later starts keep them.
Web server, scheduler and worker are child processes in sessions of their own, restarted when they die.

usage: scripts/up.py [down]      PORT=8000 is the default; the server listens on 127.0.0.1 only
exit codes: 0 stopped by the user, 2 usage, 3 cannot start (this host lacks something, the database is of another
version, or the port is taken), with the reason
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import functools
import os
import secrets
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from time import monotonic, sleep
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena_site.settings")
os.chdir(ROOT)

from evaluator.state import state_folder  # noqa: E402

ENV_FILE = ROOT / ".env"
STOP_S = 15.0  # from SIGTERM to SIGKILL
READY_S = 180.0  # usually 3 s; waiting ends early if the web server ends
RESTARTS, RESTART_WINDOW_S = 5, 60.0  # a child that dies more often is not restarted
PR_SET_PDEATHSIG = 1
PYTHON = sys.executable


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["down"]):
        say("usage: scripts/up.py [down]", to=sys.stderr)
        return 2
    from arena_site.environment import Environment, SettingError

    try:
        if arguments:
            env = Environment()
            env.load_file(ENV_FILE)
            env.raise_problems()
            return down(state_folder() / "site")
        make_secrets()
        from django.conf import settings

        return up(Path(settings.STATE), settings.PORT)
    except SettingError as error:
        say(str(error), to=sys.stderr)
        return 3
    except KeyboardInterrupt:  # during preparation, which can be repeated
        say("stopped")
        return 0


def up(state: Path, port: int) -> int:
    url = f"http://127.0.0.1:{port}/"
    lock = locked(state / "up.lock")
    if lock is None:
        say(f"already running at {address_in(state / 'up.lock')}; stop it with `make down`")
        return 0
    if not is_free(port):
        say(f"port {port} is in use by another program. Choose another one: PORT={port + 1} make up", to=sys.stderr)
        return 3
    lock.write(f"{os.getpid()} {url}\n")
    lock.flush()
    say(f"no more downloads; database, records, toolchains and logs are in {state.parent} (about 200 MB)")
    if not is_prepared():
        return 3
    from arena_site.operations.schedule import LAST_NIGHT

    (state / LAST_NIGHT).open("a").close()  # a new site's dump waits for the night: a start is busy enough
    site = Site(state / "logs")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, site.ask_to_stop)
    try:
        site.start("web", *web_command(port))
        site.start("beat", PYTHON, "manage.py", "beat")  # sweeps while the worker starts, too
        site.start("worker", PYTHON, "manage.py", "worker")
        if not site.is_ready(url):
            return 3
        say(f"\n  {url}\n\nStop it with Ctrl-C. Logs are in {site.logs}.\n")
        site.start("demo", PYTHON, "manage.py", "demo_run", shown=True, once=True)
        return site.watch()
    finally:
        site.stop()


def down(state: Path) -> int:
    """Stop a site that runs in another terminal, and wait until it has ended."""
    if not state.is_dir() or locked(state / "up.lock") is not None:
        say("no site is running")
        return 0
    os.kill(int((state / "up.lock").read_text().split()[0]), signal.SIGTERM)
    until = monotonic() + 2 * STOP_S
    while locked(state / "up.lock") is None:
        if monotonic() > until:
            say("the site does not stop", to=sys.stderr)
            return 3
        sleep(0.1)
    say("stopped")
    return 0


def make_secrets() -> None:
    """Generate a SECRET_KEY, unless there is one, in a file that only its owner can read."""
    text = ENV_FILE.read_text(encoding="utf-8") if ENV_FILE.is_file() else "# Made by `make up`."
    if "SECRET_KEY" in os.environ or any(line.startswith("SECRET_KEY=") for line in text.splitlines()):
        return
    file = os.open(ENV_FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.fchmod(file, 0o600)
    with os.fdopen(file, "w", encoding="utf-8") as stream:
        stream.write(f"{text.rstrip()}\nSECRET_KEY={secrets.token_urlsafe(48)}\n")


def is_prepared() -> bool:
    """Bring database and static files up to date; return False, after printing the reason, if that fails."""
    import django
    from django.core.management import CommandError, call_command

    django.setup()
    try:
        call_command("migrate", verbosity=0)
        call_command("load_published")
        call_command("load_registry", only_missing=True)  # keeps changes by maintainers
        call_command("sync_tasks")
        call_command("make_admin")
        import_bundles()
        call_command("collectstatic", interactive=False, verbosity=0)
    except CommandError as error:
        say(f"cannot start: {error}", to=sys.stderr)
        return False
    django.db.connections.close_all()
    return True


def import_bundles() -> None:
    """Import the bundles in the repository, with runs on other devices; skip those that are refused."""
    from django.core.management import CommandError, call_command

    for path in sorted((ROOT / "tasks" / "bundles").glob("*.tar.zst")):
        try:
            call_command("import_bundle", path, licence="CC-BY-4.0", publish=True)
        except CommandError as error:
            say(f"skipped: {error}", to=sys.stderr)


class Site:
    """The child processes. Each has its own session, so that Ctrl-C reaches only this process, which stops them."""

    def __init__(self, logs: Path) -> None:
        logs.mkdir(parents=True, exist_ok=True)
        self.logs, self.children = logs, dict[str, subprocess.Popen[bytes]]()
        self._commands: dict[str, tuple[str, ...]] = {}
        self._deaths: dict[str, list[float]] = {}
        self._asked = False

    def ask_to_stop(self, *signal_and_frame: object) -> None:
        self._asked = True

    def start(self, name: str, *command: str, shown: bool = False, once: bool = False) -> None:
        if not once:
            self._commands[name] = command
        with (self.logs / f"{name}.log").open("ab") as log:
            self.children[name] = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=None if shown else log,
                stderr=None if shown else subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=functools.partial(die_with, os.getpid()),
            )

    def is_ready(self, url: str) -> bool:
        until = monotonic() + READY_S
        while monotonic() < until and not self._asked and self.children["web"].poll() is None:
            status = status_of(url)
            if status is not None and status < 500:
                return True
            if status is not None:
                break
            sleep(0.1)
        if not self._asked:
            say(f"the web server does not respond; the end of its log:\n{tail(self.logs / 'web.log')}", to=sys.stderr)
        return False

    def watch(self) -> int:
        """Restart children until asked to stop, or until one dies too often; return the exit code."""
        while not self._asked:
            for name, child in list(self.children.items()):
                if child.poll() is not None and not self._is_replaced(name, child):
                    return 3
            sleep(0.2)
        return 0

    def stop(self) -> None:
        """Stop all children, the worker before the others."""
        order = sorted(self.children, key=("demo", "worker", "beat", "web").index)
        for name in order:
            self._signal(name, signal.SIGTERM)
        until = monotonic() + STOP_S
        while monotonic() < until and any(child.poll() is None for child in self.children.values()):
            sleep(0.05)
        for name in order:
            self._signal(name, signal.SIGKILL)
            self.children[name].wait()
        say("stopped")

    def _is_replaced(self, name: str, child: subprocess.Popen[bytes]) -> bool:
        if name not in self._commands:
            del self.children[name]
            return True
        now = monotonic()
        self._deaths[name] = [*(death for death in self._deaths.get(name, []) if death > now - RESTART_WINDOW_S), now]
        say(f"the {name} ended with {child.returncode}; the end of its log:\n{tail(self.logs / f'{name}.log')}")
        if len(self._deaths[name]) > RESTARTS:
            say(f"it ended {len(self._deaths[name])} times within a minute; stopping the site", to=sys.stderr)
            return False
        self.start(name, *self._commands[name])
        return True

    def _signal(self, name: str, number: signal.Signals) -> None:
        """Send a signal to a child's whole session, if it still exists."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.children[name].pid, number)


def die_with(parent: int) -> None:
    """Make this child end with its parent, even if the parent is killed, or has been killed already."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)


def web_command(port: int) -> tuple[str, ...]:
    return (PYTHON, "-m", "gunicorn", "--config", "python:arena_site.server", "--bind", f"127.0.0.1:{port}")


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirects: with HTTPS=1 the site redirects to a proxy, which may not be running yet."""

    def redirect_request(self, *arguments: object) -> None:
        return None


def status_of(url: str) -> int | None:
    """Return the status of a GET; None if nothing listens."""
    try:
        with urllib.request.build_opener(_NoRedirects).open(url, timeout=30) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


def locked(path: Path) -> IO[str] | None:
    """Lock a file and return it open, as it is locked until it is closed; None if another process has the lock."""
    file = path.open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    file.truncate(0)
    return file


def address_in(path: Path) -> str:
    """Return the URL that the holder of the lock wrote into it."""
    return path.read_text().split()[-1]


def tail(path: Path, lines: int = 15) -> str:
    return "\n".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])


def say(text: str, to: IO[str] | None = None) -> None:
    print(text, file=to or sys.stdout, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
