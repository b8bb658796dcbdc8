"""Derived inputs: what inputs.py makes, what the judge demands of it, and the renewal that keeps its relations."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace

import pytest
import torch
import yaml

from evaluator.errors import TaskError
from evaluator.judge.draws import Draw, Seed, contents_of, derived_set, draws_of
from evaluator.judge.nulls import nulls_that_pass
from evaluator.judge.reference import Reference
from evaluator.judge.renewal import Order, renewed
from evaluator.judge.seal import MASK, mixed
from evaluator.tasks.derived import FILE, _bits_of_orders
from evaluator.tasks.reader import load_task, read_task, task_ids
from evaluator.tasks.spec import Renewal, tasks_folder
from evaluator.validate import references
from evaluator.validate.subject import Subject
from tests.conftest import TESTS

FOLDER = TESTS / "tiny" / "triton2triton" / "tests" / "ragged"
ID = "triton2triton/tests/ragged"
STANDARD = Draw("standard", "standard", 0)
DERIVED = [task_id for task_id in task_ids() if (tasks_folder() / task_id / FILE).is_file()]


@pytest.fixture(scope="module")
def task():
    return read_task(FOLDER, ID)


def changed_folder(tmp_path, file: str, *changes: tuple[str, str]):
    """Return a copy of the tiny task with other text in one file."""
    folder = shutil.copytree(FOLDER, tmp_path / "ragged")
    text = (folder / file).read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / file).write_text(text, encoding="utf-8")
    return folder


def new_order(count: int, key: int) -> torch.Tensor:
    return Order(count, key).whole()


def is_consistent(found, case) -> bool:
    """Whether the relations of a set hold: lengths add up, positions count each request, holes lie behind them."""
    starts, positions, table = (found[name].long() for name in ("starts", "positions", "table"))
    lengths = starts.diff()
    assert int(starts[0]) == 0
    counted = torch.cat([torch.arange(int(length)) for length in lengths])
    known = (torch.arange(table.shape[1]) < lengths[:, None]) == (table >= 0)
    return (
        int(starts[-1]) == case.value("tokens")
        and bool((lengths >= 0).all())
        and torch.equal(positions, counted)
        and bool(known.all())
        and int(table.max()) < case.value("pages")
    )


def test_a_set_is_made_at_once_and_keeps_its_relations_when_renewed(task):
    seed = Seed()
    for case in task.cases:
        for draw in draws_of(task):
            made = derived_set(task, case, draw, seed)
            assert is_consistent(made, case)
            again = renewed(task, case, made, 77)
            assert is_consistent(again, case)
            assert sorted(made["starts"].diff().tolist()) == sorted(again["starts"].diff().tolist())
            assert not torch.equal(made["table"], again["table"])


def test_a_renewal_does_what_its_keys_say(task):
    case = replace(task.cases[0], axes=(("requests", 3), ("tokens", 6), ("pages", 5)))
    made = {
        "starts": torch.tensor([0, 3, 3, 5], dtype=torch.int32),
        "positions": torch.tensor([0, 1, 2, 0, 1, 9]),
        "table": torch.tensor([[0, 1, 2, -1, -1], [7, -1, -1, -1, -1], [3, 4, -1, -1, -1]], dtype=torch.int32),
    }
    word = next(w for w in range(99) if new_order(3, mixed_of(task, "requests", w)).tolist() == [2, 0, 1])
    named = new_order(5, mixed_of(task, "pages", word)).tolist()
    found = renewed(task, case, made, word)
    assert found["starts"].tolist() == [0, 0, 2, 5]
    assert found["positions"].tolist() == [0, 1, 0, 1, 2, 9]
    assert found["table"].tolist() == [
        [7, -1, -1, -1, -1],
        [named[3], named[4], -1, -1, -1],
        [named[0], named[1], named[2], -1, -1],
    ]


def mixed_of(task, axis: str, word: int) -> int:
    return mixed(word + [one.name for one in task.axes].index(axis) & MASK)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 64, 65, 1000])
def test_a_new_order_has_every_place_once(count):
    assert sorted(new_order(count, 5).tolist()) == list(range(count))


def test_orders_of_other_keys_are_unrelated():
    found = {tuple(new_order(16, key).tolist()) for key in range(100)}
    assert len(found) == 100
    firsts = torch.tensor([new_order(16, key)[0] for key in range(320)]).bincount(minlength=16)
    assert firsts.min() >= 4  # 20 expected, with a deviation of 4.3


def test_a_matrix_in_a_new_order_of_rows_and_columns_stays_symmetric(task):
    matrix = replace(task.inputs[0], name="a", derived=Renewal(order=("requests", "requests")))
    task = replace(task, inputs=(matrix,))
    a = torch.randn(5, 5, dtype=torch.float64)
    a = a @ a.T + torch.eye(5)
    a = (a + a.T) / 2
    found = renewed(task, task.cases[0], {"a": a}, 3)["a"]
    assert torch.equal(found, found.T)
    assert not torch.equal(found, a)
    assert torch.allclose(torch.linalg.eigvalsh(found), torch.linalg.eigvalsh(a))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_positive_scaling_keeps_a_matrix_symmetric_and_positive_definite(task, dtype):
    matrix = replace(task.inputs[0], name="a", derived=Renewal(scale=("requests", "requests")))
    task = replace(task, inputs=(matrix,))
    a = torch.randn(5, 5, dtype=torch.float64)
    a = (a @ a.T + torch.eye(5)).to(dtype)
    a = (a + a.T) / 2
    found = renewed(task, task.cases[0], {"a": a}, 3)["a"]
    factors = (found.diagonal() / a.diagonal()).sqrt()
    assert torch.equal(found, found.T)
    assert torch.allclose(found, factors[:, None] * a * factors)
    assert bool((factors >= 0.7499).all() and (factors <= 1.2501).all())
    assert len(set(factors.tolist())) > 1
    assert float(torch.linalg.eigvalsh(found).min()) > 0


def test_special_sets_are_draws_by_their_name(task):
    assert [draw.name for draw in draws_of(task)].count("one_request") == 3
    found = contents_of(task, task.cases[0], Draw("special", "one_request", 0), Seed())
    assert found["starts"].tolist() == [0, 37, 37, 37, 37, 37]


def test_every_second_standard_draw_is_renewed(task, monkeypatch):
    words = []
    monkeypatch.setattr("evaluator.judge.draws.renewed", lambda task, case, made, word: words.append(word) or made)
    for draw in draws_of(task):
        derived_set(task, task.cases[0], draw, Seed())
    assert len(words) == 1


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"starts": starts, ', "", "starts: seen None; expected (6,)"),
        ('"starts": starts, ', '"starts": starts[1:], ', "starts: seen (5,); expected (6,)"),
        ('"starts": starts, ', '"starts": starts.double(), ', "starts: seen torch.float64; expected torch.int32"),
        ('"starts": starts, ', '"starts": starts + 2**40, ', "expected what fits into torch.int32"),
        ('"starts": starts, ', '"starts": starts, "more": starts, ', "more: no derived input of this case"),
        ("def draw(", "def drawn(", "inputs.py: no function draw"),
        ("    return {", "    return None\n    return {", "standard: seen None; expected tensors by name"),
        ('"starts": starts, ', '"starts": starts.flip(0), ', "starts: seen offsets [37, "),
        ('"starts": starts, ', '"starts": 2 * starts, ', "expected none below the one before, from 0 to at most 37"),
        ('"starts": starts, ', '"starts": starts - 1, ', "starts: seen offsets [-1, "),
    ],
)
def test_a_set_that_is_not_as_declared_is_the_tasks_fault(tmp_path, old, new, expected):
    task = read_task(changed_folder(tmp_path, "inputs.py", (old, new)), ID)
    with pytest.raises(TaskError, match=re.escape(expected)):
        derived_set(task, task.cases[0], STANDARD, Seed())


def test_every_problem_of_a_set_is_told_at_once(tmp_path):
    change = ('{"starts": starts, "positions": positions, ', '{"more": starts, ')
    task = read_task(changed_folder(tmp_path, "inputs.py", change), ID)
    with pytest.raises(TaskError) as caught:
        derived_set(task, task.cases[0], STANDARD, Seed())
    assert len(caught.value.problems) == 3


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"starts": {"derived": {"offsets": "tokens"}}}, "inputs.starts.derived.offsets"),
        ({"starts": {"derived": {"offsets": "nothing"}}}, "seen 'nothing'; expected one of requests, tokens, pages"),
        ({"starts": {"dtype": "float32"}}, "expected one of int16, int32, int64, for ids and offsets"),
        ({"positions": {"derived": {"segments": "table"}}}, "expected the name of an input with offsets"),
        ({"table": {"derived": {"order": ["requests"]}}}, "expected 2 entries, one for each dimension"),
        (
            {"table": {"derived": {"order": ["tokens", None]}}},
            "seen '5 for pages=60,requests=5,tokens=37'; expected a dimension of 37, as tokens",
        ),
        ({"table": {"derived": {"sort": True}}}, "no such key; the keys are order, scale, relabel, offsets, segments"),
        ({"table": {"distribution": {"normal": [0, 1]}}}, "no such key"),
        ({"table": {"static": True}}, "no such key"),
        ({"table": {"derived": {"scale": ["requests", None]}}}, "expected float32 or float64, which are scaled"),
        ({"table": {"dtype": "float32"}}, "expected one of int16, int32, int64, for ids and offsets"),
        (
            {"starts": {"derived": True}, "table": {"derived": True}, "positions": {"derived": True}},
            "timed calls need new contents",
        ),
    ],
)
def test_each_mistake_in_the_config_is_named(tmp_path, change, expected):
    folder = shutil.copytree(FOLDER, tmp_path / "ragged")
    content = yaml.safe_load((folder / "config.yaml").read_text())
    for name, values in change.items():
        content["arena"]["inputs"][name].update(values)
    (folder / "config.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    with pytest.raises(TaskError) as caught:
        read_task(folder, ID)
    assert any(expected in problem for problem in caught.value.problems), caught.value.problems


def test_a_full_case_needs_many_orders_and_a_pool_that_fits(tmp_path):
    folder = shutil.copytree(FOLDER, tmp_path / "ragged")
    content = yaml.safe_load((folder / "config.yaml").read_text())
    arena = content["arena"]
    arena["axes"]["pages"]["range"] = [2, 2**30]
    arena["cases"] += [
        {"requests": 5, "tokens": 9, "pages": 6, "profile": "full"},
        {"requests": 64, "tokens": 9, "pages": 2**23, "profile": "full"},
    ]
    (folder / "config.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    with pytest.raises(TaskError) as caught:
        read_task(folder, ID)
    seen = [problem.partition("seen ")[2] for problem in caught.value.problems]
    assert seen[0].startswith("'2 ** 16 orders for pages=6,requests=5,tokens=9'; expected 2 ** 40 or more")
    assert seen[1].startswith("'2147483980 bytes of derived inputs for pages=8388608")


@pytest.mark.parametrize(("owner", "runs"), [("paged", None), (None, "paged"), ("paged", "paged")])
def test_offsets_are_given_wherever_runs_are(tmp_path, owner, runs):
    folder = shutil.copytree(FOLDER, tmp_path / "ragged")
    content = yaml.safe_load((folder / "config.yaml").read_text())
    arena = content["arena"]
    arena["axes"]["paged"] = {"kind": "flag"}
    for case in arena["cases"]:
        case["paged"] = False
    for name, flag in (("starts", owner), ("positions", runs)):
        arena["inputs"][name].update({"when": flag} if flag else {})
    (folder / "config.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    if owner in (None, runs):
        read_task(folder, ID)
    else:
        with pytest.raises(TaskError, match="given wherever this one is"):
            read_task(folder, ID)


@pytest.mark.parametrize(("count", "bits"), [(3, 2.6), (12, 28.8), (13, 32), (16, 32), (17, 48.3)])
def test_short_axes_have_the_orders_that_four_rounds_make(count, bits):
    assert _bits_of_orders(count) == pytest.approx(bits, abs=0.05)


def test_special_sets_need_a_derived_input_and_names_of_their_own(tmp_path):
    change = ("special_sets: [one_request]", "special_sets: [outlier, one, one]")
    with pytest.raises(TaskError) as caught:
        read_task(changed_folder(tmp_path, "config.yaml", change), ID)
    assert len(caught.value.problems) == 2  # outlier, and one for the second time
    (tmp_path / "ragged" / "inputs.py").unlink()
    with pytest.raises(TaskError, match=r"inputs\.py, which makes starts, positions, table"):
        read_task(tmp_path / "ragged", ID)


def test_the_validator_accepts_the_tiny_task_and_no_null_candidate_passes(task):
    assert list(references.inputs(Subject(task))) == []
    assert nulls_that_pass(task) == []


@pytest.mark.parametrize("task_id", DERIVED)
def test_no_null_candidate_passes_a_task_with_derived_inputs(task_id):
    assert nulls_that_pass(load_task(task_id)) == []


def test_only_a_renewal_shows_who_answers_for_the_set_before_it(task, monkeypatch):
    monkeypatch.setattr("evaluator.judge.draws.renewed", lambda task, case, made, word: made)
    assert nulls_that_pass(task) == ["set_before_renewal"]


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        ("inputs.py", "**options).sort()", ").sort()", "starts does not follow from the generator"),
        ("reference.py", "positions]", "0 * positions]", "positions: no output depends on it"),
    ],
)
def test_the_validator_finds_what_a_set_lacks(tmp_path, file, old, new, expected):
    task = read_task(changed_folder(tmp_path, file, (old, new)), ID)
    assert any(expected in problem for problem in references.inputs(Subject(task)))


def test_a_renewal_that_breaks_a_relation_shows(tmp_path):
    change = ("order: [requests, null], relabel: pages", "order: [null, pages]")
    task = read_task(changed_folder(tmp_path, "config.yaml", change), ID)
    case = task.cases[0]
    assert not is_consistent(derived_set(task, case, replace(STANDARD, index=1), Seed()), case)


def test_a_renewal_that_changes_no_output_is_found(task):
    """Sums over all tokens are the same in any order of the requests."""
    table = next(item for item in task.inputs if item.name == "table")
    fixed = replace(table, derived=replace(table.derived, relabel=None))
    subject = Subject(replace(task, inputs=tuple(fixed if item is table else item for item in task.inputs)))
    plain = subject.reference.implementation
    subject.reference.implementation = lambda given: {
        "page": plain(given)["page"].sort().values,
        "y": given["x"],
    }
    found = list(references.inputs(subject))
    assert any("a renewed set has the same outputs as before in 3 of 3 small cases" in problem for problem in found)


def test_the_reference_reads_a_set_that_is_given_whole(task):
    case = task.cases[0]
    contents = contents_of(task, case, STANDARD, Seed())
    assert list(contents) == ["starts", "positions", "table", "x"]
    assert bool((Reference(task).outputs(case, contents)["page"] >= 0).all())
