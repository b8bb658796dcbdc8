"""Each known fault of results from elsewhere becomes the finding that names it; together they are the whole table."""

from __future__ import annotations

import math
from typing import Any

import pytest

from evaluator.bundles.checking import check_files
from evaluator.bundles.findings import FINDINGS
from tests.bundles.made import (
    MATMUL,
    RELU,
    ZETA,
    Files,
    aka,
    aka_result,
    aka_times,
    corpus_line,
    dumped,
    fib,
    held_out,
    held_out_row,
    kb,
    kb_result,
    kbx,
    kbx_row,
    kbx_sizes,
    lines,
    trace,
)

CSV = b"Task Name,Task Type,Score,Speedup,Optimization_summary\n"


def aka_after(*times: Any, **changes: Any) -> Files:
    return aka(after=aka_times(*times, **changes))


def shared_parameters() -> Files:
    before = aka_times(2.0, 4.0, params={"M": 1})
    return aka(before=before, after=aka_times(1.0, 1.0, params={"M": 1}))


def twice(times: dict[str, Any]) -> dict[str, Any]:
    return {"test_cases": [*times["test_cases"], times["test_cases"][0]]}


def two_workspaces() -> Files:
    return aka() | {f"again/{name.rpartition('/')[2]}": data for name, data in aka().items()}


def stages(*rows: tuple[str, dict[str, Any]]) -> Files:
    files: dict[str, bytes] = {}
    for name, row in rows:
        path = f"intermediate/results_{name}.jsonl"
        files[path] = files.get(path, b"") + lines(row)
    return files


CALL, EXE = {"file": RELU, "ok": True, "code": "x"}, {"file": "relu.py", "ok": True}
FAULTS: dict[str, Files] = {
    "failed_marker": aka_after(1.0, -1.0),
    "no_time": aka_after(1.0, None),
    "nan_time": aka_after(1.0, math.nan),
    "infinite_time": aka_after(1.0, math.inf),
    "zero_time": aka_after(1.0, 0.0),
    "negative_time": aka_after(1.0, -2.0),
    "not_a_number": aka(aka_result(speedup_ratio=True)),
    "unknown_unit": aka(after={"test_cases": [{"test_case_id": "perf1", "execution_time": 999}]}),
    "host_time": aka_after(1.0, 1.0, benchmark_method="cpu_timer_fallback"),
    "no_case_times": {
        "task_result.yaml": b"task_name: hip2hip/gpumode/GELU\npass_compilation: true\npass_correctness: true\n"
    },
    "missing_case": aka_after(1.0),
    "extra_case": aka_after(1.0, 1.0, 1.0),
    "duplicate_case": aka(after=twice(aka_times(1.0, 1.0))),
    "duplicate_parameters": shared_parameters(),
    "other_parameters": aka_after(1.0, 1.0, params={"M": 9}),
    "mixed_methods": aka_after(1.0, 1.0, benchmark_method="cuda_event_fallback"),
    "unstated_method": aka(
        before=aka_times(2.0, 4.0, benchmark_method=None), after=aka_times(1.0, 1.0, benchmark_method=None)
    ),
    "dropped_sizes": kbx({MATMUL: kbx_row(0.5, 0.5, 1.0)}),
    "unpaired_rows": kbx(
        golden=[
            {**row, "input_size": [[7]]} if index == 0 else row
            for index, row in enumerate(kbx_sizes(1.0, 1.0, 2.0, 4.0))
        ]
    ),
    "speedup_disagrees": aka(aka_result(speedup_ratio=50.0, score=5120.0)),
    "time_disagrees": aka(aka_result(base_execution_time=9.0)),
    "score_disagrees": aka(aka_result(score=777.0)),
    "score_from_averages": aka(
        aka_result(speedup_ratio=0.0, base_execution_time=3.0, score=420.0), after=aka_times(1.0)
    ),
    "total_disagrees": aka(**{"reports/task_type_breakdown.json": dumped({"overall": {"total_tasks": 9}})}),
    "total_not_suite": kbx(**{"summary.json": dumped({"method": "out", "total": 1})}),
    "excessive_speedup": aka(aka_result(speedup_ratio=40.0)),
    "within_noise": {"corpus.jsonl": lines(corpus_line({"speedup": 1.0}, {"speedup": 1.001}))},
    "errors_all_zero": fib(*(trace(number, error=0.0) for number in range(6))),
    "unknown_task": aka(aka_result("hip2hip/gpumode/NoSuchThing")),
    "unstated_level": kb(declared=""),
    "phantom_task": kbx({"Loss/matmul_w8a8.py": kbx_row(0.5, 0.5, 1.0, 2.0)}),
    "duplicate_task": two_workspaces(),
    "absent_tasks": aka(),
    "vanished_task": aka({}, folder="run/hip2hip_gpumode_GELU_20260101_000000"),
    "listed_only": aka(**{"reports/overall_summary.csv": CSV + b"hip2hip/gpumode/SiLU,hip2hip,120.0000,0.0000,x\n"}),
    "matched_by_name": aka(),
    "unjoined_row": stages(("call", CALL), ("exe", {"file": "no_such_stem.py", "ok": True})),
    "duplicate_row": stages(("call", CALL), ("exe", EXE), ("exe", EXE)),
    "stages_disagree": kbx() | stages(("call", {"file": MATMUL, "ok": False})),
    "contradictory_rounds": {
        "corpus.jsonl": lines(
            corpus_line({"speedup": 1.0}, {"speedup": 2.0}),
            corpus_line({"speedup": 3.0}, {"speedup": 4.0}, from_round="round_1", to_round="round_2"),
        )
    },
    "pass_without_call": kbx({MATMUL: kbx_row(0.5, 0.5, 1.0, 2.0, call_ok=False)}),
    "correct_without_time": kb({"1": kb_result(-1.0)}),
    "report_contradicts": aka(folder="run", **{"run/build/correctness_report.json": b'{"status": "fail"}'}),
    "presence_rule": fib(trace(1, performance=None), trace(2)),
    "error_as_failure": held_out(held_out_row(False, False, "both_fail", error="the injection failed")),
    "quadrant_disagrees": held_out(held_out_row(True, False, "both_pass")),
    "wrong_architecture": kb(
        {
            "1": kb_result(
                -1.0,
                correctness=False,
                metadata={"runtime_error": "CUDA error: no kernel image is available for execution"},
            )
        }
    ),
    "few_trials": kb({"1": kb_result(metadata={"correctness_trials": "(1 / 1)"})}),
    "suspect_flag": kbx({MATMUL: kbx_row(0.5, 0.5, 1.0, 2.0, is_suspect=True)}),
    "dtype_by_default": kbx({MATMUL: kbx_row(0.5, 0.5, 1.0, 2.0, dtype="float32")}),
    "no_baseline": kbx({ZETA: kbx_row(1.0)}, golden=[]),
    "baseline_incomplete": kb({"7": kb_result()}),
    "baseline_other_hardware": kb(hardware="NVIDIA L40S"),
    "copied_baseline": kbx({MATMUL: kbx_row(1.0, 1.0, 2.0, 4.0, speedup=1.0)}),
    "no_sources": kbx({MATMUL: kbx_row(0.5, 0.5, 1.0, 2.0, code="")}),
    "home_path": kb(
        {"1": kb_result(-1.0, compiled=False, metadata={"compilation_error": "in /home/someone/kernel.cu"})}
    ),
    "secret": kbx({MATMUL: kbx_row(0.5, 0.5, 1.0, 2.0, code="TOKEN = 'ghp_0123456789abcdefghij'\n")}),
}


@pytest.mark.parametrize("code", FAULTS)
def test_a_known_fault_is_named(code: str) -> None:
    checked = check_files(FAULTS[code])
    assert checked.problems == ()
    assert checked.submission is not None
    found = [finding for finding in checked.submission.findings if finding.code == code]
    assert found, sorted({finding.code for finding in checked.submission.findings})
    assert all(finding.place and finding.text.endswith(".") for finding in found)


def test_every_finding_of_the_table_has_a_bundle_that_shows_it() -> None:
    assert set(FAULTS) == set(FINDINGS)


def test_an_honest_bundle_has_only_the_findings_that_its_format_always_has() -> None:
    for files, expected in (
        (aka(), {"matched_by_name", "absent_tasks"}),
        (kbx(), {"absent_tasks"}),
        (kb(), {"absent_tasks"}),
        (fib(), {"unknown_task"}),
        (held_out(held_out_row(True, True, "both_pass")), {"matched_by_name", "absent_tasks"}),
        ({"corpus.jsonl": lines(corpus_line({"speedup": 1.0}, {"speedup": 2.0}))}, {"absent_tasks"}),
    ):
        checked = check_files(files)
        assert checked.submission is not None, checked.problems
        assert {finding.code for finding in checked.submission.findings} == expected, checked.submission.format


def test_the_codes_are_used_and_their_sentences_end() -> None:
    assert all(text.endswith(".") and "{detail}" in text for text in FINDINGS.values())
