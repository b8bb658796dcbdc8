"""Everything a bundle may hold that readers of its numbers must know: a code and one sentence each, in one table.

A finding refuses nothing. Where it takes a time, a speed or a task out of the count, its sentence says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluator.wording import counted


@dataclass(frozen=True, slots=True)
class BundleFinding:
    """`task` is None where it is about the whole bundle."""

    code: str  # a key of FINDINGS
    place: str
    task: str | None
    text: str


def not_listed(count: int) -> str:
    """The text of the one finding that stands for all of its kind beyond those that are kept."""
    return f"{counted(count, 'more of this kind is', 'more of this kind are')} not listed."


# {detail} is filled in by the format that finds it.
FINDINGS: Mapping[str, str] = {
    # times
    "failed_marker": "-1 stands for a measurement that failed; it counts as no time: {detail}.",
    "no_time": "A time is not given; it counts as missing, not as zero: {detail}.",
    "nan_time": "A time is NaN; it counts as no time: {detail}.",
    "infinite_time": "A time is infinite; it counts as no time: {detail}.",
    "zero_time": "A time of zero was not measured; it counts as no time: {detail}.",
    "negative_time": "A time is below zero; it counts as no time: {detail}.",
    "not_a_number": "A number was expected here; it counts as missing: {detail}.",
    "unknown_unit": "A time has no known unit; it counts as no time: {detail}.",
    "host_time": "A time is of the host's clock, which includes launches; it counts as no time: {detail}.",
    "throughput_as_time": "A throughput turned upside down stands as a time; it counts as no time: {detail}.",
    "empty_graph": "The least time that the source gives, as for a graph without work; it counts as no time: {detail}.",
    "cold_start": "The first measurement is ten times slower than the others, as before warming up: {detail}.",
    "no_case_times": "There are no times of single cases, so the claimed speed cannot be computed again: {detail}.",
    # cases
    "missing_case": "A case of the baseline has no time of the candidate, so the task has no speed: {detail}.",
    "extra_case": "The candidate has a case that the baseline lacks, so the task has no speed: {detail}.",
    "duplicate_case": "A case stands twice; {detail}.",
    "duplicate_parameters": "Cases of other names share their parameters, by which the source pairs them: {detail}.",
    "other_parameters": "A case has other parameters on the two sides, so the task has no speed: {detail}.",
    "mixed_methods": "Baseline and candidate were timed in different ways, so the task has no speed: {detail}.",
    "unstated_method": "Nothing says how the times were taken: {detail}.",
    "aggregated_cases": "One time stands for all sizes, so that none can be looked at by itself: {detail}.",
    "other_workload": "A size moves other bytes than the baseline's of that name, so the task has no speed: {detail}.",
    "dropped_sizes": "Sizes are missing, and a sum over fewer of them looks faster; the task has no speed: {detail}.",
    "unpaired_rows": "Rows have no row of the baseline with the same input size, so the task has no speed: {detail}.",
    # claimed beside recomputed
    "speedup_disagrees": "The claimed speedup is not the one of the times beside it: {detail}.",
    "time_disagrees": "A claimed time is not the one of the cases beside it: {detail}.",
    "throughput_disagrees": "A claimed throughput is not the one of the rows beside it: {detail}.",
    "case_count_disagrees": "The claimed number of valid cases is not that of the times beside it: {detail}.",
    "report_disagrees": "A report says another score or speedup of a task than its result does: {detail}.",
    "delta_disagrees": "The claimed difference of two speeds is not theirs: {detail}.",
    "score_disagrees": "The claimed score does not follow from what it is made of: {detail}.",
    "score_from_averages": "The claimed score is made of averages over different cases on both sides: {detail}.",
    "total_disagrees": "A total of the bundle is not the one of its own rows: {detail}.",
    "total_not_suite": "Divided by another number of tasks than the suite has; here the suite's counts: {detail}.",
    "average_of_valid": "An average leaves out the tasks that have no speed: {detail}.",
    "quantile_beyond_data": "A quantile lies outside the numbers that it is of: {detail}.",
    "gap_is_absolute": "The gap is a difference of speedups; the paper has the share that was lost: {detail}.",
    "excessive_speedup": "A speedup above 10 asks for a look at how it came about: {detail}.",
    "within_noise": "What is called faster differs by less than 1 %: {detail}.",
    "above_peak": "More bytes a second than the memory of the device can move: {detail}.",
    "errors_all_zero": "Every error is exactly zero, as if none had been recorded: {detail}.",
    # tasks
    "unknown_task": "The task is in no suite here; it is kept in quarantine and counts for nothing: {detail}.",
    "unstated_level": "The level is not stated, and a problem's number alone is no task; nothing is counted: {detail}.",
    "phantom_task": "The task exists under another category; this row is kept in quarantine: {detail}.",
    "duplicate_task": "The task stands more than once; the first one counts: {detail}.",
    "absent_tasks": "Tasks of the suite are not in the bundle; they count as not produced: {detail}.",
    "vanished_task": "A workspace without a result, as a changed harness or a crash leaves it; not judged: {detail}.",
    "listed_only": "A report lists the task, but its folder is not in the bundle; not judged: {detail}.",
    "unfinished_task": "The run's own queue says that the task was never finished; not judged: {detail}.",
    "known_task_fault": "The task itself is known to be faulty at the paper's commit: {detail}.",
    "one_outcome": "One outcome stands for all unseen cases of a task, without cases and categories: {detail}.",
    "named_by_folder": "Agent and device are read from the name of a folder, which anybody can choose: {detail}.",
    "matched_by_name": "Tasks are known by name alone, and this benchmark's tasks changed between commits: {detail}.",
    "unjoined_row": "A row names no task of the suite, and no row to join it to: {detail}.",
    "duplicate_row": "A row stands more than once; the last one counts: {detail}.",
    "stages_disagree": "The merged file and the rows of a stage say different things: {detail}.",
    "kind_disagrees": "A record is said to show a change that its numbers do not show: {detail}.",
    "contradictory_rounds": "Two records tell the same round of a task differently; the first one counts: {detail}.",
    # status
    "pass_without_call": "A speed is claimed for a kernel whose first stage failed; it counts as failed: {detail}.",
    "correct_without_time": "The kernel is called correct but has no time; it counts for no speed: {detail}.",
    "report_contradicts": "A report of the task's own script says otherwise than the result: {detail}.",
    "presence_rule": "Status and measurements of a trace do not belong together: {detail}.",
    "error_as_failure": "An error of the evaluation is called a failure of both sides; here it is neither: {detail}.",
    "quadrant_disagrees": "The quadrant is not the one of the outcomes beside it: {detail}.",
    "wrong_architecture": "The kernel was built for another device than it ran on; not judged: {detail}.",
    "few_trials": "Correctness rests on fewer than three trials: {detail}.",
    "few_timings": "A time is the mean of fewer than ten calls: {detail}.",
    "unstated_spread": "Nothing says how far single times lie apart: {detail}.",
    "several_devices": "Results of several devices are mixed: {detail}.",
    "quality_of_tests": "The code's quality was measured of candidate and test together: {detail}.",
    "suspect_flag": "The source itself marks the result as suspect: {detail}.",
    "dtype_by_default": "The dtype is the source's default, not the task's: {detail}.",
    # baselines
    "no_baseline": "No times of a baseline are in the bundle, so no speed can be computed: {detail}.",
    "baseline_incomplete": "The baseline has no time for the task, which counts, but without a speed: {detail}.",
    "baseline_other_hardware": "The baseline was timed on other hardware, so there is no speed: {detail}.",
    "several_baselines": "Several files could be the baseline; the first one counts: {detail}.",
    "reference_baseline": "Speeds are relative to the definition's reference, not to an optimised kernel: {detail}.",
    "baseline_unstated": "Nothing says with which driver and software, and when, the baseline was timed: {detail}.",
    "unused_baseline": "A file of the baseline belongs to no task of the suite: {detail}.",
    "copied_baseline": "Times of one device are those of another, or the candidate's those of the baseline: {detail}.",
    # what may not become public as it is
    "no_sources": "There is no source of the candidate, so it cannot be verified: {detail}.",
    "home_path": "Text names a folder of somebody's home; it is masked before anything is public: {detail}.",
    "secret": "Text looks like a secret; it is masked, and whoever owns it should replace it: {detail}.",
    "home_in_source": "A source names a folder of somebody's home, and sources become public as they are: {detail}.",
    "secret_in_source": "A source looks as if it held a secret, and sources become public as they are: {detail}.",
}
