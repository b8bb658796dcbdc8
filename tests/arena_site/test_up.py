"""`make up` as a whole, with a fake evaluator: it starts, restarts and stops processes and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest

from scripts import up
from tests.servers import free_port

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
DEADLINE_S = 180.0  # the whole demo with a fake evaluator takes 20 s alone, and over 60 beside much else


def listen() -> None:
    """Handle Ctrl-C in this process: tests run in the background ignore it, and so would their children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Up:
    """A running `scripts/up.py` and its output so far."""

    def __init__(self, state: Path, port: int, **settings: str) -> None:
        self.state, self.text = state, ""
        self.process = subprocess.Popen(
            [sys.executable, "scripts/up.py"],
            cwd=ROOT,
            env=environment(state, port) | settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=listen,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.text += line

    def wait_for(self, text: str) -> None:
        wait_until(lambda: text in self.text or self.process.poll() is not None, text)
        if self.process.poll() is not None:
            self._reader.join(DEADLINE_S)  # the last lines may still be on their way
        assert text in self.text, self.text


def environment(state: Path, port: int) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return kept | {
        "ARENA_STATE": str(state),
        "ARENA_EVALUATOR": "tests.runs.fakes.open_fake",
        "SECRET_KEY": "only-for-tests-0123456789abcdefghijklmnopqrstuvwxyz",
        "PORT": str(port),
    }


def wait_until(holds: Callable[[], bool], what: str) -> None:
    until = monotonic() + DEADLINE_S
    while not holds():
        assert monotonic() < until, f"waited too long: {what}"
        sleep(0.05)


def left_behind(state: Path) -> list[str]:
    """Return the command lines of all processes that use this state folder."""
    mark, found = f"ARENA_STATE={state}".encode(), []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes().split(b"\0"):
                found.append((process / "cmdline").read_text())
        except OSError:
            continue
    return found


def has_ended(process: int) -> bool:
    try:
        return "State:\tZ" in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return True


@pytest.fixture
def state(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "state"
    for process in Path("/proc").glob("[0-9]*"):  # after a failed test
        try:
            if f"ARENA_STATE={tmp_path / 'state'}".encode() in (process / "environ").read_bytes().split(b"\0"):
                os.kill(int(process.name), signal.SIGKILL)
        except OSError:
            continue


def test_it_starts_everything_once_restarts_it_and_leaves_nothing_behind(state: Path) -> None:
    port = free_port()
    first = Up(state, port)
    first.wait_for("[18/18]")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=DEADLINE_S) as response:
        assert response.status == 200
        assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert first.text.count("shown only once") == 1
    assert oct((state / "site").stat().st_mode & 0o777) == "0o700"
    first.process.send_signal(signal.SIGINT)
    assert first.process.wait(timeout=DEADLINE_S) == 0
    assert left_behind(state) == []

    second = Up(state, port)
    second.wait_for("has already run")
    assert "admin exists already" in second.text
    assert f"already running at http://127.0.0.1:{port}/" in said_by("scripts/up.py", state, port + 1)
    assert said_by("scripts/up.py", state, port, "down") == "stopped\n"
    assert second.process.wait(timeout=DEADLINE_S) == 0
    assert left_behind(state) == []


def test_it_starts_behind_a_tls_proxy(state: Path) -> None:
    port = free_port()
    one = Up(state, port, HTTPS="1")
    one.wait_for("Stop it with Ctrl-C")
    assert up.status_of(f"http://127.0.0.1:{port}/") == 301
    one.process.send_signal(signal.SIGINT)
    assert one.process.wait(timeout=DEADLINE_S) == 0


def test_ctrl_c_during_preparation_ends_it_quietly(state: Path) -> None:
    one = Up(state, free_port())
    one.wait_for("no more downloads")
    one.process.send_signal(signal.SIGINT)
    assert one.process.wait(timeout=DEADLINE_S) == 0
    one.wait_for("stopped")
    assert "Traceback" not in one.text
    assert left_behind(state) == []


def test_no_child_is_left_even_when_it_is_killed(tmp_path: Path) -> None:
    code = f"""
from pathlib import Path; from time import sleep; from scripts import up
from tests.servers import free_port
site = up.Site(Path({str(tmp_path)!r}))
site.start("worker", "sleep", "1000")
print(site.children["worker"].pid, flush=True)
sleep(1000)
"""
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert not has_ended(child)
    parent.kill()
    parent.wait()
    wait_until(lambda: has_ended(child), "the child's end")


def test_a_child_that_keeps_dying_ends_the_site(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site = up.Site(tmp_path)
    site.start("worker", "sh", "-c", "echo no device; exit 1")
    assert site.watch() == 3
    site.stop()
    said = capsys.readouterr()
    assert said.out.count("no device") > up.RESTARTS
    assert f"ended {up.RESTARTS + 1} times within a minute" in said.err


def test_the_scheduler_runs_beside_the_worker_and_sweeps_while_that_one_starts_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker takes a minute to start, and its attempts would wait for it."""
    started = list[str]()
    monkeypatch.setattr(up, "is_prepared", lambda: True)
    monkeypatch.setattr(up.Site, "start", lambda self, name, *command, **how: started.append(f"{name} {command[-1]}"))
    monkeypatch.setattr(up.Site, "is_ready", lambda self, url: False)
    monkeypatch.setattr(signal, "signal", lambda *number_and_handler: None)
    assert up.up(tmp_path, free_port()) == 3
    assert started[1:] == ["beat beat", "worker worker"]


def said_by(script: str, state: Path, port: int, *arguments: str) -> str:
    command = [sys.executable, script, *arguments]
    known = {"cwd": ROOT, "env": environment(state, port), "timeout": DEADLINE_S}
    run = subprocess.run(command, capture_output=True, text=True, **known)
    return run.stdout + run.stderr


def test_a_port_in_use_is_reported_before_anything_is_made(state: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert f"port {port} is in use" in said_by("scripts/up.py", state, port)
    assert not (state / "site" / "db.sqlite3").exists()
    assert said_by("scripts/up.py", state, port, "down") == "no site is running\n"


@pytest.mark.parametrize(("name", "value"), [("PORT", "99999"), ("DEBUG", "maybe"), ("SECRET_KEY", "short")])
def test_an_invalid_setting_is_named(state: Path, name: str, value: str) -> None:
    values = environment(state, 8000) | {name: value}
    run = subprocess.run(
        [sys.executable, "scripts/up.py"], cwd=ROOT, env=values, capture_output=True, text=True, timeout=DEADLINE_S
    )
    assert (run.returncode, run.stdout) == (3, "")
    assert run.stderr.startswith(f"{name}: ")
    assert run.stderr.count("\n") == 1


def test_secrets_are_made_once_and_readable_only_by_their_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.setattr(up, "ENV_FILE", tmp_path / ".env")
    (tmp_path / ".env").write_text("PORT=9000\n")
    up.make_secrets()
    text = (tmp_path / ".env").read_text()
    assert text.startswith("PORT=9000\nSECRET_KEY=")
    assert len(text.splitlines()[1]) > 60
    assert oct((tmp_path / ".env").stat().st_mode & 0o777) == "0o600"
    up.make_secrets()
    assert (tmp_path / ".env").read_text() == text
