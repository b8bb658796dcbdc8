"""KernelBench: what a result says happened, levels and sources of run folders, and its leaderboard's data."""

from __future__ import annotations

from typing import Any

import pytest

from evaluator.bundles.checking import check_files
from evaluator.records.reasons import Status
from tests.bundles.accepted import accepted, only, refused
from tests.bundles.made import dumped, kb, kb_ranked, kb_ranked_row, kb_result, kb_run, yaml_of

FAILED: dict[str, Any] = {"runtime": -1.0, "compiled": False, "correctness": False}
CUDA = "CUDA Error: CUDA error: "


@pytest.mark.parametrize(
    ("metadata", "status"),
    [
        ({"cuda_error": f"{CUDA}an illegal memory access", "cuda_error_name": "torch.AcceleratorError"}, "crashed"),
        ({"gpu_error": "AcceleratorError", "error_message": "CUDA error: unspecified launch failure"}, "crashed"),
        ({"cuda_error": f"{CUDA}out of memory"}, "not_judged"),
        ({"cuda_error": f"{CUDA}all devices are busy or unavailable"}, "not_judged"),
        ({"other_error": "error: CUDA out of memory", "other_error_name": "torch.OutOfMemoryError"}, "not_judged"),
        ({"other_error": "error: ModelNew.__init__() takes 1 argument"}, "crashed"),
        ({"other_error": "error: HIP error: an illegal memory access was encountered"}, "crashed"),
        ({"error": "the worker died: segmentation fault"}, "crashed"),
        ({"error": "Kernel not found for problem 3 sample 0"}, "not_produced"),
        ({"error": "Evaluation timed out"}, "timed_out"),
        ({"error": "Future was None - evaluation did not complete"}, "not_judged"),
        ({"error": "GPU not attached to container after 30s"}, "not_judged"),
        ({"compilation_error": "x.cu(1): error: no", "compilation_error_name": "RuntimeError"}, "build_failed"),
        ({"compilation_error": "No space left on device"}, "not_judged"),
        ({}, "build_failed"),
    ],
)
def test_not_compiled_stands_for_many_things(metadata: dict[str, str], status: str) -> None:
    claim = only(kb({"1": [FAILED | {"sample_id": 0, "metadata": {"hardware": "NVIDIA H100"} | metadata}]}))
    assert (claim.status.value, claim.recomputed_speedup) == (status, None)


def test_a_problem_that_was_never_evaluated_is_no_failed_build() -> None:
    assert only(kb({"1": FAILED | {"metadata": {}}})).status is Status.NOT_JUDGED


def test_the_message_is_the_error_and_not_the_name_of_its_class() -> None:
    metadata = {"compilation_error_name": "builtins.RuntimeError", "compilation_error": "k.cu(12): error: no such name"}
    assert only(kb({"1": FAILED | {"metadata": metadata}})).message == "k.cu(12): error: no such name"
    metadata = {"runtime_error": "cut off…", "runtime_error_traceback": "Traceback …\nValueError: all of it"}
    assert (
        only(kb({"1": kb_result(correctness=False, metadata=metadata)})).message == "Traceback …\nValueError: all of it"
    )


def test_of_a_long_log_the_end_and_the_compilers_first_error_are_kept() -> None:
    def kept(log: str) -> str:
        return only(kb({"1": FAILED | {"metadata": {"compilation_error": log}}})).message or ""

    command = f"nvcc {'-I/usr/include ' * 400}\n"
    assert kept(f"{command}k.cu(3): error: a name\n{command}ninja: stopped").startswith("k.cu(3): error: a name\nnvcc")
    assert kept(f"{command}k.cu(3): error: a name\n{command}ninja: stopped").endswith("ninja: stopped")
    assert kept(f"{command}k.cu(3): error: a name\nninja: stopped") == "…k.cu(3): error: a name\nninja: stopped"
    assert kept(f"{command * 9}ninja: stopped").endswith("ninja: stopped")


def test_a_run_folder_says_its_level_model_and_sources() -> None:
    bundle = accepted(kb_run({"5": kb_result()}, kernels=("2_problem_5", "2_problem_6")))
    judged, left = bundle.claims
    assert (bundle.suite, len(bundle.suite_tasks)) == ("kernelbench-level2", 100)
    assert {"level": "2", "model": "robot-1", "precision": "fp16", "settings": "temperature 0"}.items() <= {
        *bundle.declared.items()
    }
    assert (judged.task, judged.is_known, judged.status) == ("level2/5", True, Status.PASSED)
    assert judged.files == {"level_2_problem_5_sample_0_kernel.py": b"class ModelNew: ...\n"}
    assert (left.task, left.status, len(left.files)) == ("level2/6", Status.NOT_JUDGED, 1)


def test_kernels_name_the_level_where_no_configuration_does() -> None:
    bundle = accepted(kb_run({"20": kb_result()}, level=None, kernels=("4_problem_20",)))
    assert (bundle.suite, len(bundle.suite_tasks), bundle.claims[0].is_known) == ("kernelbench-level4", 20, True)


def test_levels_in_one_folder_are_one_bundle() -> None:
    baseline = {f"level{n}": {"1_X.py": {"mean": 4.0 * n, "hardware": "NVIDIA H100"}} for n in (1, 2)}
    files = kb_run(folder="a", level=1) | kb_run(folder="b", level=2) | {"baseline.json": dumped(baseline)}
    bundle = accepted(files)
    assert (bundle.suite, len(bundle.suite_tasks)) == ("kernelbench-level1-2", 200)
    assert [(claim.task, claim.recomputed_speedup) for claim in bundle.claims] == [("level1/1", 2.0), ("level2/1", 4.0)]


def test_another_level_than_the_folders_and_two_runs_of_a_level_are_refused() -> None:
    (problem,) = check_files(kb_run(kernels=("2_problem_1",)), {"level": "3"}).problems
    assert (problem.seen, problem.expected[:7]) == ("the declared level 3", "level 2")
    (problem,) = check_files(kb(declared=""), {"level": "5"}).problems
    assert (problem.seen, problem.expected) == ("5", "one of 1, 2, 3, 4")
    (problem,) = refused(kb_run(folder="a") | kb_run(folder="b")).problems
    assert "results of level 2" in problem.seen
    two_models = kb_run(folder="a", level=1) | kb_run(folder="b")
    two_models["b/generation_config.yaml"] = yaml_of({"level": 2, "model_name": "robot-2"})
    assert [problem.expected for problem in refused(two_models).problems] == ["one model"]


def test_kernels_of_several_levels_leave_the_level_to_the_submitter() -> None:
    files = kb_run(level=None, kernels=("1_problem_1", "2_problem_1"))
    assert [claim.task for claim in accepted(files).claims] == ["level?/1"]
    checked = check_files(files, {"level": "1"})
    assert checked.bundle is not None
    assert [(claim.task, list(claim.files)) for claim in checked.bundle.claims] == [
        ("level1/1", ["level_1_problem_1_sample_0_kernel.py"])
    ]


def test_a_run_inside_another_runs_folder_keeps_its_own() -> None:
    inner = kb_run({"7": kb_result()}, folder="a/0_inner", level=1, kernels=("1_problem_7",))
    bundle = accepted(kb_run({"5": kb_result()}, folder="a", kernels=("2_problem_5",)) | inner)
    assert sorted((claim.task, len(claim.files)) for claim in bundle.claims) == [("level1/7", 1), ("level2/5", 1)]
    assert "several_levels" not in {finding.code for finding in bundle.findings}


def test_of_two_kernels_of_a_sample_the_one_beside_the_results_counts_or_none() -> None:
    files, name = kb_run(kernels=("2_problem_1",)), "level_2_problem_1_sample_0_kernel"
    bundle = accepted(files | {f"run/old/{name}.py": b"older\n", "run/old/generation_config.yaml": b"level: 1\n"})
    assert (bundle.suite, list(bundle.claims[0].files.values())) == ("kernelbench-level2", [b"class ModelNew: ...\n"])
    assert [finding.place for finding in bundle.findings if finding.code == "unread_file"] == [
        *("run/old/generation_config.yaml", f"run/old/{name}.py")
    ]
    bundle = accepted(files | {f"run/{name}.cu": b"another\n"})
    assert not bundle.claims[0].files
    assert {"ambiguous_source", "no_sources"} <= {finding.code for finding in bundle.findings}


def test_a_baseline_of_another_level_is_named_and_those_of_the_runs_are_not() -> None:
    row = {"mean": 4.0, "hardware": "NVIDIA H100"}
    baselines = {f"baseline{n}.json": dumped({f"level{n}": {"1_X.py": row}}) for n in (1, 2, 3)}
    found = accepted(kb_run(folder="a", level=1) | kb_run(folder="b", level=2) | baselines).findings
    assert [finding.place for finding in found if finding.code == "unread_file"] == ["baseline3.json"]


def test_without_a_baseline_the_references_own_time_is_it() -> None:
    assert only(kb_run({"1": kb_result(ref_runtime=5.0)})).recomputed_speedup == 2.5
    assert only(kb_run({"1": kb_result(ref_runtime=-1.0)})).recomputed_speedup is None


def test_a_problem_that_the_baseline_has_twice_gives_no_speedup() -> None:
    row = {"mean": 4.0, "hardware": "NVIDIA H100"}
    baseline = {"level2": {"1_First.py": row, "1_Second.py": row, "2_Third.py": row}}
    bundle = accepted(kb_run({"1": kb_result(), "2": kb_result()}) | {"baseline.json": dumped(baseline)})
    assert [claim.recomputed_speedup for claim in bundle.claims] == [None, 2.0]
    assert "duplicate_case" in {finding.code for finding in bundle.findings}


def test_of_the_leaderboard_the_stated_models_rows_count() -> None:
    files = kb_ranked(kb_ranked_row("robot-1", 2.0), kb_ranked_row("robot-2", 1.5))
    assert [claim.is_known for claim in accepted(files).claims] == [False, False]
    bundle = check_files(files, {"model": "robot-2"}).bundle
    assert bundle is not None
    assert [(claim.task, claim.attempt, claim.is_known, claim.claimed_speedup) for claim in bundle.claims] == [
        ("level1/12", "robot-1", False, 2.0),
        ("level1/12", "robot-2", True, 1.5),
    ]
    assert bundle.claims[1].files == {"02.py": b"class ModelNew: ...\n"}


def test_the_leaderboards_raw_data_count_problems_from_0_and_have_times() -> None:
    raw = kb_ranked_row(level=1, problem_id=11, code="x = 1\n", baseline_torch_time=4.0, kernel_eval_time=2.0)
    claim = only({"raw_data.json": dumped([raw])})
    assert (claim.task, claim.recomputed_speedup, claim.files) == ("level1/12", 2.0, {"01.py": b"x = 1\n"})
    bundle = accepted({"raw_data.json": dumped([raw])} | kb_ranked(kb_ranked_row(speedup=9.0)))
    assert "report_disagrees" in {finding.code for finding in bundle.findings}
    assert only({"raw_data.json": dumped([raw | {"kernel_eval_time": -1.0}])}).status is Status.IMPLAUSIBLE


@pytest.mark.parametrize("speedup", [None, 0.0, -1.0])
def test_a_row_of_the_leaderboard_without_any_time_is_judged_like_a_result(speedup: float | None) -> None:
    files = kb_ranked(kb_ranked_row() | {"torch_speedup": speedup})
    result = only(kb({"1": kb_result(None)}))
    assert (only(files).status, only(files).reason) == (result.status, result.reason)
    assert [finding.code for finding in accepted(files).findings].count("correct_without_time") == 1


def test_a_row_of_the_leaderboard_has_its_own_code_and_else_the_only_file_of_the_name() -> None:
    files = kb_ranked(kb_ranked_row(code="x = 1\n"))
    assert only(files).files == {"01.py": b"x = 1\n"}
    assert only(kb_ranked(kb_ranked_row()) | {"older/01.py": b"x = 1\n"}).files == {}
    same = kb_ranked(kb_ranked_row(code="class ModelNew: ..."))
    assert "source_disagrees" not in {finding.code for finding in accepted(same).findings}
