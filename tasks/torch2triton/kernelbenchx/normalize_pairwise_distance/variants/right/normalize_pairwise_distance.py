"""A program takes the distances of some rows; a second kernel takes their norm and divides by it."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def powers(x, P: tl.constexpr):
    out = tl.abs(x)
    if P == 2:
        out = x * x
    if P == 3:
        out = out * x * x
    return out


@triton.jit
def root(x, P: tl.constexpr):
    out = x
    if P == 2:
        out = tl.sqrt(x)
    if P == 3:
        out = tl.exp(tl.log(x) / 3)
    return out


@triton.jit
def distance_kernel(
    x1_ptr, x2_ptr, distance_ptr, rows, cols, eps, P: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr
):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    total = tl.zeros((ROWS,), tl.float32)
    for begin in range(0, cols, COLS):
        col = begin + tl.arange(0, COLS)
        inside = (row < rows)[:, None] & (col < cols)[None, :]
        at = row[:, None] * cols + col[None, :]
        x1 = tl.load(x1_ptr + at, mask=inside, other=0.0).to(tl.float32)
        x2 = tl.load(x2_ptr + at, mask=inside, other=0.0).to(tl.float32)
        total += tl.sum(tl.where(inside, powers(x1 - x2 + eps, P), 0.0), axis=1)
    tl.store(distance_ptr + row, root(total, P), mask=row < rows)


@triton.jit
def normalise_kernel(
    distance_ptr, out_ptr, length, inner, eps, P: tl.constexpr, LENGTH: tl.constexpr, INNER: tl.constexpr
):
    place = tl.arange(0, LENGTH)
    column = tl.program_id(1) * INNER + tl.arange(0, INNER)
    at = tl.program_id(0) * length * inner + place[:, None] * inner + column[None, :]
    total = tl.zeros((INNER,), tl.float32)
    for begin in range(0, length, LENGTH):
        inside = (begin + place < length)[:, None] & (column < inner)[None, :]
        total += tl.sum(powers(tl.load(distance_ptr + at + begin * inner, mask=inside, other=0.0), P), axis=0)
    norm = tl.maximum(root(total, P), eps)
    for begin in range(0, length, LENGTH):
        inside = (begin + place < length)[:, None] & (column < inner)[None, :]
        distance = tl.load(distance_ptr + at + begin * inner, mask=inside, other=0.0)
        tl.store(out_ptr + at + begin * inner, distance / norm[None, :], mask=inside)


def forward(
    x1: torch.Tensor, x2: torch.Tensor, p_distance: int, eps_distance: float,
    p_norm: int, dim_norm: int, eps_norm: float,
) -> torch.Tensor:  # fmt: skip
    x1, x2 = x1.contiguous(), x2.contiguous()
    batch, rows, cols = x1.shape
    distance = torch.empty((batch, rows), dtype=torch.float32, device=x1.device)
    out = torch.empty_like(distance)
    block = min(512, triton.next_power_of_2(cols))
    many = 2048 // block
    distance_kernel[(triton.cdiv(batch * rows, many),)](
        x1, x2, distance, batch * rows, cols, eps_distance, P=p_distance, ROWS=many, COLS=block
    )
    length, inner = (rows, 1) if dim_norm == 1 else (batch, rows)
    columns = min(64, triton.next_power_of_2(inner))
    normalise_kernel[(batch * rows // (length * inner), triton.cdiv(inner, columns))](
        distance, out, length, inner, eps_norm, P=p_norm, LENGTH=2048 // columns, INNER=columns
    )
    return out
