# Dataclasses, enums and types, as in a larger code base.
import enum
from dataclasses import dataclass
from typing import Optional, Tuple

import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2.0 * tl.load(x + at, mask=inside), mask=inside)

class Size(enum.IntEnum):
    SMALL = 64
    LARGE = 256


@dataclass(frozen=True)
class Plan:
    block: int = Size.SMALL
    warps: int = 4

    def grid(self, count: int) -> Tuple[int, ...]:
        return (triton.cdiv(count, self.block),)


def forward(x: torch.Tensor) -> torch.Tensor:
    plan: Optional[Plan] = Plan() if x.numel() < 300 else Plan(int(Size.LARGE), warps=2)
    y = torch.empty_like(x)
    double_kernel[plan.grid(x.numel())](x, y, x.numel(), BLOCK=int(plan.block), num_warps=plan.warps)
    return y
