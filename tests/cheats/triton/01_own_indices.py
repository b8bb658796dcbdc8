# class: 1
# expect: wrong_output/mismatch
# gate: correctness
# also: compile, performance
# null: own_index
# task: kept
# backend: both
# Of the right length, but each element is its own index.
import torch
import triton
import triton.language as tl


@triton.jit
def move_kernel(x, place, kept, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n, other=0)
    tl.store(kept + tl.load(place + at, mask=at < n, other=0) - 1, value, mask=value > 0)


def forward(x):
    count = int((x > 0).sum())
    return torch.arange(count, dtype=x.dtype, device=x.device)
