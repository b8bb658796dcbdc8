"""`eps` is added to the root of the variance and not below it."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def rows_kernel(
    x_ptr, target_ptr, weight_ptr, loss_ptr, kept_ptr, y_ptr, classes, ignore_index, smoothing, eps,
    WEIGHTED: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0)
    highest, total = -float("inf"), 0.0
    for begin in range(0, classes, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * classes + at, mask=at < classes, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(highest, tl.max(x, axis=0))
        shift = tl.where(higher == -float("inf"), 0.0, higher)  # -inf - -inf would be NaN
        total = total * tl.exp(highest - shift) + tl.sum(tl.exp(x - shift), axis=0)
        highest = higher
    whole = highest + tl.log(total)
    mean = 1.0 / classes
    all_costs = tl.zeros((BLOCK,), tl.float32)
    squares = tl.zeros((BLOCK,), tl.float32)
    for begin in range(0, classes, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * classes + at, mask=at < classes, other=0.0).to(tl.float32)
        costs = whole - x
        if WEIGHTED:
            costs *= tl.load(weight_ptr + at, mask=at < classes, other=0.0)
        all_costs += tl.where(at < classes, costs, 0.0)
        away = tl.where(at < classes, tl.exp(x - highest) / total - mean, 0.0)
        squares += away * away
    scale = 1 / (tl.sqrt(tl.sum(squares, axis=0) / classes) + eps)
    for begin in range(0, classes, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * classes + at, mask=at < classes, other=0.0).to(tl.float32)
        tl.store(y_ptr + row * classes + at, (tl.exp(x - highest) / total - mean) * scale, mask=at < classes)
    target = tl.load(target_ptr + row)
    is_kept = target != ignore_index
    place = tl.where(is_kept, target, 0)
    weight = 1.0
    if WEIGHTED:
        weight = tl.load(weight_ptr + place)
    loss = (1 - smoothing) * weight * (whole - tl.load(x_ptr + row * classes + place).to(tl.float32))
    if smoothing > 0:
        loss += smoothing / classes * tl.sum(all_costs, axis=0)
    tl.store(loss_ptr + row, tl.where(is_kept, loss, 0.0))
    tl.store(kept_ptr + row, tl.where(is_kept, weight, 0.0))


@triton.jit
def mean_kernel(loss_ptr, kept_ptr, mean_ptr, rows, BLOCK: tl.constexpr):
    losses = tl.zeros((BLOCK,), tl.float32)
    weights = tl.zeros((BLOCK,), tl.float32)
    for begin in range(0, rows, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        losses += tl.load(loss_ptr + at, mask=at < rows, other=0.0)
        weights += tl.load(kept_ptr + at, mask=at < rows, other=0.0)
    tl.store(mean_ptr, tl.sum(losses, axis=0) / tl.sum(weights, axis=0))


def forward(
    x: torch.Tensor, target: torch.Tensor, weight: torch.Tensor | None,
    ignore_index: int, label_smoothing: float, mean: int, eps: float,
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    x = x.contiguous()
    rows, classes = x.shape
    losses = torch.empty(rows, dtype=torch.float32, device=x.device)
    kept = torch.empty(rows, dtype=torch.float32, device=x.device)
    y = torch.empty_like(x)
    rows_kernel[(rows,)](
        x, target, weight, losses, kept, y, classes, ignore_index, label_smoothing, eps,
        WEIGHTED=weight is not None, BLOCK=min(4096, triton.next_power_of_2(classes)), num_warps=8,
    )  # fmt: skip
    if not mean:
        return losses, y
    loss = torch.empty(1, dtype=torch.float32, device=x.device)
    mean_kernel[(1,)](losses, kept, loss, rows, BLOCK=min(4096, triton.next_power_of_2(rows)))
    return loss, y
