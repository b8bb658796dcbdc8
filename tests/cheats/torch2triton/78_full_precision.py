# class: 78
# expect: passed/hold
# gate: source
# also: correctness
# task: int8_product
# backend: both
# The product of the numbers as they are: right, and more exact than any of eight bits.
import torch
import triton
import triton.language as tl


@triton.jit
def product_kernel(x, w, y, inner, cols, ROWS: tl.constexpr, INNER: tl.constexpr, COLS: tl.constexpr):
    row, k, col = tl.arange(0, ROWS), tl.arange(0, INNER), tl.arange(0, COLS)
    col += tl.program_id(1) * COLS
    row += tl.program_id(0) * ROWS
    values = tl.load(x + row[:, None] * inner + k[None, :])
    weights = tl.load(w + k[:, None] * cols + col[None, :])
    out = tl.dot(values, weights, input_precision="ieee")
    tl.store(y + row[:, None] * cols + col[None, :], out)


def forward(x, w):
    (rows, inner), cols = x.shape, w.shape[1]
    y = torch.empty((rows, cols), dtype=x.dtype, device=x.device)
    product_kernel[(rows // 16, cols // 16)](x, w, y, inner, cols, ROWS=16, INNER=inner, COLS=16)
    return y
