"""The fiber runtime: lanes, synchronisation, memory and launches. One module, in both orders of lanes."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest
import torch

ORDERS = ("upwards", "drawn")


@pytest.fixture(scope="module", params=ORDERS)
def module(request: pytest.FixtureRequest, hip_module: Callable[..., ModuleType]) -> ModuleType:
    return hip_module("runtime", request.param)


def wave(function: Callable[[int], int], lanes: int = 64) -> torch.Tensor:
    return torch.tensor([function(lane) for lane in range(lanes)], dtype=torch.int32)


def test_every_thread_of_every_block_has_its_own_index(module: ModuleType) -> None:
    blocks, threads = torch.arange(12), torch.arange(24)
    assert torch.equal(module.places(), (blocks[:, None] * 1000 + threads[None]).int())


def test_shuffles_read_the_lane_they_name(module: ModuleType) -> None:
    v = torch.arange(100, 164, dtype=torch.int32)
    out = module.shuffles(v)
    expected = [
        wave(lambda i: v[5]),
        wave(lambda i: v[i // 16 * 16 + (i + 3) % 16]),
        wave(lambda i: v[i + 7] if i + 7 < 64 else v[i]),
        wave(lambda i: v[i - 7] if i % 32 >= 7 else v[i]),
        wave(lambda i: v[i ^ 9]),
        wave(lambda i: v[i + 4] if i % 8 < 4 else v[i]),
        wave(lambda i: 2 * v[i ^ 1]),
        wave(lambda i: v[1] if i % 2 else v[2]),
        wave(lambda i: v[0] + 1),
    ]
    for row, wanted in zip(out, expected, strict=True):
        assert torch.equal(row, wanted)


def test_a_lane_that_takes_no_part_reads_as_zero(module: ModuleType) -> None:
    v = torch.arange(1, 41, dtype=torch.int32)
    assert torch.equal(module.shuffles(v)[2], wave(lambda i: v[i + 7] if i + 7 < 40 else 0, lanes=40))


def test_votes_count_the_lanes_that_take_part(module: ModuleType) -> None:
    v = wave(lambda i: 1 if i % 3 else -1)
    ballot, any_all, in_loop, after_loop = module.votes(v)
    bits = sum(1 << i for i in range(64) if i % 3)
    assert {int(x) & (2**64 - 1) for x in ballot} == {bits}
    assert set(any_all.tolist()) == {1}
    turns = [sum(1 for other in range(64) if other % 5 > turn) for turn in range(5)]
    assert in_loop.tolist() == [sum(turns[: lane % 5]) for lane in range(64)]
    assert set(after_loop.tolist()) == {64}


def test_diverged_lanes_meet_only_those_on_the_same_path(module: ModuleType) -> None:
    def step(values: dict[int, int], source: Callable[[int], int]) -> dict[int, int]:
        return {lane: value + values.get(source(lane), 0) for lane, value in values.items()}

    def wave_sum(values: dict[int, int]) -> dict[int, int]:
        for offset in (32, 16, 8, 4, 2, 1):
            values = step(values, lambda lane, by=offset: lane + by if lane + by < 64 else lane)
        return values

    sums = {**wave_sum({i: i for i in range(0, 64, 4)}), **wave_sum({i: 2 * i for i in range(1, 64, 4)})}
    loops = {lane: lane + 1 for lane in range(64)}
    for side, turns in ((range(32), 5), (range(32, 64), 3)):
        for turn in range(turns):
            loops |= step({lane: loops[lane] for lane in side if turn <= lane % turns}, lambda lane: lane ^ 2)
    loops = {lane: value if lane < 32 else 2 * value for lane, value in loops.items()}
    switched, looped = module.branches().tolist()
    assert switched == [sums[i] if i % 4 < 2 else 2 if i % 4 == 2 else -i for i in range(64)]
    assert looped == [loops[lane] + loops[63] for lane in range(64)]


def test_barriers_wait_for_the_threads_that_have_not_returned(module: ModuleType) -> None:
    assert module.barriers().tolist() == [67 * 100 + 10] * 200 + [0] * 56


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_static_and_dynamic_lds_stand_side_by_side(module: ModuleType, dtype: torch.dtype) -> None:
    x = torch.arange(256, dtype=dtype).reshape(16, 16)
    assert torch.equal(module.transpose(x), x.T + x.sum(1)[None])


def test_lds_that_nobody_wrote_is_nan_in_every_block(module: ModuleType) -> None:
    assert module.unwritten(torch.ones(64)).isnan().all()


def test_a_sum_with_its_barriers_is_right(module: ModuleType) -> None:
    assert module.tree_sum(torch.ones(256)).item() == 256


def test_atomics_and_locks_lose_nothing(module: ModuleType) -> None:
    out, total = module.atomics()
    assert out[:8].tolist() == [255 * 128, 255, -255, 255, 256 % 10, 512, 256, 256]
    assert set(out[8:].tolist()) == {1}
    assert total.item() == 256


def test_impossible_configurations_run_nothing_and_leave_an_error(module: ModuleType) -> None:
    invalid = 9  # hipErrorInvalidConfiguration
    too_much_lds = 1  # hipErrorInvalidValue
    assert module.configurations() == [invalid, invalid, too_much_lds, invalid, invalid, 0, 0, 1]
    with pytest.raises(RuntimeError, match="invalid configuration argument"):
        module.checked_launch()


def test_every_way_to_launch_runs_the_kernel_once(module: ModuleType) -> None:
    digits = sum(10**k * (torch.arange(64) < 64 >> k).float() for k in range(6))
    assert torch.equal(module.launches(), digits)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_a_dispatched_kernel_takes_every_float_type(module: ModuleType, dtype: torch.dtype) -> None:
    x = torch.linspace(-8, 8, 1001).to(dtype)
    wanted = torch.nn.functional.silu(x.double()).to(dtype)
    torch.testing.assert_close(module.silu(x), wanted, rtol=2 * torch.finfo(dtype).eps + 1e-6, atol=1e-6)


def test_half_arithmetic_rounds_once_an_operation(module: ModuleType) -> None:
    a, b = torch.linspace(-3, 3, 64).half(), torch.linspace(2, -2, 64).half()
    out = module.halves(a, b)
    product = (a.double() * 2 + b.double()).half(), (b.double() * 2 + b.double()).half()
    assert torch.equal(out[:4], torch.stack([a + b, a * b, *product]))
    torch.testing.assert_close(out[4], torch.where(a > b, a.float().exp().half(), -b), rtol=1e-3, atol=0)


def test_bfloat16_arithmetic_rounds_to_nearest_even(module: ModuleType) -> None:
    a, b = torch.linspace(-3, 3, 64).bfloat16(), torch.linspace(2, -2, 64).bfloat16()
    wanted = [a + b, (a.float() / 3).bfloat16(), (a.double() * b.double() + a.double()).bfloat16()]
    assert torch.equal(module.bfloats(a, b), torch.stack(wanted))


def test_vector_types_load_compute_and_store(module: ModuleType) -> None:
    x = torch.randn(1003)
    quads = x[:1000].reshape(-1, 4)
    moved = quads + torch.stack([quads[:, 3], *[torch.zeros(250)] * 3], dim=1)
    wanted = torch.cat([(moved * 2 + torch.tensor([1.0, 2, 3, 4])).flatten(), -x[1000:]])
    torch.testing.assert_close(module.vectors(x), wanted)


def test_vectors_may_lie_anywhere_as_on_the_device(module: ModuleType) -> None:
    x = torch.randn(66)
    assert torch.equal(module.misaligned(x)[1:65], x[1:65])


def test_constant_memory_and_device_variables_belong_to_the_module(module: ModuleType) -> None:
    assert module.look_up([1, 2, 3, 4])[:8].tolist() == [1, 2, 3, 4] * 2
    assert module.look_up([5, 6, 7, 8])[:8].tolist() == [5, 6, 7, 8] * 2
    before, after = (int(module.look_up([0, 0, 0, 0])[8]) for _ in range(2))
    assert after == before + 1
    assert module.symbol_too_small() == "invalid argument"


def test_math_intrinsics_agree_with_torch(module: ModuleType) -> None:
    x, i = torch.linspace(0.1, 4, 64), torch.arange(64)
    wanted = [
        *(x.exp(), x.log(), x.sin(), x**2.5, x.rsqrt(), x / 3, x.erf(), x.tanh(), x.clamp(min=1), 1 / x, x.sqrt()),
        *((1 + (x / 2**0.5).erf()) / 2, x.clamp(0, 1), x.clamp(min=2), i.clamp(max=3), (x * 10).round()),
        *(torch.tensor([f(int(k)) for k in i]) for f in (int.bit_count, lambda k: 32 - k.bit_length())),
        torch.tensor([(int(k) & -int(k)).bit_length() for k in i]),
        *(x, x.exp2(), x.log1p(), x ** (1 / 3)),
        torch.tensor([int(f"{int(k):06b}"[::-1], 2) for k in i]),
    ]
    torch.testing.assert_close(module.math(x), torch.stack([row.float() for row in wanted]), rtol=1e-6, atol=1e-6)


def test_private_arrays_may_be_large(module: ModuleType) -> None:
    assert module.large_private_array().tolist() == [19999, 20000, 20001, 20002]


def test_writing_behind_dynamic_lds_is_an_error(module: ModuleType) -> None:
    module.lds_overrun(0)
    with pytest.raises(RuntimeError, match="behind its dynamic shared memory of 256 bytes"):
        module.lds_overrun(1)


def test_the_host_api_copies_times_and_describes(module: ModuleType) -> None:
    assert module.host_api() == [1, 4, 1, 64, 1]


def test_waiting_for_a_block_that_has_not_run_ends_with_an_error(hip_module: Callable[..., ModuleType]) -> None:
    module = hip_module("runtime", "upwards")
    with pytest.raises(RuntimeError, match="impossible wait"):
        module.impossible_wait(False)
    module.impossible_wait(True)  # the block that is waited for runs first
    assert module.tree_sum(torch.ones(256)).item() == 256  # the runtime goes on


def test_a_missing_barrier_may_not_show_while_lanes_run_upwards(hip_module: Callable[..., ModuleType]) -> None:
    x = torch.arange(256.0)
    right = [hip_module("runtime", order).left_neighbours(x).equal(x.roll(1)) for order in ORDERS]
    assert right == [True, False]
