# fault: number of heads
# task: heads
# exposed_by: production
# also: edge, asymmetric
# reason: mismatch
# Four heads, as in both seen cases.
import torch
import triton
import triton.language as tl


@triton.jit
def mean_kernel(x, y, length, width, HEADS: tl.constexpr, BLOCK: tl.constexpr):
    sequence, head = tl.program_id(0) // HEADS, tl.program_id(0) % HEADS
    column = tl.arange(0, BLOCK)
    inside = column < width
    total = tl.zeros([BLOCK], tl.float32)
    for step in range(length):
        total += tl.load(x + ((sequence * length + step) * HEADS + head) * width + column, mask=inside, other=0.0)
    tl.store(y + tl.program_id(0) * width + column, total / length, mask=inside)


def forward(x):
    batch, length, heads, width = x.shape
    y = torch.zeros((batch, heads, width), device=x.device, dtype=x.dtype)
    mean_kernel[(batch * 4,)](x, y, length, width, HEADS=4, BLOCK=triton.next_power_of_2(width))
    return y
