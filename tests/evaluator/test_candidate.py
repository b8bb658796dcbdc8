from __future__ import annotations

import pytest

from evaluator import agents
from evaluator.errors import UsageError
from evaluator.records.reasons import Status
from evaluator.tasks.candidate import baseline, read_candidate
from evaluator.tasks.reader import load_task
from evaluator.tasks.workspace import make_workspace

TASK = "triton2triton/arena/softmax"


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


def test_an_unknown_agent_is_named_with_those_that_exist():
    with pytest.raises(UsageError, match=r"no agent is named 'gpt'; the agents are baseline, .*rewrite"):
        agents.produce("gpt", load_task(TASK))
