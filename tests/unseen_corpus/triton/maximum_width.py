# fault: maximum width
# task: heads
# exposed_by: production
# reason: mismatch
# A block of 16 columns: wider heads keep only those.
import torch
import triton
import triton.language as tl


@triton.jit
def mean_kernel(x, y, heads, length, width, BLOCK: tl.constexpr):
    sequence, head = tl.program_id(0) // heads, tl.program_id(0) % heads
    column = tl.arange(0, BLOCK)
    inside = column < width
    total = tl.zeros([BLOCK], tl.float32)
    for step in range(length):
        total += tl.load(x + ((sequence * length + step) * heads + head) * width + column, mask=inside, other=0.0)
    tl.store(y + tl.program_id(0) * width + column, total / length, mask=inside)


def forward(x):
    batch, length, heads, width = x.shape
    y = torch.zeros((batch, heads, width), device=x.device, dtype=x.dtype)
    mean_kernel[(batch * heads,)](x, y, heads, length, width, BLOCK=16)
    return y
