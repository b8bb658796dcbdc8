# class: 1
# expect: wrong_output/wrong_shape
# gate: correctness
# also: compile, performance
# null: empty
# task: kept
# backend: both
# Keeps nothing, so that no value can be wrong.
import torch
import triton
import triton.language as tl


@triton.jit
def move_kernel(x, place, kept, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n, other=0)
    tl.store(kept + tl.load(place + at, mask=at < n, other=0) - 1, value, mask=value > 0)


def forward(x):
    return x.new_empty(0)
