"""The bench on the processor: what it does around a call, what it checks, and that nothing in Python changes either."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
import torch

from evaluator.backends import get_backend
from evaluator.bench.build import FLAGS, FOLDER, SHARED, find_compiler
from evaluator.inside.bench import KERNELS, Timing, kernels_source
from evaluator.inside.channel import PAGE_BYTES, SharedMemory, sealed_memory
from evaluator.judge.seal import KEY, digest_of, folded, leave_key, mixed, page_of, seal_of
from tests.conftest import lacking

PLAIN = {"dtype": "float32", "layout": "contiguous"}
INPUTS = [
    {"name": "x", "shape": [4], **PLAIN, "static": False, "offset": 0, "after": 256},
    {"name": "w", "shape": [4], **PLAIN, "static": True, "offset": 512, "after": 768},
    {"name": "times", "value": 2.0, "static": False},
]
OUTPUTS = [{"name": "y", "shape": [4], "dtype": "float32", "may_alias": [], "varying": False, "offset": 1024}]


def right(x, w, times):
    return times * x + w


class Armed:
    """A bench with one armed case, its key, and what its last command replied."""

    def __init__(
        self, entry: Any = right, hook: Any = None, style: str = "return", inputs: Any = INPUTS, outputs: Any = OUTPUTS
    ) -> None:
        self.mailbox = SharedMemory(sealed_memory(2 * PAGE_BYTES), 2 * PAGE_BYTES)
        self.key = leave_key(self.mailbox)
        clock = {"device": "cpu", "library": str(get_backend("cpu").bench), "flush_bytes": 1 << 16}
        self.timing = Timing(self.mailbox, clock | {"spacer_ns": [1, 2], "spacer_factor": 2.0, "patience_ns": 1})
        self.timing.attach(entry, hook)
        self.timing.arm(inputs, outputs, style)
        for name, start in (("x", 0.0), ("w", 100.0)):
            self.mailbox.tensor(0, [64], torch.float32).copy_(torch.arange(64) + start)
            self.timing.slab(name, 0, 256)
        self.timing.ready(2, [[0, 1]])

    def block(self, *calls: list[int]) -> dict[str, Any]:
        return self.timing.block(7, list(calls))

    def picked(self, index: int) -> list[float]:
        self.timing.pick(index)
        values: list[float] = self.mailbox.tensor(1024, [4], torch.float32).tolist()
        return values


def test_a_block_uses_the_given_windows_and_any_call_can_be_picked() -> None:
    armed = Armed()
    told = armed.block([0, 1], [1, 3])
    assert told["problem"] is None
    assert (told["crowded"], told["visible"]) == ([False, False], [False, False])
    assert armed.picked(0) == [102.0, 105, 108, 111]
    assert armed.picked(1) == [107.0, 110, 113, 116]


def test_the_judge_can_compute_seal_and_digests() -> None:
    armed = Armed()
    told = armed.block([0, 1], [1, 3])
    key = seal_of(armed.key, [7])
    for index in (0, 1):
        output = torch.tensor(armed.picked(index))
        assert told["digests"][index] == digest_of([output], key, index)
    words = [7, 0, 1, 1, 3]
    for dev, after, digest in zip(told["dev_ns"], told["after_ns"], told["digests"], strict=True):
        words += [dev, after, 0, digest]
    assert told["seal"] == seal_of(armed.key, words)


def test_the_key_is_erased_before_a_candidate_is_loaded() -> None:
    armed = Armed()
    assert armed.key != (0, 0)
    assert bytes(page_of(armed.mailbox)[KEY : KEY + 16]) == bytes(16)


def test_the_state_of_prepare_takes_the_place_of_static_inputs() -> None:
    armed = Armed(lambda x, times, state: times * x + state, hook=lambda w: w + 1)
    armed.block([1, 0])
    assert armed.picked(0) == [102.0, 105, 108, 111]


def test_outputs_that_are_passed_in_are_poisoned_and_taken() -> None:
    seen = []

    def entry(x, w, times, y):
        seen.append(y.isnan().all().item())
        y.copy_(right(x, w, times))

    armed = Armed(entry, style="out")
    armed.block([0, 1], [0, 2])
    assert seen == [True, True]
    assert armed.picked(1) == [104.0, 107, 110, 113]


@pytest.mark.parametrize("layout", ["contiguous", "transposed", "padded"])
def test_every_layout_holds_the_same_values(layout: str) -> None:
    shape = {"shape": [2, 2], "layout": layout}
    inputs = [INPUTS[0] | shape, INPUTS[1] | shape, INPUTS[2]]
    strides = []

    def entry(x, w, times):
        strides.append(x.stride())
        return right(x, w, times).contiguous().view(4)

    armed = Armed(entry, inputs=inputs)
    armed.block([0, 1])
    assert armed.picked(0) == [102.0, 105, 108, 111]
    assert strides == [{"contiguous": (2, 1), "transposed": (1, 2), "padded": (10, 1)}[layout]]


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (lambda x, w, times: right(x, w, times)[:1].expand(4), "wrong_layout"),
        (lambda x, w, times: right(x, w, times).double(), "wrong_dtype"),
        (lambda x, w, times: right(x, w, times)[:2], "wrong_shape"),
        (lambda x, w, times: [x, w], "wrong_count"),
        (lambda x, w, times: x, "aliases_input"),
        (lambda x, w, times: torch.nn.Parameter(right(x, w, times)), "wrong_type"),
        (lambda x, w, times: torch._neg_view(right(x, w, times)), "wrong_layout"),
        (lambda x, w, times: torch._lazy_clone(right(x, w, times)), "wrong_layout"),
        (lambda x, w, times: torch._efficientzerotensor([4]), "wrong_layout"),
        (lambda x, w, times: right(x, w, times).to_sparse(), "wrong_layout"),
        (lambda x, w, times: right(x, w, times).to("meta"), "wrong_layout"),
        (lambda x, w, times: None, "wrong_type"),
    ],
)
def test_an_output_of_another_form_ends_the_block(entry: Any, reason: str) -> None:
    problem = Armed(entry).block([0, 0])["problem"]
    assert problem is not None
    assert problem[0] == reason


def test_a_returned_tensor_cannot_be_reused_as_an_output() -> None:
    def once(x, w, times, seen={}):  # noqa: B006
        return seen.setdefault("y", right(x, w, times))

    armed = Armed(once)
    armed.block([0, 0], [0, 0])
    assert all(value != value for value in armed.picked(1))


VARYING = [OUTPUTS[0] | {"varying": True}]


def test_of_a_varying_output_the_real_bytes_and_the_length_are_taken() -> None:
    armed = Armed(lambda x, w, times: x[x > 2].contiguous(), outputs=VARYING)
    told = armed.block([0, 0], [1, 1], [0, 2], [0, 30])
    key = seal_of(armed.key, [7])
    for index, values in enumerate(([3.0], [3.0, 4], [3.0, 4, 5], [30.0, 31, 32, 33])):
        assert armed.timing.pick(index) == {"lengths": {"y": len(values)}}
        assert armed.mailbox.tensor(1024, [len(values)], torch.float32).tolist() == values
        assert told["digests"][index] == digest_of([torch.tensor(values)], key, index, [True])
        assert told["digests"][index] != digest_of([torch.tensor([*values, 0.0])], key, index, [True])


@pytest.mark.parametrize("answer", [lambda x: torch.zeros(5), lambda x: torch.zeros(2, 2), lambda x: x[:3]])
def test_a_varying_output_is_at_most_as_long_as_declared_and_no_part_of_an_input(answer: Any) -> None:
    problem = Armed(lambda x, w, times: answer(x), outputs=VARYING).block([0, 0])["problem"]
    assert problem is not None
    assert problem[0] in ("wrong_shape", "aliases_input")


def test_each_call_is_given_its_own_number() -> None:
    armed, seen = Armed(lambda x, w, times: seen.append(times) or right(x, w, times)), []
    armed.mailbox.tensor(0, [4], torch.float64).copy_(torch.tensor([0.5, 1.5, 2.5, 3.5]))
    armed.timing.slab("times", 0, 32)
    armed.block([0, 1, 3], [1, 0, 0], [0, 1, 2])
    assert seen == [3.5, 0.5, 2.5]
    armed.timing.enqueue([[0, 0, 1]], 1 << 16, 1, False)
    assert seen == [3.5, 0.5, 2.5, 1.5]


def test_an_exception_of_the_candidate_passes_through() -> None:
    def entry(x, w, times):
        raise ZeroDivisionError("as asked")

    with pytest.raises(ZeroDivisionError, match="as asked"):
        Armed(entry).block([0, 0])


def test_a_loop_gives_one_reading_or_one_per_call_under_a_seal() -> None:
    armed = Armed()
    for pairs, count in ((False, 1), (True, 5)):
        told: dict[str, Any] = armed.timing.loop(3, 1, 5, pairs, 0)
        assert len(told["events_ns"]) == count
        assert told["seal"] == seal_of(armed.key, [3, 1, 5, int(pairs), 0, *told["events_ns"]])


def test_a_buffer_that_is_cleared_before_each_call_costs_the_loop_time_and_no_pair() -> None:
    """64 MiB take a processor milliseconds, a call of four elements microseconds: by the quickest of some loops."""
    armed, size = Armed(), 64 << 20

    def loop(pairs: bool, cleared_bytes: int) -> list[float]:
        told: dict[str, Any] = armed.timing.loop(3, 1, 5, pairs, cleared_bytes)
        assert told["seal"] == seal_of(armed.key, [3, 1, 5, int(pairs), cleared_bytes, *told["events_ns"]])
        return list(told["events_ns"])

    [together_ns] = min(loop(False, size) for _ in range(3))
    assert together_ns > 10 * min(loop(False, 0)[0] for _ in range(5))
    assert together_ns > 10 * min(loop(True, size))


def test_a_call_that_fails_in_a_loop_leaves_the_bench_usable() -> None:
    failing = [True]

    def entry(x, w, times):
        if failing:
            raise ZeroDivisionError("as asked")
        return right(x, w, times)

    armed = Armed(entry)
    with pytest.raises(ZeroDivisionError, match="as asked"):
        armed.timing.loop(3, 0, 2, True, 1 << 20)
    failing.clear()
    assert len(armed.timing.loop(3, 0, 2, True, 1 << 20)["events_ns"]) == 2  # type: ignore[arg-type]
    assert armed.block([0, 1])["problem"] is None


def test_operators_that_a_candidate_overrides_are_not_used_around_its_calls() -> None:
    """The late clone of the reports: what the bench called to copy outputs did the work."""
    late = []
    library = torch.library.Library("aten", "IMPL")

    def entry(x, w, times):
        late.append(0)
        return x + w  # calls none of the operators below

    armed = Armed(entry)
    names = ("clone", "copy_", "fill_", "zero_", "empty_like", "view", "set_.source_Storage")
    try:
        for name in names:
            library.impl(name, lambda *arguments, name=name, **options: late.append(name), "CPU", allow_override=True)
        armed.block([0, 1], [1, 2])
    finally:
        library._destroy()
    assert late == [0, 0]


def test_patching_torch_does_not_change_the_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    armed = Armed(lambda x, w, times: right(x, w, times)[:1].expand(4))
    monkeypatch.setattr(torch.Tensor, "is_contiguous", lambda *_: True)
    monkeypatch.setattr(torch.Tensor, "stride", lambda *_: (1,))
    assert armed.block([0, 0])["problem"] is not None


def test_the_class_of_the_bench_cannot_be_changed() -> None:
    bench = type(Armed().timing._bench)
    for name in ("block", "pick", "settle"):
        with pytest.raises(TypeError):
            setattr(bench, name, lambda *_: None)


def test_the_seal_is_siphash() -> None:
    """The authors' test vector: key 00 to 0f, message 00 to 07."""
    key = int.from_bytes(range(8), "little"), int.from_bytes(range(8, 16), "little")
    assert seal_of(key, [int.from_bytes(range(8), "little")]) == 0x93F5F5799A932462


def test_words_mix_as_splitmix64_does() -> None:
    """The first two outputs of splitmix64 from the seed 0."""
    assert mixed(0) == 0xE220A8397B1DCDAF
    assert mixed(0x9E3779B97F4A7C15) == 0x6E789E6AA1B965F4


def test_every_word_of_an_output_and_its_place_count() -> None:
    values = torch.arange(9, dtype=torch.float16)
    digest = digest_of([values], 5, 0)
    assert digest != digest_of([values], 6, 0)
    assert digest != digest_of([values], 5, 1)
    assert digest != digest_of([values.flip(0)], 5, 0)
    for index in range(9):
        changed = values.clone()
        changed[index] += 1
        assert digest_of([changed], 5, 0) != digest
    assert folded([1, 2]) != folded([2, 1]) != 0


@pytest.mark.slow
def test_kernels_and_driver_functions_compile_for_amd_too(tmp_path) -> None:
    toolchain = get_backend("cpu").toolchain.as_dict()
    if not toolchain["gfx942_available"]:
        lacking(toolchain["gfx942_reason"])
    source = tmp_path / "bench.hip"
    source.write_text(f"#include <hip/hip_runtime.h>\n{kernels_source()}")
    headers = [f"-I{folder}" for folder in toolchain["gfx942_headers"][-1]]
    assembly = tmp_path / "bench.s"
    flags = [*toolchain["gfx942_flags"], *headers, "-S", str(source), "-o", str(assembly)]
    subprocess.run([toolchain["clang"], *flags], check=True)
    for name in KERNELS:
        assert f".amdhsa_kernel {name}\n" in assembly.read_text()
    files = ["-I", str(SHARED), "-c", str(FOLDER / "gpu.cpp"), "-o", str(tmp_path / "gpu.o")]
    command = [find_compiler(), *FLAGS, "-DARENA_HIP", *files]
    subprocess.run(command, check=True)
