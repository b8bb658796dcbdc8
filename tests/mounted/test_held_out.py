"""A mounted task on held-out shapes: the outcomes of both sides, independent of each other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tiny import CONFIG, ID, checkout

from evaluator import codec
from evaluator.__main__ import main
from evaluator.backends import get_backend
from evaluator.mounted.checkout import load_mounted
from evaluator.mounted.evaluation import ScriptEvaluator
from evaluator.mounted.held_out import PROTOCOL, HeldOutRecord, problems_of, write_held_out
from evaluator.records.reasons import Status
from evaluator.records.record import CandidateRef, HostInfo, TaskRef, read_record
from evaluator.tasks.candidate import read_candidate
from evaluator.tasks.spec import task_files
from evaluator.unseen.injections import read_held_out
from evaluator.unseen.record import SideOutcome

SHAPED_RUNNER = """
import json, os, sys
sys.path.insert(0, "source")
import kernel
TEST_SHAPES = [3, 4]
os.makedirs("build", exist_ok=True)
if sys.argv[1] == "performance":
    with open("build/performance_report.json", "w") as file:
        json.dump([{"test_case_id": f"perf{n}", "execution_time_ms": 2.0, "params": {"n": n},
                    "benchmark_method": "cuda_graph"} for n in TEST_SHAPES], file)
if sys.argv[1] == "correctness":
    wrong = [n for n in TEST_SHAPES if kernel.scale(n) != 2 * n]
    print(f"wrong for {wrong}" if wrong else "Correctness: PASS")
    sys.exit(1 if wrong else 0)
"""
HELD_OUT = """
task_type: triton2triton
num_original_shapes: 2
injections:
  - file: scripts/task_runner.py
    find_marker: TEST_SHAPES
    replacement_code: |
      TEST_SHAPES = [5, 77]
"""
GENERAL = "def scale(x):\n    return x + x\n"
HARDCODED = "def scale(x):\n    return {3: 6, 4: 8}.get(x, 0)\n"
BROKEN = "def scale(x):\n    return 0\n"


def evaluated(folder: Path, candidate: str, baseline: str = GENERAL, config: str = CONFIG) -> HeldOutRecord:
    """Of a candidate beside a baseline, on the held-out shapes."""
    write(folder, candidate, baseline, config)
    task, before = load_mounted(folder, ID), task_files(folder / "tasks" / ID)
    held_out = read_held_out(folder / "held_out_shapes.yaml", task.category, task.files)
    evaluator = ScriptEvaluator(get_backend("cpu"))
    record = evaluator.evaluate_held_out(task, read_candidate(folder / "mine", task), held_out)
    assert task_files(folder / "tasks" / ID) == before
    return record


def write(folder: Path, candidate: str, baseline: str, config: str) -> None:
    checkout(folder, scripts__task_runner_dot_py=SHAPED_RUNNER, source__kernel_dot_py=baseline, config_dot_yaml=config)
    (folder / "mine/source").mkdir(parents=True, exist_ok=True)
    (folder / "mine/source/kernel.py").write_text(candidate)
    category = config.partition("task_type: ")[2].splitlines()[0]
    (folder / "held_out_shapes.yaml").write_text(HELD_OUT.replace("triton2triton", category))


@pytest.mark.slow
def test_the_command_writes_what_held_out_shapes_say_beside_the_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, HARDCODED, GENERAL, CONFIG)
    words = ["evaluate", ID, "--tasks", str(tmp_path), "--candidate", str(tmp_path / "mine")]
    words += ["--held-out", str(tmp_path / "held_out_shapes.yaml"), "--out", str(tmp_path / "result.json")]
    assert main(words) == 0
    assert read_record((tmp_path / "result.json").read_text()).status is Status.PASSED
    held_out = codec.read(HeldOutRecord, (tmp_path / "result.held_out.json").read_text(), problems_of)
    assert held_out.quadrant == "opt_regression"
    assert "held-out shapes: opt_regression\nbaseline: correct on all of them\n" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("candidate", "baseline", "quadrant"),
    [
        (GENERAL, GENERAL, "both_pass"),
        (HARDCODED, GENERAL, "opt_regression"),
        (GENERAL, HARDCODED, "opt_improvement"),
        (BROKEN, HARDCODED, "both_fail"),
    ],
)
def test_each_side_has_its_own_verdict(tmp_path: Path, candidate: str, baseline: str, quadrant: str) -> None:
    record = evaluated(tmp_path, candidate, baseline)
    assert record.quadrant == quadrant
    assert record.replaced == ("scripts/task_runner.py",)
    times = {case.id: case.split for case in record.cases}
    assert times == ({"perf5,n=5": "unseen", "perf77,n=77": "unseen"} if quadrant == "both_pass" else {})
    for outcome in (record.baseline_outcome, record.candidate_outcome):
        assert outcome.correct or (outcome.reason == "check_failed" and "wrong for [" in str(outcome.message))


@pytest.mark.slow
def test_a_candidate_that_takes_the_shapes_out_of_its_own_file_is_at_fault(tmp_path: Path) -> None:
    """Where kernel and tests share a file, the candidate holds the shapes that are to be replaced."""
    (tmp_path / "mine/scripts").mkdir(parents=True)
    (tmp_path / "mine/scripts/task_runner.py").write_text(SHAPED_RUNNER.replace("TEST_SHAPES", "SHAPES"))
    config = CONFIG.replace("[source/kernel.py]", "[source/kernel.py, scripts/task_runner.py]")
    record = evaluated(tmp_path, GENERAL, config=config)
    assert record.quadrant == "opt_regression"
    assert record.candidate_outcome.reason == "protected_file"
    assert "TEST_SHAPES occurs 0 times" in str(record.candidate_outcome.message)


@pytest.mark.slow
def test_a_module_is_right_if_it_can_be_timed(tmp_path: Path) -> None:
    """torch2hip's baseline has no check of its own; a candidate that fails leaves it judged."""
    config = CONFIG.replace("triton2triton", "torch2tests") + "target_file_path: source/kernel.py\n"
    record = evaluated(tmp_path, HARDCODED, config=config)
    assert (record.baseline_outcome.correct, record.quadrant) == (True, "opt_regression")


@pytest.mark.slow
def test_a_side_that_cannot_be_timed_on_the_shapes_fails_alone(tmp_path: Path) -> None:
    slow = GENERAL + "import sys\nif 'performance' in sys.argv:\n    sys.exit(3)\n"
    record = evaluated(tmp_path, slow)
    assert record.quadrant == "opt_regression"
    assert record.candidate_outcome.reason == "command_failed"


def test_held_out_shapes_of_a_native_task_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--baseline", "--held-out", "shapes.yaml", "--out", "result.json"]
    assert main(["evaluate", "hip2hip/arena/GELU", *words]) == 2
    assert "--held-out needs mounted tasks" in capsys.readouterr().err


def test_a_record_that_contradicts_itself_is_neither_written_nor_read(tmp_path: Path) -> None:
    right = SideOutcome(True, None, None, 1, None, None)
    record = HeldOutRecord(
        **{"schema": 1, "protocol": PROTOCOL, "evaluator": "1", "held_out": "0" * 64, "replaced": ("a.py",)},
        **{"started_at": "2026-01-01T00:00:00+00:00", "task": TaskRef("a/b", "0" * 64, "hip2hip")},
        **{"candidate": CandidateRef("0" * 64, {}, "x"), "host": HostInfo("cpu", "cpu", "cpu", {}), "sandbox": None},
        **{"flags": (), "findings": (), "cases": (), "seconds": {}, "log": ""},
        baseline_outcome=right,
        candidate_outcome=replace(right, correct=False),
    )
    assert problems_of(record) == [
        "candidate_outcome: a message is missing",
        "candidate_outcome: seen the reason None; expected a code of reasons.REASONS",
    ]
    with pytest.raises(codec.DecodeError, match="a message is missing"):
        write_held_out(record, tmp_path / "record.json")
    both = replace(record, schema=2, candidate_outcome=right)
    with pytest.raises(codec.DecodeError) as caught:
        codec.read(HeldOutRecord, codec.dumps(both), problems_of)
    assert caught.value.problems == [
        "schema: seen 2; expected 1",
        "cases: times are required where both sides are correct, and only there",
    ]
