"""The negative log-likelihood of classes that takes -100 for the ignored class, whatever is asked for.

Where one number is asked for, each program adds up a share of losses and weights, and a second kernel joins the shares.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def loss_kernel(
    x_ptr,
    t_ptr,
    weight_ptr,
    out_ptr,
    count,
    classes,
    places,
    WEIGHTED: tl.constexpr,
    EACH: tl.constexpr,
    BLOCK: tl.constexpr,
):
    one = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    known = one < count
    target = tl.load(t_ptr + one, mask=known, other=0)
    kept = known & (target != -100)
    target = tl.where(kept, target, 0)
    place = (one // places * classes + target) * places + one % places
    x = tl.load(x_ptr + place, mask=kept, other=0.0).to(tl.float32)
    share = tl.where(kept, 1.0, 0.0)
    if WEIGHTED:
        share *= tl.load(weight_ptr + target)
    loss = tl.where(kept, -share * x, 0.0)
    if EACH:
        tl.store(out_ptr + one, loss, mask=known)
    else:
        tl.store(out_ptr + tl.program_id(0), tl.sum(loss, 0))
        tl.store(out_ptr + tl.num_programs(0) + tl.program_id(0), tl.sum(share, 0))


@triton.jit
def join_kernel(sum_ptr, out_ptr, shares, MEAN: tl.constexpr, BLOCK: tl.constexpr):
    losses = tl.zeros([BLOCK], tl.float32)
    weights = tl.zeros([BLOCK], tl.float32)
    for start in range(0, shares, BLOCK):
        place = start + tl.arange(0, BLOCK)
        losses += tl.load(sum_ptr + place, mask=place < shares, other=0.0)
        weights += tl.load(sum_ptr + shares + place, mask=place < shares, other=0.0)
    total = tl.sum(losses, 0)
    if MEAN:
        total = total / tl.sum(weights, 0)
    tl.store(out_ptr, total)


def forward(
    x: torch.Tensor, t: torch.Tensor, weight: torch.Tensor | None, ignore_index: int, reduction: int
) -> torch.Tensor:
    x, t = x.contiguous(), t.contiguous()
    (batch, classes, places), device = x.shape, x.device
    count, each = batch * places, reduction == 0
    BLOCK = min(triton.next_power_of_2(count), 1024)
    programs = triton.cdiv(count, BLOCK)
    losses = torch.empty((batch, places) if each else (2, programs), dtype=torch.float32, device=device)
    given = (x, t, x if weight is None else weight, losses, count, classes, places)
    loss_kernel[(programs,)](*given, WEIGHTED=weight is not None, EACH=each, BLOCK=BLOCK)
    if each:
        return losses
    out = torch.empty((1, 1), dtype=torch.float32, device=device)
    join_kernel[(1,)](losses, out, programs, MEAN=reduction == 2, BLOCK=min(4096, triton.next_power_of_2(programs)))
    return out
