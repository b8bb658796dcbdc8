"""held_out_shapes.yaml: three kinds of replacements in copies of a task's scripts, and every way not to fit."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
import yaml

from evaluator.errors import TaskError, UsageError
from evaluator.unseen.injections import HeldOut, Injection, NotInjectable, read_held_out

RUNNER = b'''"""A runner."""
import torch

# shapes: TEST_SHAPES = [...] in a comment does not count
TEST_SHAPES: list = [
    (4, 8),  # a bracket ] in a comment
    (16, 32),
]; LATER = "caf\xc3\xa9"


def check():
    TEST_SHAPES = None
    return TEST_SHAPES
'''
MODULE = b"""def helper():
    pass


def get_inputs():
    x = 1

    # an empty line ends nothing
    return [x]
CONSTANT = get_inputs()
"""
NATIVE = b"int main() { return run(64); }\n"
FILES = {"scripts/task_runner.py": RUNNER, "module.py": MODULE, "main.cpp": NATIVE}


def shapes(code: str = "TEST_SHAPES = [(3, 5)]\n") -> dict[str, object]:
    return {"file": "scripts/task_runner.py", "find_marker": "TEST_SHAPES", "replacement_code": code}


def read(folder: Path, *injections: dict[str, object], **top: object) -> HeldOut:
    whole = {"task_type": "triton2triton", "num_original_shapes": 2, "injections": list(injections), **top}
    (folder / "held_out_shapes.yaml").write_text(yaml.safe_dump(whole))
    return read_held_out(folder / "held_out_shapes.yaml", "triton2triton", FILES)


def test_the_statement_that_assigns_the_shapes_is_replaced_and_nothing_beside_it(tmp_path: Path) -> None:
    made = read(tmp_path, shapes()).into(FILES)
    begin, end = RUNNER.index(b"TEST_SHAPES: list"), RUNNER.index(b"; LATER")
    assert made["scripts/task_runner.py"] == RUNNER[:begin] + b"TEST_SHAPES = [(3, 5)]" + RUNNER[end:]
    assert made["module.py"] == MODULE


def test_the_function_of_inputs_is_replaced_to_its_end(tmp_path: Path) -> None:
    code = "def get_inputs():\n    return [2]\n"
    made = read(tmp_path, {"file": "module.py", "find_marker": "def get_inputs", "replacement_code": code}).into(FILES)
    assert made["module.py"] == MODULE[: MODULE.index(b"def get_inputs")] + code.encode() + b"CONSTANT = get_inputs()\n"


def test_a_text_that_occurs_once_is_replaced_in_any_file(tmp_path: Path) -> None:
    raw = {"file": "main.cpp", "find_marker": "raw_replace", "old_code": "run(64)", "replacement_code": "run(65)"}
    assert read(tmp_path, raw).into(FILES)["main.cpp"] == b"int main() { return run(65); }\n"


def test_pieces_are_replaced_one_after_another_and_the_files_digest_is_recorded(tmp_path: Path) -> None:
    second = {"file": "scripts/task_runner.py", "find_marker": "raw_replace"}
    held_out = read(tmp_path, shapes(), {**second, "old_code": "(3, 5)", "replacement_code": "(3, 7)"})
    assert b"TEST_SHAPES = [(3, 7)]" in held_out.into(FILES)["scripts/task_runner.py"]
    assert held_out.files == ("scripts/task_runner.py",)
    assert held_out.digest == hashlib.sha256((tmp_path / "held_out_shapes.yaml").read_bytes()).hexdigest()


@pytest.mark.parametrize("ending", [b"\r\n", b"\n"])
def test_line_endings_stay_as_they_are(ending: bytes) -> None:
    data = ending.join([b"first = 1", b"TEST_SHAPES = [", b"    1,", b"]", b"last = 2", b""])
    made = Injection("a.py", "TEST_SHAPES", "", "TEST_SHAPES = [2]").into(data)
    assert made == ending.join([b"first = 1", b"TEST_SHAPES = [2]", b"last = 2", b""])


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"x = 1\n", "TEST_SHAPES occurs 0 times at the top of a.py"),
        (b"TEST_SHAPES = [1]\nTEST_SHAPES = [2]\n", "TEST_SHAPES occurs 2 times"),
        (b"TEST_SHAPES = [1]\nTEST_SHAPES += [2]\n", "TEST_SHAPES occurs 2 times"),  # the second would stay
        (b"def f():\n    TEST_SHAPES = [1]\n", "TEST_SHAPES occurs 0 times"),
        (b"TEST_SHAPES = [\n", "a.py is not Python"),
        (b"TEST_SHAPES = '\xff'\n", "a.py is not Python"),
    ],
)
def test_a_marker_that_does_not_occur_once_at_the_top_is_refused(data: bytes, problem: str) -> None:
    with pytest.raises(NotInjectable, match=problem):
        Injection("a.py", "TEST_SHAPES", "", "TEST_SHAPES = [9]").into(data)


@pytest.mark.parametrize(
    ("injection", "problem"),
    [
        (shapes("OTHER_SHAPES = [1]"), "TEST_SHAPES occurs 0 times"),
        (shapes("TEST_SHAPES = ["), "scripts/task_runner.py is not Python"),
        (
            {**shapes(), "file": "../../etc/passwd"},
            "file: seen '../../etc/passwd'; expected one of",
        ),
        (
            {**shapes(), "find_marker": "SHAPES"},
            "find_marker: seen 'SHAPES'; expected one of TEST_SHAPES",
        ),
        ({**shapes(), "find_marker": "raw_replace"}, "old_code: seen nothing; expected text"),
        (
            {**shapes(), "find_marker": "raw_replace", "old_code": "TEST_SHAPES"},
            "old_code occurs 4 times in scripts/task_runner.py; expected once",
        ),
        ({**shapes(), "mode": "append"}, "mode: seen 'append'; expected no such key"),
        ({"file": "module.py", "find_marker": "def get_inputs"}, "replacement_code: seen nothing; expected text"),
    ],
)
def test_an_injection_that_does_not_fit_is_refused_with_its_place(
    tmp_path: Path, injection: dict[str, object], problem: str
) -> None:
    with pytest.raises(TaskError) as caught:
        read(tmp_path, shapes(), injection)
    assert len(caught.value.problems) == 1
    assert "injections.1" in caught.value.problems[0]
    assert problem in caught.value.problems[0]


def test_a_file_of_another_form_is_refused_with_every_problem(tmp_path: Path) -> None:
    with pytest.raises(TaskError) as caught:
        read(tmp_path, shapes("x = 1"), {"find_marker": "raw_replace"}, task_type="hip2hip", extra=1)
    places = [line.split(": ")[1] for line in caught.value.problems]
    assert places == [
        *("extra", "task_type", "injections.0.find_marker"),
        *("injections.1.old_code", "injections.1.file", "injections.1.replacement_code"),
    ]


def test_a_file_that_is_not_there_or_no_yaml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "held_out_shapes.yaml"
    with pytest.raises(UsageError, match="cannot be read"):
        read_held_out(path, "triton2triton", FILES)
    path.write_text("injections: [")
    with pytest.raises(TaskError, match="not YAML"):
        read_held_out(path, "triton2triton", FILES)


def test_a_workspace_without_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotInjectable, match=r"there is no file scripts/task_runner\.py"):
        read(tmp_path, shapes()).into({"module.py": MODULE})
