"""The skeleton of a new task has the right format, builds and runs, and fails validation with its TODOs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluator.__main__ import main
from evaluator.errors import UsageError
from evaluator.pipeline import Evaluator
from evaluator.tasks.reader import read_task
from evaluator.tasks.spec import CATEGORIES
from evaluator.validate.checks import RUN_CHECKS, STATIC_CHECKS, validate
from evaluator.validate.skeleton import write_skeleton
from evaluator.validate.subject import Subject


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_skeleton_keeps_the_format_and_fails_with_what_is_left_to_do(category: str, tmp_path: Path) -> None:
    folder = write_skeleton(category, "Scale2", tmp_path)
    validation = validate(f"{category}/arena/Scale2", tmp_path, None)
    problems = {check.name: "\n".join(check.problems) for check in validation.checks if check.outcome == "failed"}
    assert folder == tmp_path / category / "arena" / "Scale2"
    assert {"to_do", "candidates", "cases", "nulls"} <= problems.keys()
    assert "schema" not in problems
    to_do = problems["to_do"].splitlines()
    assert "config.yaml:11: the dtypes that are used in practice" in to_do
    assert "config.yaml:20: where the error comes from" in to_do
    assert {line.partition(":")[0] for line in to_do} >= {"config.yaml", "description.md", "reference.py"}
    assert "…" not in to_do
    assert "passed by first_input" in problems["nulls"]


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_plain_skeleton_has_no_expert_and_fewer_variants(category: str, tmp_path: Path) -> None:
    task = read_task(write_skeleton(category, "Scale2", tmp_path, is_plain=True), f"{category}/arena/Scale2")
    solved = CATEGORIES[category].starts_from_torch
    assert (task.is_plain, task.variants) == (True, ("right", "wrong") if solved else ("wrong",))
    assert task.solution == ("variants/right" if solved else None)
    (problem, *rest) = STATIC_CHECKS["candidates"](Subject(task))
    assert all("has the same code as" in one for one in (problem, *rest)), problem


@pytest.mark.slow
@pytest.mark.parametrize("category", CATEGORIES)
def test_a_skeleton_builds_and_runs(category: str, tmp_path: Path, evaluator: Evaluator) -> None:
    task = read_task(write_skeleton(category, "NAMES", tmp_path), f"{category}/arena/NAMES")
    assert [*RUN_CHECKS["baseline"](Subject(task, evaluator)), *RUN_CHECKS["expert"](Subject(task, evaluator))] == []


def test_a_skeleton_overwrites_nothing_and_needs_a_category_and_a_name(tmp_path: Path) -> None:
    write_skeleton("hip2hip", "Scale", tmp_path)
    names = ("Scale", "../Scale", "", "reference", "a" * 65)
    for category, name in (("hip2cuda", "Scale"), *(("hip2hip", name) for name in names)):
        with pytest.raises(UsageError):
            write_skeleton(category, name, tmp_path)


def test_the_commands_write_a_skeleton_and_its_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARENA_TASKS", str(tmp_path / "tasks"))
    assert main(["new-task", "triton2triton", "scale"]) == 0
    report = tmp_path / "report.json"
    assert main(["validate", "all", "--without-runs", "--json", str(report)]) == 1
    assert "triton2triton/arena/scale: to_do: config.yaml:" in capsys.readouterr().out
    assert json.loads(report.read_text(encoding="utf-8"))["tasks"][0]["task"] == "triton2triton/arena/scale"
    assert main(["validate", "triton2triton/arena/other", "--without-runs"]) == 2
