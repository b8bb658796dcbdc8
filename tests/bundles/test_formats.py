"""What becomes of each format: statuses, speeds by its own rule, sentinels as None, denominators of the suite."""

from __future__ import annotations

import math
from typing import Any

import pytest

from evaluator.bundles.checking import Checked, check_files
from evaluator.bundles.submission import Claim, Submission
from evaluator.bundles.tasklists import tasks_of
from evaluator.reasons import Status
from tests.bundles.made import (
    GELU,
    KERNEL,
    MATMUL,
    RELU,
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
    workload_line,
    yaml_of,
)


def taken(files: Files) -> Submission:
    checked = check_files(files)
    assert checked.problems == ()
    assert checked.submission is not None
    return checked.submission


def only(files: Files) -> Claim:
    (claim,) = taken(files).claims
    return claim


def refused(files: Files) -> Checked:
    checked = check_files(files)
    assert checked.problems
    return checked


# AgentKernelArena


def test_a_run_folder_becomes_claims_with_both_speeds_and_the_suite_as_denominator() -> None:
    submission = taken(aka())
    (claim,) = submission.claims
    assert (claim.task, claim.is_known, claim.status) == (GELU, True, Status.PASSED)
    assert (claim.claimed_speedup, claim.recomputed_speedup) == (3.0, 3.0)
    assert [case.speedup for case in claim.cases] == [2.0, 4.0]
    assert claim.files == {"gelu.hip": KERNEL}
    assert submission.generation == "v1, later fields"
    assert (len(submission.suite_tasks), len(submission.absent)) == (196, 195)
    assert submission.declared == {"device": "MI300X", "agent": "robot", "started_at": "20260101_000000"}
    assert "model" in submission.asked
    assert "level" not in submission.asked


def test_a_paper_era_result_lacks_the_methods() -> None:
    early = {name: value for name, value in aka_result().items() if "method" not in name}
    assert taken(aka(early)).generation == "v1, paper era"


def test_the_second_generation_is_refused_with_a_sentence() -> None:
    row = {"task_name": GELU, "opt_heldout_correct": True, "orig_heldout_correct": True, "runtime_identity": {}}
    for files in (
        aka(aka_result(task_schema_version=2)),
        aka() | {"run/.task-sessions/x/session.json": b"{}"},
        {"run/x/completion.json": dumped({"version": 1, "task_id": GELU, "result_sha256": "0" * 64})},
        {"run_heldout/x/heldout_task_result.yaml": yaml_of(row)},
        held_out(held_out_row(True, True, "both_pass")) | {"run/.task-sessions/x/session.json": b"{}"},
    ):
        (problem,) = refused(files).problems
        assert "the second generation" in problem.seen
        assert problem.hint


@pytest.mark.parametrize(
    ("changes", "status", "reason"),
    [
        ({"pass_compilation": False}, Status.BUILD_FAILED, "compiler_error"),
        ({"pass_correctness": False}, Status.WRONG_OUTPUT, "check_failed"),
        ({"pass_correctness": None}, Status.WRONG_OUTPUT, "check_failed"),
        ({"pass_correctness": 1}, Status.WRONG_OUTPUT, "check_failed"),
        ({"pass_correctness": "pass"}, Status.WRONG_OUTPUT, "check_failed"),
    ],
)
def test_only_true_is_a_pass(changes: dict[str, Any], status: Status, reason: str) -> None:
    claim = only(aka(aka_result(**changes)))
    assert (claim.status, claim.reason, claim.recomputed_speedup) == (status, reason, None)


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        (aka_times(1.0), "case_mismatch"),
        (aka_times(1.0, 1.0, 1.0), "case_mismatch"),
        (aka_times(1.0, 1.0, params={"M": 7}), "case_mismatch"),
        (aka_times(1.0, 1.0, benchmark_method="cuda_event_fallback"), "method_mismatch"),
        (aka_times(1.0, math.nan), "impossible_time"),
        (aka_times(1.0, math.inf), "impossible_time"),
        (aka_times(1.0, 0), "impossible_time"),
        (aka_times(1.0, -1.0), "impossible_time"),
        (aka_times(1.0, True), "impossible_time"),
        (aka_times(1.0, "N/A"), "impossible_time"),
        (aka_times(1.0, 10**400), "impossible_time"),
        (aka_times(1e-320, 1e-320), "impossible_time"),
        ({"test_cases": []}, "case_mismatch"),
        ({}, "no_report"),
    ],
)
def test_a_pass_with_times_that_make_no_speed_is_implausible(after: dict[str, Any], reason: str) -> None:
    claim = only(aka(after=after or {"nothing": 1}))
    assert (claim.status, claim.reason, claim.recomputed_speedup) == (Status.IMPLAUSIBLE, reason, None)
    assert claim.claimed_speedup == 3.0


def test_the_cases_are_matched_by_name_not_by_order() -> None:
    after = aka_times(1.0, 1.0)
    after["test_cases"].reverse()
    assert only(aka(after=after)).recomputed_speedup == 3.0


def test_infinity_in_a_claim_stays_as_it_was_written_and_counts_for_nothing() -> None:
    claim = only(aka(aka_result(speedup_ratio=math.inf, score=math.inf)))
    assert (claim.claimed["speedup_ratio"], claim.claimed["score"], claim.claimed_speedup) == ("inf", "inf", None)


def test_a_workspace_without_a_result_is_not_judged_and_its_name_is_found_again() -> None:
    claim = only(aka({}, folder="run/hip2hip_gpumode_GELU_20260101_000000"))
    assert (claim.task, claim.status) == (GELU, Status.NOT_JUDGED)


def test_an_unknown_task_is_kept_in_quarantine() -> None:
    submission = taken(aka(aka_result("hip2hip/gpumode/NoSuchThing")))
    assert [claim.is_known for claim in submission.claims] == [False]
    assert submission.count(Status.PASSED) == 0
    assert len(submission.absent) == 196


# held-out


def test_quadrants_come_from_the_outcomes() -> None:
    rows = [
        held_out_row(True, True, "both_pass", GELU),
        held_out_row(True, False, "opt_regression", "hip2hip/gpumode/SiLU"),
        held_out_row(False, True, "opt_improvement", "hip2hip/gpumode/TanH"),
        held_out_row(False, False, "both_fail", "hip2hip/gpumode/Sigmoid", error="timed out"),
    ]
    submission = taken(held_out(*rows, total_tasks=4, conditional_correctness={"rate_pct": 50.0}))
    found = [claim.claimed["quadrant"] for claim in submission.claims]
    assert found == ["both_pass", "opt_regression", "opt_improvement", "evaluation_error"]
    assert submission.claims[3].status is Status.NOT_JUDGED
    totals = {total.name: total.recomputed for total in submission.totals}
    assert totals == {"total_tasks": 4, "rate_pct": 50.0}


def test_files_of_single_tasks_are_read_too() -> None:
    raw = {
        "task_name": GELU,
        "generalization_status": "opt_regression",
        "orig_heldout_pass_correctness": True,
        "opt_pass_correctness": False,
        "speedup_ratio": 0.0,
        "error": None,
    }
    claim = only({"run/a/heldout_task_result.yaml": yaml_of(raw), "run/a/task_result.yaml": yaml_of(aka_result())})
    assert (claim.status, claim.claimed["quadrant"]) == (Status.WRONG_OUTPUT, "opt_regression")


# KernelBench-X


def test_the_speed_is_sum_over_sum_of_the_same_sizes() -> None:
    submission = taken(kbx())
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
    assert "alone" in problem.seen


def test_the_corpus_becomes_a_claim_for_each_round_and_side() -> None:
    row = corpus_line({"speedup": 1.0}, {"speedup": 2.0})
    again = corpus_line({"speedup": 2.0}, {"exe_ok": False, "speedup": "N/A"}, from_round="round_1", to_round="round_2")
    claims = taken({"corpus.jsonl": lines(row, again)}).claims
    assert [(claim.attempt, claim.status, claim.claimed_speedup) for claim in claims] == [
        ("round_0", Status.PASSED, 1.0),
        ("round_1", Status.PASSED, 2.0),
        ("round_2", Status.WRONG_OUTPUT, None),
    ]


# KernelBench


def test_both_shapes_of_results_are_read() -> None:
    for results in ({"1": kb_result()}, {"1": [kb_result(), kb_result(sample_id=1)]}):
        submission = taken(kb(results))
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
    submission = taken(kb(declared=""))
    assert (submission.suite, submission.claims[0].is_known) == (None, False)
    assert "level" in submission.asked


# FlashInfer


def test_a_definition_is_passed_only_on_all_its_workloads() -> None:
    claim = only(fib())
    assert (claim.task, claim.attempt, claim.status, claim.recomputed_speedup) == ("gemm", "fast", Status.PASSED, 2.0)
    assert claim.files == {"kernel.py": b"x = 1\n"}
    assert only(fib(trace(1))).status is Status.IMPLAUSIBLE
    assert only(fib(trace(1), trace(2, "RUNTIME_ERROR"))).status is Status.CRASHED
    assert only(fib(trace(1), trace(2, "TIMEOUT"))).status is Status.TIMED_OUT


def test_of_a_workload_that_stands_twice_the_slower_one_counts() -> None:
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


def test_a_source_path_that_leads_elsewhere_is_a_problem() -> None:
    solution = {"name": "fast", "definition": "gemm", "sources": [{"path": "../x.py", "content": ""}]}
    checked = refused(fib(**{"solutions/robot/gemm/gemm/fast.json": dumped(solution)}))
    assert "relative path" in checked.problems[0].expected


# all of them


def test_what_is_no_format_is_told_with_what_would_be() -> None:
    (problem,) = refused({"notes.txt": b"hello"}).problems
    assert problem.seen == "notes.txt"
    assert "task_result.yaml" in problem.hint


def test_a_file_that_cannot_be_read_is_named_even_where_it_hides_the_format() -> None:
    places = [problem.place for problem in refused({"metrics.json": b'{"a": 1, "a": 2}'}).problems]
    assert places == ["metrics.json", "the bundle"]


def test_results_of_two_benchmarks_are_not_one_bundle() -> None:
    (problem,) = refused(aka() | kb()).problems
    assert "AgentKernelArena and KernelBench" in problem.seen


def test_every_problem_comes_at_once() -> None:
    files = aka(
        before={"test_cases": [1, 2]}, **{"reports/overall_summary.csv": b"a,b\n", "arenaboard.yaml": b"colour: red\n"}
    )
    places = [problem.place.rpartition("/")[2] for problem in refused(files).problems]
    assert places == [
        "baseline_perf.yaml: test_cases.0",
        "baseline_perf.yaml: test_cases.1",
        "overall_summary.csv",
        "arenaboard.yaml: colour",
    ]


def test_what_a_bundle_declares_is_not_asked_for() -> None:
    submission = taken(aka(**{"arenaboard.yaml": b"model: some-model-1\nagent: another\n"}))
    assert (submission.declared["model"], submission.declared["agent"]) == ("some-model-1", "another")
    assert "model" not in submission.asked


def test_logs_are_masked_before_anybody_reads_them() -> None:
    text = "File /home/someone/x.py, token = ghp_0123456789abcdefghij01"
    claim = only(kb({"1": kb_result(-1.0, compiled=False, metadata={"compilation_error": text})}))
    assert claim.message == "File [masked]/x.py, [masked]"


def test_the_lists_of_tasks_have_the_sizes_that_their_papers_say() -> None:
    assert (len(tasks_of("arena-paper-196")), len(tasks_of("kernelbenchx-176"))) == (196, 176)
    counts = [sum(task.startswith(kind) for task in tasks_of("arena-paper-196")) for kind in ("hip2hip", "torch2hip")]
    assert counts == [24, 24]
