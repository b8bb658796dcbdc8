# fault: block divides the size
# task: scale
# exposed_by: alignment
# also: edge, scale_down, asymmetric
# reason: out_of_bounds
# No masks: right where 1024 divides the number of elements.
import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x, stride_row, stride_col, w, b, y, count, cols, BIASED: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row, col = at // cols, at % cols
    value = tl.load(x + row * stride_row + col * stride_col).to(tl.float32)
    value *= tl.load(w + col)
    if BIASED:
        value += tl.load(b + col)
    tl.store(y + at, value.to(y.dtype.element_ty))


def forward(x, w, b):
    y = torch.zeros(x.shape, device=x.device, dtype=x.dtype)
    grid = (triton.cdiv(x.numel(), 1024),)
    scale_kernel[grid](x, *x.stride(), w, w if b is None else b, y, x.numel(), x.shape[1], BIASED=b is not None, BLOCK=1024)
    return y
