# fault: power of two
# task: scale
# exposed_by: alignment
# also: scale_up, asymmetric, production
# reason: compiler_error
# A row is one block without a mask, so it must be a power of two.
import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x, stride_row, stride_col, w, b, y, BIASED: tl.constexpr, COLS: tl.constexpr):
    row, col = tl.program_id(0), tl.arange(0, COLS)
    value = tl.load(x + row * stride_row + col * stride_col).to(tl.float32) * tl.load(w + col)
    if BIASED:
        value += tl.load(b + col)
    tl.store(y + row * COLS + col, value.to(y.dtype.element_ty))


def forward(x, w, b):
    rows, cols = x.shape
    y = torch.empty((rows, cols), device=x.device, dtype=x.dtype)
    scale_kernel[(rows,)](x, *x.stride(), w, w if b is None else b, y, BIASED=b is not None, COLS=cols)
    return y
