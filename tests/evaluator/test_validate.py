"""Every check of the validator finds its fault."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from evaluator.pipeline import Evaluator
from evaluator.records.measurements import FUNCTIONAL, Clock
from evaluator.records.record import Record
from evaluator.tasks.reader import load_task, read_task
from evaluator.tasks.spec import TaskSpec
from evaluator.validate.checks import (
    NAMES,
    RUN_CHECKS,
    STATIC_CHECKS,
    CheckResult,
    Validation,
    as_json,
    table,
    validate,
)
from evaluator.validate.folder import is_copy
from evaluator.validate.subject import Subject
from tests.conftest import TESTS
from tests.records import make_case, make_record

ID = "triton2triton/arena/softmax"
INT = {"dtype": "int64", "shape": ["rows", "cols"]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of a good task, the only one there is."""
    target = tmp_path / ID
    shutil.copytree(load_task(ID).folder, target, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("ARENA_TASKS", str(tmp_path))
    return target


def change_config(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = folder / "config.yaml"
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    change(content["arena"])
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")


def few_cases(arena: dict[str, Any]) -> None:
    arena["cases"] = [case for case in arena["cases"] if case["rows"] * case["cols"] < 3000 and case["cols"] > 1][:2]


def found(check: str, folder: Path) -> str:
    return "\n".join(STATIC_CHECKS[check](Subject(read_task(folder, ID))))


def test_a_good_task_passes_every_check_that_runs_nothing(folder: Path, tmp_path: Path) -> None:
    validation = validate(ID, tmp_path, None)
    outcomes = {check.name: check.outcome for check in validation.checks}
    assert outcomes == {name: "not_run" if name in RUN_CHECKS else "ok" for name in NAMES}, table([validation])
    assert validation.is_valid


def test_a_folder_that_breaks_the_format_fails_and_nothing_else_is_looked_at(folder: Path, tmp_path: Path) -> None:
    change_config(folder, lambda arena: arena.pop("axes"))
    validation = validate(ID, tmp_path, None)
    assert not validation.is_valid
    assert [check.outcome for check in validation.checks] == ["failed", *["not_run"] * (len(NAMES) - 1)]


def test_a_suite_with_another_digest_is_named(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "suites").mkdir()
    frozen = {"version": 1, "tasks": {ID: "0" * 64}}
    (tmp_path / "suites" / "mine.yaml").write_text(yaml.safe_dump(frozen), encoding="utf-8")
    assert found("digest", folder).startswith("suite mine has digest 000000000000, the task ")


@pytest.mark.parametrize(
    ("check", "file", "line", "expected"),
    [
        ("to_do", "reference.py", "# TODO: halves", "reference.py:20: halves"),
        ("private", "softmax.py", "# see /home/somebody/kernels", "softmax.py:45: an absolute path: /home/s"),
        ("private", "expert/softmax.py", "# ask me@example.org", "a mail address: me@example.org"),
        ("private", "description.md", "on 192.168.0.1", "an address of a host: 192.168.0.1"),
        ("private", "reference.py", "KEY = 'ghp_abcdefgh12345678'", "a key: ghp_"),
        ("private", "variants/second.py", "password = 'correct horse'", "a secret: password"),
        ("private", "softmax.py", "# as `/home/somebody/kernels` says", "an absolute path: `/home/s"),
        ("private", "softmax.py", "# file:///home/somebody/x.py", "an absolute path: :///home/s"),
        ("private", "softmax.py", "# from ~/kernels/x.py", "an absolute path: ~/k"),
        ("private", "softmax.py", "LIBRARY = '/usr/local/somebody.so'", "an absolute path: '/usr/l"),
        ("private", "softmax.py", "KEY = 'sk-proj-AbCdEf0123456789'", "a key: sk-proj-AbCdEf0123456789"),
        ("private", "softmax.py", "HF_TOKEN = 'abcdefghijkl1234'", "a secret: TOKEN = 'abcdefghijkl1234'"),
        ("private", "softmax.py", "AWS_SECRET_ACCESS_KEY = 'wJalrXUtn'", "a secret: SECRET_ACCESS_KEY = 'wJalrXUtn'"),
        ("private", "softmax.py", "{'password': 'correct horse'}", "a secret: password': 'correct horse'"),
    ],
)
def test_a_line_that_does_not_belong_there_is_found(
    check: str, file: str, line: str, expected: str, folder: Path
) -> None:
    path = folder / file
    path.write_text(f"{path.read_text(encoding='utf-8')}\n{line}\n", encoding="utf-8")
    problems = found(check, folder)
    assert expected.partition(":")[0] in problems
    assert expected.rpartition(": ")[2] in problems


def test_every_line_of_a_file_that_does_not_belong_there_is_named(folder: Path) -> None:
    path = folder / "softmax.py"
    path.write_text(f"{path.read_text(encoding='utf-8')}\n# /home/one/x\n# /tmp/two/y\n", encoding="utf-8")
    assert [line.partition(":")[0] for line in found("private", folder).splitlines()] == ["softmax.py"] * 2


def test_a_hip_source_with_other_comments_and_spaces_is_the_same_code(tmp_path: Path) -> None:
    name = "hip2hip/arena/GELU"
    folder = shutil.copytree(load_task(name).folder, tmp_path / name)
    text = (folder / "kernel.hip").read_text(encoding="utf-8")
    (folder / "expert" / "kernel.hip").write_text(text.replace(";\n", ";  // faster\n") + "/* the\nbest */\n", "utf-8")
    problems = list(STATIC_CHECKS["candidates"](Subject(read_task(folder, name))))
    assert problems == ["kernel.hip has the same code as expert/kernel.hip"]


def test_a_description_of_a_few_words_is_none(folder: Path) -> None:
    (folder / "description.md").write_text("Softmax.\n", encoding="utf-8")
    assert found("to_do", folder) == "description.md has fewer than 40 words"


def test_an_expert_that_is_the_baseline_is_found(folder: Path) -> None:
    text = (folder / "softmax.py").read_text(encoding="utf-8")
    (folder / "expert" / "softmax.py").write_text(
        text.replace('"""Softmax', '"""The best softmax', 1), encoding="utf-8"
    )
    assert found("candidates", folder) == "softmax.py has the same code as expert/softmax.py"


def test_a_variant_that_is_missing_or_has_more_files_is_found(folder: Path) -> None:
    shutil.rmtree(folder / "variants" / "better")
    (folder / "variants" / "right" / "notes.txt").write_text("?\n", encoding="utf-8")
    problems = found("candidates", folder)
    assert "variants/*/expected: seen" in problems
    assert "variants/right: seen ['expected', 'notes.txt', 'softmax.py']" in problems


def test_a_kernel_that_the_baseline_lacks_is_found(folder: Path) -> None:
    path = folder / "config.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("[softmax_kernel]", "[fast_kernel]"), encoding="utf-8")
    assert found("names", folder) == "fast_kernel: not in softmax.py"


def test_too_few_cases_even_sizes_and_missing_dtypes_are_found(folder: Path) -> None:
    def change(arena: dict[str, Any]) -> None:
        arena["cases"] = [{"rows": 4, "cols": 8, "dtype": "float32", "profile": profile} for profile in ("small",)]

    change_config(folder, change)
    problems = found("cases", folder)
    for expected in ("1 small case;", "0 full cases;", "no small case has an odd size", "dtype bfloat16, float16"):
        assert expected in problems


@pytest.mark.parametrize("text", ["1", "0 * rows", "-8 * rows * cols"])
def test_a_model_that_moves_less_than_the_outputs_is_found(text: str, folder: Path) -> None:
    change_config(folder, lambda arena: arena["model"].update(bytes=text))
    assert "rows=16: " in found("model", folder)


def test_a_contract_without_room_for_unseen_cases_is_found(folder: Path) -> None:
    least = {"rows": 1, "cols": 1, "dtype": "float32", "profile": "small"}
    change_config(folder, lambda arena: arena["cases"].append(least))
    assert "no unseen case of category scale_down, profile small, was found" in found("unseen", folder)


def test_an_axis_that_changes_nothing_is_found(folder: Path) -> None:
    def change(arena: dict[str, Any]) -> None:
        arena["axes"]["spare"] = {"kind": "dim", "range": [1, 9]}
        arena["axes"]["always"] = {"kind": "flag"}
        for index, case in enumerate(arena["cases"]):
            case |= {"spare": index % 9 + 1, "always": True}

    change_config(folder, change)
    problems = found("axes", folder)
    assert "spare: no other value changes" in problems
    assert "always: all cases have the value True" in problems


def test_an_axis_may_change_the_dtype_of_an_output_alone(folder: Path) -> None:
    def change(arena: dict[str, Any]) -> None:
        few_cases(arena)
        arena["axes"]["out_dtype"] = {"kind": "dtype", "values": ["float16", "bfloat16"]}
        arena["outputs"]["y"]["dtype"] = "out_dtype"
        bound = {"c": 1, "n": 1, "tau": 1.6e-2, "because": "rounded once"}
        arena["tolerance"] |= {"float16": bound, "bfloat16": bound}
        for index, case in enumerate(arena["cases"]):
            case["out_dtype"] = ("float16", "bfloat16")[index % 2]

    change_config(folder, change)
    assert "out_dtype" not in found("axes", folder)


def test_an_axis_that_is_only_an_unused_number_is_found(folder: Path) -> None:
    def change(arena: dict[str, Any]) -> None:
        few_cases(arena)
        arena["axes"] |= {"spare": {"kind": "dim", "range": [1, 9]}, "loud": {"kind": "flag"}}
        arena["inputs"] |= {"spare": {"scalar": "spare"}, "loud": {"scalar": "loud"}}
        for index, case in enumerate(arena["cases"]):
            case |= {"spare": index + 1, "loud": index % 2 == 0}

    change_config(folder, change)
    assert "spare" not in found("axes", folder)
    assert found("inputs", folder) == "spare: no output depends on it\nloud: no output depends on it"
    path = folder / "reference.py"
    text = path.read_text(encoding="utf-8").replace("def reference(", "def silent(")
    read = "\n\ndef reference(inputs):\n    y = silent(inputs)['y'] * inputs['spare']\n"
    read += "    return {'y': y + inputs['loud']}\n"
    path.write_text(text + read, encoding="utf-8")
    assert found("inputs", folder) == ""


@pytest.mark.parametrize("name", [ID, "triton2triton/arena/fused_add_rms_norm", "hip2hip/arena/KDLoss"])
def test_a_second_reference_that_is_a_copy_is_found(name: str, tmp_path: Path) -> None:
    folder = shutil.copytree(load_task(name).folder, tmp_path / name)
    assert not is_copy(read_task(folder, name))
    first, second = folder / "reference.py", folder / "variants" / "second.py"
    if second.is_file():
        shutil.copyfile(first, second)
    else:
        text = first.read_text(encoding="utf-8")
        copy = (
            text[text.index("def reference(") :].partition("\n\n\n")[0].replace("def reference(", "def second_opinion(")
        )
        first.write_text(text.replace("def second_opinion(", "def older(") + "\n\n" + copy + "\n", encoding="utf-8")
    assert (
        next(STATIC_CHECKS["second"](Subject(read_task(folder, name)))) == "the second reference is a copy of the first"
    )


def test_an_answer_that_is_constant_in_most_cases_is_found(folder: Path) -> None:
    text = "import torch\n\n\ndef reference(inputs):\n    x = inputs['x']\n"
    text += "    return {'y': x.softmax(-1) if len(x) == 16 else torch.ones_like(x)}\n"
    (folder / "reference.py").write_text(text, encoding="utf-8")
    assert "small cases; the first: its elements are all the same" in found("spread", folder)


@pytest.mark.parametrize(
    ("check", "answer", "expected"),
    [
        ("reference", "torch.rand_like(x)", "y differs between two calls"),
        ("reference", "x.add_(1).softmax(-1)", "it changes its input x"),
        ("second", "x.softmax(-1) + 1e-9", "y differs between the two references"),
        ("inputs", "torch.full_like(x, 3)", "x: no output depends on it"),
        ("spread", "torch.full_like(x, 3)", "the first: its elements are all the same"),
        ("spread", "x * 0 + torch.arange(x.shape[1])", "the first: it hardly depends on the values"),
        ("spread", "x * 1e-9", "y: degenerate in 2 of 2 small cases; the first: its RMS is"),
        ("spread", "x[:, :1].expand_as(x).clone()", "the first: it is the same along axis 1"),
        ("nulls", "x.clone()", "passed by first_input"),
    ],
)
def test_a_reference_that_asks_for_nothing_is_found(check: str, answer: str, expected: str, folder: Path) -> None:
    change_config(folder, few_cases)
    text = f"import torch\n\n\ndef reference(inputs):\n    x = inputs['x']\n    return {{'y': {answer}}}\n"
    (folder / "reference.py").write_text(text, encoding="utf-8")
    assert expected in found(check, folder)


def test_values_that_must_be_equal_are_spread_whatever_their_size(folder: Path) -> None:
    change_config(folder, lambda arena: (few_cases(arena), arena["outputs"].update(y={**arena["outputs"]["y"], **INT})))
    path = folder / "reference.py"
    head = "import torch\n\n\ndef reference(inputs):\n    x = inputs['x']\n"
    path.write_text(head + "    return {'y': 10**9 + (x * 10).long()}\n", encoding="utf-8")
    assert found("spread", folder) == ""
    path.write_text(head + "    return {'y': (x > 9).long()}\n", encoding="utf-8")
    assert "its elements are all the same" in found("spread", folder)
    path.write_text(
        head + "    return {'y': x.argsort(-1).argsort(-1) * 0 + torch.arange(x.shape[1])}\n", encoding="utf-8"
    )
    assert "it hardly depends on the values" in found("spread", folder)


def test_numbers_that_are_soon_drawn_again_are_found(tmp_path: Path) -> None:
    folder = shutil.copytree(TESTS / "tiny/triton2triton/tests/ramp", tmp_path / "ramp")
    numbers = STATIC_CHECKS["numbers"]
    assert not list(numbers(Subject(read_task(folder, "triton2triton/tests/ramp"))))
    path = folder / "config.yaml"
    path.write_text(path.read_text().replace("uniform: [-1, 1]", "integers: [0, 2]").replace("1000000", "9"))
    problems = list(numbers(Subject(read_task(folder, "triton2triton/tests/ramp"))))
    assert problems[0] == "n=256: its numbers can be drawn in 16 ways; expected at least 1048576"


def test_an_unused_input_is_found(folder: Path) -> None:
    spare = {"shape": ["cols"], "dtype": "dtype", "distribution": {"normal": [0, 1]}}
    change_config(folder, lambda arena: (few_cases(arena), arena["inputs"].update(spare=spare, scale={"scalar": 1.5})))
    assert found("inputs", folder) == "spare: no output depends on it\nscale: no output depends on it"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("(x + spare[:, None] / 3).softmax(-1)", "spare: no output depends on it"),
        ("x.softmax(-1) + 7 * spare[:, None] - 7 * spare[:, None]", "spare: no output depends on it"),
        ("(x + 1e-9 * spare[:, None] * x).softmax(-1)", ""),
    ],
)
def test_an_input_that_only_changes_how_others_round_is_found(answer: str, expected: str, folder: Path) -> None:
    spare = {"shape": ["rows"], "dtype": "float32", "distribution": {"normal": [0, 1]}}
    change_config(folder, lambda arena: (few_cases(arena), arena["inputs"].update(spare=spare)))
    text = "def reference(inputs):\n    x, spare = inputs['x'], inputs['spare']\n"
    (folder / "reference.py").write_text(f"{text}    return {{'y': {answer}}}\n", encoding="utf-8")
    assert found("inputs", folder) == expected


def test_a_check_that_breaks_has_failed(folder: Path, tmp_path: Path) -> None:
    (folder / "reference.py").write_text("def reference(inputs):\n    return 1 / 0\n", encoding="utf-8")
    results = {check.name: check for check in validate(ID, tmp_path, None).checks}
    assert results["reference"].problems == ("ZeroDivisionError: division by zero",)
    assert results["private"].outcome == "ok"


class Says(Evaluator):
    """An evaluator that turns candidates away for the reasons named, and lets the others pass on the cases named."""

    def __init__(self, reasons: dict[str, str], cases: tuple[str, ...], call_ms: float = 1.0) -> None:
        self.reasons, self.cases, self.call_ms = reasons, cases, call_ms

    def evaluate(self, task: TaskSpec, candidate: Any, *, uploaded: bool = False) -> Record:
        clocks = {FUNCTIONAL: Clock((1.0, 1.0), (9 * self.call_ms, self.call_ms))}
        cases = tuple(make_case(name, clocks=clocks) for name in self.cases)
        return make_record(reason=self.reasons.get(candidate.label), cases=cases, isa_checked={"gfx942": "failed"})


def test_candidates_that_get_another_status_than_they_should_are_found(folder: Path) -> None:
    task = read_task(folder, ID)
    small = tuple(case.id for case in task.cases_of(("small",)))
    subject = Subject(task, Says({"expert": "segfault", "variants/right": "mismatch"}, small))
    assert list(RUN_CHECKS["baseline"](subject)) == []
    assert "seen crashed; expected passed" in next(iter(RUN_CHECKS["expert"](subject)))
    text = "\n".join(RUN_CHECKS["variants"](subject))
    assert "wrong: seen passed; expected wrong_output" in text.splitlines()
    assert "right: seen wrong_output; expected passed" in text
    assert list(RUN_CHECKS["gfx942"](subject)) == ["baseline: failed", "expert: failed"]


def test_a_folder_without_an_expert_is_a_plain_task(folder: Path) -> None:
    for name in ("expert", "variants/better"):
        shutil.rmtree(folder / name)
    assert found("candidates", folder).endswith("expected {'wrong': 'wrong_output'} of a plain task")
    shutil.rmtree(folder / "variants" / "right")
    assert found("candidates", folder) == ""
    task = read_task(folder, ID)
    subject = Subject(task, Says({"variants/wrong": "mismatch"}, tuple(case.id for case in task.cases)))
    assert [list(RUN_CHECKS[name](subject)) for name in ("baseline", "expert", "variants", "cpu_time")] == [[]] * 4
    assert list(RUN_CHECKS["gfx942"](subject)) == ["baseline: failed"]


def test_a_case_that_was_not_judged_or_takes_too_long_is_found(folder: Path) -> None:
    task = read_task(folder, ID)
    first, second, *_ = (case.id for case in task.cases_of(("small",)))
    assert f"{second}: not checked" in list(RUN_CHECKS["baseline"](Subject(task, Says({}, (first,)))))
    assert list(RUN_CHECKS["cpu_time"](Subject(task, Says({}, (first,))))) == []
    assert list(RUN_CHECKS["cpu_time"](Subject(task, Says({}, (first,), 5000.0)))) == [
        f"{name}: {first}: 5000 ms a call; at most 2000" for name in ("baseline", "expert")
    ]


def test_the_report_is_a_table_with_every_problem_and_a_json_file() -> None:
    failed = CheckResult("axes", "failed", ("spare: unused",), 0.25)
    validations = [Validation("a/b/c", "12", (CheckResult("schema", "ok"), failed, CheckResult("expert", "not_run")))]
    lines = table(validations).splitlines()
    assert lines[1].split() == ["a/b/c", "ok", "FAILED", "-"]
    assert lines[2] == "a/b/c: axes: spare: unused"
    report = json.loads(as_json(validations))
    assert report["valid"] is False
    assert report["tasks"][0]["checks"]["axes"] == {"outcome": "failed", "problems": ["spare: unused"], "seconds": 0.25}


@pytest.mark.slow
def test_a_good_task_passes_every_check(folder: Path, tmp_path: Path, evaluator: Evaluator) -> None:
    change_config(folder, lambda arena: arena.update(cases=arena["cases"][:5] + arena["cases"][7:]))
    validation = validate(ID, tmp_path, evaluator)
    assert {check.outcome for check in validation.checks} == {"ok"}, table([validation])
