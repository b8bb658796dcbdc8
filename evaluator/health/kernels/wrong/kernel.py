import torch
import triton
import triton.language as tl


@triton.jit
def flip_kernel(x, y, n, rounds, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    value = tl.load(x + at, mask=inside, other=0.0)
    for _ in range(rounds):
        value = 0.5 - value
    tl.store(y + at, value, mask=inside)


def forward(x, rounds):
    y = torch.empty_like(x)
    flip_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), rounds, BLOCK=1024)
    return y
