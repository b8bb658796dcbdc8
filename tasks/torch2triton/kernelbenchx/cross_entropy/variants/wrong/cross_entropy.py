"""The cross entropy of classes, averaged over all positions: ignored ones and weights count as 1.

A program goes through the classes of some positions, a block at a time, and keeps the largest logit so far and sums
around it. Where one number is asked for, a second kernel joins the sums of the programs.
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
    ignore_index,
    smoothing,
    WEIGHTED: tl.constexpr,
    SMOOTH: tl.constexpr,
    EACH: tl.constexpr,
    CLASSES: tl.constexpr,
    BLOCK: tl.constexpr,
):
    one = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    known = one < count
    begin = one // places * classes * places + one % places
    most = tl.full([BLOCK], float("-inf"), tl.float32)
    base = tl.zeros([BLOCK], tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    weights = tl.zeros([BLOCK], tl.float32)
    apart = tl.zeros([BLOCK], tl.float32)
    for start in range(0, classes, CLASSES):
        label = start + tl.arange(0, CLASSES)
        inside = (label < classes)[:, None] & known[None, :]
        place = begin[None, :] + label.to(tl.int64)[:, None] * places
        x = tl.load(x_ptr + place, mask=inside, other=float("-inf")).to(tl.float32)
        before = base
        larger = tl.maximum(most, tl.max(x, 0))
        base = tl.where(larger == float("-inf"), 0.0, larger)
        total = total * tl.exp(most - base) + tl.sum(tl.exp(x - base[None, :]), 0)
        most = larger
        if SMOOTH:
            weight = tl.where(inside, 1.0, 0.0)
            if WEIGHTED:
                weight *= tl.load(weight_ptr + label, mask=label < classes, other=0.0)[:, None]
            apart += weights * (before - base) + tl.sum(tl.where(inside, weight * (x - base[None, :]), 0.0), 0)
            weights += tl.sum(weight, 0)
    target = tl.load(t_ptr + one, mask=known, other=0)
    kept = known & (target != ignore_index)
    target = tl.where(kept, target, 0)
    share = tl.where(kept, 1.0, 0.0)
    if WEIGHTED:
        share *= tl.load(weight_ptr + target)
    x = tl.load(x_ptr + begin + target * places, mask=kept, other=0.0).to(tl.float32)
    loss = share * (tl.log(total) - (x - base))
    if SMOOTH:
        even = tl.log(total) * weights - apart
        loss = (1.0 - smoothing) * loss + smoothing * even / classes
    loss = tl.where(kept, loss, 0.0)
    if EACH:
        tl.store(out_ptr + one, loss, mask=known)
    else:
        tl.store(out_ptr + tl.program_id(0), tl.sum(loss, 0))
        tl.store(out_ptr + tl.num_programs(0) + tl.program_id(0), tl.sum(tl.where(known, 1.0, 0.0), 0))


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
    x: torch.Tensor,
    t: torch.Tensor,
    weight: torch.Tensor | None,
    ignore_index: int,
    label_smoothing: float,
    reduction: int,
) -> torch.Tensor:
    x, t = x.contiguous(), t.contiguous()
    (batch, classes, places), device = x.shape, x.device
    count, wide = batch * places, triton.next_power_of_2(classes)
    BLOCK = min(triton.next_power_of_2(count), 64 if places > 1 else max(1, 4096 // wide))
    programs = triton.cdiv(count, BLOCK)
    each = reduction == 0
    losses = torch.empty((batch, places) if each else (2, programs), dtype=torch.float32, device=device)
    loss_kernel[(programs,)](
        x,
        t,
        x if weight is None else weight,
        losses,
        count,
        classes,
        places,
        ignore_index,
        label_smoothing,
        WEIGHTED=weight is not None,
        SMOOTH=label_smoothing > 0,
        EACH=each,
        CLASSES=min(wide, 4096 // BLOCK),
        BLOCK=BLOCK,
    )
    if each:
        return losses
    out = torch.empty((1, 1), dtype=torch.float32, device=device)
    join_kernel[(1,)](losses, out, programs, MEAN=reduction == 2, BLOCK=min(4096, triton.next_power_of_2(programs)))
    return out
