import torch
import triton
import triton.language as tl


@triton.jit
def mean_kernel(x, y, heads, length, width, STEPS: tl.constexpr, BLOCK: tl.constexpr):
    sequence, head = tl.program_id(0) // heads, tl.program_id(0) % heads
    column = tl.arange(0, BLOCK)[None, :]
    total = tl.zeros([STEPS, BLOCK], tl.float32)
    for begin in range(0, length, STEPS):
        step = begin + tl.arange(0, STEPS)[:, None]
        inside = (step < length) & (column < width)
        total += tl.load(x + ((sequence * length + step) * heads + head) * width + column, mask=inside, other=0.0)
    at = tl.arange(0, BLOCK)
    tl.store(y + tl.program_id(0) * width + at, tl.sum(total, 0) / length, mask=at < width)


def forward(x):
    batch, length, heads, width = x.shape
    y = torch.empty((batch, heads, width), device=x.device, dtype=x.dtype)
    mean_kernel[(batch * heads,)](x, y, heads, length, width, STEPS=16, BLOCK=triton.next_power_of_2(width))
    return y
