from __future__ import annotations

import numpy as np
import pytest
import torch

from evaluator.judge.draws import OUTLIER_SCALE, Seed, contents_of, draws_of
from evaluator.judge.timing.slabs import Slabs
from evaluator.tasks.reader import load_task, read_task
from tests.conftest import TESTS


def first_case(task):
    return task.cases_of(("small",))[0]


def test_three_draws_of_each_kind_and_every_special_alphabet():
    task = load_task("triton2triton/arena/softmax")
    draws = draws_of(task)
    assert [draw.kind for draw in draws].count("standard") == 3
    assert [draw.kind for draw in draws].count("outlier") == 3
    names = {name for item in task.inputs for name, _ in item.special}
    assert {draw.name for draw in draws if draw.kind == "special"} == names


def test_the_same_seed_makes_the_same_contents_and_another_seed_other_ones():
    task = load_task("triton2triton/arena/softmax")
    case, draw = first_case(task), draws_of(task)[0]
    seed = Seed()
    first, again, other = (contents_of(task, case, draw, s)["x"] for s in (seed, seed, Seed()))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_no_two_draws_of_a_case_are_alike():
    task = load_task("triton2triton/arena/softmax")
    case, seed = first_case(task), Seed()
    drawn = [contents_of(task, case, draw, seed)["x"] for draw in draws_of(task) if draw.kind != "special"]
    assert all(not torch.equal(a, b) for i, a in enumerate(drawn) for b in drawn[:i])


def test_an_outlier_draw_holds_at_least_one_outlier_even_if_small():
    task = load_task("triton2triton/arena/softmax")
    case = min(task.cases_of(("small",)), key=lambda case: case.numbers["rows"] * case.numbers["cols"])
    draw = next(draw for draw in draws_of(task) if draw.kind == "outlier")
    seed = Seed()
    hits = sum(float(contents_of(task, case, draw, Seed())["x"].abs().max()) > OUTLIER_SCALE / 10 for _ in range(20))
    assert hits >= 12  # P(|N(0,1)| × 20 > 2) = 0.92 for the one that is forced
    assert contents_of(task, case, draw, seed)["x"].isfinite().all()


def test_a_special_draw_holds_only_its_alphabet():
    task = load_task("triton2triton/arena/softmax")
    case = first_case(task)
    for draw in draws_of(task):
        if draw.kind == "special":
            alphabet = torch.tensor(dict(task.inputs[0].special)[draw.name]).to(torch.float32)
            found = contents_of(task, case, draw, Seed())["x"].float().unique()
            assert set(found.tolist()) <= set(alphabet.tolist())


def test_the_seed_is_not_shown():
    assert "secret" not in repr(Seed())


@pytest.fixture
def ramp():
    return read_task(TESTS / "tiny" / "triton2triton" / "tests" / "ramp", "triton2triton/tests/ramp")


def test_a_number_is_drawn_for_each_draw_in_its_range_and_held_exactly_by_float32(ramp):
    case, seed = first_case(ramp), Seed()
    found = [contents_of(ramp, case, draw, seed) for draw in draws_of(ramp)]
    starts = [contents["start"] for contents in found]
    assert all(type(start) is float and -1 <= start <= 1 and start == float(np.float32(start)) for start in starts)
    assert all(type(contents["step"]) is int and 1 <= contents["step"] < 1_000_000 for contents in found)
    assert len({(contents["start"], contents["step"]) for contents in found}) == len(found)
    assert starts[-3:] == [0.0] * 3
    assert {contents["n"] for contents in found} == {256}


def test_no_two_timed_calls_get_the_same_numbers(ramp):
    slabs = Slabs(ramp, first_case(ramp), Seed(), 0, "cpu")
    calls = slabs.plan(100)
    given = [tuple(slabs.contents(call).values()) for call in calls]
    assert len(set(given)) == 100
    assert [tuple(slabs.contents(slabs.released(0, call, lambda _: 0)).values()) for call in calls] == given
