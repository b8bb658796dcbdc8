"""Findings are the same for all forms of a benchmark, and files beside the numbers are read or named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evaluator.bundles.checking import check
from evaluator.records.reasons import Status
from tests.bundles.accepted import accepted, only
from tests.bundles.made import (
    GELU,
    MATMUL,
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
    kbx,
    kbx_row,
    kbx_sizes,
    lines,
    trace,
)

EXCESSIVE: dict[str, Files] = {
    "AgentKernelArena": aka(aka_result(speedup_ratio=822.0)),
    "AgentKernelArena held-out": held_out(held_out_row(True, True, "both_pass", heldout_speedup=822.0)),
    "KernelBench": kb({"1": kb_result(0.001)}),
    "KernelBench leaderboard": kb_ranked(kb_ranked_row(speedup=822.0)),
    "KernelBench-X": kbx({MATMUL: kbx_row(0.5, 0.5, 1.0, 2.0, speedup=822.0)}),
    "KernelBench-X corpus": {"corpus.jsonl": lines(corpus_line({"speedup": 1.0}, {"speedup": 822.0}))},
    "FlashInfer traces": fib(trace(1), trace(2, times={"speedup_factor": 822.0})),
}


def codes(files: Files) -> set[str]:
    return {finding.code for finding in accepted(files).findings}


@pytest.mark.parametrize("form", EXCESSIVE)
def test_every_form_names_a_speedup_that_is_too_large(form: str) -> None:
    assert accepted(EXCESSIVE[form]).format == form
    assert "excessive_speedup" in codes(EXCESSIVE[form])


@pytest.mark.parametrize("time", [None, "N/A", -1.0, 0])
def test_a_right_round_without_a_time_is_judged_like_a_run(time: object) -> None:
    files = {"corpus.jsonl": lines(corpus_line({"speedup": 1.0}, {"runtime_ms": time, "speedup": None}))}
    first, second = accepted(files).claims
    assert (first.status, second.status, second.reason) == (Status.PASSED, Status.IMPLAUSIBLE, "no_report")
    run = only(kbx({MATMUL: kbx_row(perf_ok=True, runtime_ms=time, performance=[])}))
    assert (run.status, run.reason) == (second.status, second.reason)
    assert "correct_without_time" in codes(files)


@pytest.mark.parametrize(
    "round", [{"runtime_ms": 1.5}, {"runtime_ms": None, "speedup": 2.0}, {"runtime_ms": "N/A", "speedup": 2.0}]
)
def test_a_round_with_a_time_or_a_speedup_is_timed(round: dict[str, Any]) -> None:
    files = {"corpus.jsonl": lines(corpus_line({"speedup": 1.0}, round))}
    assert [claim.status for claim in accepted(files).claims] == [Status.PASSED, Status.PASSED]
    assert "correct_without_time" not in codes(files)


def test_a_change_within_noise_is_the_one_that_is_and_of_a_right_kernel() -> None:
    changes = {"base_execution_time": 1.005, "speedup_ratio": 0.9}
    before, after = aka_times(1.005, 1.005), aka_times(1.0, 1.0)
    found = accepted(aka(aka_result(**changes), before, after)).findings
    assert [finding.text for finding in found if finding.code == "within_noise"] == [
        "A change that is called faster is less than 1 %: 1.005 times the baseline."
    ]
    assert "within_noise" not in codes(aka(aka_result(**changes | {"speedup_ratio": 1.005, "pass_correctness": False})))


def test_a_corpus_has_the_marks_of_a_run() -> None:
    marked = {"dtype": "float32", "maintainability": 60.0, "speedup": 1.5}
    line = corpus_line({"speedup": 1.0}, marked, task_id=MATMUL, after_code="")
    assert {"dtype_by_default", "quality_of_tests", "no_sources"} <= codes({"corpus.jsonl": lines(line)})


def test_a_size_that_golden_rows_have_twice_gives_no_speedup() -> None:
    twice = kbx_sizes(1.0, 1.0, 2.0, 4.0) + kbx_sizes(9.0)
    files = kbx(golden=twice)
    claim = only(files)
    assert (claim.status, claim.recomputed_speedup) == (Status.PASSED, None)
    assert "duplicate_case" in codes(files)
    both = only(kbx({MATMUL: kbx_row(0.5, 0.5, 1.0, 2.0, performance=twice)}, golden=twice))
    assert (both.status, both.recomputed_speedup) == (Status.PASSED, None)


@pytest.mark.parametrize(
    ("report", "code", "reason"),
    [
        ([{"test_case_id": "perf1", "execution_time": 1001.0}], "report_contradicts", "unknown_unit"),
        ([{"test_case_id": "perf1", "execution_time": 1.0}], "unknown_unit", "unknown_unit"),
        ({"test_cases": [{"test_case_id": "perf2", "time": 0.001}]}, "report_contradicts", "unknown_unit"),
        ([{"test_case_id": "perf1", "execution_time_ms": 7.0}], "report_contradicts", "impossible_time"),
        ([{"test_case_id": "perf1", "execution_time_ms": -1.0}], "report_contradicts", "impossible_time"),
        ([{"test_case_id": "perf1", "timing_ms": {"mean": 7.0, "min": 6.0}}], "report_contradicts", "impossible_time"),
    ],
)
def test_a_result_must_be_what_the_tasks_own_script_reported(report: object, code: str, reason: str) -> None:
    files = aka(folder="run", **{"run/build/performance_report.json": dumped(report)})
    claim = only(files)
    assert (claim.status, claim.reason, claim.recomputed_speedup) == (Status.IMPLAUSIBLE, reason, None)
    assert code in codes(files)


def test_a_contradicted_time_is_ignored_and_the_results_own_numbers_still_fit() -> None:
    report = dumped([{"test_case_id": "perf1", "execution_time": 1.0}])
    files = aka(folder="run", **{"run/build/performance_report.json": report})
    claim = only(files)
    assert (claim.reason, [case.candidate_ms for case in claim.cases]) == ("unknown_unit", [None, 1.0])
    assert codes(files) == {"matched_by_name", "absent_tasks", "unknown_unit"}


@pytest.mark.parametrize(
    "report",
    [
        [{"test_case_id": "perf1", "execution_time_ms": 1.0, "execution_time": 0.001}],
        {"status": "ok", "speedup": 2.0, "test_cases": [{"test_case_id": "perf1", "opt_time": 1.0, "ref_time": 2.0}]},
        [{"test_case_id": "perf1", "timing_ms": {"mean": 1.0, "median": 0.9}}],
        [{"test_case_id": "another", "execution_time": 5.0}],
        [{"test_case_id": "perf1", "execution_time_ms": 10**400}],
        "nonsense",
    ],
)
def test_a_report_that_agrees_or_says_nothing_changes_nothing(report: object) -> None:
    claim = only(aka(folder="run", **{"run/build/performance_report.json": dumped(report)}))
    assert (claim.status, claim.recomputed_speedup) == (Status.PASSED, 3.0)


def test_a_report_that_was_cut_off_is_named_and_refuses_nothing() -> None:
    files = aka(folder="run", **{"run/build/performance_report.json": b'[{"test_case_id": "perf'})
    assert (only(files).status, only(files).recomputed_speedup) == (Status.PASSED, 3.0)
    found = [finding for finding in accepted(files).findings if finding.code == "broken_report"]
    assert [(finding.place, finding.task) for finding in found] == [("run/build/performance_report.json", GELU)]


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"call_ok": False, "exe_ok": False, "error": "Generation failed: empty prediction"}, Status.NOT_PRODUCED),
        ({"call_ok": False, "exe_ok": False, "error": "SyntaxError: Generation failed"}, Status.BUILD_FAILED),
        ({"perf_ok": False, "error": "perf error: TIMEOUT: killed relu_perf.py after 180 seconds"}, Status.TIMED_OUT),
    ],
)
def test_kernelbench_xs_own_words_are_heard_in_both_forms(changes: dict[str, Any], status: Status) -> None:
    run = only(kbx({MATMUL: kbx_row(performance=[], **changes)}))
    (_, after) = accepted({"corpus.jsonl": lines(corpus_line({"speedup": 1.0}, changes))}).claims
    assert (run.status, after.status) == (status, status)


@pytest.mark.parametrize(
    ("compiled", "message", "status"),
    [
        (False, "Compilation failed\nSTDOUT:\n\nSTDERR:\nCommand timed out after 300 seconds", Status.TIMED_OUT),
        (True, "Correctness test failed\nSTDOUT:\n\nSTDERR:\nCommand timed out after 9 seconds", Status.TIMED_OUT),
        (True, "Correctness test failed\nSTDOUT:\nCommand timed out after 9 seconds\nSTDERR:\n", Status.WRONG_OUTPUT),
        (False, "No compile_command specified", Status.NOT_JUDGED),
        (False, "Compilation failed\nSTDOUT:\n\nSTDERR:\nx.hip:1: error: no", Status.BUILD_FAILED),
    ],
)
def test_a_command_that_was_ended_is_no_failed_build(compiled: bool, message: str, status: Status) -> None:
    messages = {"compilation_error_message": message, "correctness_error_message": message}
    result = aka_result(pass_compilation=compiled, pass_correctness=False, speedup_ratio=0.0, **messages)
    assert only(aka(result)).status is status


def test_sources_and_logs_beside_the_rows_are_read() -> None:
    row = kbx_row(perf_ok=False, performance=[], code="", error="the beginning", runtime_ms="N/A", speedup="N/A")
    called = b"import triton\n" + b"#" * 146 + b"\ndef test(): ...\n"
    beside = {"intermediate/call_acc/matmul_w8a8.py": called, "perf_logs/matmul_w8a8_perf.py.err": b"\nthe end\n"}
    claim = only(kbx({MATMUL: row}, **beside))
    assert (claim.files, claim.message) == ({MATMUL: b"import triton\n"}, "the end")


def test_files_in_folders_of_categories_are_beside_the_rows() -> None:
    row = kbx_row(performance=[], runtime_ms=4.0)
    times = {"perf_results/Quantization/matmul_w8a8.json": dumped(kbx_sizes(0.5, 0.5, 1.0, 2.0))}
    files = kbx({MATMUL: row}, **times)
    assert (only(files).status, only(files).recomputed_speedup) == (Status.PASSED, 2.0)
    assert "unread_file" not in codes(files)
    whole = {f"perf_results/{name}": data for name, data in kbx({MATMUL: row}).items()}
    assert only(whole).status is Status.IMPLAUSIBLE  # golden times are nobody's own


def test_a_killed_timing_is_heard_beside_the_log_of_it() -> None:
    error = "perf error: TIMEOUT: killed matmul_w8a8_perf.py after 180 seconds"
    row = kbx_row(perf_ok=False, performance=[], error=error)
    claim = only(kbx({MATMUL: row}, **{"perf_logs/matmul_w8a8_perf.py.err": b"a warning\n"}))
    assert (claim.status, claim.message) == (Status.TIMED_OUT, "a warning")


def test_the_message_of_traces_is_that_of_the_failure() -> None:
    claim = only(fib(trace(1, log="all is well"), trace(2, "RUNTIME_ERROR", log="illegal address")))
    assert (claim.status, claim.message) == (Status.CRASHED, "illegal address")


def test_what_no_number_comes_from_is_named() -> None:
    unused = dumped({"name": "slow", "definition": "gemm", "sources": []})
    copies = {f"run{index}/config.json": b"{}" for index in range(3)}
    many = {f"blob/{index}.safetensors": b"" for index in range(13)}
    found = accepted(fib(**{"solutions/robot/gemm/gemm/slow.json": unused, "notes.md": b""}, **copies, **many)).findings
    texts = [finding.text for finding in found if finding.code == "unread_file"]
    assert [text.rpartition(": ")[2] for text in texts] == [
        *("13 in blob.", "notes.md.", "3 named config.json.", "solutions/robot/gemm/gemm/slow.json.")
    ]


def test_links_come_with_a_hint(tmp_path: Path) -> None:
    for name, data in fib().items():
        (tmp_path / "set" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "set" / name).write_bytes(data)
    (tmp_path / "set" / "workloads").rename(tmp_path / "workloads")
    (tmp_path / "set" / "workloads").symlink_to(tmp_path / "workloads")
    (problem,) = check(tmp_path / "set").problems
    assert (problem.place, problem.seen) == ("workloads", "a link or special file")
    assert "cp -rL" in problem.hint
