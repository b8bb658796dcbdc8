from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from evaluator import agents
from evaluator.errors import UsageError
from evaluator.gates import source
from evaluator.gates.context import Context
from evaluator.gates.plain.found import LABELS
from evaluator.gates.plain.reader import read_sources
from evaluator.records.reasons import Status
from evaluator.tasks.candidate import Candidate, baseline, foreign_files, is_library_line, overlay, read_candidate
from evaluator.tasks.reader import load_task
from evaluator.tasks.suites import load_suite
from evaluator.tasks.workspace import make_workspace

TASK = "triton2triton/arena/softmax"
MODULE = "torch2hip/arena/SiLU"
MODULES = (MODULE, "torch2triton/kernelbenchx/fused_add_gelu")


def test_a_fresh_workspace_is_a_candidate_equal_to_the_baseline(tmp_path):
    task = load_task(TASK)
    names = make_workspace(task, tmp_path / "w")
    assert "config.yaml" in names
    assert not any(name.startswith(("expert", "variants")) for name in names)
    candidate = read_candidate(tmp_path / "w", task)
    assert candidate.problems == ()
    assert candidate.digest == baseline(task).digest


def test_a_workspace_is_not_written_over_another(tmp_path):
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "mine.txt").write_text("keep")
    with pytest.raises(UsageError, match="not empty"):
        make_workspace(load_task(TASK), tmp_path / "w")
    assert (tmp_path / "w" / "mine.txt").read_text() == "keep"


def test_every_problem_of_a_candidate_is_recorded(tmp_path):
    task = load_task(TASK)
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "config.yaml").write_text("x")
    found = read_candidate(tmp_path, task).problems
    assert set(found) == {("extra_file", "a.txt"), ("protected_file", "config.yaml"), ("not_written", "softmax.py")}


def test_caches_are_no_problem_and_are_not_taken(tmp_path):
    task = load_task(TASK)
    (tmp_path / "softmax.py").write_bytes((task.folder / "softmax.py").read_bytes())
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "softmax.cpython-311.pyc").write_bytes(b"x")
    candidate = read_candidate(tmp_path, task)
    assert candidate.problems == ()
    assert list(candidate.files) == ["softmax.py"]


def test_a_folder_that_is_not_there_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match="is not a folder"):
        read_candidate(tmp_path / "none", load_task(TASK))


def test_rewrite_takes_another_variant_in_each_repeat():
    task = load_task(TASK)
    produced = [agents.produce("rewrite", task, repeat) for repeat in range(3)]
    assert len({item.candidate.digest for item in produced}) == 3
    assert sorted(item.expected for item in produced) == [Status.PASSED, Status.PASSED, Status.WRONG_OUTPUT]


@pytest.mark.parametrize("agent", ["eager", "compile"])
@pytest.mark.parametrize("task_id", MODULES)
def test_a_line_of_the_library_is_what_our_agent_submits_and_nothing_else(agent, task_id):
    task = load_task(task_id)
    line = agents.produce(agent, task).candidate
    assert is_library_line(line, task)
    assert foreign_files(line, task) == []
    for other in (replace(line, label="mine"), replace(line, files={**line.files, "module.py": b"import torch\n"})):
        assert not is_library_line(other, task)
        assert foreign_files(other, task) == ["module.py"]


def test_a_line_of_the_library_submits_nothing_where_no_kernel_is_replaced():
    produced = agents.produce("compile", load_task(TASK))
    assert produced.candidate.problems == (("other_category", "triton2triton"),)
    assert produced.expected is Status.NOT_PRODUCED


@pytest.mark.parametrize("task_id", [*MODULES, TASK])
def test_the_source_gate_refuses_files_that_only_a_bundle_can_bring(task_id):
    task = load_task(task_id)
    candidate = Candidate({**dict.fromkeys(task.editable, b""), "module.py": b"x = 1\n"}, "mine")
    rejection = source.check(context_of(task, candidate))
    assert (rejection.reason, rejection.detail) == ("extra_file", "module.py")


def test_what_compile_uses_is_named_and_nobody_has_to_look_at_it():
    task = load_task(MODULE)
    context = context_of(task, agents.produce("compile", task).candidate)
    assert source.check(context) is None
    assert "torch.compile" in "".join(finding.text for finding in context.findings)
    assert context.held == []


PLAIN = "triton2triton/arena/fla_l2norm"
ALL_WIDTHS_LOOK_ALIKE = ("triton2triton/arena/fused_moe", "hip2hip/arena/MultiHeadAttention")  # all divisible by 8


def test_the_hardcoder_adds_one_statement_to_a_right_source_and_nothing_that_is_on_no_list():
    sources = {}
    for task in (*load_suite("smoke").tasks, *map(load_task, (PLAIN, *ALL_WIDTHS_LOOK_ALIKE))):
        [right] = (overlay(task, task.solution, "") if task.solution else baseline(task)).files.values()
        [(name, found)] = agents.produce("shape_hardcoder", task).candidate.files.items()
        sources[f"{task.id}/{name}"] = found
        added = set(found.splitlines()) - set(right.splitlines())
        assert any(b"zeros_like" in line for line in added)
        assert len(added) <= 2
        if task.id in ALL_WIDTHS_LOOK_ALIKE:
            assert b" == " in found, "the condition would always be true"
    rules = {name: {one.rule for one in uses} - set(LABELS) for name, uses in read_sources(sources).items()}
    assert rules == {name: set() for name in sources}


def context_of(task, candidate):
    return Context(task, candidate, baseline(task), SimpleNamespace(clock_covers_streams=False), None)


def test_an_unknown_agent_is_named_with_those_that_exist():
    with pytest.raises(UsageError, match=r"no agent is named 'gpt'; the agents are baseline, .*rewrite"):
        agents.produce("gpt", load_task(TASK))
