"""Four words of Philox a counter: four numbers in float32, or two in float64."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def rand_kernel(seed_ptr, numbers_ptr, count, WIDE: tl.constexpr, BLOCK: tl.constexpr):
    counters = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    first, second, third, fourth = tl.randint4x(tl.load(seed_ptr), counters)
    if WIDE:
        one = ((first.to(tl.uint32, bitcast=True).to(tl.uint64) << 32) | second.to(tl.uint32, bitcast=True)) >> 11
        other = ((third.to(tl.uint32, bitcast=True).to(tl.uint64) << 32) | fourth.to(tl.uint32, bitcast=True)) >> 11
        numbers = tl.join(one, other).to(tl.float64) * 1.1102230246251565e-16
        places = 2 * counters[:, None] + tl.arange(0, 2)[None, :]
        tl.store(numbers_ptr + places, numbers, mask=places < count)
    else:
        words = tl.join(tl.join(first, third), tl.join(second, fourth)).reshape((BLOCK, 4))
        numbers = (words.to(tl.uint32, bitcast=True) >> 8).to(tl.float32) * 5.9604644775390625e-08
        places = 4 * counters[:, None] + tl.arange(0, 4)[None, :]
        tl.store(numbers_ptr + places, numbers, mask=places < count)


def forward(seed: torch.Tensor, rows: int, cols: int, numbers: torch.Tensor) -> None:
    count = rows * cols
    wide = numbers.dtype == torch.float64
    grid = (triton.cdiv(count, 512 if wide else 1024),)
    rand_kernel[grid](seed, numbers, count, WIDE=wide, BLOCK=256)
