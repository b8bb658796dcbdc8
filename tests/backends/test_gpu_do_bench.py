"""On a card: kbx_do_bench, by our bench, beside Triton's own do_bench on the same call, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from evaluator.backends import present
from evaluator.state import REPOSITORY
from scripts.do_bench_agreement import TaskMedians

TASKS = (
    "triton2triton/arena/softmax",
    "torch2hip/arena/SiLU",  # its baseline is PyTorch, run eagerly
    "torch2triton/kernelbenchx/relu",
)
APART = 0.05  # of a case whose own repeats are closer than that

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("task_id", TASKS)
def test_our_clock_agrees_with_triton_s(task_id: str, tmp_path: Path) -> None:
    if "cuda" not in present():
        pytest.skip("this host has no cuda")
    script, out = REPOSITORY / "scripts" / "do_bench_agreement.py", tmp_path / "found.jsonl"
    command = [sys.executable, str(script), "--task", task_id, "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    cases = TaskMedians.read(done.stdout.splitlines()[-1]).cases
    assert cases
    for case in cases:
        print(f"{task_id}, {case.case}: {case.ratio:.4f}, repeats {case.repeat:.2%}")  # noqa: T201
    steady = [case for case in cases if case.repeat < APART]
    assert steady, "no case repeats"
    assert all(abs(case.ratio - 1) <= APART for case in steady)
