"""python -m evaluator unseen: a table for people, JSON for programs, and the check of a file of cases."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from evaluator.__main__ import main
from evaluator.tasks.reader import load_task
from evaluator.unseen.generate import GENERATOR_VERSION, core_cases
from evaluator.unseen.rounds import read_round

TASK = "triton2triton/arena/softmax"


def test_a_secret_gives_a_line_a_case_with_what_sets_it_apart(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["unseen", TASK, "--secret", "golden"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 9
    assert lines[1].split() == ["edge", "small", "cols", "1000→2500", "cols=2500,dtype=float16,rows=1"]


def test_json_says_what_the_cases_follow_from(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["unseen", TASK, "--secret", "golden", "--profile", "full", "--json"]) == 0
    whole, task = json.loads(capsys.readouterr().out), load_task(TASK)
    assert (whole["task"], whole["digest"], whole["generator"]) == (TASK, task.digest, GENERATOR_VERSION)
    assert whole["round"] == hashlib.sha256(b"golden").hexdigest()
    assert [case["id"] for case in whole["cases"]] == [one.case.id for one in core_cases(task, b"golden", "full")]
    first = whole["cases"][0]
    assert (first["category"], first["origin"], first["axes"]["rows"]) == ("edge", "generated", 1)
    assert first["changes"]["rows"]["unseen"] == 1


def test_a_revealed_round_is_known_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["unseen", TASK, "--round", "demo", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["round"] == read_round("demo").digest


def test_imported_cases_are_listed_with_their_origin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cases.yaml"
    file.write_text(
        f"version: 1\ntask: {TASK}\norigin: written_by_hand\n"
        "cases: [{category: alignment, profile: small, rows: 5, cols: 77, dtype: float32}]\n"
    )
    assert main(["unseen", TASK, "--cases", str(file), "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert (whole["generator"], whole["round"]) == (None, None)
    assert [(case["origin"], case["id"]) for case in whole["cases"]] == [
        ("written_by_hand", "cols=77,dtype=float32,rows=5")
    ]


def test_a_file_that_does_not_fit_the_contract_is_exit_code_2_with_every_problem(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cases.yaml"
    file.write_text(f"version: 1\ntask: {TASK}\norigin: written_by_hand\ncases: [{{category: edge, rows: 0}}]\n")
    assert main(["unseen", TASK, "--cases", str(file)]) == 2
    places = [line.split(": ")[1] for line in capsys.readouterr().err.splitlines()]
    assert places == ["cases.0.profile", "cases.0.rows", "cases.0.cols", "cases.0.dtype"]


@pytest.mark.parametrize(
    "words", [["unseen", "none/such", "--secret", "x"], ["unseen", TASK, "--round", "none"]], ids=["task", "round"]
)
def test_what_is_not_there_is_exit_code_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert "named" in capsys.readouterr().err


def test_a_secret_a_round_or_a_file_is_needed() -> None:
    with pytest.raises(SystemExit):
        main(["unseen", TASK])
