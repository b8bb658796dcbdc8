"""Families of tasks: what is committed is what the tables say, and a wrong table writes nothing."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from evaluator.errors import TaskError
from evaluator.tasks.spec import tasks_folder
from scripts import families
from scripts.families import FAMILIES, pointwise
from scripts.families.__main__ import main
from scripts.families.folders import Family, Folders, differences, write
from scripts.families.layout import WrittenNumber, flow, paragraphs
from scripts.families.pointwise.table import CATEGORIES

RELU, LOG = "torch2triton/kernelbenchx/relu", "torch2triton/kernelbenchx/log"
SINE = """
sine:
  title: The sine
  description: The sine of every element.
  inputs: {x: {distribution: {normal: [0, 1]}}}
  outputs: {y: {}}
  flops: 20
  tolerance: {float32: &bound {c: 1, n: 1, tau: 1.0e-5, because: it is near}, float16: *bound, bfloat16: *bound}
  baseline: return torch.sin(x)
  reference: {code: torch.sin(x)}
  second: {by: as a shifted cosine, code: torch.cos(x - math.pi / 2)}
  kernel: y = tl.sin(x)
  wrong: {because: The cosine., code: y = tl.cos(x)}
  small: [8x128 float32, 7x67 float16]
"""
SINE_ID = "torch2triton/kernelbenchx/sine"


@pytest.fixture(scope="module")
def folders() -> Folders:
    return {task_id: files for family in FAMILIES.values() for task_id, files in family.folders().items()}


def table(folder: Path, rows: str) -> Family:
    """The pointwise family with these rows alone."""
    for category in CATEGORIES:
        (folder / f"{category.lower()}.yaml").write_text(rows if category == "Math" else "{}")
    return Family("pointwise", partial(pointwise.rows, folder=folder), pointwise.folder)


def test_what_is_committed_is_what_the_tables_say(folders: Folders) -> None:
    assert len(folders) > 30
    assert differences(folders, tasks_folder()) == []


def test_it_says_what_is_missing_was_edited_or_was_added(folders: Folders, tmp_path: Path) -> None:
    two = {task_id: folders[task_id] for task_id in (RELU, LOG)}
    write(two, tmp_path)
    assert differences(two, tmp_path) == []
    (tmp_path / RELU / "module.py").unlink()
    (tmp_path / RELU / "notes.txt").write_text("mine")
    (tmp_path / LOG / "reference.py").write_text("edited")
    assert differences(two, tmp_path) == [
        f"{RELU}/module.py: missing; write the family again",
        f"{RELU}/notes.txt: not in the table; remove it, or take the row out of the table",
        f"{LOG}/reference.py: differs; write the family again, or take the row out of the table",
    ]
    write(two, tmp_path)
    assert differences(two, tmp_path) == []


def test_a_wrong_table_writes_nothing_and_has_every_problem_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = SINE.replace("flops: 20", "flops: many").replace("torch.sin(x)\n", "torch.sin(x\n")
    wrong = (
        wrong.replace("7x67 float16", "7x67 float64")
        .replace("wrong:", "wrnog:")
        .replace("outputs: {y: {}}", "outputs: {c: {}, s: {}}")
    )
    wrong = wrong.replace("inputs: {x: {", "inputs: {x: {shape: [cols], ")
    (tmp_path / "table").mkdir()
    monkeypatch.setenv("ARENA_TASKS", str(tmp_path / "tasks"))
    monkeypatch.setitem(families.FAMILIES, "pointwise", table(tmp_path / "table", wrong))
    assert main(["write", "pointwise"]) == 2
    *problems, last = capsys.readouterr().err.splitlines()
    keys = ["wrnog", "flops", "baseline", "wrong", "wrong.code", "wrong.because"]
    keys += ["reference.code", "second.code", "inputs", "small.1"]
    assert [problem.split(": ")[1] for problem in problems] == [f"sine.{key}" for key in keys]
    assert all(": seen " in problem and "; expected " in problem for problem in problems)
    assert last == "nothing was written"
    assert not (tmp_path / "tasks").exists()


def test_a_folder_that_the_task_reader_refuses_is_not_written_either(tmp_path: Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.mkdir(), bad.mkdir()
    write(table(good, SINE).folders(), tmp_path)
    assert (tmp_path / SINE_ID / "variants/right/expected").read_text() == "passed\n"
    with pytest.raises(TaskError, match=r"sine/config.yaml: arena.inputs.x.distribution: seen {'gamma'"):
        write(table(bad, SINE.replace("{normal:", "{gamma:")).folders(), tmp_path / "tasks")
    assert not (tmp_path / "tasks").exists()


def test_values_are_written_as_in_the_table() -> None:
    tiny = WrittenNumber("1.0e-6")
    tiny.text = "1.0e-6"
    value = {"range": [1, tiny], "values": ["x", "a * b"], "on": True}
    assert flow(value) == '{range: [1, 1.0e-6], values: [x, "a * b"], on: true}'


def test_a_formula_is_not_broken_over_two_lines() -> None:
    text = paragraphs(f"{'word ' * 22}`y = max(x, 0)` and more.\n\nNext.")
    assert text == f"{' '.join(['word'] * 22)}\n`y = max(x, 0)` and more.\n\nNext.\n"
