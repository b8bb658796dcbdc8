"""The eight report formats: a valid one each, and every refusal with its reason and place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evaluator.judge.rejection import Rejection
from evaluator.mounted.report_formats import ScriptTimes
from evaluator.mounted.reports import read_measured, status_problem

GPUMODE = {
    "status": "ok",
    "kernel": "GELU",
    "speedup": 3.0,
    "test_cases": [{"case_idx": 0, "correct": True, "execution_time_ms": 0.02, "params": {"x_shape": [4, 8]}}],
}
TORCH_BASELINE = {"status": "baseline_ok", "test_cases": [{"case_idx": 0, "ori_time": 0.5, "params": {"n": 1}}]}
TORCH = {"status": "ok", "test_cases": [{"case_idx": 0, "ori_time": 0.5, "opt_time": 0.25, "params": {"n": 1}}]}
VLLM = [
    {"test_case_id": "perf1", "execution_time_ms": 0.5, "benchmark_method": "cuda_graph", "params": {"M": 1}},
    {"test_case_id": "perf2", "execution_time_ms": 0.7, "benchmark_method": "cuda_graph", "params": {"M": 2}},
]
VLLM_OLD = {"execution_time_ms": 0.037, "shape": {"rows": 4, "cols": 8}}
ROCMBENCH = [
    {
        "op_name": "add",
        "params": {"n": 8, "dtype": "fp16"},
        "timing_ms": {"mean": 0.3, "median": 0.2},
        "benchmark_method": "cuda_event_fallback",
    }
]
GEAK = "measuring\nGEAK_SHAPES_USED=[1, 2]\nGEAK_RESULT_LATENCY_MS=0.0548\n"
OTHERS = {"test_cases": [{"test_case_id": "b1", "execution_time_ms": 1.5}]}
ROCPRIM = [{"test_case_id": "sort/1", "bytes_per_second_gs": 500.0}]
LIBRARY = [
    {
        "test_case_id": "c1",
        "shape": [2, 4],
        "execution_time_ms": 0.1,
        "metadata": {"benchmark_method": "cuda_graph"},
    }
]


def read(report: Any) -> tuple[ScriptTimes, ...] | Rejection:
    data = report if isinstance(report, bytes) else json.dumps(report).encode()
    return read_measured("build/performance_report.json", data, "")


def refused(report: Any) -> tuple[str, str]:
    found = read(report)
    assert isinstance(found, Rejection)
    return found.reason, found.detail


def changed(report: Any, **fields: Any) -> Any:
    """The report with fields of its first case changed; None removes one."""
    copy = json.loads(json.dumps(report))
    (case, *_) = copy["test_cases"] if isinstance(copy, dict) else copy
    case.update(fields)
    for name in [name for name, value in fields.items() if value is None]:
        del case[name]
    return copy


@pytest.mark.parametrize(
    ("report", "identity", "clock", "time_ms"),
    [
        (GPUMODE, "0,x_shape=4x8", "aka_loop", 0.02),
        (TORCH_BASELINE, "0,n=1", "aka_loop", 0.5),
        (TORCH, "0,n=1", "aka_loop", 0.25),
        (VLLM, "perf1,M=1", "cuda_graph", 0.5),
        (VLLM_OLD, "cols=8,rows=4", "aka_events", 0.037),
        (ROCMBENCH, "dtype=fp16,n=8,op_name=add", "cuda_event_fallback", 0.3),
        (OTHERS, "b1", "aka_events", 1.5),
        (ROCPRIM, "sort/1", "ms_per_gigabyte", 2.0),
        (LIBRARY, "c1,shape=2x4", "cuda_graph", 0.1),
    ],
)
def test_each_form_is_recognised_by_what_it_holds(report: Any, identity: str, clock: str, time_ms: float) -> None:
    found = read(report)
    assert not isinstance(found, Rejection)
    assert (found[0].id, found[0].clock, found[0].time_ms) == (identity, clock, time_ms)


def test_a_printed_latency_counts_only_without_a_report() -> None:
    printed = read_measured("", None, GEAK)
    assert not isinstance(printed, Rejection)
    assert [(case.id, case.time_ms) for case in printed] == [("geomean,shapes=[1, 2]", 0.0548)]
    assert isinstance(read_measured("build/performance_report.json", b"[]", GEAK), Rejection)


@pytest.mark.parametrize("printed", ["Performance: 1.5 ms\nPASS\n", GEAK + GEAK, ""])
def test_other_printed_words_are_no_report(printed: str) -> None:
    found = read_measured("", None, printed)
    assert isinstance(found, Rejection)
    assert found.reason == "no_report"


@pytest.mark.parametrize(("value", "reason"), [("0.0000", "impossible_time"), ("N/A", "bad_report")])
def test_a_printed_latency_must_be_a_time(value: str, reason: str) -> None:
    found = read_measured("", None, f"GEAK_RESULT_LATENCY_MS={value}\n")
    assert isinstance(found, Rejection)
    assert found.reason == reason


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 0, 0.0, -2.0])
def test_a_time_that_cannot_be_one_is_refused_with_its_place(value: float) -> None:
    reason, detail = refused(changed(VLLM, execution_time_ms=value))
    assert reason == "impossible_time"
    assert "build/performance_report.json: 0.execution_time_ms: seen" in detail
    assert detail.endswith("expected a finite number above zero")


@pytest.mark.parametrize("report", [GPUMODE, VLLM, OTHERS, LIBRARY])
def test_minus_one_is_a_case_that_raised(report: Any) -> None:
    assert refused(changed(report, execution_time_ms=-1.0))[0] == "case_failed"


def test_minus_one_is_refused_in_the_other_fields_too() -> None:
    assert refused(changed(TORCH, opt_time=-1.0))[0] == "case_failed"
    assert refused(changed(ROCPRIM, bytes_per_second_gs=-1))[0] == "case_failed"
    assert refused(changed(ROCMBENCH, timing_ms={"mean": -1.0}))[0] == "case_failed"


@pytest.mark.parametrize("value", [10**400, 5e-324, 1e300])
def test_a_time_that_no_clock_shows_is_refused(value: float) -> None:
    assert refused(changed(VLLM, execution_time_ms=value))[0] == "impossible_time"
    assert refused(changed(ROCPRIM, bytes_per_second_gs=value))[0] == "impossible_time"


@pytest.mark.parametrize(
    "fields",
    [
        {"error": "boom"},
        *({"correct": value} for value in (False, 0, "false", "no", [])),
        *({"passed": False}, {"success": 0}, {"status": "FAIL"}, {"status": "who knows"}),
    ],
)
def test_a_case_that_says_it_failed_is_refused(fields: dict[str, Any]) -> None:
    assert refused(changed(GPUMODE, **fields))[0] == "case_failed"


@pytest.mark.parametrize("status", ["fail", "partial", "error"])
def test_a_report_that_says_it_failed_is_refused(status: str) -> None:
    reason, detail = refused({**GPUMODE, "status": status})
    assert reason == "case_failed"
    assert f"status: seen '{status}'; expected ok" in detail


def test_the_pytorch_modules_time_never_stands_in_for_the_candidates() -> None:
    assert refused(changed(TORCH, opt_time=None))[0] == "bad_report"


@pytest.mark.parametrize("name", ["execution_time", "time", "latency"])
def test_a_time_without_a_unit_is_refused(name: str) -> None:
    reason, detail = refused(changed(VLLM, execution_time_ms=None, **{name: 999}))
    assert (reason, f"0.{name}: seen 999; expected a name that ends in _ms" in detail) == ("unknown_unit", True)


@pytest.mark.parametrize("name", ["host_time_ms", "wall_time_ms", "elapsed_time_ms", "end_to_end_time_ms", "total_ms"])
def test_a_time_of_the_hosts_clock_is_refused(name: str) -> None:
    assert refused(changed(VLLM, execution_time_ms=None, **{name: 1.0}))[0] == "host_time"


def test_a_method_of_the_host_is_refused() -> None:
    assert refused(changed(VLLM, benchmark_method="cpu_timer_fallback"))[0] == "host_time"
    assert refused(changed(ROCMBENCH, benchmark_method=None))[0] == "host_time"  # perf_counter, at the paper's time
    assert refused(changed(LIBRARY, metadata={"benchmark_method": "serving_wall_clock"}))[0] == "host_time"


def test_an_unknown_method_is_refused() -> None:
    assert refused(changed(VLLM, benchmark_method="sundial"))[0] == "bad_report"


def test_a_case_twice_is_refused_unless_its_dtype_differs() -> None:
    first = {"test_case_id": "a", "execution_time_ms": 1.0, "dtype": "float16"}
    reason, detail = refused([first, first])
    assert (reason, "a,dtype=float16" in detail) == ("duplicate_case", True)
    other = read([first, {**first, "dtype": "float32"}])
    assert not isinstance(other, Rejection)
    assert [case.id for case in other] == ["a,dtype=float16", "a,dtype=float32"]


@pytest.mark.parametrize(
    "report",
    [
        b"",
        b"{",
        b"[]",
        b"3",
        b'"GEAK_RESULT_LATENCY_MS=0.5"',
        b'["x"]',
        b'[{"execution_time_ms": 1, "execution_time_ms": 2}]',
        b"[" * 100_000,
        b"\xff\xfe",
        b'[{"test_case_id": "a", "execution_time_ms": true}]',
        b'[{"test_case_id": "a", "execution_time_ms": "0.5"}]',
        b'[{"test_case_id": "a", "tea_ms": 1}]',
        b'[{"timing_ms": 3, "benchmark_method": "cuda_graph"}]',
        b'{"test_cases": []}',
        b'{"test_cases": 1}',
    ],
)
def test_what_is_no_report_is_refused(report: bytes) -> None:
    assert refused(report)[0] == "bad_report"


def test_a_failed_status_contradicts_exit_code_0() -> None:
    said = status_problem("build/correctness_report.json", b'{"status": "fail", "error": "Shape 1: mismatch"}')
    assert said is not None
    assert "seen status 'fail', Shape 1: mismatch; expected ok" in said
    assert status_problem("build/correctness_report.json", b'{"status": "ok"}') is None
    assert status_problem("build/correctness_report.json", None) is None


@pytest.mark.parametrize(
    "report", [b'{"status": "wrong"}', b'[{"status": "ok"}, {"status": "fail"}]', b'{"passed": false}', b"3", b"[1]"]
)
def test_a_status_that_is_none_of_the_good_ones_contradicts_exit_code_0(report: bytes) -> None:
    assert status_problem("build/correctness_report.json", report) is not None


def test_only_the_old_form_without_cases_has_a_status_of_its_own() -> None:
    assert refused({**VLLM_OLD, "status": "fail"})[0] == "case_failed"


def test_names_are_plain_text_and_numbers_fit_into_a_record() -> None:
    found = read([{"test_case_id": "a\0\x1b[2J\ud800", "execution_time_ms": 1.0, "params": {"n": 10**30}}])
    assert not isinstance(found, Rejection)
    assert found[0].id == f"a\\x00\\x1b[2J\\ud800,n={10**30}"
    assert refused([{"test_case_id": "a" * 2000, "execution_time_ms": 1.0}])[0] == "bad_report"
