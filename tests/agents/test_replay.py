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
        ([line(), line()], "holds 2 predictions"),
        (["{"], "predictions.jsonl:1: not JSON"),
        ([line(), {"task": TASK}], "predictions.jsonl:2: expected"),
        ([{"task": TASK, "files": {"softmax.py": 3}}], "predictions.jsonl:1: expected"),
    ],
)
def test_predictions_that_say_two_things_or_nothing_are_refused(tmp_path, lines, message):
    with pytest.raises(UsageError, match=message):
        replayed(predictions(tmp_path, *lines))


@pytest.mark.parametrize("source", [None, "nowhere"])
def test_a_source_has_to_be_named_and_be_there(source):
    with pytest.raises(UsageError, match="source: seen"):
        replayed(source)
