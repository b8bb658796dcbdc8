"""Whole evaluations of mounted tasks, from the command line to the record."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tiny import CONFIG, FILES, ID, SOURCE, checkout

from evaluator.__main__ import main
from evaluator.records.reasons import Flag, Status
from evaluator.records.record import Record, read_record

pytestmark = pytest.mark.slow  # two sandboxes each
PYTEST = f"{Path(sys.executable).name} -m pytest -q -p no:cacheprovider"
TRITON = """
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)


def double(x):
    out = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
"""
TRITON_RUNNER = """
import json, os, sys
sys.path.insert(0, "source")
import torch
import kernel
x = torch.randn(100, device="cuda")
if sys.argv[1] == "correctness":
    assert torch.equal(kernel.double(x), x * 2), "wrong"
if sys.argv[1] == "performance":
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(100):
        kernel.double(x)
    end.record()
    torch.cuda.synchronize()
    os.makedirs("build", exist_ok=True)
    case = {"test_case_id": "perf1", "execution_time_ms": start.elapsed_time(end) / 100, "params": {"n": 100}}
    json.dump([case], open("build/performance_report.json", "w"))
"""


def evaluated(folder: Path, source: str | None = None) -> Record:
    """Of a source, or of the task's own."""
    what = ["--baseline"]
    if source is not None:
        (folder / "mine/source").mkdir(parents=True)
        (folder / "mine/source/kernel.py").write_text(source)
        what = ["--candidate", str(folder / "mine")]
    assert main(["evaluate", ID, "--tasks", str(folder), *what, "--out", str(folder / "r.json")]) == 0
    return read_record((folder / "r.json").read_text())


def test_a_right_candidate_passes_with_a_record_of_its_own_protocol(tmp_path: Path) -> None:
    record = evaluated(checkout(tmp_path), SOURCE.replace("= 1.0", "= 0.5"))
    assert (record.status, record.protocol) == (Status.PASSED, "aka-scripts-1")
    assert set(record.flags) == {Flag.SCRIPT_TIMED, Flag.FUNCTIONAL}
    (case,) = record.cases
    assert case.id == "perf1,dtype=float16,n=8"
    assert case.clocks["functional"].baseline_ms == (2.0, 2.0)
    assert case.clocks["functional"].candidate_ms == (1.0,)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("float16", "float32", "case_mismatch"),
        ("cuda_graph", "cuda_event_fallback", "method_mismatch"),
        ("2 * x", "x", "check_failed"),
    ],
)
def test_a_candidate_unlike_its_baseline_fails(tmp_path: Path, old: str, new: str, reason: str) -> None:
    record = evaluated(checkout(tmp_path), SOURCE.replace(old, new))
    assert record.reason == reason
    assert record.flags == (Flag.SCRIPT_TIMED,)


def test_a_report_where_the_tasks_script_writes_none_is_refused(tmp_path: Path) -> None:
    """Of the names that are looked for, the first one counts: the candidate's own would come before the script's."""
    runner = FILES["scripts/task_runner.py"].replace("build/performance_report", "perf_report")
    forged = """
import atexit, json
def forge():
    os.makedirs("build", exist_ok=True)
    case = {"test_case_id": "perf1", "execution_time_ms": 0.001, "params": {"n": 8}, "dtype": DTYPE}
    json.dump([{**case, "benchmark_method": METHOD}], open("build/performance_report.json", "w"))
atexit.register(forge)
"""
    record = evaluated(checkout(tmp_path, scripts__task_runner_dot_py=runner), SOURCE + forged)
    assert record.reason == "method_mismatch"
    assert "build/performance_report.json, the baseline's in perf_report.json" in (record.message or "")


def test_a_task_that_does_not_pass_itself_is_not_judged_and_shows_its_own_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = SOURCE.replace("2 * x", "x") + "print('the baseline speaks')\n"
    record = evaluated(checkout(tmp_path, source__kernel_dot_py=own), SOURCE + "print('the candidate speaks')\n")
    assert (record.status, record.reason) == (Status.NOT_JUDGED, "baseline_unusable")
    assert "check_failed" in (record.message or "")
    assert "the baseline speaks\nCorrectness: FAIL" in record.log
    assert "the candidate speaks" not in record.log
    told = capsys.readouterr().err.splitlines()
    assert [line.partition(",")[0] for line in told] == [
        "baseline: compile",
        "candidate: compile",
        "baseline: correctness",
    ]
    assert told[0].endswith("at most 900 s: python3 scripts/task_runner.py compile")


def test_a_baseline_whose_cases_change_from_run_to_run_is_not_judged(tmp_path: Path) -> None:
    unsteady = SOURCE.replace('"float16"', "os.urandom(4).hex()")
    record = evaluated(checkout(tmp_path, source__kernel_dot_py=unsteady))
    assert (record.status, record.reason) == (Status.NOT_JUDGED, "baseline_unusable")
    assert "case_mismatch" in (record.message or "")


def test_a_candidate_that_sets_its_own_exam_is_on_hold(tmp_path: Path) -> None:
    """Its file also has the sizes that are checked and timed."""
    own = SOURCE + "SIZES = (3, 5)\n"
    runner = FILES["scripts/task_runner.py"].replace(
        "import kernel\n", "import kernel\nfor size in kernel.SIZES:\n    kernel.scale(size)\n"
    )
    files = {"source__kernel_dot_py": own, "scripts__task_runner_dot_py": runner}
    record = evaluated(checkout(tmp_path, **files), own.replace("(3, 5)", "(3,)"))
    assert (record.status, Flag.HOLD in record.flags) == (Status.PASSED, True)
    found = [(one.gate, one.code) for one in record.findings]
    assert found == [("correctness", "another_exam"), ("performance", "another_exam")]
    assert "it was not asked scale(5)" in record.findings[0].text


def test_printed_failures_put_a_pass_on_hold(tmp_path: Path) -> None:
    record = evaluated(checkout(tmp_path), SOURCE + "print('Correctness: FAIL')\n")
    assert record.status is Status.PASSED
    assert Flag.HOLD in record.flags
    assert "printed_failure" in {finding.code for finding in record.findings}


def test_a_triton_task_runs_without_a_gpu(tmp_path: Path) -> None:
    files = {"source__kernel_dot_py": TRITON, "scripts__task_runner_dot_py": TRITON_RUNNER}
    record = evaluated(checkout(tmp_path, **files))
    assert record.status is Status.PASSED, record.log
    assert record.cases[0].speedup is None


def test_what_a_stand_in_says_of_a_launch_is_the_reason(tmp_path: Path) -> None:
    files = {"source__kernel_dot_py": TRITON, "scripts__task_runner_dot_py": TRITON_RUNNER}
    record = evaluated(checkout(tmp_path, **files), TRITON.replace("mask=at < n)\n\n", "mask=at < n + 9)\n\n", 1))
    assert record.reason == "out_of_bounds"


def test_a_pytest_task_with_its_check_in_the_candidates_file_is_on_hold(tmp_path: Path) -> None:
    config = CONFIG
    for stage, chosen in (("compile", "none"), ("correctness", "right"), ("performance", "timed")):
        command = f"{PYTEST} source/kernel.py -k {chosen}" if stage != "compile" else "true"
        config = config.replace(f"python3 scripts/task_runner.py {stage}", f"'{command}'")
    source = """
import json, os

def test_right():
    assert 2 * 3 == 6

def test_timed():
    os.makedirs("perf", exist_ok=True)
    record = {"op_name": "x", "params": {"n": 1}, "timing_ms": {"mean": 0.5}, "benchmark_method": "cuda_graph"}
    json.dump([record], open("perf/benchmark_results.json", "w"))
"""
    record = evaluated(checkout(tmp_path, config_dot_yaml=config, source__kernel_dot_py=source))
    assert record.status is Status.PASSED, record.log
    assert Flag.HOLD in record.flags
    assert "check_in_candidate" in {finding.code for finding in record.findings}


def test_the_list_says_what_runs_here_and_why_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checkout(tmp_path)
    checkout(tmp_path, "hip2hip/tests/scale", config_dot_yaml=CONFIG.replace("triton2triton", "hip2hip"))
    assert main(["tasks", "--tasks", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "runs here" in said
    assert "cannot run here: its scripts build with hipcc" in said


def test_a_task_that_cannot_run_here_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checkout(tmp_path, config_dot_yaml=CONFIG + "platform_support: {required_arch: gfx950}\n")
    assert main(["evaluate", ID, "--tasks", str(tmp_path), "--baseline", "--out", str(tmp_path / "r.json")]) == 3
    assert "it is for gfx950" in capsys.readouterr().err
