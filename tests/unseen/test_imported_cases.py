"""Cases from a file: read as data with an origin, refused with every problem at once."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from evaluator.errors import TaskError, UsageError
from evaluator.tasks.reader import load_task
from evaluator.unseen.imported import read_imported

TASK = load_task("triton2triton/arena/flash_attention")
GOOD = {
    **{"category": "edge", "profile": "small", "batch": 1, "kv_heads": 1, "group": 1, "queries": 1, "keys": 77},
    **{"head_dim": 24, "causal": True, "masked": False, "dtype": "float16"},
}
SEEN = {**GOOD, "queries": 64, "keys": 64, "head_dim": 64, "dtype": "bfloat16"}


def read(folder: Path, *cases: dict[str, object], **top: object) -> tuple[object, ...]:
    whole = {"version": 1, "task": TASK.id, "origin": "written_by_model", "cases": list(cases), **top}
    (folder / "cases.yaml").write_text(yaml.safe_dump(whole))
    return read_imported(folder / "cases.yaml", TASK)


def problems(folder: Path, *cases: dict[str, object], **top: object) -> list[str]:
    with pytest.raises(TaskError) as caught:
        read(folder, *cases, **top)
    return [line.removeprefix(f"{folder / 'cases.yaml'}: ") for line in caught.value.problems]


def test_a_case_keeps_who_wrote_it_and_what_it_is_for(tmp_path: Path) -> None:
    (unseen,) = read_cases = read(tmp_path, GOOD)
    assert len(read_cases) == 1
    assert (unseen.origin, unseen.category, unseen.case.profile) == ("written_by_model", "edge", "small")
    assert unseen.case.value("keys") == 77
    assert [name for name, _ in unseen.case.axes] == [axis.name for axis in TASK.axes]


def test_every_problem_is_reported_at_once_with_its_place(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        {**GOOD, "head_dim": 20, "category": "tiny"},
        {**GOOD, "dtype": "float32", "colour": "red"},
        {**GOOD, "causal": 1},
        origin="generated",
    )
    assert found == [
        "origin: seen 'generated'; expected one of written_by_hand, written_by_model",
        "cases.0.head_dim: seen 20; expected a multiple of 8",
        "cases.0.category: seen 'tiny'; expected one of edge, scale_up, scale_down, alignment, asymmetric, production",
        f"cases.1.colour: seen 'red'; expected no such key; the keys are {', '.join(dict(TASK.cases[0].axes))}, "
        "profile, category",
        "cases.1.dtype: seen 'float32'; expected one of float16, bfloat16",
        "cases.2.causal: seen 1; expected true or false",
    ]


@pytest.mark.parametrize(
    ("case", "problem"),
    [
        ({**GOOD, "keys": 16385}, "cases.0.keys: seen 16385; expected a number from 1 to 16384"),
        ({**GOOD, "keys": 7.5}, "cases.0.keys: seen 7.5; expected a multiple of 1"),
        ({**GOOD, "keys": 0}, "cases.0.keys: seen 0; expected a number from 1 to 16384"),
        ({key: value for key, value in GOOD.items() if key != "keys"}, "cases.0.keys: seen nothing; expected"),
        ({**GOOD, "queries": 78}, "expected queries <= keys (coupling)"),
        ({**SEEN}, "expected a case that is not among the task's seen ones"),
        ({**GOOD, "keys": 16000}, "bytes in memory for batch=1"),
        ({**GOOD, "batch": 64, "queries": 77}, "operations for batch=64"),
        ({**GOOD, "profile": "huge"}, "cases.0.profile: seen 'huge'; expected one of small, full"),
    ],
)
def test_a_case_that_the_contract_or_its_costs_do_not_allow_is_refused(
    tmp_path: Path, case: dict[str, object], problem: str
) -> None:
    assert any(problem in line for line in problems(tmp_path, case))


def test_the_same_case_twice_is_refused(tmp_path: Path) -> None:
    assert "expected a case that is not listed already" in problems(tmp_path, GOOD, GOOD)[0]


@pytest.mark.parametrize(
    ("top", "problem"),
    [
        (
            {"task": "triton2triton/arena/softmax"},
            f"task: seen 'triton2triton/arena/softmax'; expected one of {TASK.id}",
        ),
        ({"version": 2}, "version: seen 2; expected one of 1"),
        ({"cases": []}, "cases: seen []; expected a list with at least one item"),
        ({"cases": ["edge"]}, "cases.0: seen 'edge'; expected a mapping"),
        ({"round": "demo"}, "round: seen 'demo'; expected no such key"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, top: dict[str, object], problem: str) -> None:
    assert any(line.startswith(problem) for line in problems(tmp_path, GOOD, **top))


def test_a_file_that_is_not_there_or_no_yaml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cases\.yaml cannot be read"):
        read_imported(tmp_path / "cases.yaml", TASK)
    (tmp_path / "cases.yaml").write_text("cases: [")
    with pytest.raises(TaskError, match="not YAML"):
        read_imported(tmp_path / "cases.yaml", TASK)
