# task: weighted
# Partial sums lie in a workspace that is kept between calls.
import torch
import triton
import triton.language as tl


@triton.jit
def part_kernel(x, w, partial, cols, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = at < cols
    part = tl.load(x + row * cols + at, mask=inside, other=0.0) * tl.load(w + at, mask=inside, other=0.0)
    tl.store(partial + row * tl.num_programs(1) + tl.program_id(1), tl.sum(part, 0))


@triton.jit
def join_kernel(partial, y, parts, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y + tl.program_id(0), tl.sum(tl.load(partial + tl.program_id(0) * parts + at, mask=at < parts, other=0.0), 0))

WORKSPACES = {}


def forward(x, w):
    rows, cols = x.shape
    parts = triton.cdiv(cols, 128)
    if (rows, parts) not in WORKSPACES:
        WORKSPACES[rows, parts] = torch.empty(rows, parts, device=x.device, dtype=x.dtype)
    partial = WORKSPACES[rows, parts]
    part_kernel[(rows, parts)](x, w, partial, cols, BLOCK=128)
    y = torch.empty(rows, device=x.device, dtype=x.dtype)
    join_kernel[(rows,)](partial, y, parts, BLOCK=triton.next_power_of_2(parts))
    return y
