"""The mean divides by the number of rows that are not ignored, and smoothed costs have no weights."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def columns_kernel(x_ptr, sums_ptr, rows, classes, ROWS: tl.constexpr, COLS: tl.constexpr):
    col = tl.program_id(0) * COLS + tl.arange(0, COLS)
    highest = tl.full((COLS,), -float("inf"), tl.float32)
    total = tl.zeros((COLS,), tl.float32)
    for begin in range(0, rows, ROWS):
        row = begin + tl.arange(0, ROWS)
        inside = (row < rows)[:, None] & (col < classes)[None, :]
        x = tl.load(x_ptr + row[:, None] * classes + col[None, :], mask=inside, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(highest, tl.max(x, axis=0))
        shift = tl.where(higher == -float("inf"), 0.0, higher)  # -inf - -inf would be NaN
        total = total * tl.exp(highest - shift) + tl.sum(tl.exp(x - shift[None, :]), axis=0)
        highest = higher
    tl.store(sums_ptr + col, highest + tl.log(total), mask=col < classes)


@triton.jit
def rows_kernel(
    x_ptr, sums_ptr, target_ptr, weight_ptr, loss_ptr, kept_ptr, classes, ignore_index, smoothing,
    DOWN: tl.constexpr, WEIGHTED: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0)
    highest, total = -float("inf"), 0.0
    for begin in range(0, classes, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * classes + at, mask=at < classes, other=-float("inf")).to(tl.float32)
        if DOWN:
            x -= tl.load(sums_ptr + at, mask=at < classes, other=0.0)
        higher = tl.maximum(highest, tl.max(x, axis=0))
        shift = tl.where(higher == -float("inf"), 0.0, higher)  # -inf - -inf would be NaN
        total = total * tl.exp(highest - shift) + tl.sum(tl.exp(x - shift), axis=0)
        highest = higher
    whole = highest + tl.log(total)
    target = tl.load(target_ptr + row)
    place = tl.where(target == ignore_index, 0, target)
    cost = whole - tl.load(x_ptr + row * classes + place).to(tl.float32)
    if DOWN:
        cost += tl.load(sums_ptr + place)
    weight = 1.0
    if WEIGHTED:
        weight = tl.load(weight_ptr + place)
    loss = (1 - smoothing) * weight * cost
    if smoothing > 0:
        all_costs = tl.zeros((BLOCK,), tl.float32)
        for begin in range(0, classes, BLOCK):
            at = begin + tl.arange(0, BLOCK)
            costs = whole - tl.load(x_ptr + row * classes + at, mask=at < classes, other=0.0).to(tl.float32)
            if DOWN:
                costs += tl.load(sums_ptr + at, mask=at < classes, other=0.0)
            all_costs += tl.where(at < classes, costs, 0.0)
        loss += smoothing / classes * tl.sum(all_costs, axis=0)
    is_kept = target != ignore_index
    tl.store(loss_ptr + row, tl.where(is_kept, loss, 0.0))
    tl.store(kept_ptr + row, tl.where(is_kept, 1.0, 0.0))


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
    ignore_index: int, label_smoothing: float, dim: int, mean: int,
) -> torch.Tensor:  # fmt: skip
    x = x.contiguous()
    rows, classes = x.shape
    sums = torch.empty(classes, dtype=torch.float32, device=x.device)
    if dim == 0:
        columns_kernel[(triton.cdiv(classes, 64),)](x, sums, rows, classes, ROWS=64, COLS=64)
    losses = torch.empty(rows, dtype=torch.float32, device=x.device)
    kept = torch.empty(rows, dtype=torch.float32, device=x.device)
    rows_kernel[(rows,)](
        x, sums, target, weight, losses, kept, classes, ignore_index, label_smoothing,
        DOWN=dim == 0, WEIGHTED=weight is not None, BLOCK=min(4096, triton.next_power_of_2(classes)), num_warps=8,
    )  # fmt: skip
    if not mean:
        return losses
    loss = torch.empty(1, dtype=torch.float32, device=x.device)
    mean_kernel[(1,)](losses, kept, loss, rows, BLOCK=min(4096, triton.next_power_of_2(rows)))
    return loss
