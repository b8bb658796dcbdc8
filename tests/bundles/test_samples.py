"""Real results of other benchmarks, stored outside the repository, have the expected outcomes."""

from __future__ import annotations

from collections import Counter

import pytest

from evaluator.bundles.checking import CheckedBundle, check
from evaluator.records.reasons import Status
from tests.bundles.samples import FOLDER as SAMPLES
from tests.bundles.samples import OUTCOMES, outcome


@pytest.mark.parametrize(
    ("name", "declared", "expected"), OUTCOMES, ids=[f"{name} {declared}" for name, declared, _ in OUTCOMES]
)
def test_each_sample_becomes_what_the_table_says(name: str, declared: dict[str, str], expected: str) -> None:
    if not (SAMPLES / name).exists():
        pytest.skip(f"real samples are not part of the repository, and {SAMPLES / name} is not here")
    assert outcome(check(SAMPLES / name, declared=declared)) == expected


def sample(name: str) -> CheckedBundle:
    if not (SAMPLES / name).exists():
        pytest.skip(f"real samples are not part of the repository, and {SAMPLES / name} is not here")
    return check(SAMPLES / name)


def statuses(checked: CheckedBundle) -> dict[str, int]:
    assert checked.bundle is not None
    return dict(Counter(claim.status.value for claim in checked.bundle.claims))


def codes(checked: CheckedBundle) -> set[str]:
    assert checked.bundle is not None
    return {finding.code for finding in checked.bundle.findings}


def test_a_run_folder_with_six_faults_names_each() -> None:
    checked = sample("agentkernelarena_v1")
    assert checked.problems == ()
    assert statuses(checked) == {"passed": 3, "implausible": 2, "not_judged": 7}
    assert codes(checked) >= {
        *("duplicate_parameters", "speedup_disagrees", "missing_case", "score_from_averages", "nan_time"),
        *("vanished_task", "listed_only", "total_disagrees", "unknown_task", "absent_tasks", "unstated_method"),
    }
    assert checked.bundle is not None
    by_name = {claim.task.rpartition("/")[2]: claim for claim in checked.bundle.claims}
    assert by_name["dup_params"].recomputed_speedup == 1.0
    assert by_name["dup_params"].claimed_speedup == 50.005
    assert by_name["ok"].recomputed_speedup == pytest.approx(7 / 3)
    assert by_name["missing_case"].recomputed_speedup is None


def test_the_example_of_the_documentation_has_a_claim_without_cases() -> None:
    checked = sample("agentkernelarena_docs/docs_example.task_result.yaml")
    assert statuses(checked) == {"passed": 1}
    assert "no_case_times" in codes(checked)


def test_a_level_of_kernelbench_has_the_counts_that_were_read_by_hand() -> None:
    """47 entries, 35 compiled, 16 right: 12 mismatches and 7 errors at run time."""
    checked = sample("kernelbench")
    assert statuses(checked) == {"passed": 16, "build_failed": 12, "wrong_output": 12, "crashed": 7}
    assert {"unstated_level", "home_path"} <= codes(checked)


def test_merged_results_of_kernelbench_x_agree_with_their_rows() -> None:
    checked = sample("kernelbenchx_run")
    assert statuses(checked) == {"passed": 4, "build_failed": 1, "wrong_output": 1}
    assert {"total_not_suite", "dtype_by_default", "no_baseline"} <= codes(checked)
    assert not codes(checked) & {"total_disagrees", "time_disagrees", "stages_disagree", "dropped_sizes"}


def test_the_corpus_gives_two_rounds_a_line() -> None:
    checked = sample("kernelbenchx_corpus/performance_events.first2.jsonl")
    assert statuses(checked) == {"passed": 4}
    assert {"home_path", "within_noise"} <= codes(checked)


@pytest.mark.parametrize("name", ["kernelbenchx_golden", "flashinfer_bench", "robust_kbench"])
def test_what_holds_no_run_is_refused_in_one_sentence(name: str) -> None:
    checked = sample(name)
    assert checked.bundle is None
    (problem,) = checked.problems
    assert problem.hint
    assert Status.PASSED.value not in str(problem)
