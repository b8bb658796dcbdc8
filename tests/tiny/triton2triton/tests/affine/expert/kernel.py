import torch
import triton
import triton.language as tl


@triton.jit
def affine_kernel(
    x,
    stride_row,
    stride_col,
    weight,
    bias,
    order,
    keep,
    shift,
    scale,
    y,
    width,
    HAS_BIAS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0)
    col = tl.arange(0, BLOCK)
    inside = col < width
    source = tl.load(order + row)
    value = tl.load(x + source * stride_row + col * stride_col, mask=inside, other=0.0).to(tl.float32)
    value = value * tl.load(weight + col, mask=inside, other=0.0) * scale
    if HAS_BIAS:
        value += tl.load(bias + col, mask=inside, other=0.0)
    value += tl.load(shift + row).to(tl.float32)
    value = tl.where(tl.load(keep + row), value, 0.0)
    tl.store(y + row * width + col, value.to(y.dtype.element_ty), mask=inside)


def prepare(weight, bias):
    return weight.float(), None if bias is None else bias.float()


def forward(x, order, keep, shift, scale, width, y, kept, state):
    weight, bias = state
    affine_kernel[(x.shape[0],)](
        x,
        *x.stride(),
        weight,
        weight if bias is None else bias,
        order,
        keep,
        shift,
        scale,
        y,
        width,
        HAS_BIAS=bias is not None,
        BLOCK=triton.next_power_of_2(width),
    )
    kept.copy_(keep.sum())
