"""The commands on the command line: exit codes, output and files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from evaluator.backends import get_backend
from evaluator.cli import doctor
from evaluator.errors import SandboxError
from evaluator.health.checks import HealthCheck
from evaluator.records.record import PROTOCOL, read_record

TASK = "triton2triton/arena/softmax"


def arena(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "evaluator", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=900, **options)


def test_tasks_lists_every_task_with_its_digest():
    found = arena("tasks")
    assert found.returncode == 0
    assert f"{TASK} " in found.stdout
    assert len(found.stdout.splitlines()) >= 6


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["evaluate", "no/such/task", "--candidate", ".", "--out", "x.json"], 2, "no task is named"),
        (["evaluate", TASK, "--candidate", "/no/such/folder", "--out", "x.json"], 2, "is not a folder"),
        (["run", "--suite", "none", "--agent", "baseline", "--out", "x"], 2, "no suite is named"),
        (["evaluate"], 2, "usage"),
        (["frobnicate"], 2, "usage"),
        (["doctor", "--backend", "rocm"], 3, "failed: "),
        (["run", "--suite", "smoke", "--agent", "baseline", "--out", "x", "--backend", "abacus"], 2, "abacus"),
    ],
)
def test_a_mistake_is_reported_in_words_and_by_exit_code(arguments, code, text, tmp_path):
    found = arena(*arguments, cwd=Path(__file__).parents[2])
    assert found.returncode == code, found.stderr
    assert text in found.stderr
    assert "Traceback" not in found.stderr


def test_a_bad_task_lists_all_its_problems_and_exits_with_2(tmp_path):
    folder = tmp_path / "hip2hip" / "arena" / "Bad"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("task_type: hip2hip\n")
    found = arena(
        "evaluate",
        "hip2hip/arena/Bad",
        "--candidate",
        str(tmp_path),
        "--out",
        str(tmp_path / "r.json"),
        env={"ARENA_TASKS": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )
    assert found.returncode == 2
    assert len(found.stderr.splitlines()) > 5
    assert not (tmp_path / "r.json").exists()


def test_workspace_writes_what_an_agent_starts_from(tmp_path):
    found = arena("workspace", TASK, "--out", str(tmp_path / "w"))
    assert found.returncode == 0
    assert sorted(path.name for path in (tmp_path / "w").iterdir()) == [
        "config.yaml",
        "description.md",
        "reference.py",
        "softmax.py",
    ]


@pytest.mark.slow
def test_evaluate_writes_a_record_and_exits_with_0_whatever_the_status(tmp_path):
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "softmax.py").write_text("def forward(x):\n    return x\n")
    out = tmp_path / "deep" / "result.json"
    found = arena("evaluate", TASK, "--candidate", str(tmp_path / "c"), "--backend", "cpu", "--out", str(out))
    assert found.returncode == 0, found.stderr
    assert found.stdout.startswith("wrong_output: An output lies in the memory of an input")
    record = read_record(out.read_bytes())
    assert record.task.id == TASK
    assert record.protocol == PROTOCOL
    assert json.loads(out.read_text())["host"]["device_class"].startswith("cpu-")


@pytest.mark.slow
def test_doctor_tries_everything_and_says_so():
    found = arena("doctor")
    assert found.returncode == 0, found.stdout
    for name in ("python", "packages", "disk", "hip toolchain", "sandbox bubblewrap", "sandbox plain", "tasks"):
        assert name in found.stdout


def test_doctor_needs_the_sandbox_that_it_is_asked_for(monkeypatch):
    def refused(*args, **kwargs):
        raise SandboxError("bwrap: Can't set hostname: Operation not permitted")

    monkeypatch.setattr(doctor, "open_sandbox", refused)
    for name in ("_packages", "_device", "_hip", "_tasks"):  # they take seconds
        monkeypatch.setattr(doctor, name, lambda *backend: HealthCheck("left out", True, False, ""))
    for chosen, needed in (("auto", "plain"), ("plain", "plain"), ("bubblewrap", "bubblewrap")):
        found = [check for check in doctor.checks(get_backend("cpu"), chosen) if check.name.startswith("sandbox")]
        assert [check.name for check in found if check.needed] == [f"sandbox {needed}"]
        assert not any(check.good for check in found)
        assert "Can't set hostname" in found[0].text


@pytest.mark.parametrize(
    ("free_mb", "good", "needed"), [(400, True, False), (399, False, False), (200, False, False), (199, False, True)]
)
def test_doctor_warns_near_the_reserve_of_disk_and_fails_below_it(monkeypatch, free_mb, good, needed):
    monkeypatch.setenv("ARENA_LEAST_FREE_MB", "200")
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda folder: SimpleNamespace(free=free_mb << 20))
    found = doctor._disk()
    assert (found.good, found.needed) == (good, needed)
    assert "no work is taken below 0.2" in found.text


def test_a_reader_that_leaves_ends_it_quietly():
    reader, writer = os.pipe()
    os.close(reader)
    told = subprocess.run(
        [sys.executable, "-u", "-m", "evaluator", "tasks"], stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert (told.returncode, told.stderr) == (0, b"")


def test_a_command_leaves_broken_pipes_to_be_errors_of_their_own():
    code = (
        "import signal; from evaluator.__main__ import main; main(['tasks']); print(signal.getsignal(signal.SIGPIPE))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.splitlines()[-1] == str(signal.SIG_IGN)
