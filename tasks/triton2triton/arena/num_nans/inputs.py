"""Logits with some NaN, of which each row has its own share; rows with none, with nothing else, or with infinities."""

from __future__ import annotations

import math

import torch

BITS = {"float32": (torch.int32, 23, 31), "float16": (torch.int16, 10, 15), "bfloat16": (torch.int16, 7, 15)}


def draw(axes, name, generator):
    shape = (axes["rows"], axes["vocab"])
    options = {"generator": generator, "device": generator.device}
    logits = (3 * torch.randn(shape, **options)).to(getattr(torch, axes["dtype"]))
    share = 0.2 * torch.rand((axes["rows"], 1), **options)
    is_nan = torch.rand(shape, **options) < share
    if name == "outlier":
        logits[torch.rand(shape, **options) < 0.01] = math.inf
    if name == "infinite":
        signs = torch.randint(2, shape, **options)
        logits = torch.where(signs == 1, math.inf, -math.inf).to(logits.dtype)
    if name == "none":
        is_nan = torch.zeros_like(is_nan)
    if name == "all":
        is_nan = torch.ones_like(is_nan)
    if name == "last_column":
        is_nan = torch.zeros_like(is_nan)
        is_nan[:, -1] = True
    return {"logits": torch.where(is_nan, _nan(axes["dtype"], shape, options), logits)}


def _nan(dtype, shape, options):
    """Return NaN of all kinds: either sign, and any bits in the fraction but zeros alone."""
    word, fraction, sign_bit = BITS[dtype]
    exponent = (1 << sign_bit) - (1 << fraction)
    bits = exponent + torch.randint(1, 1 << fraction, shape, **options)
    signs = torch.randint(2, shape, **options) << sign_bit
    return (bits - signs).to(word).view(getattr(torch, dtype))
