"""Each known fault of other benchmarks' results gives the finding that names it, and together all findings."""

from __future__ import annotations

import math
from typing import Any

import pytest

from evaluator.bundles.checking import check_files
from evaluator.bundles.findings import FINDINGS, not_listed
from tests.bundles.known_faults import KNOWN, REFUSED
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
    kb_ranked,
    kb_ranked_row,
    kb_result,
    kb_run,
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


def breakdown(**overall: Any) -> dict[str, bytes]:
    return {"reports/task_type_breakdown.json": dumped({"overall": overall})}


def listed(score: str, speedup: str) -> dict[str, bytes]:
    row = f"hip2hip/gpumode/GELU,hip2hip,{score},{speedup},x\n".encode()
    return {"reports/overall_summary.csv": CSV + row}


def of_several_machines(**hardware: str) -> Files:
    return kb({number: kb_result(metadata={"hardware": name}) for number, name in hardware.items()})


def moved_twice_as_much() -> list[dict[str, Any]]:
    return [{**row, "GB/s": 2 * row["GB/s"]} for row in kbx_sizes(1.0, 1.0, 2.0, 4.0)]


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
    "throughput_as_time": aka(aka_result("repository/rocprim/device_scan")),
    "empty_graph": aka_after(1.0, 1e-4),
    "cold_start": fib(*(trace(n, times={"latency_ms": 400.0 if n == 1 else 1.0}) for n in range(1, 6))),
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
    "aggregated_cases": aka(
        before={"test_cases": [{"test_case_id": "test_case_0", "execution_time_ms": 2.0}]},
        after={"test_cases": [{"test_case_id": "test_case_0", "execution_time_ms": 1.0}]},
    ),
    "other_workload": kbx(golden=moved_twice_as_much()),
    "dropped_sizes": kbx({MATMUL: kbx_row(0.5, 0.5, 1.0)}),
    "unpaired_rows": kbx(
        golden=[
            {**row, "input_size": [[7]]} if index == 0 else row
            for index, row in enumerate(kbx_sizes(1.0, 1.0, 2.0, 4.0))
        ]
    ),
    "speedup_disagrees": aka(aka_result(speedup_ratio=50.0, score=5120.0)),
    "time_disagrees": aka(aka_result(base_execution_time=9.0)),
    "throughput_disagrees": kbx({MATMUL: kbx_row(0.5, 0.5, 1.0, 2.0, gbs=1000.0)}),
    "case_count_disagrees": aka(aka_result(valid_optimized_cases=3)),
    "report_disagrees": aka(**listed("420.0000", "9.0000")),
    "delta_disagrees": held_out(held_out_row(True, True, "both_pass", speedup_delta=0.5)),
    "score_disagrees": aka(aka_result(score=777.0)),
    "score_from_averages": aka(
        aka_result(speedup_ratio=0.0, base_execution_time=3.0, score=420.0), after=aka_times(1.0)
    ),
    "total_disagrees": aka(**{"reports/task_type_breakdown.json": dumped({"overall": {"total_tasks": 9}})}),
    "total_not_suite": kbx(**{"summary.json": dumped({"method": "out", "total": 1})}),
    "average_of_valid": aka(**breakdown(total_tasks=2, valid_speedup_count=1, average_speedup=3.0)),
    "quantile_beyond_data": aka(**listed("420.0000", "3.0000"), **breakdown(total_tasks=1, p90_speedup=4.5)),
    "gap_is_absolute": held_out(held_out_row(True, True, "both_pass"), generalization_gap={"speedup_mean_delta": -0.5}),
    "excessive_speedup": aka(aka_result(speedup_ratio=40.0)),
    "within_noise": {"corpus.jsonl": lines(corpus_line({"speedup": 1.0}, {"speedup": 1.001}))},
    "above_peak": kbx({MATMUL: kbx_row(0.5, 0.5, 1e-5, 2.0)}),
    "errors_all_zero": fib(*(trace(number, error=0.0) for number in range(6))),
    "unknown_task": aka(aka_result("hip2hip/gpumode/NoSuchThing")),
    "unstated_level": kb(declared=""),
    "several_levels": kb_run(level=2, kernels=("1_problem_1", "2_problem_1")),
    "several_models": kb_ranked(kb_ranked_row("robot-1"), kb_ranked_row("robot-2")),
    "phantom_task": kbx({"Loss/matmul_w8a8.py": kbx_row(0.5, 0.5, 1.0, 2.0)}),
    "moved_task": {"corpus.jsonl": lines(corpus_line({"speedup": 1.0}, {"speedup": 2.0}, task_id="Loss/relu.py"))},
    "duplicate_task": two_workspaces(),
    "absent_tasks": aka(),
    "vanished_task": aka({}, folder="run/hip2hip_gpumode_GELU_20260101_000000"),
    "listed_only": aka(**{"reports/overall_summary.csv": CSV + b"hip2hip/gpumode/SiLU,hip2hip,120.0000,0.0000,x\n"}),
    "unfinished_task": aka(**{"run/.parallel/failed/worker_0__000003_x.yaml": b"task_name: hip2hip/gpumode/SiLU\n"}),
    "known_task_fault": {"task_result.yaml": b"task_name: hip2hip/gpumode/GELU\npass_compilation: true\n"},
    "one_outcome": held_out(held_out_row(True, True, "both_pass")),
    "named_by_folder": aka(),
    "matched_by_name": aka(),
    "unjoined_row": stages(("call", CALL), ("exe", {"file": "no_such_stem.py", "ok": True})),
    "duplicate_row": stages(("call", CALL), ("exe", EXE), ("exe", EXE)),
    "stages_disagree": kbx() | stages(("call", {"file": MATMUL, "ok": False})),
    "kind_disagrees": {"corpus.jsonl": lines(corpus_line({"speedup": 2.0}, {"speedup": 1.0}))},
    "contradictory_rounds": {
        "corpus.jsonl": lines(
            corpus_line({"speedup": 1.0}, {"speedup": 2.0}),
            corpus_line({"speedup": 3.0}, {"speedup": 4.0}, from_round="round_1", to_round="round_2"),
        )
    },
    "pass_without_call": kbx({MATMUL: kbx_row(0.5, 0.5, 1.0, 2.0, call_ok=False)}),
    "correct_without_time": kb({"1": kb_result(-1.0)}),
    "report_contradicts": aka(folder="run", **{"run/build/correctness_report.json": b'{"status": "fail"}'}),
    "broken_report": aka(folder="run", **{"run/build/correctness_report.json": b'{"status": '}),
    "presence_rule": fib(trace(1, performance=None), trace(2)),
    "error_as_failure": held_out(held_out_row(False, False, "both_fail", error="the injection failed")),
    "evaluator_fault": kb({"1": kb_result(-1.0, compiled=False, correctness=False, metadata={"error": "no result"})}),
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
    "few_timings": kb({"1": kb_result(runtime_stats={"mean": 2.0, "std": 0.1, "num_trials": 5})}),
    "unstated_spread": kb({"1": kb_result(runtime_stats={"mean": 2.0, "num_trials": 100})}),
    "several_devices": of_several_machines(**{"1": "NVIDIA H100", "2": "NVIDIA L40S"}),
    "quality_of_tests": kbx({MATMUL: kbx_row(0.5, 0.5, 1.0, 2.0, maintainability=61.2)}),
    "suspect_flag": kbx({MATMUL: kbx_row(0.5, 0.5, 1.0, 2.0, is_suspect=True)}),
    "dtype_by_default": kbx({MATMUL: kbx_row(0.5, 0.5, 1.0, 2.0, dtype="float32")}),
    "no_baseline": kbx({ZETA: kbx_row(1.0)}, golden=[]),
    "baseline_incomplete": kb({"7": kb_result()}),
    "baseline_other_hardware": kb(hardware="NVIDIA L40S"),
    "several_baselines": kb() | {"baseline_time_torch_compile.json": kb()["baseline_time_torch.json"]},
    "reference_baseline": fib(),
    "baseline_unstated": kbx(),
    "unused_baseline": kbx(**{"golden_results/a100/matmul_w8a8.py.json": dumped(kbx_sizes(1.0))}),
    "copied_baseline": kbx({MATMUL: kbx_row(1.0, 1.0, 2.0, 4.0, speedup=1.0)}),
    "unread_file": kb() | {"pass_at_k_results.json": b"{}"},
    "no_sources": kbx({MATMUL: kbx_row(0.5, 0.5, 1.0, 2.0, code="")}),
    "ambiguous_source": kb_ranked(kb_ranked_row()) | {"older/01.py": b"x = 1\n"},
    "source_disagrees": kb_ranked(kb_ranked_row(code="x = 1\n")),
    "home_path": kb(
        {"1": kb_result(-1.0, compiled=False, metadata={"compilation_error": "in /home/someone/kernel.cu"})}
    ),
    "secret": kbx({MATMUL: kbx_row(0.5, 0.5, 1.0, 2.0, error="OPENAI_API_KEY=abcdef0123456789")}),
    "home_in_source": kbx({MATMUL: kbx_row(0.5, 0.5, 1.0, 2.0, code="open('/home/someone/x')\n")}),
    "secret_in_source": kbx({MATMUL: kbx_row(0.5, 0.5, 1.0, 2.0, code="T = 'ghp_0123456789abcdefghij'\n")}),
}


@pytest.mark.parametrize("code", FAULTS)
def test_a_known_fault_is_named(code: str) -> None:
    checked = check_files(FAULTS[code])
    assert checked.problems == ()
    assert checked.bundle is not None
    found = [finding for finding in checked.bundle.findings if finding.code == code]
    assert found, sorted({finding.code for finding in checked.bundle.findings})
    assert all(finding.place and finding.text.endswith(".") for finding in found)


def test_every_finding_of_the_table_has_a_bundle_that_shows_it() -> None:
    assert set(FAULTS) == set(FINDINGS)


def test_every_known_fault_of_the_notes_has_a_finding_and_every_finding_a_fault() -> None:
    assert {code for _, _, code in KNOWN} - {REFUSED} == set(FINDINGS)


def test_an_honest_bundle_has_only_the_findings_that_its_format_always_has() -> None:
    for files, expected in (
        (aka(), {"matched_by_name", "absent_tasks", "named_by_folder"}),
        (kbx(), {"absent_tasks", "baseline_unstated"}),
        (kb(), {"absent_tasks", "no_sources"}),
        (fib(), {"unknown_task", "reference_baseline"}),
        (kb_run(kernels=("2_problem_1",)), {"absent_tasks", "no_baseline"}),
        (kb_ranked(kb_ranked_row()), {"absent_tasks", "no_baseline"}),
        (
            held_out(held_out_row(True, True, "both_pass")),
            {"matched_by_name", "absent_tasks", "one_outcome", "no_sources"},
        ),
        ({"corpus.jsonl": lines(corpus_line({"speedup": 1.0}, {"speedup": 2.0}))}, {"absent_tasks"}),
    ):
        checked = check_files(files)
        assert checked.bundle is not None, checked.problems
        assert {finding.code for finding in checked.bundle.findings} == expected, checked.bundle.format


def test_findings_beyond_the_limit_are_counted() -> None:
    assert [not_listed(count) for count in (1, 2)] == [
        "1 more of this kind is not listed.",
        "2 more of this kind are not listed.",
    ]


def test_the_codes_are_used_and_their_sentences_end() -> None:
    assert all(text.endswith(".") and "{detail}" in text for text in FINDINGS.values())
