"""A compiler that did not end by itself says so first, and names what ended it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evaluator.gates.isa import first_error
from evaluator.inside.hip_cpu.compiler import run_compiler

LIMITED = """
import resource, sys, time
from pathlib import Path
from evaluator.inside.hip_cpu.compiler import run_compiler
resource.setrlimit(getattr(resource, sys.argv[1]), (int(sys.argv[2]), int(sys.argv[2]) * 4))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
print(run_compiler(["/bin/sh", "-c", sys.argv[3]], Path(sys.argv[4]), time.monotonic() + 60).log)
"""


def log_of(script: str, folder: Path) -> str:
    made = run_compiler(["/bin/sh", "-c", script], folder, time.monotonic() + 60)
    assert not made.ok
    return made.log


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("kill -KILL $$", "ended by SIGKILL: memory or processor time ran out"),
        ("kill -SEGV $$", "ended by SIGSEGV: it crashed"),
        ("kill -ABRT $$", "ended by SIGABRT: it crashed"),
        ("echo 'clang++: error: unable to execute command: Killed'; exit 1", "ended by SIGKILL: memory or"),
        ("echo 'clang++: error: unable to execute command: Segmentation fault'; exit 254", "by SIGSEGV: it crashed"),
        ("echo 'g++: fatal error: Killed signal terminated program cc1plus'; exit 1", "ended by SIGKILL: memory or"),
        ("echo \"nvcc error : 'cicc' died due to signal 9 (Kill signal)\"; exit 9", "ended by SIGKILL: memory or"),
        ("echo 'LLVM ERROR: out of memory'; kill -ABRT $$", "needs more memory than"),
        ("echo 'x.hip:3:1: error: expected ;'; kill -KILL $$", "ended by SIGKILL"),
    ],
)
def test_a_compiler_that_a_signal_ended_says_so_first(script: str, says: str, tmp_path: Path) -> None:
    log = log_of(script, tmp_path)
    assert says in first_error(log)
    assert log.startswith("error: the compiler ")


def test_an_ordinary_error_has_no_such_line(tmp_path: Path) -> None:
    text = "x.hip:3:1: error: no member named 'Killed'\n"
    assert log_of(f'echo "{text.strip()}"; exit 1', tmp_path) == text


@pytest.mark.parametrize(
    ("limit", "value", "script", "says"),
    [
        ("RLIMIT_CPU", 1, "while :; do :; done", "ended by SIGXCPU: it used its processor time, 1 s"),
        ("RLIMIT_FSIZE", 1 << 20, "exec dd if=/dev/zero of=big bs=4M count=1", "a file of more than 1 MiB"),
    ],
)
def test_a_limit_is_named(limit: str, value: int, script: str, says: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", LIMITED, limit, str(value), script, str(tmp_path)]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": os.getcwd()}, capture_output=True, text=True, check=True
    )
    assert says in done.stdout.splitlines()[0]


def test_a_deadline_is_no_signal_of_the_host(tmp_path: Path) -> None:
    made = run_compiler(["/bin/sh", "-c", "sleep 60"], tmp_path, time.monotonic() + 0.2)
    assert (made.ok, made.timed_out, made.log) == (False, True, "")
