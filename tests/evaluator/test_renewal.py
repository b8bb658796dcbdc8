"""The renewal of derived inputs in the bench, on the processor: every call sees what the judge computes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from evaluator.backends import Sample
from evaluator.judge.draws import Contents, Seed
from evaluator.judge.reference import Reference
from evaluator.judge.rejection import Rejection
from evaluator.judge.seal import MASK, mixed
from evaluator.judge.timing.remote import RemoteStopwatch
from evaluator.judge.timing.session import CaseTimes, Pair, time_case
from evaluator.judge.timing.slabs import PlannedCall, Slabs
from evaluator.tasks.reader import read_task
from evaluator.tasks.spec import Axis, Renewal, TaskSpec
from evaluator.thresholds import POOL_SETS
from tests.conftest import TESTS
from tests.evaluator.test_clocked_session import Here


@pytest.fixture(scope="module")
def task() -> TaskSpec:
    return read_task(TESTS / "tiny" / "triton2triton" / "tests" / "ragged", "triton2triton/tests/ragged")


def runner_of(task: TaskSpec, folder: Path, entry: Callable[..., Any]) -> Any:
    worker = Here(task, folder, entry)
    return SimpleNamespace(worker=worker, side=SimpleNamespace(task=task, device="cpu"), key=worker.key)


def seen_by(task: TaskSpec, folder: Path, slabs: Slabs, calls: list[PlannedCall]) -> list[dict[str, torch.Tensor]]:
    """Return what a candidate was given in each of the calls."""
    seen: list[dict[str, torch.Tensor]] = []

    def entry(**given: torch.Tensor) -> Any:
        seen.append({name: value.clone() for name, value in given.items()})
        return torch.zeros_like(given["x"], dtype=torch.int32), torch.zeros_like(given["x"])

    watch = RemoteStopwatch(runner_of(task, folder, entry), trusted=True)
    watch.arm(slabs)
    watch.block(calls)
    return seen


def with_input(task: TaskSpec, name: str, **changes: Any) -> TaskSpec:
    inputs = tuple(replace(item, **changes) if item.name == name else item for item in task.inputs)
    return replace(task, inputs=inputs)


VARIANTS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "transposed": {"layout": "transposed"},
    "padded": {"layout": "padded"},
    "rows and columns": {"derived": Renewal(("requests", "pages"))},
    "int16": {"dtype": "int16"},
    "int64": {"dtype": "int64"},
    "values of a byte": {"dtype": "uint8", "derived": Renewal(("requests", None))},
    "bfloat16": {"dtype": "bfloat16", "derived": Renewal((None, "pages"))},
    "float8": {"dtype": "float8_e4m3fn", "derived": Renewal(("requests", "pages"))},
    "bool": {"dtype": "bool", "derived": Renewal((None, "pages"))},
    "scaled in float32": {"dtype": "float32", "derived": Renewal(scale=("requests", "pages"))},
    "moved and scaled in float64": {
        "dtype": "float64",
        "layout": "padded",
        "derived": Renewal(("requests", None), (None, "pages")),
    },
    "few ids": {"derived": Renewal(relabel="requests")},
    "nothing": {"derived": Renewal()},
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_bench_gives_a_call_what_the_judge_says(task, tmp_path, variant):
    changes = VARIANTS[variant]
    slabs = Slabs(task, task.cases[0], Seed(), 0, "cpu")
    slabs.task = with_input(task, "table", **changes)
    for made in slabs.pool:
        made["table"] = made["table"].to(getattr(torch, changes.get("dtype", "int32")))
    calls = slabs.plan(6)
    seen = seen_by(slabs.task, tmp_path, slabs, calls)
    for call, given in zip(calls, seen, strict=True):
        for name, value in slabs.contents(call).items():
            assert torch.equal(given[name].double(), value.double()), name
    assert len({call.word % POOL_SETS for call in calls if call.word is not None}) > 1


@pytest.mark.parametrize("offsets", ["int16", "int32", "int64"])
@pytest.mark.parametrize("index", [0, 1, 2])
def test_offsets_of_every_dtype_and_runs_of_length_zero(task, tmp_path, offsets, index):
    task = with_input(task, "starts", dtype=offsets)
    slabs = Slabs(task, task.cases[index], Seed(), 0, "cpu")
    for made in slabs.pool:
        if index == 0:
            made["starts"] = torch.tensor(
                [0, 0, 7, 7, 30, 36], dtype=made["starts"].dtype
            )  # the last token is nobody's
    calls = slabs.plan(4)
    for call, given in zip(calls, seen_by(task, tmp_path, slabs, calls), strict=True):
        for name in ("starts", "positions"):
            assert torch.equal(given[name], slabs.contents(call)[name])


def test_more_ids_than_elements_get_new_names(task, tmp_path):
    """The bench then keeps no table of the names."""
    case = replace(task.cases[0], axes=(("requests", 5), ("tokens", 37), ("pages", 60), ("ids", 3 * 2**28)))
    task = replace(task, axes=(*task.axes, Axis("ids", "dim", 1, 2**40)))
    slabs = Slabs(task, case, Seed(), 0, "cpu")
    slabs.task = with_input(task, "table", derived=Renewal(relabel="ids"))
    for index, made in enumerate(slabs.pool):
        made["table"][:, 1:] = 3 * 2**28 - 1 - index
    calls = slabs.plan(4)
    for call, given in zip(calls, seen_by(slabs.task, tmp_path, slabs, calls), strict=True):
        found = slabs.contents(call)["table"]
        assert torch.equal(given["table"], found)
        assert int(found.max()) > 2**24


def test_no_two_calls_see_the_same_set(task):
    slabs = Slabs(task, task.cases[0], Seed(), 0, "cpu")
    tables = [slabs.contents(call)["table"] for call in slabs.plan(50)]
    assert all(not torch.equal(one, other) for at, one in enumerate(tables) for other in tables[:at])


def test_behind_a_hold_the_word_of_a_set_follows_those_of_the_slabs(task):
    slabs = Slabs(task, task.cases[0], Seed(), 0, "cpu")
    call = slabs.released(3, slabs.plan(1)[0], lambda salt: mixed(1234 + salt & MASK))
    assert call.word == mixed(1234 + 1 + 3 * 2 + 1)
    assert slabs.contents(call)["x"].shape == (37,)


@pytest.fixture
def session(task, tmp_path, monkeypatch) -> Callable[..., CaseTimes | Rejection]:
    """Return session(make): a timed session of a candidate, which make(right) returns from the right function."""
    reference = Reference(task)
    case = task.cases[0]
    monkeypatch.setattr("evaluator.judge.timing.session.BLOCKS", 4)

    def right(**given: Any) -> Any:
        found = reference.outputs(case, given)
        return found["page"].int(), found["y"].float()

    def judge(_: str, contents: Contents, outputs: Any) -> Rejection | None:
        wanted = reference.outputs(case, contents)
        same = all(torch.equal(outputs[name].double(), wanted[name].double()) for name in wanted)
        return None if same else Rejection("mismatch", "not those pages")

    def run(make: Callable[[Callable[..., Any]], Callable[..., Any]], task: TaskSpec = task) -> CaseTimes | Rejection:
        runners = [runner_of(task, tmp_path, entry) for entry in (right, make(right))]
        pair = Pair(*runners, lambda: Sample(1980, 2619, 50, 400.0, ()))
        return time_case(pair, Slabs(task, case, Seed(), 0, "cpu"), judge)

    return run


def by_set(right: Callable[..., Any]) -> Callable[..., Any]:
    """Keeps the pages of each set, and recognises it by what no order changes: the lengths of its requests."""
    kept: dict[tuple[int, ...], torch.Tensor] = {}

    def forward(starts: torch.Tensor, positions: torch.Tensor, table: torch.Tensor, x: torch.Tensor) -> Any:
        key = tuple(starts.diff().sort().values.tolist())
        if key not in kept:
            kept[key] = right(starts=starts, positions=positions, table=table, x=x)[0]
        page = kept[key].clone()
        return page, torch.where(page % 2 == 0, 2 * x, x)

    return forward


def by_pointer(right: Callable[..., Any]) -> Callable[..., Any]:
    """Keeps a plan for each address: which request owns which token."""
    kept: dict[int, torch.Tensor] = {}

    def forward(starts: torch.Tensor, positions: torch.Tensor, table: torch.Tensor, x: torch.Tensor) -> Any:
        if (key := starts.data_ptr()) not in kept:
            kept[key] = torch.repeat_interleave(torch.arange(len(table)), starts.diff().long())
        page = table[kept[key], positions]
        return page, torch.where(page % 2 == 0, 2 * x, x)

    return forward


def test_an_honest_candidate_passes_a_timed_session(session):
    assert isinstance(session(lambda right: lambda **given: right(**given)), CaseTimes)


@pytest.mark.parametrize("cheat", [by_set, by_pointer])
def test_what_is_kept_for_a_set_or_an_address_is_wrong(session, cheat):
    found = session(cheat)
    assert isinstance(found, Rejection)
    assert found.reason == "mismatch"


@pytest.mark.parametrize("cheat", [by_set, by_pointer])
def test_without_the_renewal_it_would_pass(task, session, cheat, monkeypatch):
    """The float input, which is another in every call, stops neither; a pool of several sets stops the second."""
    for item in task.derived:
        task = with_input(task, item.name, derived=Renewal())
    if cheat is by_pointer:
        assert isinstance(session(cheat, task), Rejection)
        monkeypatch.setattr("evaluator.judge.timing.slabs.pool_sets", lambda *_: 1)
    assert isinstance(session(cheat, task), CaseTimes)
