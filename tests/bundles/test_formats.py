"""Properties of results in every format."""

from __future__ import annotations

from collections import Counter

from evaluator.bundles.tasklists import arena_operator_types, tasks_of
from tests.bundles.accepted import accepted, only, refused
from tests.bundles.made import (
    aka,
    kb,
    kb_result,
)


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
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
    submission = accepted(aka(**{"arenaboard.yaml": b"model: some-model-1\nagent: another\n"}))
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


def test_the_operator_types_of_agentkernelarena_are_words_of_its_paper_s_table() -> None:
    types = arena_operator_types()
    printed = {one.name for one in types.values() if one.is_printed}
    assert {one.name for one in types.values()} == printed | {"Various"}
    assert Counter(name.split("/")[1] for name, one in types.items() if not one.is_printed) == {"vllm": 87}
    assert types["triton2triton/vllm/triton_mean"] == ("Various", False)
    assert types["hip2hip/gpumode/GELU"] == ("Activations", True)
