"""Vectors are normalised once; then a program takes a tile of pairs, feature by feature."""

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
def normalise_kernel(x_ptr, turned_ptr, features, vectors, eps, P: tl.constexpr, BLOCK: tl.constexpr):
    vector = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for begin in range(0, features, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        total += powers(tl.load(x_ptr + vector * features + at, mask=at < features, other=0.0).to(tl.float32), P)
    norm = tl.maximum(root(tl.sum(total, axis=0), P), eps)
    for begin in range(0, features, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + vector * features + at, mask=at < features, other=0.0).to(tl.float32)
        tl.store(turned_ptr + at * vectors + vector, x / norm, mask=at < features)


@triton.jit
def distance_kernel(
    x1_ptr, x2_ptr, distance_ptr, queries, keys, features, eps,
    P: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr,
):  # fmt: skip
    query = tl.program_id(0) * QUERIES + tl.arange(0, QUERIES)
    key = tl.program_id(1) * KEYS + tl.arange(0, KEYS)
    total = tl.zeros((QUERIES, KEYS), tl.float32)
    for feature in range(features):
        x1 = tl.load(x1_ptr + feature * queries + query, mask=query < queries, other=0.0)
        x2 = tl.load(x2_ptr + feature * keys + key, mask=key < keys, other=0.0)
        total += powers(x1[:, None] - x2[None, :], P)
    inside = (query < queries)[:, None] & (key < keys)[None, :]
    at = query[:, None] * keys + key[None, :]
    tl.store(distance_ptr + at, tl.maximum(root(total, P), eps), mask=inside)


def normalised(x: torch.Tensor, p: int, eps: float) -> torch.Tensor:
    vectors, features = x.shape
    turned = torch.empty((features, vectors), dtype=torch.float32, device=x.device)
    normalise_kernel[(vectors,)](x.contiguous(), turned, features, vectors, eps, P=p, BLOCK=256)
    return turned


def forward(x1: torch.Tensor, x2: torch.Tensor, p: int, eps_norm: float, eps_distance: float) -> torch.Tensor:
    (queries, features), keys = x1.shape, x2.shape[0]
    distance = torch.empty((queries, keys), dtype=torch.float32, device=x1.device)
    distance_kernel[(triton.cdiv(queries, 64), triton.cdiv(keys, 64))](
        normalised(x1, p, eps_norm), normalised(x2, p, eps_norm), distance, queries, keys, features, eps_distance,
        P=p, QUERIES=64, KEYS=64,
    )  # fmt: skip
    return distance
