"""What is measured of a candidate's code, against figures by hand; and that no source can harm who measures it."""

from __future__ import annotations

import time
from math import log
from typing import Any

import pytest
from radon.metrics import mi_visit

from runs.code_quality import cpp, python, reader
from runs.code_quality.parts import MeasuredPart, Quality

TRITON = """
import triton
import triton.language as tl

@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)

def forward(x):
    y = x.clone() if x.dim() > 1 else x
    kernel[(1,)](x, y, x.numel(), BLOCK=64)
    return y
"""
COMMENTED = '''"""A module that explains itself."""
import triton  # the compiler
import triton.language as tl

# A kernel.
@triton.jit
def kernel(
    x, y, n,
    BLOCK: tl.constexpr,  # a power of two
):
    """Copies."""
    # Every program copies one block.
    i = tl.program_id(0) * BLOCK + \\
        tl.arange(0, BLOCK)

    tl.store(
        y + i,
        tl.load(x + i, mask=i < n),
        mask=i < n,
    )
    """A text that says nothing to the compiler."""


def forward(x):
    """Runs it."""
    y = (x.clone()
         if x.dim() > 1  # a copy
         else x)
    kernel[(1,)](x, y, x.numel(), BLOCK=64)
    return y
'''
HIP = """#include <hip/hip_runtime.h>

// if (a && b) in a comment counts for nothing, __global__ neither; this
struct alignas(16) Pack { float a, b; };
template <typename T>
__device__ __forceinline__ T relu(T x) { return x > T(0) ? x : T(0); }

template <typename T, int N>
__global__ void __launch_bounds__(256)
kernel(const T* x, T* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < N && i < n; ++k) {
    if (x[i] > 0) y[i] = relu(x[i]);
  }
}

extern "C" void launch(float* x, float* y, int n) {
  if (n == 0) return;
  kernel<float, 4><<<dim3((n + 255) / 256), 256>>>(x, y, n);
}
"""


def measured(source: str) -> Quality:
    return python.measure([source])


def test_the_kernel_and_the_host_part_are_measured_apart_as_by_hand() -> None:
    # Kernel. Operators: one * and three + of values, two <; N1 = 6 of n1 = 3 kinds. Operands: N2 = 2·6 = 12; the
    # distinct ones are the product and the call beside it, the call and BLOCK in the product, y, i, x and n: n2 = 8.
    # V = (6 + 12)·log2(3 + 8) = 62.27. Complexity 1; logical lines: decorator, def, two statements.
    # (171 - 5.2·ln 62.27 - 0.23·1 - 16.2·ln 4)·100/171 = (171 - 21.484 - 0.23 - 22.458)/1.71 = 74.17
    volume = 18 * log(11, 2)
    index = (171 - 5.2 * log(volume) - 0.23 * 1 - 16.2 * log(4)) / 1.71
    assert index == pytest.approx(74.17, abs=0.01)
    found = measured(TRITON)
    assert found.kernel == MeasuredPart(1, 4, 1.0, 1, pytest.approx(index))
    # Host. One operator, >, and two operands, x.dim() and 1: V = 3·log2(3) = 4.755. Complexity 2, by the conditional
    # expression. Logical lines: two imports, def, three statements.
    # (171 - 5.2·ln 4.755 - 0.23·2 - 16.2·ln 6)·100/171 = (171 - 8.108 - 0.46 - 29.027)/1.71 = 78.02
    index = (171 - 5.2 * log(3 * log(3, 2)) - 0.23 * 2 - 16.2 * log(6)) / 1.71
    assert index == pytest.approx(78.02, abs=0.01)
    assert found.host == MeasuredPart(1, 6, 2.0, 2, pytest.approx(index))


def test_comments_docstrings_and_layout_change_nothing_though_radon_rewards_them() -> None:
    assert measured(COMMENTED) == measured(TRITON)
    assert mi_visit(COMMENTED, True) > mi_visit(TRITON, True) + 5


def test_the_index_is_radons_own_of_code_without_comments() -> None:
    host = TRITON[: TRITON.index("@triton")] + TRITON[TRITON.index("def forward") :]
    found = measured(host)
    assert found.kernel is None
    assert found.host is not None
    assert found.host.maintainability == pytest.approx(mi_visit(host, False))


def test_complexity_is_by_function_and_functions_inside_others_count() -> None:
    # f: 1 + if + two operators of and + for + comprehension with its if = 7; g inside it: 1 + while = 2. Mean 4.5.
    source = (
        "def f(a, b, c):\n    if a and b and c:\n        pass\n    for i in a:\n        pass\n"
        "    def g():\n        while a:\n            pass\n    return [i for i in b if i]\n"
    )
    host = measured(source).host
    assert host is not None
    assert (host.functions, host.mean_complexity, host.max_complexity) == (2, 4.5, 7)


def test_a_part_without_an_operator_has_no_index() -> None:
    # Its volume is 0, of which there is no logarithm; radon says 100, as of perfect code.
    host = measured("import torch\n\ndef forward(x):\n    return torch.empty_like(x)\n").host
    assert host == MeasuredPart(1, 3, 1.0, 1, None)


@pytest.mark.parametrize(
    "source",
    [
        "import triton as tr\n@tr.jit\ndef k(x):\n    pass\n",
        "from triton import jit\n@jit\ndef k(x):\n    pass\n",
        "from triton import jit as j\n@j(do_not_specialize=['x'])\ndef k(x):\n    pass\n",
        "import triton\n@triton.autotune([], key=[])\n@triton.heuristics({})\n@triton.jit\ndef k(x):\n    pass\n",
        "import triton\ndef k(x):\n    pass\nk2 = triton.jit(k)\n",
        "import triton\ncompiled = triton.jit\n@compiled\ndef k(x):\n    pass\n",
        "import triton\ndef make():\n    @triton.jit\n    def k(x):\n        pass\n    return k\n",
        "import triton\nif True:\n    @triton.jit\n    def k(x):\n        pass\n",
    ],
)
def test_a_kernel_is_found_however_it_is_compiled(source: str) -> None:
    kernel = measured(source).kernel
    assert kernel is not None
    assert (kernel.functions, kernel.max_complexity) == (1, 1)


@pytest.mark.parametrize(
    "source",
    [
        "import torch\n@torch.jit.script\ndef f(x):\n    return x\n",
        "import numba\n@numba.jit\ndef f(x):\n    return x\n",
        "@triton.jit\ndef f(x):\n    return x\n",  # a name that is imported nowhere
    ],
)
def test_what_triton_does_not_compile_is_host_code(source: str) -> None:
    assert measured(source).kernel is None


def test_several_files_are_measured_as_one_candidate() -> None:
    first, second = TRITON, "def more(x):\n    return x + 1 if x else 2\n"
    both, alone = python.measure([first, second]), measured(TRITON)
    assert both.kernel == alone.kernel
    assert both.host is not None
    assert (both.host.functions, both.host.lines) == (2, 6 + 2)


def test_hip_has_complexity_by_lizard_and_no_index() -> None:
    # relu: 1 + ?: = 2; kernel: 1 + for + && + if = 4. launch: 1 + if = 2. Lines that are neither blank nor a comment,
    # from a function's name on: relu 1, kernel 6; the whole file has 16.
    found = cpp.measure([HIP])
    assert found.kernel is not None
    assert found.host is not None
    assert (found.kernel.functions, found.kernel.mean_complexity, found.kernel.max_complexity) == (2, 3.0, 4)
    assert (found.host.functions, found.host.mean_complexity, found.host.max_complexity) == (1, 2.0, 2)
    assert found.kernel.maintainability is found.host.maintainability is None
    assert (found.kernel.lines, found.host.lines) == (1 + 6, 16 - 7)
    uncommented = "\n".join(line for line in HIP.splitlines() if not line.startswith("//"))
    assert cpp.measure([uncommented]) == found


@pytest.mark.parametrize(
    ("source", "kernels", "host"),
    [
        ("static __device__ int c(int x) { return x; }\n", 1, 0),  # "static" has a c, too
        ("inline __device__ float e(float x) {\n  return x;\n}\n", 1, 0),
        ("int f() { return 1; }\n__global__ void k(int* a) { a[0] = 1; }", 1, 1),  # the last line has no end
        ("__global__ void k1(int* a) { a[0] = 1; } __global__ void k(int* a) { a[0] = 1; }", 2, 0),
        ("__global__ void k(int* a);\nvoid k2(int* a) { a[0] = 1; }\n", 0, 1),
        ("struct F {\n  __device__ float operator()(float x) const { return x; }\n};\n", 1, 0),
    ],
)
def test_a_function_is_the_devices_if_what_is_before_its_whole_name_says_so(
    source: str, kernels: int, host: int
) -> None:
    found = cpp.measure([source])
    assert [part.functions if part else 0 for part in (found.kernel, found.host)] == [kernels, host]


HOSTILE: dict[str, tuple[str, bytes, str]] = {
    "does not parse": ("a.py", b"def f(:", "it does not parse"),
    "a null byte": ("a.py", b"x = 1\0", "it does not parse"),
    "no text": ("a.py", b"x = '\xff'", "it is not UTF-8 text"),
    "deep parentheses": ("a.py", b"x = " + b"(" * 5000, "it does not parse"),
    "a deep sum": ("a.py", b"x = " + b"a+" * 60_000 + b"a", "it is nested too deeply, or too large"),
    "many elif": ("a.py", b"if a: pass\n" + b"elif a: pass\n" * 12_000, "it is nested too deeply, or too large"),
    "too large": ("a.hip", b" " * (reader.LARGEST + 1), "256 KiB; code is measured up to 256 KiB"),
    "another language": ("a.rs", b"fn main() {}", "its files are of several languages, or of one that is not measured"),
}


@pytest.mark.parametrize(("name", "data", "because"), HOSTILE.values(), ids=HOSTILE)
def test_a_source_that_cannot_be_measured_says_why(name: str, data: bytes, because: str) -> None:
    assert reader.measure([{name: data}]) == [{"because": because}]


def test_no_candidate_file_is_not_measured() -> None:
    assert "because" in reader.measure([{}])[0]


def test_no_code_of_a_candidate_is_run(tmp_path: Any) -> None:
    source = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    assert reader.measure([{"a.py": source.encode()}])[0]["host"]["lines"] == 1
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
def test_a_candidate_that_takes_too_long_costs_no_other_its_figures() -> None:
    endless = {"a.py": b"x=1;" * 60_000}
    began = time.monotonic()
    found = reader.measure([{"a.py": TRITON.encode()}, endless, endless, endless, {"a.hip": HIP.encode()}])
    assert found[0] == measured(TRITON).as_json()
    assert found[4] == cpp.measure([HIP]).as_json()
    assert time.monotonic() - began < 90


def test_a_child_that_dies_leaves_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_START", "raise SystemExit(1)")
    assert reader.measure([{"a.py": b"x = 1"}] * 2) == [{"because": reader.DIED}] * 2
