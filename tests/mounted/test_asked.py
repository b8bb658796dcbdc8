"""A candidate that answers other questions than the task's: noted by the observer, found by comparison, held."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tiny import task

from evaluator.inside.command import OBSERVER
from evaluator.mounted.asked import Exam, difference, lends_more, read_exam

KERNEL = """
import numpy
SIZES = (8, 64)

def get_inputs(size):
    return numpy.random.default_rng(size).standard_normal(size)

def reference(x):
    return x * 2

def double(x, out=None):
    return numpy.add(x, x, out)
"""
RUNNER = """
import importlib.util, json, os, sys
import numpy
spec = importlib.util.spec_from_file_location("kernel", "source/kernel.py")
kernel = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kernel)
for size in kernel.SIZES:
    x = kernel.get_inputs(size)
    out = numpy.frombuffer(os.urandom(size), "u1").astype(float)  # as memory is that nobody has written
    kernel.double(x, out[: len(x)])
    assert numpy.allclose(out[: len(x)], kernel.reference(x))
if sys.argv[1] == "performance":
    os.makedirs("build", exist_ok=True)
    case = {"test_case_id": "perf1", "execution_time_ms": 1.0}
    json.dump([case], open("build/performance_report.json", "w"))
"""
HONEST = KERNEL.replace(
    "numpy.add(x, x, out)", "_twice(x, out)\n\ndef _twice(x, out):\n    return numpy.multiply(x, 2.0, out)"
)
CHEATS = {
    "fewer sizes": (KERNEL.replace("(8, 64)", "(8,)"), "calls differ .* not asked double"),
    "smaller inputs": (KERNEL.replace("standard_normal(size)", "standard_normal(size)[:4]"), "calls differ"),
    "easier inputs": (
        KERNEL.replace("default_rng(size).standard_normal", "default_rng(1).standard_normal"),
        "contents",
    ),
    "zeros": (KERNEL.replace("numpy.random.default_rng(size).standard_normal", "numpy.zeros"), "contents differ"),
    "its own check": (
        KERNEL.replace("x * 2", "x * 0").replace("add(x, x,", "multiply(x, 0,"),
        "answers differ .* another answer",
    ),
}


def exam_of(folder: Path, source: str) -> Exam:
    (folder / "source").mkdir(exist_ok=True, parents=True)
    (folder / "source/kernel.py").write_text(source)
    (folder / "runner.py").write_text(RUNNER)
    notes = folder / "notes.jsonl"
    notes.unlink(missing_ok=True)
    variables = {"ASKED_NOTES": str(notes), "ASKED_OF": str(folder / "source/kernel.py")}
    environment = os.environ | variables | {"ASKED_CONTENTS": "1", "PYTHONPATH": str(OBSERVER)}
    subprocess.run([sys.executable, "runner.py", "correctness"], cwd=folder, env=environment, check=True)
    return read_exam(notes.read_bytes())


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Exam:
    """What the untouched file is asked."""
    return exam_of(tmp_path_factory.mktemp("own"), KERNEL)


@pytest.mark.parametrize("name", CHEATS)
def test_an_exam_of_ones_own_is_found(tmp_path: Path, own: Exam, name: str) -> None:
    source, expected = CHEATS[name]
    found = difference(own, exam_of(tmp_path, source), lambda: own)
    assert re.search(expected, found or ""), found


def test_an_honest_rewrite_is_asked_the_same(tmp_path: Path, own: Exam) -> None:
    assert difference(own, exam_of(tmp_path, HONEST), lambda: own) is None


def test_inputs_that_nobody_seeded_cannot_be_compared(tmp_path: Path) -> None:
    unseeded = KERNEL.replace("default_rng(size)", "default_rng()")
    first, again, other = (exam_of(tmp_path, unseeded) for _ in range(3))
    assert "contents of the untouched file differ from run to run" in (difference(first, other, lambda: again) or "")
    fewer = tuple(asked for asked in other if "64" not in asked.question)
    assert "calls differ" in (difference(first, fewer, lambda: again) or "")


def test_a_line_that_the_observer_did_not_write_is_a_difference(own: Exam) -> None:
    assert difference(own, (*own, *read_exam(b'{"question": 1}\n[]\n')), lambda: own)
    assert difference(own, read_exam(None), lambda: own)


def test_a_file_that_lends_only_its_kernel_sets_no_exam(tmp_path: Path, own: Exam) -> None:
    more = {"source__kernel_dot_py": KERNEL, "scripts__task_runner_dot_py": RUNNER}
    only = more | {"scripts__task_runner_dot_py": "import kernel\nassert kernel.double(x)"}
    assert lends_more(task(tmp_path / "more", **more), own)
    assert not lends_more(task(tmp_path / "only", **only), own)
