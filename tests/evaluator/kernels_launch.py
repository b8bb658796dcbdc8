"""Kernels of the Triton tests: autotuned, guarded by heuristics, too large, not compilable."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def copy(x_ptr, out_ptr, size, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + lanes, tl.load(x_ptr + lanes, mask=lanes < size), mask=lanes < size)


@triton.jit
def place(out_ptr):
    """Each program writes its index into its own cell of a three-dimensional grid."""
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    cell = (x * tl.num_programs(1) + y) * tl.num_programs(2) + z
    tl.store(out_ptr + cell, cell)


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 128, "waves_per_eu": 2}, num_warps=2),
        triton.Config({"BLOCK": 256, "matrix_instr_nonkdim": 16, "kpack": 1}, num_warps=4, num_stages=1),
    ],
    key=["size"],
)
@triton.heuristics({"EVEN": lambda arguments: arguments["size"] % arguments["BLOCK"] == 0})
@triton.jit
def tuned_add(x_ptr, out_ptr, size, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(out_ptr + lanes, tl.load(out_ptr + lanes) + tl.load(x_ptr + lanes))
    else:
        x = tl.load(x_ptr + lanes, mask=lanes < size)
        y = tl.load(out_ptr + lanes, mask=lanes < size)
        tl.store(out_ptr + lanes, x + y, mask=lanes < size)


@triton.jit
def product(a_ptr, b_ptr, out_ptr, K, M: tl.constexpr):
    """Multiply an (M, K) by a (K, M) matrix. More stages need more LDS."""
    row, column = tl.arange(0, M)[:, None], tl.arange(0, M)[None, :]
    total = tl.zeros((M, M), tl.float32)
    for k in range(0, K, M):
        a = tl.load(a_ptr + row * K + k + column)
        b = tl.load(b_ptr + (k + row) * M + column)
        total = tl.dot(a, b, total)
    tl.store(out_ptr + row * M + column, total.to(out_ptr.dtype.element_ty))


tuned_product = triton.autotune(
    configs=[triton.Config({}, num_stages=4, num_warps=4), triton.Config({}, num_stages=1, num_warps=4)], key=["K"]
)(product)


@triton.jit
def with_unknown_name(x_ptr):
    tl.store(x_ptr, undefined_thing)  # noqa: F821


@triton.jit
def with_static_assert(x_ptr, N: tl.constexpr):
    tl.static_assert(N == 1, "N must be one")
    tl.store(x_ptr, N)


@triton.jit
def with_foreign_assembly(x_ptr, BLOCK: tl.constexpr):
    """Inline PTX, on which LLVM ends the process."""
    lanes = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + lanes)
    y = tl.inline_asm_elementwise("add.f32 $0, $1, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(x_ptr + lanes, y)
