"""Candidates from a folder or file, under the same rules as all others."""

from __future__ import annotations

import json

import pytest

from evaluator.agents.replay.launcher import launch
from evaluator.errors import UsageError
from evaluator.tasks.reader import load_task
from tests.agents.contexts import ScriptedCheck, context_for

TASK = "triton2triton/arena/softmax"


def replayed(source, **fields):
    return launch(context_for("replay", load_task(TASK), ScriptedCheck(), {"source": source and str(source)}, **fields))


def predictions(folder, *lines):
    path = folder / "predictions.jsonl"
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path


def line(text="x\n", **fields):
    return {"task": TASK, "files": {"softmax.py": text}, **fields}


def test_a_runs_folder_gives_its_candidates(tmp_path):
    folder = tmp_path / "candidates" / "triton2triton--arena--softmax"
    folder.mkdir(parents=True)
    (folder / "softmax.py").write_text("x\n")
    assert replayed(tmp_path).candidate.files == {"softmax.py": b"x\n"}


def test_a_line_of_predictions_gives_a_candidate(tmp_path):
    source = predictions(tmp_path, line(), "", {"task": "other", "files": {}})
    work = replayed(source)
    assert (work.ended, work.candidate.files, work.candidate.problems) == ("finished", {"softmax.py": b"x\n"}, ())


def test_a_repeat_has_its_own_line(tmp_path):
    source = predictions(tmp_path, line("zero\n", repeat=0), line("one\n", repeat=1))
    assert replayed(source, repeat=1).candidate.files == {"softmax.py": b"one\n"}


def test_what_the_source_does_not_hold_is_not_produced(tmp_path):
    for source in (predictions(tmp_path, {"task": "other", "files": {}}), tmp_path):
        work = replayed(source)
        assert (work.ended, work.candidate.problems) == ("gave_up", (("not_written", "softmax.py"),))


def test_a_file_that_a_candidate_may_not_have_is_a_problem(tmp_path):
    source = predictions(tmp_path, {"task": TASK, "files": {"softmax.py": "", "../up.py": "x"}})
    assert replayed(source).candidate.problems == (("extra_file", "../up.py"), ("not_written", "softmax.py"))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            [line(), "", line(repeat=1)],
            r"predictions.jsonl:3: another prediction for .*/softmax, after the one in line 1",
        ),
        (["{"], "predictions.jsonl:1: Expecting property name"),
        ([line(), {"task": TASK}], "predictions.jsonl:2: expected"),
        ([{"task": TASK, "files": {"softmax.py": 3}}], "predictions.jsonl:1: expected"),
        ([line(repeat=True)], "predictions.jsonl:1: repeat: seen True; expected a whole number from 0"),
        (["[" * 100_000], "predictions.jsonl:1: "),
    ],
)
def test_predictions_that_say_two_things_or_nothing_are_refused(tmp_path, lines, message):
    with pytest.raises(UsageError, match=message):
        replayed(predictions(tmp_path, *lines))


@pytest.mark.parametrize("source", [None, "nowhere"])
def test_a_source_has_to_be_named_and_be_there(source):
    with pytest.raises(UsageError, match="source: seen"):
        replayed(source)


GELU = "torch2triton/kernelbenchx/gelu"
PATH = "Activation/gelu.py"
SOURCE = "import triton\n\ndef forward(x, approximate):\n    return x\n"


def predicted(folder, *lines, task=GELU, **fields):
    source = str(predictions(folder, *lines))
    return launch(context_for("replay", load_task(task), ScriptedCheck(), {"source": source}, **fields))


def theirs(predict=SOURCE, file=PATH, **fields):
    return {"predict": predict, "file": file, **fields}


@pytest.mark.parametrize(
    "answer",
    [
        SOURCE,
        f"```python\n{SOURCE}```<|im_end|>",
        f"Here it is:\n\n```python\n{SOURCE}```\nwith a usage:\n```\nforward(x)\n```\n<|EOT|>",
        f"```python\n{SOURCE}",
        f"Here it is:\n```python\n{SOURCE}",
        f"{SOURCE}```",
        f"Save as gelu.py:\n```python\n{SOURCE}```\nand run python gelu.py\n```\npython gelu.py\n```\n",
        f"{SOURCE}\n".replace("\n", "\r\n").removesuffix("\r\n"),
    ],
)
def test_a_prediction_of_kernelbench_x_is_the_source_in_a_models_answer(tmp_path, answer):
    work = predicted(tmp_path, theirs(answer), theirs(file="Activation/relu.py"))
    assert (work.candidate.files, work.candidate.problems) == ({"gelu.py": SOURCE.encode()}, ())
    assert (work.ended, work.message) == ("finished", None)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("def gelu(x):\n    return x\n", "gelu, as KernelBench-X calls it, and no forward"),
        ("kernel_function = print\n", "kernel_function, as KernelBench-X calls it, and no forward"),
        ("# def forward(x): ...\n", "no forward"),
    ],
)
def test_a_prediction_with_another_entry_is_judged_as_it_is_and_says_why_it_will_fail(tmp_path, source, says):
    work = predicted(tmp_path, theirs(source))
    assert work.candidate.files == {"gelu.py": source.encode()}
    assert work.message == f"{PATH} defines {says}, which this task calls with inputs of its own"


def test_a_line_of_theirs_may_have_fields_of_our_names(tmp_path):
    work = predicted(tmp_path, theirs(task=3, files=["gelu.py"]))
    assert (work.candidate.files, work.candidate.problems) == ({"gelu.py": SOURCE.encode()}, ())


def test_a_file_may_begin_with_a_mark_of_its_bytes_and_end_lines_as_windows_does(tmp_path):
    path = tmp_path / "predictions.jsonl"
    lines = [json.dumps(theirs()), "", json.dumps(line())]
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    assert replayed(path).candidate.files == {"softmax.py": b"x\n"}


def test_bytes_that_are_no_text_are_a_problem_and_not_replaced(tmp_path):
    path = tmp_path / "predictions.jsonl"
    path.write_bytes(json.dumps(line("é"), ensure_ascii=False).encode("latin-1"))
    with pytest.raises(UsageError, match=r"predictions.jsonl:1: 'utf-8' codec can't decode byte 0xe9"):
        replayed(path)


def test_a_line_of_any_length_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr("evaluator.agents.replay.predictions.MAX_LINE_BYTES", 1000)
    with pytest.raises(UsageError, match=r"predictions.jsonl:2: longer than 1000 bytes"):
        replayed(predictions(tmp_path, line(), line("x" * 2000)))


@pytest.mark.parametrize("file", ["", "./Activation/gelu.py", "Activation/../Activation/gelu.py", "/etc/passwd"])
def test_a_path_leads_to_a_task_only_as_the_benchmark_spells_it(tmp_path, file):
    with pytest.raises(UsageError, match="no task is after KernelBench-X's"):
        predicted(tmp_path, theirs(file=file))


def test_an_empty_prediction_is_not_produced(tmp_path):
    work = predicted(tmp_path, theirs("```python\n```<|im_end|>"))
    assert (work.candidate.problems, work.message) == ((("not_written", "gelu.py"),), None)


def test_a_prediction_may_name_its_repeat(tmp_path):
    lines = theirs("a = forward = 0\n", repeat=0), theirs("forward = 1\n", repeat=1)
    assert predicted(tmp_path, *lines, repeat=1).candidate.files == {"gelu.py": b"forward = 1\n"}
    assert predicted(tmp_path, *lines, repeat=2).ended == "gave_up"


def test_all_problems_of_a_file_are_reported_at_once(tmp_path):
    lines = (
        theirs(),
        theirs(file="Activation/nothing.py"),
        {"task": GELU, "files": {"gelu.py": ""}},
        {"predict": "x"},
        "{",
        theirs(file="gelu.py"),
    )
    with pytest.raises(UsageError) as caught:
        predicted(tmp_path, *lines, task=TASK)
    found = [one.rpartition("predictions.jsonl:")[2] for one in str(caught.value).splitlines()]
    assert found[:3] == [
        "2: no task is after KernelBench-X's 'Activation/nothing.py'",
        f"3: another prediction for {GELU}, after the one in line 1",
        '4: a prediction without "file", and its text alone does not say for which task it is',
    ]
    assert [one[:3] for one in found[3:]] == ["5: ", "6: "]


def test_of_very_many_problems_the_first_are_reported_and_the_others_counted(tmp_path):
    with pytest.raises(UsageError) as caught:
        predicted(tmp_path, *["{"] * 60)
    assert len(str(caught.value).splitlines()) == 51
    assert str(caught.value).endswith("and 10 further problems")


def test_a_file_that_changed_is_read_anew(tmp_path):
    assert predicted(tmp_path, theirs("forward = 1\n")).candidate.files == {"gelu.py": b"forward = 1\n"}
    assert predicted(tmp_path, theirs("forward = 22\n")).candidate.files == {"gelu.py": b"forward = 22\n"}
