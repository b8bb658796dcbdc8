# fault: sequence length
# task: heads
# exposed_by: scale_up
# also: edge, scale_down
# reason: mismatch
# Sequences of 16, as in both seen cases.
import torch
import triton
import triton.language as tl


@triton.jit
def mean_kernel(x, y, heads, width, LENGTH: tl.constexpr, BLOCK: tl.constexpr):
    sequence, head = tl.program_id(0) // heads, tl.program_id(0) % heads
    column = tl.arange(0, BLOCK)
    inside = column < width
    total = tl.zeros([BLOCK], tl.float32)
    for step in range(LENGTH):
        total += tl.load(x + ((sequence * LENGTH + step) * heads + head) * width + column, mask=inside, other=0.0)
    tl.store(y + tl.program_id(0) * width + column, total / LENGTH, mask=inside)


def forward(x):
    batch, length, heads, width = x.shape
    y = torch.empty((batch, heads, width), device=x.device, dtype=x.dtype)
    mean_kernel[(batch * heads,)](x, y, heads, width, LENGTH=16, BLOCK=triton.next_power_of_2(width))
    return y
