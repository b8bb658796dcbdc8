# class: 3
# expect: wrong_output/wrong_shape
# gate: correctness
# also: performance
# task: kept
# backend: both
# Takes the length from the call before, and so need not wait for the device.
import torch
import triton
import triton.language as tl


@triton.jit
def move_kernel(x, place, kept, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n, other=0)
    tl.store(kept + tl.load(place + at, mask=at < n, other=0) - 1, value, mask=value > 0)


LENGTHS = {}


def forward(x):
    place = (x > 0).cumsum(0)
    count = LENGTHS.get(x.numel(), int(place[-1]))
    LENGTHS[x.numel()] = int(place[-1])
    kept = torch.zeros(x.numel(), dtype=x.dtype, device=x.device)
    move_kernel[(triton.cdiv(x.numel(), 128),)](x, place, kept, x.numel(), BLOCK=128)
    return kept[:count]
