"""Families of tasks: what is committed is what the tables say, and a wrong table writes nothing."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from evaluator.errors import TaskError
from evaluator.tasks.fields import Problems
from evaluator.tasks.spec import tasks_folder
from scripts import families
from scripts.families import FAMILIES, pointwise
from scripts.families.__main__ import main
from scripts.families.folders import Family, Folders, differences, write
from scripts.families.layout import WrittenNumber, flow, paragraphs
from scripts.families.pointwise.table import CATEGORIES
from scripts.families.templated import templated

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
  second: {says: A shifted cosine., code: torch.cos(x - math.pi / 2)}
  right: {says: Triton's sine., code: y = tl.sin(x)}
  wrong: {says: The cosine., code: y = tl.cos(x)}
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
    keys = ["wrnog", "flops", "inputs", "baseline", "reference.code", "second.code"]
    keys += ["right.code", "wrong", "wrong.says", "wrong.code", "small.1"]
    assert [problem.split(": ")[:2] for problem in problems] == [["table/math.yaml", f"sine.{key}"] for key in keys]
    assert all(": seen " in problem and "; expected " in problem for problem in problems)
    assert last == "nothing was written"
    assert not (tmp_path / "tasks").exists()


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("flops: 20", "flops: 2.7", "sine.flops: seen 2.7"),
        ("flops: 20", "flops: 20\n  note:", "sine.note: seen None"),
        ("flops: 20", "flops: 20\n  couplings: 5", "sine.couplings: seen 5"),
        ("flops: 20", "flops: 20\n  couplings: {low: [low <= 1]}", "sine.couplings.low: seen"),
        ("flops: 20", "flops: 20\n  flags: [low]", "sine.flags.0: seen 'low'; expected the scalar of an input"),
        ("flops: 20", "flops: 20\n  flops: 30", "math.yaml: not YAML: the key 'flops' a second time"),
        ("inputs: {", "inputs: {z: {shape: [rows], distribution: {normal: [0, 1]}}, ", "sine.inputs.z.shape: seen"),
        ("inputs: {x: {distribution: {normal: [0, 1]}}}", "inputs: {x: 5}", "sine.inputs.x: seen 5"),
        ("outputs: {y: {}}", "outputs: {}", "sine.outputs: seen []; expected at least one output"),
        ("y = tl.sin(x)", "z = tl.sin(x)", "sine.right.code: seen 'z = tl.sin(x)'; expected a value for y"),
        ("{code: torch.sin(x)}", "{code: tosh.sin(q)}", "sine.reference.code: seen 'q, tosh'; expected only names"),
        ("[8x128 float32, 7x67 float16]", "[]", "sine.small: seen []; expected at least one case"),
        ("7x67 float16", "7x67 float16 float32", "sine.small.1: seen '7x67 float16 float32'; expected like"),
        ("title: The sine", """title: 'The \"\"\"sine'""", "sine/module.py: line 1: seen"),
    ],
)
def test_what_no_folder_could_be_made_of_is_a_problem(tmp_path: Path, old: str, new: str, problem: str) -> None:
    with pytest.raises(TaskError) as error:
        write(table(tmp_path, SINE.replace(old, new)).folders(), tmp_path / "tasks")
    assert any(problem in line for line in error.value.problems), error.value.problems
    assert not (tmp_path / "tasks").exists()


def test_a_name_in_two_files_and_what_the_task_reader_finds_are_reported_together(tmp_path: Path) -> None:
    family = table(tmp_path, SINE.replace("{normal:", "{gamma:"))
    (tmp_path / "fusion.yaml").write_text(SINE)
    with pytest.raises(TaskError) as error:
        family.folders()
    twice, distribution, *_ = error.value.problems
    assert "/fusion.yaml: sine: seen 'sine'; expected a name of its own: " in twice
    assert distribution.startswith(f"{SINE_ID}/config.yaml: arena.inputs.x.distribution: seen {{'gamma'")


def test_a_task_with_a_number_of_its_own_in_each_call_is_not_compiled_for_each(folders: Folders) -> None:
    drawn = [files["config.yaml"] for files in folders.values() if b"{scalar: {" in files["config.yaml"]]
    assert len(drawn) >= 6
    assert all(b"\n  baselines: []  # " in config for config in drawn)


def test_a_folder_that_cannot_be_written_leaves_the_one_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = table(tmp_path, SINE).folders()
    write(made, tmp_path)

    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("scripts.families.folders.write_files", full)
    with pytest.raises(OSError, match="no space left"):
        write(made, tmp_path)
    assert differences(made, tmp_path) == []


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


def made(folder: Path, rows: str) -> Family:
    """A family of two templates, of which the second is for rows with a note alone."""
    templates = folder / "sums" / "templates"
    (templates / "variants").mkdir(parents=True)
    (templates / "module.py.j2").write_text("{{ title | sentence }} {{ flow_of | flow }}\n")
    (templates / "variants" / "NAME.md.j2").write_text(
        "{% if note is defined %}\n{{ name }}: {{ note }}\n{% endif %}\n"
    )
    (folder / "sums" / "table.yaml").write_text(rows)
    return templated(folder / "sums")


def test_templates_make_a_file_each_unless_they_come_to_nothing(tmp_path: Path) -> None:
    family = made(
        tmp_path, "{shared: {a: &a [1, x]}, one: {title: The sum, flow_of: *a, note: n}, two: {title: T, flow_of: *a}}"
    )
    problems = Problems("sums")
    rows = family.rows(problems)
    assert problems.lines == []
    assert {name: family.folder(name, row) for name, row in rows.items()} == {
        "torch2triton/kernelbenchx/one": {"module.py": b"The sum [1, x]\n", "variants/one.md": b"one: n\n"},
        "torch2triton/kernelbenchx/two": {"module.py": b"T [1, x]\n"},
    }


def test_what_templates_miss_and_what_none_of_them_reads_is_said_at_once(tmp_path: Path) -> None:
    family = made(tmp_path, "{one: {title: The sum, flow_off: 1}, two: {title: T}}")
    with pytest.raises(TaskError) as caught:
        family.folders()
    assert caught.value.problems == [
        "sums/table.yaml: one.flow_off: seen 1; expected no such key; the keys are flow_of, note, title",
        "sums/table.yaml: one: seen ['flow_off', 'title']; expected what the templates need: 'flow_of' is undefined",
        "sums/table.yaml: two: seen ['title']; expected what the templates need: 'flow_of' is undefined",
    ]
