# fault: dtype
# task: scale
# exposed_by: production
# reason: wrong_dtype
# Answers in float32, whatever it is given.
import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x, stride_row, stride_col, w, b, y, cols, BIASED: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for begin in range(0, cols, BLOCK):
        col = begin + tl.arange(0, BLOCK)
        inside = col < cols
        value = tl.load(x + row * stride_row + col * stride_col, mask=inside, other=0.0).to(tl.float32)
        value *= tl.load(w + col, mask=inside, other=0.0)
        if BIASED:
            value += tl.load(b + col, mask=inside, other=0.0)
        tl.store(y + row * cols + col, value.to(y.dtype.element_ty), mask=inside)


def forward(x, w, b):
    rows, cols = x.shape
    y = torch.empty(x.shape, device=x.device, dtype=torch.float32)
    scale_kernel[(rows,)](x, *x.stride(), w, w if b is None else b, y, cols, BIASED=b is not None, BLOCK=1024)
    return y
