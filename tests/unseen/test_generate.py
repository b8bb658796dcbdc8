"""Unseen cases of every covered task: what the docstrings of generate.py and categories.py promise, restated."""

from __future__ import annotations

import functools
import statistics
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import prod

import pytest

from evaluator.errors import TaskError
from evaluator.tasks.expressions import parse
from evaluator.tasks.reader import load_task
from evaluator.tasks.spec import ITEMSIZE, Axis, Case, Profile, TaskSpec
from evaluator.unseen.cases import CONFIG_CATEGORIES, UnseenCase
from evaluator.unseen.categories import awkward
from evaluator.unseen.contract import changes, contract_of, memory_bytes
from evaluator.unseen.generate import core_cases
from evaluator.unseen.served import served_sizes
from tests.covered import anchors, covered

SECRETS = (b"one secret of a round", b"another secret of a round")
PROFILES: tuple[Profile, ...] = ("small", "full")
SOFTMAX = "triton2triton/arena/softmax"
GOLDEN = {
    "small": [
        "cols=2500,dtype=float16,rows=1",
        "cols=64869,dtype=bfloat16,rows=1",
        "cols=1,dtype=float32,rows=3",
        "cols=3313,dtype=bfloat16,rows=17",
        "cols=19681,dtype=float32,rows=1",
        "cols=1682,dtype=float32,rows=1",
        "cols=11008,dtype=float32,rows=2",
        "cols=1536,dtype=float32,rows=2",
    ],
    "full": [
        "cols=16384,dtype=bfloat16,rows=1",
        "cols=64274,dtype=float16,rows=512",
        "cols=4096,dtype=bfloat16,rows=300",
        "cols=3163,dtype=float32,rows=8192",
        "cols=42557,dtype=float32,rows=512",
        "cols=59475,dtype=bfloat16,rows=177",
        "cols=13824,dtype=float32,rows=2048",
        "cols=18432,dtype=float16,rows=512",
    ],
}
LEAST_IS_SEEN = (  # the anchors whose dimensions all have their least value in a small case: none goes below that
    "hip2hip/arena/CrossEntropyLossLabelSmoothing",
    "hip2hip/arena/KDLoss",
    "hip2hip/arena/MultiHeadAttention",
    "hip2hip/arena/SoftmaxModule",
    "torch2hip/arena/SoftmaxModule",
    "triton2triton/arena/softmax",
    "triton2triton/arena/ssd_chunk_scan",
)
loaded = functools.cache(load_task)
drawn = functools.cache(lambda task_id, secret, profile: core_cases(loaded(task_id), secret, profile))


def every() -> Iterator[tuple[TaskSpec, Profile, tuple[UnseenCase, ...]]]:
    """Every covered task, profile and secret, with its eight cases."""
    for task_id in covered():
        for profile in PROFILES:
            for secret in SECRETS:
                yield loaded(task_id), profile, drawn(task_id, secret, profile)


def test_a_task_profile_and_secret_give_the_same_cases_everywhere_and_always() -> None:
    task = loaded(SOFTMAX)
    for profile in PROFILES:
        assert [unseen.case.id for unseen in core_cases(task, b"golden", profile)] == GOLDEN[profile]


def test_another_secret_gives_other_cases() -> None:
    for task_id in covered():
        one, other = ({unseen.case.id for unseen in drawn(task_id, secret, "full")} for secret in SECRETS)
        assert len(one & other) <= 2, task_id  # a contract has few edges


def test_another_task_digest_gives_other_cases() -> None:
    task = loaded(SOFTMAX)
    assert core_cases(replace(task, digest="0" * 64), SECRETS[0], "full") != drawn(SOFTMAX, SECRETS[0], "full")


def test_there_are_eight_of_the_six_categories() -> None:
    for task, profile, cases in every():
        counts = Counter(unseen.category for unseen in cases)
        assert [counts[category] for category in CONFIG_CATEGORIES] == [1, 1, 1, 2, 1, 2], task.id
        assert {(unseen.case.profile, unseen.origin) for unseen in cases} == {(profile, "generated")}


def test_no_two_have_the_same_dimensions_and_none_those_of_a_seen_case_of_any_profile() -> None:
    for task, _, cases in every():
        seen = {dimensions(task, case) for case in task.cases}
        unseen = [dimensions(task, one.case) for one in cases]
        assert len({*unseen, *seen}) == len(unseen) + len(seen), task.id


def test_every_value_is_one_that_the_contract_allows() -> None:
    for task, _, cases in every():
        for unseen in cases:
            assert [name for name, _ in unseen.case.axes] == [axis.name for axis in task.axes]
            for axis in task.axes:
                assert allowed(axis, unseen.case), f"{task.id}: {axis.name} of {unseen.case.id}"
                assert all(coupling.holds(unseen.case.numbers) for coupling in axis.couplings), unseen.case.id


def test_every_shape_is_whole() -> None:
    for task, _, cases in every():
        for unseen in cases:
            extents = [extent for item in (*task.inputs, *task.outputs) for extent in item.shape]
            values = [extent.value(unseen.case.numbers) for extent in extents]
            assert all(value == int(value) and value >= 0 for value in values), unseen.case.id


def test_none_costs_more_than_twice_the_largest_seen_or_needs_more_than_2_gib() -> None:
    for task, profile, cases in every():
        most = [max(column) for column in zip(*(cost(task, case) for case in task.cases_of((profile,))), strict=True)]
        for unseen in cases:
            costs = cost(task, unseen.case)
            assert all(ours <= 2 * theirs for ours, theirs in zip(costs, most, strict=True)), unseen.case.id
            assert costs[0] <= 2 << 30


def test_at_least_two_change_an_axis_beyond_dimensions_where_the_contract_has_one() -> None:
    for task, profile, cases in every():
        contract = contract_of(task, profile)
        others = [axis.name for axis in task.axes if axis.kind != "dim" and len(axis.values) > 1]
        changed = [{name for name, _, _ in changes(contract, unseen.case)[1]} & {*others} for unseen in cases]
        assert sum(map(bool, changed)) >= (2 if others else 0), task.id


def test_combinations_beyond_dimensions_that_no_seen_case_has_are_drawn_where_there_are_such() -> None:
    """flash_attention has eight of causal, masked and dtype; its small cases show five."""
    task = loaded("triton2triton/arena/flash_attention")
    contract = contract_of(task, "small")
    seen = {contract.rest(case) for case in contract.seen}
    assert len(seen) < len(contract.rests)
    assert any(contract.rest(unseen.case) not in seen for unseen in drawn(task.id, SECRETS[0], "small"))


def test_an_edge_case_has_half_of_its_dimensions_at_the_least_value() -> None:
    for task, seen, case in of_category("edge"):
        least = [case.value(axis.name) == -(-axis.low // axis.multiple_of) * axis.multiple_of for axis in dims(task)]
        assert 2 * sum(least) >= len(least), f"{task.id} {case.id} {seen[0].profile}"


def test_a_case_scaled_up_is_beyond_the_largest_seen_in_a_dimension_and_at_most_four_times() -> None:
    for task, seen, case in of_category("scale_up"):
        assert any(case.value(axis.name) > max(values(seen, axis)) for axis in dims(task)), f"{task.id} {case.id}"
        assert all(case.value(axis.name) <= 4 * max(values(seen, axis)) for axis in dims(task)), f"{task.id} {case.id}"


def test_a_case_scaled_down_is_below_the_smallest_seen_or_within_the_least_one() -> None:
    fallen_back = set()
    for task, seen, case in of_category("scale_down"):
        if any(case.value(axis.name) < min(values(seen, axis)) for axis in dims(task)):
            continue
        if task.id in anchors():
            fallen_back.add((task.id, case.profile))
        assert all(min(values(seen, axis)) == axis.low for axis in dims(task)), f"{task.id} {case.id}"
        least = min(seen, key=lambda one: memory_bytes(task, one))
        pairs = [(case.value(axis.name), least.value(axis.name)) for axis in dims(task)]
        assert all(ours <= theirs for ours, theirs in pairs)
        assert any(ours < theirs for ours, theirs in pairs)
    assert fallen_back == {(task_id, "small") for task_id in LEAST_IS_SEEN}


def test_an_alignment_case_has_a_long_dimension_beside_every_grid() -> None:
    for task, seen, case in of_category("alignment"):
        long = [axis for axis in dims(task) if int(case.value(axis.name)) >= 17 * axis.multiple_of]
        new = [axis for axis in long if case.value(axis.name) not in values(seen, axis)]
        assert any(awkward(int(case.value(axis.name)), axis) for axis in new), f"{task.id} {case.id}"


def test_an_asymmetric_case_is_long_in_one_dimension_and_short_in_another() -> None:
    for task, seen, case in of_category("asymmetric"):
        shares = [(int(case.value(axis.name)), statistics.median_low(values(seen, axis))) for axis in dims(task)]
        assert any(size >= 4 * median for size, median in shares), f"{task.id} {case.id}"
        assert any(4 * size <= median for size, median in shares), f"{task.id} {case.id}"


def test_a_production_case_has_a_large_served_size_and_else_such_sizes_or_powers_of_two() -> None:
    for task, seen, case in of_category("production"):
        sizes = [(axis, int(case.value(axis.name))) for axis in dims(task)]
        served = [(axis, size) for axis, size in sizes if size in served_sizes(axis.name)]
        assert any(size >= statistics.median_low(values(seen, axis)) for axis, size in served), f"{task.id} {case.id}"
        usual = [size & (size - 1) == 0 or size in served_sizes(axis.name) for axis, size in sizes]
        assert all(usual), f"{task.id} {case.id}"


@pytest.mark.parametrize(
    ("size", "multiple_of", "expected"),
    [
        (1, 1, False),  # an edge
        (2, 1, False),
        (3, 1, True),
        (9, 1, True),  # beside 8
        (21, 1, False),  # odd, but neither
        (97, 1, True),
        (1023, 1, True),  # beside 1024, and no prime
        (1024, 1, False),
        (40, 8, True),  # five steps
        (48, 8, False),
        (41, 8, False),  # no multiple
    ],
)
def test_awkward_sizes_are_odd_primes_of_steps_or_beside_a_power_of_two(
    size: int, multiple_of: int, expected: bool
) -> None:
    assert awkward(size, Axis("n", "dim", 1, 4096, multiple_of)) is expected


def test_a_dimension_without_a_table_has_all_widths_and_lengths() -> None:
    assert {768, 4096, 197} <= {*served_sizes("a_name_that_no_task_uses")}


def test_a_contract_without_room_is_refused_with_the_category(tiny_task: Callable[[str], TaskSpec]) -> None:
    task = tiny_task("triton2triton")
    axes = tuple(replace(axis, couplings=(parse("n > 2 ** 40"),)) for axis in task.axes if axis.kind == "dim")
    others = tuple(axis for axis in task.axes if axis.kind != "dim")
    with pytest.raises(TaskError, match="no unseen case of category edge, profile small, was found in 2000 tries"):
        core_cases(replace(task, axes=(*axes, *others)), SECRETS[0], "small")


def test_a_task_without_seen_cases_of_the_profile_is_refused() -> None:
    task = loaded(SOFTMAX)
    with pytest.raises(TaskError, match="no seen case of profile full"):
        core_cases(replace(task, cases=task.cases_of(("small",))), SECRETS[0], "full")


def of_category(category: str) -> Iterator[tuple[TaskSpec, tuple[Case, ...], Case]]:
    """Every case of that category with the task and the profile's seen cases."""
    for task, profile, cases in every():
        for unseen in cases:
            if unseen.category == category:
                yield task, task.cases_of((profile,)), unseen.case


def dims(task: TaskSpec) -> list[Axis]:
    return [axis for axis in task.axes if axis.kind == "dim"]


def dimensions(task: TaskSpec, case: Case) -> tuple[object, ...]:
    return tuple(case.value(axis.name) for axis in dims(task))


def values(seen: tuple[Case, ...], axis: Axis) -> list[int]:
    return sorted(int(case.value(axis.name)) for case in seen)


def allowed(axis: Axis, case: Case) -> bool:
    value = case.value(axis.name)
    if axis.kind != "dim":
        return value in axis.values
    return isinstance(value, int) and axis.low <= value <= axis.high and value % axis.multiple_of == 0


def cost(task: TaskSpec, case: Case) -> tuple[float, float, float]:
    """Bytes of inputs and outputs, bytes moved and operations, as the task's file states them."""
    items = [item for item in task.inputs if not item.is_number and (item.when is None or case.value(item.when))]
    memory = 0
    for item in (*items, *task.outputs):
        shape = [int(extent.value(case.numbers)) for extent in item.shape]
        memory += prod(shape) * ITEMSIZE[str(dict(case.axes).get(item.dtype, item.dtype))]
    return (memory, *task.work_of(case))
