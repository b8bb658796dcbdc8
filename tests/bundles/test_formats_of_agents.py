"""AgentKernelArena's run folders and held-out summaries: statuses, speedups by its rule, quadrants."""

from __future__ import annotations

import math
from typing import Any

import pytest

from evaluator.bundles.checking import check_files
from evaluator.records.reasons import Status
from tests.bundles.accepted import accepted, only, refused
from tests.bundles.made import (
    GELU,
    KERNEL,
    aka,
    aka_result,
    aka_times,
    dumped,
    held_out,
    held_out_row,
    yaml_of,
)


def test_a_run_folder_becomes_claims_with_both_speeds_and_the_suite_as_denominator() -> None:
    submission = accepted(aka())
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


@pytest.mark.parametrize("day", ["20990101_000000", "2099-01-01T00:00:00Z", "2099", "9999-12-31"])
def test_a_day_from_the_future_is_refused_wherever_it_is_said(day: str) -> None:
    folder = f"workspace_MI300X_robot/run_{day}/hip2hip_gpumode_GELU_20260101_000000"
    declared = {"arenaboard.yaml": f"started_at: '{day}'".encode()}
    for found in (
        check_files(aka(folder=folder)),
        check_files(aka(**declared)),
        check_files(aka(), {"started_at": day}),
    ):
        assert [problem.place for problem in found.problems] == ["declared facts: started_at"]


def test_a_folder_may_be_named_after_anything() -> None:
    for name in ("4096_tokens", "98765432", "2026", "first"):
        folder = f"workspace_MI300X_robot/run_{name}/hip2hip_gpumode_GELU_20260101_000000"
        assert check_files(aka(folder=folder)).problems == ()


def test_a_paper_era_result_lacks_the_methods() -> None:
    early = {name: value for name, value in aka_result().items() if "method" not in name}
    assert accepted(aka(early)).generation == "v1, paper era"


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


def test_an_unknown_task_is_in_quarantine() -> None:
    submission = accepted(aka(aka_result("hip2hip/gpumode/NoSuchThing")))
    assert [claim.is_known for claim in submission.claims] == [False]
    assert submission.count(Status.PASSED) == 0
    assert len(submission.absent) == 196


def test_quadrants_come_from_the_outcomes() -> None:
    rows = [
        held_out_row(True, True, "both_pass", GELU),
        held_out_row(True, False, "opt_regression", "hip2hip/gpumode/SiLU"),
        held_out_row(False, True, "opt_improvement", "hip2hip/gpumode/TanH"),
        held_out_row(False, False, "both_fail", "hip2hip/gpumode/Sigmoid", error="timed out"),
    ]
    submission = accepted(held_out(*rows, total_tasks=4, conditional_correctness={"rate_pct": 50.0}))
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
