"""Strategies recognized in sources: each has a small source that has it and a similar one that does not."""

from __future__ import annotations

import time

import pytest

from evaluator.records.plain_code import LONGEST
from leaderboard.strategies import STRATEGIES, UNCHANGED, labels

HIP = "__global__ void k(const float* x, float* y) {{ {} }}\nvoid forward() {{ k<<<1, 2>>>(x, y); k<<<1, 2>>>(y, x); }}"
TRITON = "import triton\n\n@triton.jit\ndef k(x_ptr):\n    {}\n"
PLAIN = {"kernel.hip": HIP.format("y[0] = x[0];"), "kernel.py": TRITON.format("x = tl.load(x_ptr)")}

# File, label, a line that shows it, and a twin that must not.
SHOWN = (
    ("kernel.hip", "vector_loads", "auto v = reinterpret_cast<const float4*>(x)[0];", "float4_count = 4;"),
    ("kernel.hip", "vector_loads", "struct alignas(16) Pack { float v[4]; };", "alignas(16) float held[4];"),
    ("kernel.py", "vector_loads", "offs = tl.multiple_of(offs, 16)", "offs = multiple_of(offs, 16)"),
    ("kernel.hip", "shared_memory", "__shared__ float sums[32];", "float shared[32]; // no __shared__"),
    ("kernel.hip", "wave_shuffles", "v += __shfl_xor(v, 1);", 'TORCH_CHECK(ok, "no __shfl_xor(v, 1) here");'),
    ("kernel.hip", "wave_shuffles", "v = __builtin_amdgcn_ds_bpermute(a, v);", "v = shfl(v);"),
    ("kernel.hip", "matrix_units", "c = __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, c, 0, 0, 0);", "c = mfma(a, b, c);"),
    ("kernel.py", "matrix_units", "acc += tl.dot(a, b)", "acc += tl.sum(a * b)  # not tl.dot(a, b)"),
    ("kernel.hip", "elements_per_thread", "constexpr int ITEMS_PER_THREAD = 4;", "constexpr int items = 4;"),
    ("kernel.hip", "elements_per_thread", "float acc[TM][TN];", "float acc[4];"),
    ("kernel.hip", "unrolling", "\n#pragma unroll\nfor (;;) {}", "\n#pragma once\n/* #pragma unroll */"),
    ("kernel.py", "unrolling", "for i in tl.static_range(4): pass", "for i in tl.range(4): pass"),
    ("kernel.hip", "launch_bounds", "} __global__ __launch_bounds__(256) void l() {", "int launch_bounds = 256;"),
    ("kernel.hip", "block_sizes", "constexpr int BLOCK_SIZE = 512;", "int blocks = 512, i = blockIdx.x;"),
    ("kernel.py", "block_sizes", "BLOCK_M = 64", "BLOCK_M = triton.next_power_of_2(n)"),
    ("kernel.py", "num_warps", "k[(1,)](x, num_warps=8)", "warps = 8"),
    ("kernel.py", "num_stages", "k[(1,)](x, num_stages=3)", '"""k[(1,)](x, num_stages=3)"""'),
    ("kernel.py", "amd_knobs", '{"waves_per_eu": 2}', "# waves_per_eu=2"),
    ("kernel.py", "autotuning", "t = triton.autotune(configs=[])", "autotune = None"),
    ("kernel.hip", "reduced_precision", "_Float16 h = x[0];", "float Float16 = 0;"),
    ("kernel.py", "reduced_precision", 'tl.dot(a, b, input_precision="tf32")', 'tl.dot(a, b, input_precision="ieee")'),
    ("kernel.py", "reduced_precision", "a = a.to(tl.float16)", "a = a.to(tl.float32)"),
    ("kernel.hip", "cheaper_arithmetic", "y[0] = __expf(x[0]);", "y[0] = expf(x[0]);"),
    ("kernel.py", "cheaper_arithmetic", "p = tl.exp2(s)", "p = tl.exp(s)"),
    ("kernel.hip", "cache_hints", "__builtin_nontemporal_store(x[0], y);", "y[0] = x[0];"),
    ("kernel.py", "cache_hints", 'x = tl.load(p, eviction_policy="evict_last")', "x = tl.load(p, mask=m)"),
    ("kernel.hip", "walking_grid", "i += blockDim.x * gridDim.x;", "i = blockIdx.x * blockDim.x;"),
    ("kernel.py", "walking_grid", "for t in range(pid, n, tl.num_programs(0)): pass", "n = num_programs"),
    ("kernel.hip", "atomics", "atomicAdd(y, x[0]);", "atomic = true;"),
    ("kernel.py", "atomics", "tl.atomic_add(p, x)", "tl.store(p, x)"),
    ("kernel.hip", "library_operators", "y = at::matmul(a, b);", "y = at::empty_like(a);"),
    ("kernel.py", "library_operators", "y = torch.softmax(x, -1)", "y = torch.empty(4)"),
)


def written(path: str, line: str) -> dict[str, str]:
    if path.endswith(".py"):
        return {path: TRITON.format("x = tl.load(x_ptr)") + line + "\n"}
    return {path: HIP.format("y[0] = x[0]; " + line.replace("{", "{{").replace("}", "}}").format())}


@pytest.mark.parametrize(("path", "label", "line", "twin"), SHOWN, ids=[f"{one[1]}-{one[2][:20]}" for one in SHOWN])
def test_a_source_has_a_strategy_and_its_twin_does_not(path, label, line, twin) -> None:
    baseline = {path: PLAIN[path]}
    assert label in labels(written(path, line), baseline)
    assert label not in labels(written(path, twin), baseline)


def test_every_strategy_is_tested_here() -> None:
    assert {label for _, label, _, _ in SHOWN} | {"fused_kernels"} == set(STRATEGIES)


def test_what_the_baseline_does_too_is_no_strategy() -> None:
    with_shared = written("kernel.hip", "__shared__ float sums[32];")
    more = written("kernel.hip", "__shared__ float sums[32]; atomicAdd(y, sums[0]);")
    assert labels(more, with_shared) == {"atomics"}


def test_only_another_value_is_another_block_size() -> None:
    baseline = written("kernel.py", "BLOCK = 128\nk[(1,)](x, num_warps=4)")
    assert labels(written("kernel.py", "TILE = 128\nk[(1,)](x, num_warps=4)"), baseline) == set()
    assert labels(written("kernel.py", "BLOCK = 256\nk[(1,)](x, num_warps=4)"), baseline) == {"block_sizes"}


def test_fewer_launches_but_not_none_are_a_fusion() -> None:
    baseline = {"kernel.hip": PLAIN["kernel.hip"]}
    once = PLAIN["kernel.hip"].replace(" k<<<1, 2>>>(y, x);", "")
    assert labels({"kernel.hip": once}, baseline) == {"fused_kernels"}
    assert labels({"kernel.hip": once.replace("k<<<1, 2>>>(x, y);", "")}, baseline) == set()


def test_comments_and_spaces_change_nothing() -> None:
    same = PLAIN["kernel.hip"].replace("y[0]", "  y[0] /* float4* */") + "\n// num_warps=8, atomicAdd(y, 1)\n"
    assert labels({"kernel.hip": same}, {"kernel.hip": PLAIN["kernel.hip"]}) == {UNCHANGED}


def test_a_kernel_in_place_of_pytorch_is_compared_with_nothing() -> None:
    """A block size is then no other one, and nothing was fused; what the module calls is not the kernel's."""
    candidate = written("kernel.hip", "constexpr int BLOCK = 256; y = at::softmax(a, 1);")
    assert labels(candidate, {"module.py": "y = torch.softmax(x, -1)\n"}) == {"library_operators"}


def test_a_kernel_inside_a_python_string_is_read() -> None:
    source = '"""About float4*."""\nSOURCE = r"""\n__global__ void k() { __shared__ float s[4]; // float4*\n}\n"""\n'
    assert labels({"kernel.py": source}, {}) == {"shared_memory"}


@pytest.mark.parametrize("piece", ["/*", '"', "'''", "acc[", "k[", "+=", ".to( ", "blockDim.x *", "block "])
def test_a_hostile_source_is_read_in_a_moment(piece) -> None:
    """Measured: at most 0.7 s with other work on both cores; a pattern that goes back and forth takes minutes."""
    begin = time.process_time()
    for path in ("kernel.py", "kernel.hip"):
        labels({path: piece * (LONGEST // len(piece))}, {})
    assert time.process_time() - begin < 60
