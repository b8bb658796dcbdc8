# task: affine
# Weights are scaled and packed once, in the hook that is there for it.
import torch
import triton
import triton.language as tl


@triton.jit
def affine_kernel(x, stride_row, stride_col, packed, order, keep, shift, scale, y, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < width
    source = tl.load(order + row)
    value = tl.load(x + source * stride_row + col * stride_col, mask=inside, other=0.0).to(tl.float32)
    value = value * tl.load(packed + 2 * col, mask=inside, other=0.0) * scale
    value += tl.load(packed + 2 * col + 1, mask=inside, other=0.0)
    value += tl.load(shift + row).to(tl.float32)
    value = tl.where(tl.load(keep + row), value, 0.0)
    tl.store(y + row * width + col, value.to(y.dtype.element_ty), mask=inside)


def prepare(weight, bias):
    zeros = torch.zeros_like(weight)
    return torch.stack([weight, zeros if bias is None else bias], dim=1).float().contiguous()


def forward(x, order, keep, shift, scale, width, y, kept, state):
    affine_kernel[(x.shape[0],)](
        x, *x.stride(), state, order, keep, shift, scale, y, width,
        BLOCK=triton.next_power_of_2(width),
    )
    kept.copy_(keep.sum())
