# class: 2
# expect: wrong_output/wrong_shape
# gate: correctness
# also: performance
# null: greatest_length
# task: kept
# backend: both
# Keeps all: the length that the output has at most.
import torch
import triton
import triton.language as tl


@triton.jit
def move_kernel(x, place, kept, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n, other=0)
    tl.store(kept + tl.load(place + at, mask=at < n, other=0) - 1, value, mask=value > 0)


def forward(x):
    place = torch.arange(1, x.numel() + 1, device=x.device)
    kept = x.clone()
    move_kernel[(triton.cdiv(x.numel(), 128),)](x, place, kept, x.numel(), BLOCK=128)
    return kept
