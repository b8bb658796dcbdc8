"""Outcomes of an evaluation: statuses, flags, and every reason with its status and sentence."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Status(StrEnum):
    """Statuses of a finished evaluation; queued, running and cancelled exist only in the site's database."""

    PASSED = "passed"
    BUILD_FAILED = "build_failed"
    WRONG_OUTPUT = "wrong_output"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    TAMPERED = "tampered"
    IMPLAUSIBLE = "implausible"
    NOT_PRODUCED = "not_produced"
    NOT_JUDGED = "not_judged"
    ERRORED = "errored"


class Flag(StrEnum):
    HOLD = "hold"
    NOISY = "noisy"
    HOST_BOUND = "host_bound"
    CENSORED = "censored"
    SCRIPT_TIMED = "script_timed"
    FUNCTIONAL = "functional"
    ORDER_DEPENDENT = "order_dependent"
    UNCALIBRATED = "uncalibrated"
    QUICK = "quick"  # fewer draws, one session, no other clocks: never published (record.why_private)


# Reason code → its status and one sentence for people. The gate fills in {detail}.
REASONS: Mapping[str, tuple[Status, str]] = {
    "not_written": (Status.NOT_PRODUCED, "The candidate has no {detail}."),
    "other_category": (Status.NOT_PRODUCED, "The agent takes no {detail} tasks."),
    "extra_file": (Status.TAMPERED, "The candidate has a file that it may not have: {detail}."),
    "protected_file": (Status.TAMPERED, "The candidate changes a protected file: {detail}."),
    "not_a_source": (Status.TAMPERED, "The candidate has something that is not a plain source file: {detail}."),
    "forged_reply": (Status.TAMPERED, "The worker's channel carried a message that was not requested: {detail}."),
    "task_changed": (Status.TAMPERED, "A file of the task changed while the candidate was evaluated: {detail}."),
    "syntax_error": (Status.BUILD_FAILED, "The source cannot be parsed: {detail}."),
    "compiler_error": (Status.BUILD_FAILED, "The source does not compile: {detail}."),
    "target_compiler_error": (Status.BUILD_FAILED, "The source does not compile for {detail}."),
    "no_module": (
        Status.BUILD_FAILED,
        "The source has no PYBIND11_MODULE(TORCH_EXTENSION_NAME, …) to call it by.",
    ),
    "import_error": (Status.BUILD_FAILED, "The module cannot be imported: {detail}."),
    "no_entry": (Status.BUILD_FAILED, "The module has no function named {detail}."),
    "mismatch": (Status.WRONG_OUTPUT, "The output is wrong: {detail}."),
    "nan": (Status.WRONG_OUTPUT, "The output and the reference hold NaN in different places: {detail}."),
    "infinite": (Status.WRONG_OUTPUT, "The output and the reference differ in infinite values: {detail}."),
    "wrong_count": (Status.WRONG_OUTPUT, "The candidate returns the wrong number of outputs: {detail}."),
    "wrong_type": (Status.WRONG_OUTPUT, "An output is not a plain tensor: {detail}."),
    "wrong_dtype": (Status.WRONG_OUTPUT, "An output has the wrong dtype: {detail}."),
    "wrong_shape": (Status.WRONG_OUTPUT, "An output has the wrong shape: {detail}."),
    "wrong_layout": (Status.WRONG_OUTPUT, "An output has the wrong device or layout: {detail}."),
    "aliases_input": (Status.WRONG_OUTPUT, "An output lies in the memory of an input: {detail}."),
    "input_changed": (Status.WRONG_OUTPUT, "The candidate changes an input it may only read: {detail}."),
    "wrote_outside": (Status.WRONG_OUTPUT, "The candidate writes outside its buffers: {detail}."),
    "out_of_bounds": (Status.CRASHED, "The kernel reads or writes outside its buffers: {detail}."),
    "device_error": (Status.CRASHED, "The GPU reports an error: {detail}."),
    "segfault": (Status.CRASHED, "The process died of a memory fault: {detail}."),
    "aborted": (Status.CRASHED, "The process aborted: {detail}."),
    "killed": (Status.CRASHED, "The process was killed by a signal: {detail}."),
    "raised": (Status.CRASHED, "The candidate raised an exception: {detail}."),
    "out_of_memory": (Status.CRASHED, "The candidate needs more memory than the task allows: {detail}."),
    "sandbox_limit": (
        Status.CRASHED,
        "The candidate's processes together use more than the sandbox allows: {detail}.",
    ),
    "no_output": (Status.CRASHED, "The process ended before it returned an output: {detail}."),
    "flood": (Status.CRASHED, "The candidate prints too much: {detail}."),
    "repeated_fault": (Status.CRASHED, "The host failed twice on this candidate and is healthy without it: {detail}."),
    "build_time": (Status.TIMED_OUT, "Building took longer than allowed: {detail}."),
    "call_time": (Status.TIMED_OUT, "A call took longer than allowed: {detail}."),
    "total_time": (Status.TIMED_OUT, "The evaluation took longer than allowed: {detail}."),
    # Only of mounted tasks, whose own scripts check and time (evaluator/mounted).
    "check_failed": (Status.WRONG_OUTPUT, "The task's own check fails: {detail}."),
    "command_failed": (Status.CRASHED, "The task's own performance command fails: {detail}."),
    "case_failed": (Status.CRASHED, "A case fails while the task's own script times it: {detail}."),
    "no_report": (Status.IMPLAUSIBLE, "The performance command writes no report: {detail}."),
    "bad_report": (Status.IMPLAUSIBLE, "The performance report cannot be read: {detail}."),
    "unknown_unit": (Status.IMPLAUSIBLE, "A reported time has no known unit: {detail}."),
    "host_time": (Status.IMPLAUSIBLE, "A reported time was taken on the host's clock: {detail}."),
    "duplicate_case": (Status.IMPLAUSIBLE, "A case is reported twice: {detail}."),
    "case_mismatch": (Status.IMPLAUSIBLE, "The candidate's cases are not the baseline's: {detail}."),
    "method_mismatch": (Status.IMPLAUSIBLE, "The two sides were not timed in the same way: {detail}."),
    "baseline_unusable": (Status.NOT_JUDGED, "The task's own source fails in its scripts here: {detail}."),
    "impossible_time": (Status.IMPLAUSIBLE, "A reported time cannot be true: {detail}."),
    "work_outside": (Status.IMPLAUSIBLE, "Work of the candidate ran outside the timed call: {detail}."),
    "unsupported_feature": (Status.NOT_JUDGED, "This host cannot run what the source uses: {detail}."),
    "host_budget": (Status.NOT_JUDGED, "This host cannot finish the task within its budget: {detail}."),
    "host_fault": (Status.ERRORED, "The evaluation failed through no fault of the candidate: {detail}."),
}
