"""KernelBench-X, KernelBench and FlashInfer: statuses, speedups by their rules, sentinels as None."""

from __future__ import annotations

import math
from typing import Any

import pytest

from evaluator.records.reasons import Status
from tests.bundles.accepted import accepted, only, refused
from tests.bundles.made import (
    MATMUL,
    RELU,
    corpus_line,
    dumped,
    fib,
    kb,
    kb_result,
    kbx,
    kbx_row,
    kbx_sizes,
    lines,
    trace,
    workload_line,
)


def test_the_speed_is_sum_over_sum_of_the_same_sizes() -> None:
    submission = accepted(kbx())
    (claim,) = submission.claims
    assert (claim.task, claim.status, claim.recomputed_speedup) == (MATMUL, Status.PASSED, 2.0)
    assert len(submission.suite_tasks) == 176


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"call_ok": False}, Status.BUILD_FAILED),
        ({"exe_ok": False}, Status.WRONG_OUTPUT),
        ({"exe_ok": "N/A"}, Status.WRONG_OUTPUT),
        ({"perf_ok": False, "speedup": "N/A", "runtime_ms": "N/A", "performance": []}, Status.IMPLAUSIBLE),
    ],
)
def test_a_failed_stage_is_a_status_and_its_markers_are_none(changes: dict[str, Any], status: Status) -> None:
    claim = only(kbx({MATMUL: kbx_row(0.5, 0.5, 1.0, 2.0, **changes)}))
    assert (claim.status, claim.recomputed_speedup) == (status, None)
    if changes.get("speedup"):
        assert claim.claimed_speedup is None


def test_without_the_largest_size_there_is_no_speed() -> None:
    claim = only(kbx({MATMUL: kbx_row(0.5, 0.5, 1.0, speedup=4.0)}))
    assert (claim.status, claim.reason, claim.recomputed_speedup) == (Status.IMPLAUSIBLE, "case_mismatch", None)


def test_the_stages_alone_are_joined_by_the_suite() -> None:
    files = {
        "intermediate/results_call.jsonl": lines({"file": RELU, "ok": True, "code": "x = 1"}),
        "intermediate/results_exe.jsonl": lines({"file": "relu.py", "ok": True}),
        "intermediate/results_eff.jsonl": lines({"file": "relu.py", "ok": True, "speedup": 1.5}),
        "perf_results/relu.json": dumped(kbx_sizes(*[0.5] * 16)),
    }
    claim = only(files)
    assert (claim.task, claim.status, claim.claimed_speedup, len(claim.cases)) == (RELU, Status.PASSED, 1.5, 16)
    assert claim.files == {RELU: b"x = 1"}


def test_of_several_machines_one_must_be_named() -> None:
    other = {"golden_results/5090/matmul_w8a8.json": dumped(kbx_sizes(3.0, 1.0, 2.0, 4.0))}
    (problem,) = refused(kbx(**other)).problems
    assert "golden_machine" in problem.hint
    named = kbx(**other, **{"arenaboard.yaml": b"golden_machine: a100"})
    assert only(named).recomputed_speedup == 2.0


def test_golden_results_alone_are_no_run() -> None:
    (problem,) = refused({"5090/gelu.json": dumped(kbx_sizes(1.0))}).problems
    assert "only the golden times" in problem.seen


def test_the_corpus_becomes_a_claim_for_each_round_and_side() -> None:
    row = corpus_line({"speedup": 1.0}, {"speedup": 2.0})
    again = corpus_line({"speedup": 2.0}, {"exe_ok": False, "speedup": "N/A"}, from_round="round_1", to_round="round_2")
    claims = accepted({"corpus.jsonl": lines(row, again)}).claims
    assert [(claim.attempt, claim.status, claim.claimed_speedup) for claim in claims] == [
        ("round_0", Status.PASSED, 1.0),
        ("round_1", Status.PASSED, 2.0),
        ("round_2", Status.WRONG_OUTPUT, None),
    ]


@pytest.mark.parametrize(
    ("given", "counted"),
    [
        (["Loss/relu.py"], [RELU]),
        (["Loss/relu.py", RELU], []),  # which of the two is the suite's task?
        (["Loss/relu.py", "Math/relu.py"], []),
        (["Loss/no_such_name.py"], []),
        ([RELU], [RELU]),
    ],
)
def test_a_task_of_the_corpus_in_another_folder_counts_where_its_name_is_unique(given, counted) -> None:
    rows = [corpus_line({"speedup": 1.0}, {"speedup": 2.0}, task_id=task) for task in given]
    claims = accepted({"corpus.jsonl": lines(*rows)}).claims
    others = [task for task in given if task != RELU] if not counted else []
    assert {claim.task for claim in claims if not claim.is_known} == set(others)
    assert [claim.task for claim in claims if claim.is_known] == 2 * (counted or [RELU] * (RELU in given))
    assert all(list(claim.files) == [claim.task] for claim in claims)


def test_both_shapes_of_results_are_read() -> None:
    for results in ({"1": kb_result()}, {"1": [kb_result(), kb_result(sample_id=1)]}):
        submission = accepted(kb(results))
        first = submission.claims[0]
        assert (first.task, first.status, first.recomputed_speedup) == ("level3/1", Status.PASSED, 2.0)
        assert [claim.is_known for claim in submission.claims] == [True, False][: len(submission.claims)]
        assert (submission.suite, len(submission.suite_tasks)) == ("kernelbench-level3", 50)


def test_a_baseline_of_other_hardware_gives_no_speed() -> None:
    assert only(kb(hardware="NVIDIA L40S")).recomputed_speedup is None


@pytest.mark.parametrize(
    ("result", "status"),
    [
        (kb_result(-1.0, compiled=False, correctness=False), Status.BUILD_FAILED),
        (kb_result(-1.0, correctness=False, metadata={"correctness_issue": "Output mismatch"}), Status.WRONG_OUTPUT),
        (kb_result(-1.0, correctness=False, metadata={"runtime_error": "boom"}), Status.CRASHED),
        (kb_result(-1.0, correctness=False, metadata={"error": ""}), Status.WRONG_OUTPUT),
        (kb_result(-1.0), Status.IMPLAUSIBLE),
        (kb_result(math.nan), Status.IMPLAUSIBLE),
    ],
)
def test_what_a_result_says_is_its_status(result: dict[str, Any], status: Status) -> None:
    assert only(kb({"1": result})).status is status


def test_without_a_level_nothing_is_counted() -> None:
    submission = accepted(kb(declared=""))
    assert (submission.suite, submission.claims[0].is_known) == (None, False)
    assert "level" in submission.asked


def test_a_definition_is_passed_only_on_all_its_workloads() -> None:
    claim = only(fib())
    assert (claim.task, claim.attempt, claim.status, claim.recomputed_speedup) == ("gemm", "fast", Status.PASSED, 2.0)
    assert claim.files == {"kernel.py": b"x = 1\n"}
    assert only(fib(trace(1))).status is Status.IMPLAUSIBLE
    assert only(fib(trace(1), trace(2, "RUNTIME_ERROR"))).status is Status.CRASHED
    assert only(fib(trace(1), trace(2, "TIMEOUT"))).status is Status.TIMED_OUT


def test_of_a_duplicate_workload_the_slower_one_counts() -> None:
    slow = trace(2, times={"latency_ms": 4.0, "speedup_factor": 0.5})
    assert only(fib(trace(1), trace(2), slow)).recomputed_speedup == (2.0 + 0.5) / 2


def test_numbers_that_are_spelled_are_none() -> None:
    claim = only(fib(trace(1), trace(2, times={"latency_ms": "nan", "speedup_factor": "inf"})))
    assert (claim.status, claim.cases[1].candidate_ms) == (Status.IMPLAUSIBLE, None)


def test_workloads_alone_and_the_older_generation_are_refused() -> None:
    alone = refused({"workloads/gemm.jsonl": lines(workload_line())})
    assert "no trace with an evaluation" in alone.problems[0].seen
    old = refused(fib(trace(1, environment={"device": "B200"})))
    assert "older generation" in old.problems[0].seen


def test_a_source_that_is_no_unicode_is_a_problem() -> None:
    solution = b'{"name": "fast", "sources": [{"path": "x.py", "content": "\\ud800"}]}'
    for files in (
        fib(**{"solutions/robot/gemm/gemm/fast.json": solution}),
        kbx({MATMUL: kbx_row(0.5, 0.5, 1.0, 2.0, code="\ud800")}),
    ):
        assert [problem.expected for problem in refused(files).problems] == ["a source that can be written as UTF-8"]


def test_a_source_path_that_leads_elsewhere_is_a_problem() -> None:
    solution = {"name": "fast", "definition": "gemm", "sources": [{"path": "../x.py", "content": ""}]}
    checked = refused(fib(**{"solutions/robot/gemm/gemm/fast.json": dumped(solution)}))
    assert "relative path" in checked.problems[0].expected
