import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x, stride_row, stride_col, w, b, y, count, cols, BIASED: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    row, col = at // cols, at % cols
    value = tl.load(x + row * stride_row + col * stride_col, mask=inside, other=0.0).to(tl.float32)
    value *= tl.load(w + col, mask=inside, other=0.0)
    if BIASED:
        value += tl.load(b + col, mask=inside, other=0.0)
    tl.store(y + at, value.to(y.dtype.element_ty), mask=inside)


def forward(x, w, b):
    y = torch.empty(x.shape, device=x.device, dtype=x.dtype)
    grid = (triton.cdiv(x.numel(), 1024),)
    scale_kernel[grid](
        x, *x.stride(), w, w if b is None else b, y, x.numel(), x.shape[1], BIASED=b is not None, BLOCK=1024
    )
    return y
