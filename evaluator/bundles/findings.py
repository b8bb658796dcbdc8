"""All findings: facts about a bundle that readers of its numbers must know, each with a code and one sentence.

A finding never refuses a bundle. Where it excludes a time, a speedup or a task, its sentence says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluator.wording import counted


@dataclass(frozen=True, slots=True)
class BundleFinding:
    """One finding; `task` is None if it is about the whole bundle."""

    code: str  # a key of FINDINGS
    place: str
    task: str | None
    text: str


def not_listed(count: int) -> str:
    """The text of the one finding that summarises all findings of its kind beyond the limit."""
    return f"{counted(count, 'more of this kind is', 'more of this kind are')} not listed."


# The format that reports a finding fills in {detail}.
FINDINGS: Mapping[str, str] = {
    # times
    "failed_marker": "A time of -1 marks a failed measurement; it is ignored: {detail}.",
    "no_time": "A time is missing; it does not count as zero: {detail}.",
    "nan_time": "A time is NaN; it is ignored: {detail}.",
    "infinite_time": "A time is infinite; it is ignored: {detail}.",
    "zero_time": "A time is zero, so it was not measured; it is ignored: {detail}.",
    "negative_time": "A time is negative; it is ignored: {detail}.",
    "not_a_number": "A value is not a number; it is ignored: {detail}.",
    "unknown_unit": "A time has no known unit; it is ignored: {detail}.",
    "host_time": "A time was taken on the host's clock, which includes launches; it is ignored: {detail}.",
    "throughput_as_time": "A time is the inverse of a throughput; it is ignored: {detail}.",
    "empty_graph": "A time is the benchmark's minimum, as of a graph without work; it is ignored: {detail}.",
    "cold_start": "The first measurement is ten times slower than the others, as without warm-up: {detail}.",
    "no_case_times": "There are no times of single cases, so the speedup cannot be recomputed: {detail}.",
    # cases
    "missing_case": "The candidate has no time for a case of the baseline, so the task has no speedup: {detail}.",
    "extra_case": "The candidate has a case that the baseline lacks, so the task has no speedup: {detail}.",
    "duplicate_case": "A case occurs twice; {detail}.",
    "duplicate_parameters": "Cases with different names share the parameters that pair them: {detail}.",
    "other_parameters": "A case has different parameters on the two sides, so the task has no speedup: {detail}.",
    "mixed_methods": "Baseline and candidate were timed in different ways, so the task has no speedup: {detail}.",
    "unstated_method": "The timing method is not stated: {detail}.",
    "aggregated_cases": "One time covers all sizes, so single sizes cannot be checked: {detail}.",
    "other_workload": "A size moves other bytes than the same size of the baseline; the task has no speedup: {detail}.",
    "dropped_sizes": "Sizes are missing, which makes a sum of times look faster; the task has no speedup: {detail}.",
    "unpaired_rows": "Input sizes of candidate and baseline differ, so the task has no speedup: {detail}.",
    # claimed and recomputed
    "speedup_disagrees": "The claimed speedup does not follow from the times: {detail}.",
    "time_disagrees": "A claimed time does not follow from the cases: {detail}.",
    "throughput_disagrees": "A claimed throughput does not follow from the rows: {detail}.",
    "case_count_disagrees": "The claimed number of valid cases is not the number of times: {detail}.",
    "report_disagrees": "A report has another score or speedup of a task than its result: {detail}.",
    "delta_disagrees": "The claimed difference of two speedups is wrong: {detail}.",
    "score_disagrees": "The claimed score does not follow from its parts: {detail}.",
    "score_from_averages": "The claimed score is computed from averages over different cases: {detail}.",
    "total_disagrees": "A total of the bundle does not follow from its own rows: {detail}.",
    "total_not_suite": "A total is divided by another number of tasks than the suite has: {detail}.",
    "average_of_valid": "An average leaves out tasks without a speedup: {detail}.",
    "quantile_beyond_data": "A quantile lies outside the range of its data: {detail}.",
    "gap_is_absolute": "The gap is a difference of speedups; the paper's is a relative loss: {detail}.",
    "excessive_speedup": "A speedup above 10 needs an explanation: {detail}.",
    "within_noise": "A change that is called faster is less than 1 %: {detail}.",
    "above_peak": "A throughput is above the peak bandwidth of the device: {detail}.",
    "errors_all_zero": "Every error is exactly zero, as if none had been recorded: {detail}.",
    # tasks
    "unknown_task": "The task is in no suite of this site; it is in quarantine and does not count: {detail}.",
    "unstated_level": "The level is not stated, so problem numbers identify no tasks; nothing counts: {detail}.",
    "several_levels": "Files are of several levels, and results do not name theirs: {detail}.",
    "several_models": "Results are of several models; those of the stated model count, or none: {detail}.",
    "phantom_task": "The task exists in another category; this row is in quarantine: {detail}.",
    "moved_task": "The task is in another category here, and counts there, by its unique name: {detail}.",
    "duplicate_task": "The task occurs more than once; the first one counts: {detail}.",
    "absent_tasks": "Tasks of the suite are missing from the bundle; they count as not produced: {detail}.",
    "vanished_task": "A workspace has no result, as after a crash; the task is not judged: {detail}.",
    "listed_only": "A report lists the task, but its folder is missing; the task is not judged: {detail}.",
    "unfinished_task": "The run's own queue says that the task never finished; it is not judged: {detail}.",
    "known_task_fault": "The task itself is known to be faulty at the paper's commit: {detail}.",
    "one_outcome": "One outcome covers all unseen cases of a task, without cases and categories: {detail}.",
    "named_by_folder": "Agent and device come from the name of a folder, which anybody can choose: {detail}.",
    "matched_by_name": "Tasks are matched by name alone, although they changed between commits: {detail}.",
    "unjoined_row": "A row names no task of the suite: {detail}.",
    "duplicate_row": "A row occurs more than once; the last one counts: {detail}.",
    "stages_disagree": "The merged file and the rows of a stage differ: {detail}.",
    "kind_disagrees": "A record is labelled with a change that its numbers do not show: {detail}.",
    "contradictory_rounds": "Two records of the same round of a task differ; the first one counts: {detail}.",
    # status
    "pass_without_call": "A speedup is claimed for a kernel whose first stage failed; it counts as failed: {detail}.",
    "correct_without_time": "The kernel is called correct but has no time; it has no speedup: {detail}.",
    "report_contradicts": "A report of the task's own script contradicts the result: {detail}.",
    "broken_report": "A report of the task's own script cannot be read; nothing is compared with it: {detail}.",
    "presence_rule": "Status and measurements of a trace do not fit each other: {detail}.",
    "error_as_failure": "An evaluation error is counted as a failure of both sides; here it is neither: {detail}.",
    "evaluator_fault": "The evaluation failed, which shows no fault of the candidate; it is not judged: {detail}.",
    "quadrant_disagrees": "The quadrant does not follow from the outcomes: {detail}.",
    "wrong_architecture": "The kernel was built for another device than it ran on; it is not judged: {detail}.",
    "few_trials": "Correctness is based on fewer than three trials: {detail}.",
    "few_timings": "A time is the mean of fewer than ten calls: {detail}.",
    "unstated_spread": "The spread of single times is not stated: {detail}.",
    "several_devices": "Results of several devices are mixed: {detail}.",
    "quality_of_tests": "The code quality was measured on candidate and test together: {detail}.",
    "suspect_flag": "The benchmark itself marks the result as suspect: {detail}.",
    "dtype_by_default": "The dtype is the benchmark's default, not the task's: {detail}.",
    # baselines
    "no_baseline": "The bundle has no times of a baseline, so there are no speedups: {detail}.",
    "baseline_incomplete": "The baseline has no time for the task; it counts, but without a speedup: {detail}.",
    "baseline_other_hardware": "The baseline was timed on other hardware, so there is no speedup: {detail}.",
    "several_baselines": "Several files could be the baseline; the first one counts: {detail}.",
    "reference_baseline": "Speedups are relative to the definition's reference, not to an optimised kernel: {detail}.",
    "baseline_unstated": "The baseline's driver, software and date are not stated: {detail}.",
    "unused_baseline": "A file of the baseline belongs to no task of the suite: {detail}.",
    "copied_baseline": "Times of two devices, or of candidate and baseline, are identical: {detail}.",
    "unread_file": "A file of the bundle is not used: {detail}.",
    # what may not become public as it is
    "no_sources": "The candidate has no source, so it cannot be verified: {detail}.",
    "ambiguous_source": "Several files could be the candidate's source; none of them counts: {detail}.",
    "source_disagrees": "A row's own code is not that of the file that it names; the row's counts: {detail}.",
    "home_path": "A text names a home folder; it is masked before publication: {detail}.",
    "secret": "A text looks like a secret; it is masked, and its owner should replace it: {detail}.",
    "home_in_source": "A source names a home folder, and sources are published unchanged: {detail}.",
    "secret_in_source": "A source seems to contain a secret, and sources are published unchanged: {detail}.",
}
