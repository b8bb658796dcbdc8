"""Reading a checkout: configs, editable files, and why a task cannot run here."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny import CONFIG, ID, RUNNER, checkout, task

from evaluator.backends import get_backend
from evaluator.errors import TaskError, UsageError
from evaluator.mounted import checkout as checkouts
from evaluator.mounted.checkout import OTHER_KINDS, load_mounted, mounted_ids, own_candidate
from evaluator.mounted.commands import list_tasks
from evaluator.mounted.obstacles import obstacle
from evaluator.state import REPOSITORY
from evaluator.tasks.candidate import read_candidate

SAMPLES = REPOSITORY.parent / "shared/samples/agentkernelarena_v1/workspace_MI300_claude_code/run_20260901_101010_demo"
REGION = (
    "# >>> AKA-GENERATED: helpers - edit elsewhere >>>\n"
    "def _benchmark_cuda_graph_or_events():\n    raise RuntimeError('were not materialized')\n"
    "# <<< AKA-GENERATED <<<\n"
)


def problems_of(folder: Path) -> str:
    with pytest.raises(TaskError) as caught:
        load_mounted(folder, ID)
    return str(caught.value)


def test_a_checkout_is_listed_by_paths_below_its_tasks(tmp_path: Path) -> None:
    checkout(tmp_path)
    assert mounted_ids(tmp_path) == [ID]
    assert mounted_ids(tmp_path / "tasks") == [ID]


def test_a_folder_without_tasks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"holds no config\.yaml"):
        mounted_ids(tmp_path)


@pytest.mark.parametrize("name", ["triton2triton/other", f"../tasks/{ID}", "", "/"])
def test_an_unknown_task_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=f"has no task '{name}'"):
        load_mounted(checkout(tmp_path), name)


def test_reading_a_task_looks_for_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list of 426 tasks looked 426 times through the whole checkout: 20 s of processor time, now 3."""
    monkeypatch.delattr(checkouts, "mounted_ids")
    assert task(tmp_path).id == ID


@pytest.mark.parametrize("sources", ["[]", "[library/kernel.py]"])
@pytest.mark.parametrize("kind", OTHER_KINDS)
def test_a_task_of_another_kind_is_not_called_malformed(
    tmp_path: Path, kind: str, sources: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config = CONFIG.replace("triton2triton", kind).replace("[source/kernel.py]", sources)
    checkout(tmp_path, config_dot_yaml=config, scripts__task_runner_dot_py=REGION + RUNNER)
    list_tasks(tmp_path)
    line, total = capsys.readouterr().out.splitlines()
    assert line.endswith(f" cannot run here: {OTHER_KINDS[kind]}")
    assert total == "0 of 1 task run here"


def test_only_the_sources_are_editable_and_stale_outputs_are_not_sent(tmp_path: Path) -> None:
    found = task(tmp_path)
    assert found.editable == ("source/kernel.py",)
    assert sorted(found.files) == ["config.yaml", "scripts/task_runner.py", "source/kernel.py"]


def test_a_file_to_write_is_editable_in_place_of_the_sources(tmp_path: Path) -> None:
    config = CONFIG.replace("task_type: triton2triton", "task_type: torch2hip") + "target_file_path: hip/kernel.hip\n"
    found = task(tmp_path, config_dot_yaml=config)
    assert found.editable == ("hip/kernel.hip",)
    assert found.writes_from_nothing
    assert own_candidate(found).problems == (("not_written", "hip/kernel.hip"),)


def test_the_second_form_of_configs_is_refused_with_a_reason(tmp_path: Path) -> None:
    said = problems_of(checkout(tmp_path, config_dot_yaml="schema_version: 2\n"))
    assert "schema_version: seen 2; expected no such key: only the v1 form is supported" in said


def test_every_problem_of_a_config_is_named(tmp_path: Path) -> None:
    said = problems_of(checkout(tmp_path, config_dot_yaml="task_type: triton2triton\nsource_file_path: [../x.py]\n"))
    assert "compile_command" in said
    assert "performance_command" in said
    assert "a path below the task's folder" in said


def test_a_missing_source_is_a_problem(tmp_path: Path) -> None:
    said = problems_of(checkout(tmp_path, config_dot_yaml=CONFIG.replace("kernel.py", "other.py")))
    assert "seen 'source/other.py'; expected a file of the task's folder" in said


def test_a_stub_without_its_helper_is_a_problem(tmp_path: Path) -> None:
    said = problems_of(checkout(tmp_path, scripts__task_runner_dot_py=REGION + RUNNER))
    assert "expected src/tools/perf/vllm_cuda_graph_block.py in the checkout" in said


def test_helpers_are_taken_from_the_checkout(tmp_path: Path) -> None:
    helpers = tmp_path / "src/tools/perf"
    helpers.mkdir(parents=True)
    (helpers / "vllm_cuda_graph_block.py").write_text(
        '"""Text."""\ndef _measure_cuda_event_fallback():\n    from _aka_benchmark import measured\n'
    )
    (helpers / "aka_benchmark.py").write_text("measured = 1\n")
    found = task(tmp_path, scripts__task_runner_dot_py=REGION + RUNNER)
    runner = found.files["scripts/task_runner.py"].decode()
    assert "not materialized" not in runner
    assert "def _measure_cuda_event_fallback" in runner
    assert runner.endswith(RUNNER)
    assert found.files["scripts/_aka_benchmark.py"] == b"measured = 1\n"


def test_a_helper_of_pytest_tasks_is_put_beside_them(tmp_path: Path) -> None:
    uses = "from performance_utils_pytest import PytestBenchmarker\n"
    said = problems_of(checkout(tmp_path, kernel_dot_py=uses))
    assert "src/tools/perf/performance_utils_pytest.py" in said
    (tmp_path / "src/tools/perf").mkdir(parents=True)
    (tmp_path / "src/tools/perf/performance_utils_pytest.py").write_text("PytestBenchmarker = 1\n")
    assert load_mounted(tmp_path, ID).files["performance_utils_pytest.py"] == b"PytestBenchmarker = 1\n"


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ("platform_support: {required_arch: gfx950}", "it is for gfx950; this backend is gfx942"),
        ("platform_support: {status: skip, skip_reason: too large}", "the checkout skips it: too large"),
        ("task_type: hip2hip", "its scripts build with hipcc and run on an AMD GPU"),
        ("task_type: repository", "its scripts clone a library"),
        ("compile_command: [docker exec box make]", "its commands need docker"),
        ("task_type: triton2flydsl", "it needs the package flydsl"),
    ],
)
def test_what_cannot_run_here_is_reported_before_anything_is_started(tmp_path: Path, added: str, said: str) -> None:
    key = added.partition(":")[0]
    kept = [line for line in CONFIG.splitlines() if not line.startswith(f"{key}:")]
    found = task(tmp_path, config_dot_yaml="\n".join([*kept, added]))
    assert said in (obstacle(found, get_backend("cpu")) or "")


def test_a_plain_triton_task_runs_here(tmp_path: Path) -> None:
    assert obstacle(task(tmp_path), get_backend("cpu")) is None


def test_a_check_in_an_editable_file_is_noticed(tmp_path: Path) -> None:
    config = CONFIG.replace("[python3 scripts/task_runner.py correctness]", "[pytest source/kernel.py]")
    assert task(tmp_path, config_dot_yaml=config).tests_in_editable == ("source/kernel.py",)


def test_a_program_with_its_own_main_is_noticed(tmp_path: Path) -> None:
    config = CONFIG.replace("triton2triton", "hip2hip").replace("kernel.py", "main.hip")
    found = task(tmp_path, config_dot_yaml=config, source__main_dot_hip="__global__ void k() {}\nint main (void) {}\n")
    assert found.tests_in_editable == ("source/main.hip",)


@pytest.mark.parametrize(
    ("name", "reason"), [("scripts/task_runner.py", "protected_file"), ("scripts/json.py", "extra_file")]
)
def test_a_candidate_has_editable_files_only(tmp_path: Path, name: str, reason: str) -> None:
    found, mine = task(tmp_path / "theirs"), tmp_path / "mine"
    for path, text in (("source/kernel.py", "COST = 1"), (name, "print('PASS')")):
        (mine / path).parent.mkdir(parents=True, exist_ok=True)
        (mine / path).write_text(text)
    assert read_candidate(mine, found).problems == ((reason, name),)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the sample bundles lie beside the repository only where it is made")
def test_configs_of_the_sample_bundle_are_read() -> None:
    ids = mounted_ids(SAMPLES)
    assert len(ids) == 6
    assert {load_mounted(SAMPLES, task_id).editable for task_id in ids} == {("source/k.py",)}
